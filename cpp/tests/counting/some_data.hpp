// Rows drawn at random, and their tables counted by looking at each.
#pragma once

#include <algorithm>
#include <cstdint>
#include <random>
#include <vector>

#include "treewright/counting/packed.hpp"

namespace tw = treewright;

struct Data {
  std::vector<std::vector<std::uint8_t>> columns;
  std::vector<std::uint32_t> cardinalities;
  std::size_t n_rows;
  std::vector<std::int64_t> weights;

  tw::PackedTable packed() const {
    std::vector<tw::CodeColumn> codes;
    for (const auto& column : columns) codes.push_back({column.data(), 1});
    tw::RowWeights row_weights;
    if (!weights.empty()) row_weights.integers = weights.data();
    return {codes, cardinalities, n_rows, row_weights};
  }

  std::vector<std::int64_t> plain_counts(const std::vector<std::uint32_t>& scope) const {
    std::size_t cells = 1;
    for (std::uint32_t v : scope) cells *= cardinalities[v];
    std::vector<std::int64_t> out(cells, 0);
    for (std::size_t i = 0; i < n_rows; ++i) {
      std::size_t code = 0;
      for (std::uint32_t v : scope) code = code * cardinalities[v] + columns[v][i];
      out[code] += weights.empty() ? 1 : weights[i];
    }
    return out;
  }
};

inline Data some_data(std::size_t n_rows, std::vector<std::uint32_t> cardinalities, bool weighted,
                      unsigned seed) {
  std::mt19937_64 rng(seed);
  Data data{{}, std::move(cardinalities), n_rows, {}};
  for (std::uint32_t r : data.cardinalities) {
    data.columns.emplace_back(n_rows);
    for (auto& code : data.columns.back())
      code = static_cast<std::uint8_t>(std::min<std::uint64_t>(rng() % r, rng() % r));
  }
  for (std::size_t i = 0; weighted && i < n_rows; ++i)
    data.weights.push_back(static_cast<std::int64_t>(rng() % 9));
  return data;
}
