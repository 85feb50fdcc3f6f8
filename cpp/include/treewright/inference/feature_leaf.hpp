// Leaves of a feature graph: what tables, trees, hidden trees and stored rows can be asked.
//
// Evidence comes in blocks of rows: a likelihood for every state of every variable and every row, all ones
// where nothing is known. A leaf works in its own *room*: `up` leaves its beliefs there, and what follows
// (`flow`, `decode`, `draw`) reads them. Numbers inside a leaf are plain probabilities, rescaled where
// products grow small; logarithms appear at its door.
#pragma once

#include <cmath>
#include <memory>

#include "treewright/inference/feature_graph.hpp"
#include "treewright/parallel/philox.hpp"

namespace treewright::features {

/// Evidence of `width` rows; likelihoods are at most one.
struct Block {
  std::size_t width;
  const std::uint32_t* first_state;  // per variable: where its states begin
  const double *likelihoods, *log_likelihoods;

  const double* of(std::uint32_t variable, std::size_t state) const {
    return likelihoods + (first_state[variable] + state) * width;
  }
  const double* log_of(std::uint32_t variable, std::size_t state) const {
    return log_likelihoods + (first_state[variable] + state) * width;
  }
};

/// Codes of complete rows, [variable][row].
struct CodeBlock {
  const std::uint32_t* codes;
  std::size_t stride;

  const std::uint32_t* of(std::uint32_t variable) const { return codes + variable * stride; }
};
using Picks = std::span<const std::uint16_t>;  // some rows of a block

/// Where `flow` adds: distributions of the states, [state][row], and expected counts of the leaf's parameters
/// in the layout of its numbers. Either may be null.
struct Flows {
  double* marginals;
  double* counts;
};

/// Uniform numbers of one drawn row: a function of the seed, the row and how many came before.
class RowDraws {
 public:
  RowDraws(std::uint64_t seed, std::uint64_t row) : seed_(seed), row_(row) {}
  double uniform() {
    const auto low = static_cast<std::uint32_t>(row_), high = static_cast<std::uint32_t>(row_ >> 32);
    const PhiloxBlock block = philox({low, high, count_++, 3}, seed_);
    return std::ldexp(static_cast<double>((std::uint64_t{block[0]} << 32 | block[1]) >> 11), -53);
  }
  /// One of n things with these weights (`weight(i)`, of any sum); one of weight zero is never chosen.
  template <class Weight>
  std::size_t choose(std::size_t n, Weight&& weight) {
    double total = 0;
    for (std::size_t i = 0; i < n; ++i) total += weight(i);
    double left = uniform() * total;
    std::size_t chosen = 0;
    for (std::size_t i = 0; i < n; ++i) {
      const double w = weight(i);
      if (!(w > 0)) continue;
      chosen = i;
      if (left < w) break;
      left -= w;
    }
    return chosen;
  }

 private:
  std::uint64_t seed_, row_;
  std::uint32_t count_ = 0;
};

class Leaf {
 public:
  virtual ~Leaf() = default;

  virtual std::span<const std::uint32_t> scope() const = 0;
  /// Add the log-probability of each picked row to `out`.
  virtual void add_log(const CodeBlock& rows, Picks picks, double* out) const = 0;
  /// Add the weights of the picked rows to the counts of the parameters that they use; not for hidden states.
  virtual void add_counts(const CodeBlock& rows, Picks picks, const double* weights,
                          double* counts) const = 0;

  /// Doubles of room for a block of so many rows.
  virtual std::size_t room(std::size_t width) const = 0;
  /// Log of the probability of the evidence, per row.
  virtual void up(const Block& block, double* room, double* out) const = 0;
  /// After `up`: spread `weight[row]` over the states that the evidence leaves.
  virtual void flow(const Block& block, double* room, const double* weight, const Flows& flows) const = 0;
  /// As `up`, for the best completion instead of the sum over all.
  virtual void up_max(const Block& block, double* room, double* out) const = 0;
  /// As `up_max`, but with hidden states summed out: no completion has more.
  virtual void up_bound(const Block& block, double* room, double* out) const { up_max(block, room, out); }
  /// After `up_max` of one row: the best codes, the lower ones of equals.
  virtual void decode(const Block& block, const double* room, std::uint32_t* codes) const = 0;
  /// After `up` of one row: make the room ready for many draws.
  virtual void prepare(double*) const {}
  virtual void draw(const Block& block, const double* room, RowDraws& draws, std::uint32_t* codes) const = 0;
};

/// Null for inner nodes.
std::unique_ptr<Leaf> make_leaf(const Arena& arena, Id node);

std::unique_ptr<Leaf> make_table_leaf(const Arena& arena, Id node);
std::unique_ptr<Leaf> make_tree_leaf(const Arena& arena, Id node);
std::unique_ptr<Leaf> make_hidden_leaf(const Arena& arena, Id node);
std::unique_ptr<Leaf> make_rows_leaf(const Arena& arena, Id node);

/// Products of many factors, row by row: what has been taken out of them so far, as logarithms.
class Scales {
 public:
  Scales(double* logs, std::size_t width) : logs_(logs), width_(width) {
    for (std::size_t r = 0; r < width; ++r) logs_[r] = 0;
  }
  /// Bring n cells of each row ([cell][row]) back to a largest of one where they all have grown small.
  void rescale(double* cells, std::size_t n) {
    for (std::size_t r = 0; r < width_; ++r) {
      double largest = 0;
      for (std::size_t c = 0; c < n; ++c) largest = std::max(largest, cells[c * width_ + r]);
      if (largest >= 1e-30 || largest == 0) continue;
      for (std::size_t c = 0; c < n; ++c) cells[c * width_ + r] /= largest;
      logs_[r] += std::log(largest);
    }
  }
  /// Another factor of the whole.
  void finish(const double* total) {
    for (std::size_t r = 0; r < width_; ++r) logs_[r] += std::log(total[r]);
  }

 private:
  double* logs_;
  std::size_t width_;
};

}  // namespace treewright::features
