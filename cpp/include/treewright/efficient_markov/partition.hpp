// LMIP: the blocks of variables that tell little about each other in a context (Gogate, Webb & Domingos
// 2010).
//
// Sets of two, three, ... q variables whose least information over all cuts exceeds a threshold are put into
// one block. Merges never depend on earlier ones, so neither the order of the sets nor skipping a set inside
// one block changes the result.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "treewright/counting/pair_counts.hpp"
#include "treewright/criteria/chi_square.hpp"
#include "treewright/efficient_markov/context_side.hpp"
#include "treewright/efficient_markov/row_context.hpp"
#include "treewright/parallel/cancel.hpp"

namespace treewright {

using Block = std::vector<std::uint32_t>;  // positions, rising
using Blocks = std::vector<Block>;         // by their first members

/// How much information between two sides is too much: a fixed amount, or what independent sides exceed by
/// chance with a given probability (G test).
class InformationThreshold {
 public:
  static InformationThreshold fixed(double delta) { return InformationThreshold(delta, nullptr); }
  static InformationThreshold g_test(double level) {
    return InformationThreshold(0, CriticalValues::of(level));
  }

  bool is_fixed() const { return !critical_; }
  double delta() const { return delta_; }
  /// For sides of `left` and `right` states in a context of `rows` rows; in nats.
  double operator()(double left, double right, double rows) const {
    if (!critical_) return delta_;
    return rows > 0 ? (*critical_)((left - 1) * (right - 1)) / (2 * rows) : 0.0;
  }

 private:
  InformationThreshold(double delta, std::shared_ptr<CriticalValues> critical)
      : delta_(delta), critical_(std::move(critical)) {}

  double delta_;
  std::shared_ptr<CriticalValues> critical_;
};

struct PartitionOptions {
  InformationThreshold threshold = InformationThreshold::fixed(0.01);
  std::size_t largest_set = 3;  // q
  double min_rows = 200;        // fewer rows tell nothing: every variable is a block
  bool with_shortcuts = true;   // off for tests: the result is the same
};

/// Merges of positions 0 .. n - 1.
class BlockBuilder {
 public:
  explicit BlockBuilder(std::size_t n);
  std::uint32_t find(std::uint32_t i) const { return block_[i]; }
  void merge(std::uint32_t i, std::uint32_t j);
  std::size_t n_blocks() const { return n_blocks_; }
  Blocks blocks() const;

 private:
  std::vector<std::uint32_t> block_;  // its first member: asked far more often than changed
  std::size_t n_blocks_;
};

/// The blocks of the variables of `counts`, in its positions. `premerged` groups start in one block. `rows`
/// are those behind the counts; they are asked only about sets of three and more.
Blocks low_information_blocks(const PairCounts& counts, std::span<const Block> premerged,
                              const PartitionOptions& options, const CountTerm& x_log_x, ContextSide& rows,
                              Cancel& cancel);

}  // namespace treewright
