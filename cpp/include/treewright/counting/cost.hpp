// What each kernel costs, in nanoseconds: the constants that choose between them.
// `benchmarks/core/bench_counting.py` measures them anew; being off by a factor of two costs at most 1.3x.
#pragma once

#include <algorithm>
#include <cstddef>

namespace treewright {

struct CostModel {
  double popcount_fixed = 8, rows_per_popcount_ns = 290;
  double mask_fixed = 5, rows_per_mask_ns = 300;
  double context_column = 0.1, grouping = 1.3, grouped_row = 1.2, flush = 50, renumbering = 0.8;
  double histogram_row = 0.6, empty_cell = 0.3, hash_row = 2.5;

  /// A: K occupied masks against R planes.
  double masks(double rows, double masks, double planes) const {
    return masks * planes * (popcount_fixed + rows / rows_per_popcount_ns) +
           masks * (mask_fixed + rows / rows_per_mask_ns);
  }
  /// B: one context of `columns` columns and `groups` occupied groups against everything.
  double grouped(double rows, double columns, double groups, double all_planes, double largest_share) const {
    const double chunks = std::max(1.0, (all_planes + 255) / 256);
    return rows * (context_column * columns + grouping + grouped_row * chunks * (1 - largest_share)) +
           flush * groups * chunks;
  }
  /// C: one pass per partner.
  double histograms(double rows, double partners, double cells) const {
    return partners * rows * histogram_row + empty_cell * cells;
  }
};

inline constexpr CostModel kCost{};

/// Tables with more cells than this many times the rows are counted sparsely.
inline constexpr double kSparseFactor = 4;

}  // namespace treewright
