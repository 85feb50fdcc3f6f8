// The distinct rows of a table with their weights: what learners that cut rows into contexts work on.
//
// Columns are taken in an order that the caller gives (by name) and rows are sorted, so that a learner sees
// the same numbers in the same order however the columns and rows of the table were arranged.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "treewright/counting/packed.hpp"
#include "treewright/parallel/cancel.hpp"

namespace treewright {

class RowSet {
 public:
  using Code = std::uint16_t;
  static constexpr std::uint32_t kMostStates = 65536;

  /// `order` lists the variables of the table that become columns, each once; they must be discrete and have
  /// at most kMostStates states. Rows of weight 0 are left out.
  RowSet(const PackedTable& table, std::span<const std::uint32_t> order, Cancel& cancel);
  /// The rows of several sets over the same columns.
  static RowSet joined(std::span<const RowSet* const> parts, Cancel& cancel);

  std::size_t n_rows() const { return weights_.size(); }
  std::size_t n_columns() const { return variables_.size(); }

  /// The variable (of the table's schema) behind each column.
  const std::vector<std::uint32_t>& variables() const { return variables_; }
  /// States of each column.
  const std::vector<std::uint32_t>& cardinalities() const { return cardinalities_; }
  /// States of every variable of the table's schema, in its order.
  const std::vector<std::uint32_t>& schema_cardinalities() const { return schema_cardinalities_; }

  /// The codes of a row, one per column.
  const Code* row(std::size_t i) const { return codes_.data() + i * n_columns(); }
  const std::vector<double>& weights() const { return weights_; }
  double total() const { return total_; }
  /// Whether every weight is a whole number, so that sums of weights are exact.
  bool is_whole() const { return is_whole_; }

  /// The same rows with other weights, one per row; those of weight 0 are left out.
  RowSet reweighted(std::span<const double> weights) const;
  /// The weight of each row that falls into a held-out share: every copy of a row is drawn on its own, a row
  /// of real weight as a whole. What is drawn depends on the content of the set and the seed only.
  std::vector<double> held_out_weights(double share, std::uint64_t seed) const;

 private:
  RowSet() = default;
  void fill(const std::vector<Code>& codes, std::span<const double> weights, Cancel& cancel);

  std::vector<std::uint32_t> variables_, cardinalities_, schema_cardinalities_;
  std::vector<Code> codes_;
  std::vector<double> weights_;
  double total_ = 0;
  bool is_whole_ = true;
};

/// Whether every weight is a whole number from 0 on.
bool are_whole(std::span<const double> weights);

}  // namespace treewright
