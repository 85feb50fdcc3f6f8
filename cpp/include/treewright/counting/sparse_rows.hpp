// Rows as lists of what is unusual in them.
//
// In each column the most frequent state is the usual one; the others are numbered from 1 on and have a
// *plane* each. A row is the list of its planes. Counting pairs and following a tree then cost what is
// unusual, not what there is.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "treewright/counting/pair_counts.hpp"
#include "treewright/counting/row_set.hpp"

namespace treewright {

/// How states are numbered: rank 0 is the usual state of a column.
struct StateRanks {
  std::vector<std::uint32_t> cardinalities;
  std::vector<std::vector<RowSet::Code>> rank_of;  // per column, by code
  std::vector<std::vector<RowSet::Code>> code_of;  // per column, by rank
  std::vector<std::uint32_t> first_plane;          // of each column; rank s has plane first + s - 1
  std::vector<std::uint32_t> column_of;            // of each plane

  /// The most frequent state first, then the others by code.
  explicit StateRanks(const RowSet& rows);
  std::size_t n_columns() const { return cardinalities.size(); }
  std::size_t n_planes() const { return column_of.size(); }
};

struct SparseRows {
  std::vector<std::uint64_t> begin{0};
  std::vector<std::uint32_t> planes;  // rising within a row

  SparseRows(const RowSet& rows, const StateRanks& ranks);
  std::size_t n_rows() const { return begin.size() - 1; }
  std::span<const std::uint32_t> row(std::size_t i) const {
    return {planes.data() + begin[i], begin[i + 1] - begin[i]};
  }
  /// Pairs of planes over all rows: the work of one count.
  double n_pairs() const;
};

/// Add a row to counts of pairs.
inline void add_row(PairCounts& counts, std::span<const std::uint32_t> row, double weight) {
  counts.total += weight;
  for (std::size_t a = 0; a < row.size(); ++a) {
    counts.single[row[a]] += weight;
    double* const out = counts.pair.data() + row[a] * counts.n_planes();
    for (std::size_t b = a + 1; b < row.size(); ++b) out[row[b]] += weight;
  }
}

}  // namespace treewright
