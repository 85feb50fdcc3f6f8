// Counts of all pairs of bit planes: one pass over the rows, for every score and test that is made of pairs.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "treewright/counting/packed.hpp"

namespace treewright {

/// rows[x][s * (planes behind x) + p]: rows of the table with column x in state s (but its last) and with the
/// p-th plane behind those of x set, weights included. Wide columns have no planes.
struct PairPlanes {
  std::vector<std::vector<std::int64_t>> rows;
};

/// Nothing for real weights, and where the counts would take more than 64 MiB.
std::optional<PairPlanes> count_pair_planes(const PackedTable& table, Cancel& cancel);

/// The tables of one column with the columns behind it.
class PairRow {
 public:
  /// For tables without real weights.
  PairRow(const PackedTable& table, std::uint32_t x, Cancel& cancel);

  /// Cells of x and y > x in C order, valid until the next question.
  std::span<const std::int64_t> cells(std::uint32_t y);

 private:
  void count(std::uint32_t y);
  void complete(std::uint32_t y);

  const PackedTable& table_;
  const std::uint32_t x_;
  Cancel& cancel_;
  const Planes& planes_;
  const std::vector<std::vector<std::int64_t>>& marginals_;
  std::vector<std::int64_t> own_, cells_;
  const std::int64_t* counts_ = nullptr;  // of the planes behind x; none where x is wide
  std::size_t stride_ = 0;
};

}  // namespace treewright
