// The handle of a score that native searches ask.
#pragma once

#include <nanobind/stl/shared_ptr.h>

#include "bind.hpp"
#include "treewright/criteria/local_scores.hpp"

using ScoresPointer = std::shared_ptr<tw::LocalScores>;

inline tw::LocalScores& checked(const ScoresPointer& scores) {
  if (!scores) throw std::invalid_argument("there is no score");
  return *scores;
}
