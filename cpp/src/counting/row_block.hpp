// Sixty-four rows side by side: the unit that the block kernels work on.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "treewright/counting/block_kernels.hpp"
#include "treewright/counting/row_set.hpp"

namespace treewright {

inline constexpr std::size_t blocks_for(std::size_t rows) { return (rows + kRowBlock - 1) / kRowBlock; }

/// Codes of up to 64 rows, turned to [column][row]. Where there are fewer, the first row stands in with
/// weight zero, so that kernels never see a hole.
struct RowBlock {
  std::vector<RowSet::Code> codes;
  float weights[kRowBlock] = {};
  std::size_t n_rows = 0;

  /// `pick(k)` is the number of the k-th row.
  template <class Pick>
  void load(const RowSet& rows, std::size_t count, Pick&& pick) {
    const std::size_t n = rows.n_columns();
    codes.resize(n * kRowBlock);
    n_rows = count;
    for (std::size_t k = 0; k < kRowBlock; ++k) {
      const std::size_t row = pick(k < count ? k : 0);
      const RowSet::Code* from = rows.row(row);
      for (std::size_t column = 0; column < n; ++column) codes[column * kRowBlock + k] = from[column];
      weights[k] = k < count ? static_cast<float>(rows.weights()[row]) : 0.0f;
    }
  }

  void load_run(const RowSet& rows, std::size_t block) {
    const std::size_t begin = block * kRowBlock;
    load(rows, std::min(kRowBlock, rows.n_rows() - begin), [begin](std::size_t k) { return begin + k; });
  }

  /// The states of one column as symbols.
  void symbols(std::size_t column, std::uint32_t* out) const {
    const RowSet::Code* from = codes.data() + column * kRowBlock;
    for (std::size_t k = 0; k < kRowBlock; ++k) out[k] = from[k];
  }

  /// The states of a column together with those of another: first * radix + second.
  void paired_symbols(std::size_t first, std::size_t second, std::uint32_t radix, std::uint32_t* out) const {
    const RowSet::Code* high = codes.data() + first * kRowBlock;
    const RowSet::Code* low = codes.data() + second * kRowBlock;
    for (std::size_t k = 0; k < kRowBlock; ++k) out[k] = high[k] * radix + low[k];
  }
};

}  // namespace treewright
