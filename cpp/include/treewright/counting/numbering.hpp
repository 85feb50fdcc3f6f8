// The number of each row's configuration of some variables: kept for every row, or made anew block by block.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "treewright/counting/known_codes.hpp"
#include "treewright/counting/packed.hpp"

namespace treewright {

/// The configuration of a scope in every row, numbered in lexicographic order of the states.
struct Contexts {
  std::size_t n_groups = 1;
  std::vector<std::uint32_t> ids;        // one per row
  std::vector<std::uint32_t> first_row;  // only when occupied groups were numbered: a row of each group

  // Where numbers are not kept for every row, blocks of rows are numbered anew: by the number of the stage
  // before and the states of some variables more, which `known` numbers if not all are groups; and at last,
  // as they are, by the states of the variables `behind`.
  struct Stage {
    std::vector<std::uint32_t> scope;
    std::optional<KnownCodes> known;
  };
  bool are_kept = true;
  std::vector<Stage> stages;
  std::vector<std::uint32_t> behind;

  bool renumbered() const { return !first_row.empty(); }
  /// Numbers of the rows from `begin` on, in `scratch` unless they are kept.
  const std::uint32_t* of_block(const PackedTable& table, std::size_t begin, std::size_t n,
                                std::vector<std::uint32_t>& scratch) const;
};

inline constexpr std::size_t kKeepDeclared = 64;

/// Number the configurations of `scope`. Up to 64 declared ones keep their radix numbers; beyond, only those
/// that occur get a number, so there are never more groups than rows.
Contexts configurations(const PackedTable& table, std::span<const std::uint32_t> scope, Cancel& cancel);

/// When configurations are numbered in blocks, and how.
struct Numbering {
  std::size_t few_rows = std::size_t{1} << 20;        // up to so many are numbered once
  std::uint64_t looked_up = std::uint64_t{1} << 24;   // declared configurations that a table of 64 MB has
  std::uint64_t marked = KnownCodes::kMostMarked;     // that a bit each marks
  std::uint64_t most_codes = std::uint64_t{1} << 62;  // of a stage
};

/// The same groups without a number for every row, for tables of so many rows that these would fill memory.
Contexts configurations_in_blocks(const PackedTable& table, std::span<const std::uint32_t> scope,
                                  Cancel& cancel, const Numbering& how = {});

/// ids = ids * r + state of v.
void extend(Contexts& contexts, const PackedTable& table, std::uint32_t v);

/// Rows from their first on, a block at a time: f(first row, rows).
template <class F>
void each_block(const PackedTable& table, Cancel& cancel, F&& f) {
  for (std::size_t begin = 0; begin < table.n_rows(); begin += kBlockRows) {
    cancel.check();
    f(begin, std::min(kBlockRows, table.n_rows() - begin));
  }
}

/// Sums of rows by cell. Where cells are few, rows take four turns with sums of their own: a sum that the row
/// before has just changed would have to be waited for. Every fourth row is added in order, so the sums
/// depend on the number of cells and on the order of rows alone.
template <class Count>
class CellSums {
 public:
  explicit CellSums(std::size_t n)
      : n_(n), stride_(n <= kFew ? n : 0), cells_(stride_ ? kTurns * n : n, Count{0}) {}

  /// Of a block of rows, of which only the last may be no multiple of four.
  template <class CellOf, class WeightOf>
  void add(std::size_t n_rows, CellOf&& cell, WeightOf&& weight) {
    Count* const first = cells_.data();
    Count *const second = first + stride_, *const third = second + stride_, *const fourth = third + stride_;
    std::size_t i = 0;
    for (; i + kTurns <= n_rows; i += kTurns) {
      first[cell(i)] += weight(i);
      second[cell(i + 1)] += weight(i + 1);
      third[cell(i + 2)] += weight(i + 2);
      fourth[cell(i + 3)] += weight(i + 3);
    }
    for (std::size_t turn = 0; i < n_rows; ++i, ++turn) first[turn * stride_ + cell(i)] += weight(i);
  }
  std::vector<Count> total() && {
    if (stride_ == 0) return std::move(cells_);
    for (std::size_t c = 0; c < n_; ++c)
      cells_[c] = (cells_[c] + cells_[n_ + c]) + (cells_[2 * n_ + c] + cells_[3 * n_ + c]);
    cells_.resize(n_);
    return std::move(cells_);
  }

 private:
  static constexpr std::size_t kTurns = 4, kFew = 1024;
  std::size_t n_, stride_;
  std::vector<Count> cells_;
};

/// What the rows of each group weigh; one each where there are no weights.
template <class Count>
std::vector<Count> group_weights(const PackedTable& table, const Contexts& contexts, const Count* weights,
                                 Cancel& cancel) {
  CellSums<Count> sums(contexts.n_groups);
  std::vector<std::uint32_t> scratch;
  each_block(table, cancel, [&](std::size_t begin, std::size_t n) {
    const std::uint32_t* ids = contexts.of_block(table, begin, n, scratch);
    const auto cell = [ids](std::size_t i) { return ids[i]; };
    if (weights)
      sums.add(n, cell, [from = weights + begin](std::size_t i) { return from[i]; });
    else
      sums.add(n, cell, [](std::size_t) { return Count{1}; });
  });
  return std::move(sums).total();
}

}  // namespace treewright
