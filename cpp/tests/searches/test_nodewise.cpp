#include <cmath>
#include <stdexcept>
#include <vector>

#include "../../src/searches/nodewise/nodewise_regression.hpp"
#include "../../src/searches/nodewise/nodewise_tables.hpp"
#include "check.hpp"
#include "treewright/searches/nodewise.hpp"

namespace tw = treewright;
using tw::nodewise::Design;
using tw::nodewise::PathSettings;

namespace {

// Two variables: 48 16 / 16 48, and a third that knows nothing of them.
Design paired_design() {
  std::vector<std::uint32_t> codes;
  std::vector<double> weights;
  for (int column = 0; column < 3; ++column)
    for (std::uint32_t a : {0u, 1u})
      for (std::uint32_t b : {0u, 1u})
        for (std::uint32_t c : {0u, 1u}) codes.push_back(column == 0 ? a : column == 1 ? b : c);
  for (std::uint32_t a : {0u, 1u})
    for (std::uint32_t b : {0u, 1u})
      for (int c = 0; c < 2; ++c) weights.push_back(a == b ? 24 : 8);
  return {codes, weights, {2, 2, 2}};
}

}  // namespace

TEST(the_best_support_is_fitted_without_penalty) {
  const Design design = paired_design();
  tw::Cancel cancel;
  const auto fit = tw::nodewise::fit_by_ebic(design, 0, {}, cancel);
  CHECK((fit.support == std::vector<std::uint32_t>{1}));
  CHECK(std::abs(2 * fit.weights[1] - 2 * std::log(3.0)) < 1e-5);  // the log-odds ratio is ln 9
  CHECK(std::abs(fit.log_likelihood - (96 * std::log(0.75) + 32 * std::log(0.25))) < 1e-9);
}

TEST(nothing_is_joined_at_the_largest_penalty) {
  const Design design = paired_design();
  tw::Cancel cancel;
  const double first = tw::nodewise::largest_penalty(design, 0, {}, cancel);
  CHECK(tw::nodewise::fit_at(design, 0, first * 1.001, {}, cancel).support.empty());
  CHECK(tw::nodewise::fit_at(design, 0, first * 0.999, {}, cancel).support.size() == 1);
  CHECK(std::abs(first - 16) < 1e-6);  // sum over rows with b = 1 of (a - 1/2): 32 (3/4 - 1/4)
}

TEST(penalties_along_a_path_fall) {
  const Design design = paired_design();
  tw::Cancel cancel;
  int refused = 0;
  try {
    tw::nodewise::held_out(design, design, 0, std::vector<double>{1, 2}, {}, cancel);
  } catch (const std::invalid_argument&) {
    ++refused;
  }
  try {
    Design(std::vector<std::uint32_t>{2}, std::vector<double>{1}, {2});
  } catch (const std::out_of_range&) {
    ++refused;
  }
  CHECK(refused == 2);
  const auto logs = tw::nodewise::held_out(design, design, 0, std::vector<double>{100, 1}, {}, cancel);
  CHECK(std::abs(logs[0] - 128 * std::log(0.5)) < 1e-9);
  CHECK(logs[1] > logs[0]);
}

// One regression, with and without a matrix of second derivatives.
TEST(both_solvers_of_a_regression_agree) {
  std::uint64_t state = 7;
  const auto chance = [&](std::uint32_t below) {
    state = state * 6364136223846793005u + 1442695040888963407u;
    return static_cast<std::uint32_t>((state >> 33) % below);
  };
  const std::vector<std::uint32_t> cardinalities{5, 2, 3, 4, 2};
  const std::size_t n = 300;
  std::vector<std::uint32_t> codes(n * cardinalities.size());
  std::vector<double> weights(n);
  for (std::size_t i = 0; i < n; ++i) {
    weights[i] = 1 + chance(3);
    for (std::size_t v = 0; v < cardinalities.size(); ++v)
      codes[v * n + i] =
          v > 0 && v < 4 && chance(3) > 0 ? codes[i] % cardinalities[v] : chance(cardinalities[v]);
  }
  const Design design(codes, weights, cardinalities);
  tw::Cancel cancel;
  for (std::uint32_t target = 0; target < cardinalities.size(); ++target) {
    tw::nodewise::Regression dense(design, target, 1e-9);
    tw::nodewise::TableRegression tables(design, target, 1e-9);
    std::vector<std::uint32_t> members;
    for (std::uint32_t v = 0; v < cardinalities.size(); ++v)
      if (v != target) members.push_back(v);
    for (const double price : {0.2, 0.05, 0.01, 0.0}) {
      dense.descend(members, price, cancel);
      tables.descend(members, price, cancel);
      CHECK(dense.support() == tables.support());
      CHECK(std::abs(dense.log_likelihood() - tables.log_likelihood()) < 1e-5);
      const auto first = dense.weights(), second = tables.weights();
      for (std::size_t i = 0; i < first.size(); ++i) CHECK(std::abs(first[i] - second[i]) < 1e-5);
      const auto here = dense.slopes(), there = tables.slopes();
      for (std::size_t v = 0; v < here.size(); ++v) CHECK(std::abs(here[v] - there[v]) < 1e-7);
      CHECK(std::abs(dense.log_likelihood(design) - tables.log_likelihood(design)) < 1e-5);
    }
  }
}
