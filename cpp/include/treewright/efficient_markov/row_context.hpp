// The rows that satisfy a context, over the variables that are left in it.
//
// A context lists distinct rows of a RowSet and their weights. Counting takes one of two ways with the same
// result: bit columns, one bit per copy of a row, counted by popcounts of ANDs; or the rows one by one, which
// is what real weights and many copies ask for.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "treewright/counting/packed.hpp"
#include "treewright/counting/pair_counts.hpp"
#include "treewright/counting/row_set.hpp"
#include "treewright/graphs/bits.hpp"
#include "treewright/parallel/cancel.hpp"

namespace treewright {

/// A column of the row set with the states that the context leaves to it, rising.
struct LocalVariable {
  std::uint32_t column;
  std::vector<RowSet::Code> states;

  bool operator==(const LocalVariable&) const = default;
};

/// The planes of a context (as in PairCounts), one bit per copy of a row.
struct BitColumns {
  std::size_t words = 0, stride = 0;
  const Word* planes = nullptr;

  const Word* plane(std::size_t p) const { return planes + p * stride; }
};

/// `x = state`, both of the row set (not of the context).
struct Literal {
  std::uint32_t column;
  RowSet::Code state;

  auto operator<=>(const Literal&) const = default;
};

/// A conjunction of literals over different columns, by rising column.
using Conjunction = std::vector<Literal>;

class RowContext {
 public:
  /// All rows, with weights of their own (one per distinct row) or those of the set.
  RowContext(const RowSet& rows, std::span<const double> weights);

  const RowSet& rows() const { return *rows_; }
  std::size_t size() const { return locals_.size(); }
  const LocalVariable& local(std::size_t i) const { return locals_[i]; }
  const std::vector<LocalVariable>& locals() const { return locals_; }
  std::vector<std::uint32_t> cardinalities() const;
  double total() const { return total_; }
  /// Whether every weight is a whole number.
  bool is_whole() const { return is_whole_; }
  /// Give the bit columns back; they are built again when they are needed.
  void forget_bits() { bits_ = nullptr; }
  std::size_t n_distinct() const { return ids_.size(); }
  /// Where a column stands in this context; size() when it is not there.
  std::size_t position(std::uint32_t column) const;

  bool is_counted_by_bits() const { return by_bits_; }
  BitColumns bit_columns() const;
  /// The rows in which variable i has a local state, as a mask over the bit columns.
  AlignedVector<Word> rows_with(std::size_t i, std::uint32_t state) const;

  PairCounts pairs(Cancel& cancel) const;
  /// Pair counts of the rows in which variable i has a local state; variable i keeps its place.
  PairCounts pairs_given(std::size_t i, std::uint32_t state, Cancel& cancel) const;
  /// Counts of some variables (local positions), the last one fastest.
  void joint(std::span<const std::uint32_t> scope, std::vector<double>& cells) const;

  /// Counts of every plane (as in PairCounts) in every configuration of some variables, the last one fastest:
  /// a row of planes and, last, the rows of the configuration.
  void partners(std::span<const std::uint32_t> scope, std::vector<double>& cells) const;

  /// Rows with the second states of three binary variables: i, j and each of `others`.
  void count_triples(std::size_t i, std::size_t j, std::span<const std::uint32_t> others,
                     std::vector<double>& counts) const;
  /// Call `f(local states, weight)` for every distinct row.
  template <class F>
  void for_each_row(std::span<const std::uint32_t> scope, F&& f) const {
    const auto local_state = code_to_local();
    std::vector<std::uint32_t> states(scope.size());
    for (std::size_t k = 0; k < ids_.size(); ++k) {
      const RowSet::Code* row = rows_->row(ids_[k]);
      for (std::size_t a = 0; a < scope.size(); ++a)
        states[a] = local_state[scope[a]][row[locals_[scope[a]].column]];
      f(states.data(), weights_[k]);
    }
  }

  /// Rows where variable i has a local state, without that variable.
  RowContext where(std::size_t i, std::uint32_t state) const;
  /// Rows where a conjunction holds, without its variables.
  RowContext where(const Conjunction& feature) const;
  /// Rows where it does not hold, over the same variables.
  RowContext where_not(const Conjunction& feature) const;
  /// The same rows over some of the variables (rising positions).
  RowContext projected(std::span<const std::uint32_t> scope) const;
  /// The same rows and columns, with the states that are left to them; every row must keep to those.
  RowContext with_states(std::vector<LocalVariable> locals) const;

 private:
  RowContext(const RowSet& rows, std::vector<LocalVariable> locals)
      : rows_(&rows), locals_(std::move(locals)) {}
  template <class Keep>
  RowContext filtered(std::vector<LocalVariable> locals, Keep&& keep) const;
  void choose_way();
  PairCounts pairs_by_bits(const Word* mask, Cancel& cancel) const;
  PairCounts pairs_by_rows(std::size_t given, std::uint32_t state, Cancel& cancel) const;
  std::vector<std::vector<std::uint32_t>> code_to_local() const;

  const RowSet* rows_;
  std::vector<LocalVariable> locals_;
  std::vector<std::uint32_t> ids_;
  std::vector<double> weights_;
  double total_ = 0;
  bool by_bits_ = false, is_whole_ = true;
  mutable std::shared_ptr<const AlignedVector<Word>> bits_;
};

}  // namespace treewright
