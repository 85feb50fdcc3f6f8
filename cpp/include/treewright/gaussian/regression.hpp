// Linear regressions of families from their correlations alone.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "treewright/gaussian/cholesky.hpp"
#include "treewright/gaussian/gaussian.hpp"
#include "treewright/parallel/cancel.hpp"

namespace treewright::gaussian {

/// The regression of a standardised child on its standardised parents.
struct Regression {
  std::vector<double> slopes;           // in the order of the parents
  std::vector<std::uint8_t> redundant;  // constant, or a linear function of parents before it by name
  double unexplained = 1;               // share of the child's variance, not below kSingular
  bool floored = false;                 // the child is a linear function of its parents, or constant
};

/// Redundant parents have slope zero: the fit is that of the others.
std::vector<Regression> regressions(const Correlations& correlations, std::span<const Family> families,
                                    Cancel& cancel);

}  // namespace treewright::gaussian
