// Rows that many threads may learn from.
#pragma once

#include <memory>
#include <random>
#include <vector>

#include "treewright/counting/row_set.hpp"

namespace tw = treewright;

/// Distinct rows of columns that copy their neighbour more often than not.
inline std::shared_ptr<const tw::RowSet> drawn_rows(std::size_t n, std::size_t n_rows, std::uint32_t states,
                                                    unsigned seed) {
  std::mt19937 random(seed);
  std::vector<std::vector<std::uint8_t>> codes(n);
  std::vector<tw::CodeColumn> columns;
  std::vector<std::uint32_t> order;
  for (std::size_t c = 0; c < n; ++c) {
    for (std::size_t i = 0; i < n_rows; ++i) {
      const bool is_copy = c > 0 && random() % 10 < 7;
      codes[c].push_back(is_copy ? codes[c - 1][i] : static_cast<std::uint8_t>(random() % states));
    }
    columns.push_back({codes[c].data(), 1}), order.push_back(static_cast<std::uint32_t>(c));
  }
  const tw::PackedTable table(columns, std::vector<std::uint32_t>(n, states), n_rows);
  tw::Cancel cancel;
  return std::make_shared<const tw::RowSet>(table, order, cancel);
}
