// Mean and centred scatter of columns, additive and free of cancellation.
//
// Rows are cut into blocks of fixed size counted from the first row. Each block is centred on its own mean
// before anything is squared, so an offset of 1e8 costs no digit, and blocks are merged as a binary tree
// whose shape depends on their number only. Every number is summed in one fixed order: the result is the same
// to the last bit for any number of threads and any vector unit, and each column pair is summed on its own,
// so it does not depend on the other columns or on their order.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "treewright/parallel/cancel.hpp"

namespace treewright {

inline constexpr std::size_t kMomentRows = 4096;

/// Rows (or their total weight), mean and centred scatter (n_columns x n_columns, both triangles).
/// `mean_tail` is what rounding cut off the mean: mean + mean_tail has twice the digits.
struct MomentSums {
  double n = 0;
  std::vector<double> mean, mean_tail, scatter;

  static MomentSums empty(std::size_t n_columns);
  std::size_t columns() const { return mean.size(); }
};

/// `a` followed by `b`; either may have no rows.
MomentSums merge(const MomentSums& a, const MomentSums& b);

/// A list merged as a binary tree: the first half is the largest power of two below its length.
MomentSums merge(std::span<const MomentSums> parts);

/// The moments of columns of `n_rows` finite numbers; `weights` is empty (every row counts once) or one
/// finite non-negative number per row.
MomentSums moments_of(std::span<const double* const> columns, std::size_t n_rows,
                      std::span<const double> weights, Cancel& cancel);

/// Per column: the number of values that are NaN, and of those that are infinite.
struct NonFinite {
  std::int64_t nan = 0, infinite = 0;
};
std::vector<NonFinite> count_non_finite(std::span<const double* const> columns, std::size_t n_rows,
                                        Cancel& cancel);

}  // namespace treewright
