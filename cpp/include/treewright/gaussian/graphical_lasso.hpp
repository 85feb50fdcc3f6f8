// The sparse inverse of a covariance matrix (Friedman, Hastie & Tibshirani 2008): one variable after the
// other is regressed on all others with a price on each coefficient, until nothing moves.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "treewright/parallel/cancel.hpp"

namespace treewright {

struct Precision {
  std::vector<double> covariance, precision;  // n x n
  double gap = 0;                             // between the penalised likelihood and its dual
  double log_determinant = 0;                 // of the precision
  std::size_t sweeps = 0;
};

/// Maximise log det X - tr(S X) - sum of prices[i, j] |X[i, j]|. `start`: empty, or the covariance found for
/// prices that are not smaller. Stops when the gap is at most `tolerance`.
Precision graphical_lasso(std::span<const double> sample, std::span<const double> prices, std::size_t n,
                          std::span<const double> start, double tolerance, std::size_t most_sweeps,
                          Cancel& cancel);

}  // namespace treewright
