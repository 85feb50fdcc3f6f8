// The rows of a context in which one variable has a given state, without taking them apart.
//
// A search for features looks at both sides of every variable; most of what it asks is answered by one more
// mask on the bits of the whole context. The rows are copied only when somebody needs them as a context.
#pragma once

#include <functional>
#include <optional>
#include <span>
#include <vector>

#include "treewright/efficient_markov/row_context.hpp"

namespace treewright {

class ContextSide {
 public:
  /// All rows of a context.
  explicit ContextSide(const RowContext& whole) : whole_(whole), variable_(whole.size()) {}
  /// Rows where a variable has a local state; positions are those of the context without the variable.
  ContextSide(const RowContext& whole, std::size_t variable, std::uint32_t state)
      : whole_(whole), variable_(variable), state_(state) {}

  /// The side as a context of its own.
  const RowContext& context();
  /// Rows with the second states of three binary variables: i, j and each of `others`.
  void count_triples(std::uint32_t i, std::uint32_t j, std::span<const std::uint32_t> others,
                     std::vector<double>& counts);

 private:
  std::uint32_t place(std::uint32_t i) const { return i < variable_ ? i : i + 1; }

  const RowContext& whole_;
  std::size_t variable_;
  std::uint32_t state_ = 0;
  std::optional<RowContext> own_;
  std::optional<AlignedVector<Word>> mask_;
  AlignedVector<Word> both_;
};

}  // namespace treewright
