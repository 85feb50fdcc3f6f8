// Rows grouped by what some variables say, and each group counted against all others at once (kernel B).
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "treewright/counting/packed.hpp"

namespace treewright {

/// The configuration of a scope in every row, numbered in lexicographic order of the states.
struct Contexts {
  std::size_t n_groups = 1;
  std::vector<std::uint32_t> ids;        // one per row
  std::vector<std::uint32_t> first_row;  // only when occupied groups were numbered: a row of each group

  // Where numbers are not kept for every row, blocks of rows are numbered anew from the codes of these
  // variables; `number` has the group of each declared configuration, or nothing where all are groups.
  bool are_kept = true;
  std::vector<std::uint32_t> scope, number;

  bool renumbered() const { return !first_row.empty(); }
  /// Numbers of the rows from `begin` on, in `scratch` unless they are kept.
  const std::uint32_t* of_block(const PackedTable& table, std::size_t begin, std::size_t n,
                                std::vector<std::uint32_t>& scratch) const;
};

inline constexpr std::size_t kKeepDeclared = 64;

/// Number the configurations of `scope`. Up to 64 declared ones keep their radix numbers; beyond, only those
/// that occur get a number, so there are never more groups than rows.
Contexts configurations(const PackedTable& table, std::span<const std::uint32_t> scope, Cancel& cancel);

/// The same groups without a number for every row, for tables of so many rows that these would fill memory.
Contexts configurations_in_blocks(const PackedTable& table, std::span<const std::uint32_t> scope,
                                  Cancel& cancel);

/// ids = ids * r + state of v, where ids are kept.
void extend(Contexts& contexts, const PackedTable& table, std::uint32_t v);

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
