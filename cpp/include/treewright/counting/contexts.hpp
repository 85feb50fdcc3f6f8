// Rows grouped by what some variables say, and each group counted against all others at once (kernel B).
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "treewright/counting/numbering.hpp"

namespace treewright {

/// Counts of every plane in every group; 64 * words counters a row, of which the first `planes` mean
/// something.
template <class Count>
struct GroupedCounts {
  std::size_t n_groups = 0, stride = 0;
  AlignedVector<Count> cells;
  std::vector<std::int64_t> group_sizes;

  const Count* row(std::size_t g) const { return cells.data() + g * stride; }
};

/// Kernel B, for tables without real weights. `Count` must hold the table's total.
template <class Count>
GroupedCounts<Count> count_grouped(const PackedTable& table, const Contexts& contexts, Cancel& cancel);

/// The same for few groups of a table without weights, from bit planes alone (kernel A): groups are numbered
/// by the declared states of `scope`, none of them wide, at most 64 in all.
GroupedCounts<std::uint64_t> count_by_masks(const PackedTable& table, std::span<const std::uint32_t> scope,
                                            Cancel& cancel);

/// What kernel B gives, as plain tables: for every occupied configuration of `context` its states, and its
/// counts of every state of every partner side by side.
struct PartnerCounts {
  std::size_t n_groups = 0, n_states = 0;
  std::vector<std::uint32_t> configurations;  // n_groups x |context|
  std::vector<std::int64_t> cells;            // n_groups x n_states
};
PartnerCounts count_partners(const PackedTable& table, std::span<const std::uint32_t> context,
                             std::span<const std::uint32_t> partners, Cancel& cancel);

/// Sort the row numbers 0..n-1 (or `rows`) of one block by group: counting sort, stable.
struct BlockGrouping {
  std::vector<std::uint16_t> order;
  std::vector<std::uint32_t> starts, cursors;
  void sort(const std::uint32_t* ids, const std::uint16_t* rows, std::size_t n, std::size_t n_groups);
};

}  // namespace treewright
