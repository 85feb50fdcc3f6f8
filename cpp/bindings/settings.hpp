// Settings of scores and tests, as Python names them.
#pragma once

#include <string>

#include "treewright/criteria/independence.hpp"
#include "treewright/criteria/scores.hpp"

inline treewright::ScoreSettings score_settings(const std::string& name, double ess) {
  using Kind = treewright::ScoreKind;
  if (name == "log_likelihood") return {Kind::log_likelihood, ess};
  if (name == "aic") return {Kind::aic, ess};
  if (name == "bic") return {Kind::bic, ess};
  if (name == "bdeu") return {Kind::bdeu, ess};
  if (name == "k2") return {Kind::k2, ess};
  if (name == "qnml") return {Kind::qnml, ess};
  throw std::invalid_argument("there is no score kind '" + name +
                              "'; there are log_likelihood, aic, bic, bdeu, k2, qnml");
}

inline treewright::TestSettings test_settings(const std::string& statistic, const std::string& degrees) {
  if (statistic != "g2" && statistic != "x2")
    throw std::invalid_argument("there is no statistic '" + statistic + "'; there are g2, x2");
  if (degrees != "adjusted" && degrees != "full")
    throw std::invalid_argument("degrees of freedom are adjusted or full, not '" + degrees + "'");
  return {statistic == "g2" ? treewright::Statistic::g2 : treewright::Statistic::x2,
          degrees == "full" ? treewright::Degrees::full : treewright::Degrees::adjusted};
}
