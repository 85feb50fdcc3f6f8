// Hidden trees: each variable has a hidden state of its own, and the hidden states form a tree.
//
//   P(x, z) = pi(z_root) prod_i T_i[z_parent(i)][z_i] E_i(x_i | z_i)
//
// With `autoregressive` an emission also knows the observed value of the parent, E_i(x_i | z_i, x_parent(i)).
// Rows are complete while learning. Parameters are floats, moved block by block of 64 rows; sums over the
// rows are doubles.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "treewright/counting/row_set.hpp"
#include "treewright/efficient_markov/clusters.hpp"
#include "treewright/inference/feature_graph.hpp"
#include "treewright/parallel/cancel.hpp"

namespace treewright {

struct HiddenShape {
  std::size_t states = 16;  // H
  bool autoregressive = false;
  std::vector<std::uint32_t> columns;  // in topological order, the root first
  std::vector<std::uint32_t> parents;  // position in `columns`; features::kNoParent for a root
};

/// The tree of these edges (pairs of columns), rooted at column 0 and walked breadth first; what hangs
/// together with it not at all gets a root of its own.
HiddenShape hidden_shape(std::size_t n_columns,
                         std::span<const std::pair<std::uint32_t, std::uint32_t>> edges, std::size_t states,
                         bool autoregressive);

/// Shape and parameters. Statistics have the same layout as parameters.
class HiddenTree {
 public:
  HiddenTree(HiddenShape shape, const std::vector<std::uint32_t>& cardinalities);

  const HiddenShape& shape() const { return shape_; }
  std::size_t size() const { return shape_.columns.size(); }
  std::size_t states() const { return shape_.states; }
  bool is_root(std::size_t i) const { return shape_.parents[i] == features::kNoParent; }
  bool knows_parent(std::size_t i) const { return shape_.autoregressive && !is_root(i); }
  /// States of the variable at position i, and how many symbols select a row of its emissions.
  std::uint32_t cardinality(std::size_t i) const { return cardinalities_[shape_.columns[i]]; }
  std::uint32_t contexts(std::size_t i) const {
    return knows_parent(i) ? cardinality(shape_.parents[i]) : 1u;
  }
  std::size_t n_symbols(std::size_t i) const { return std::size_t{contexts(i)} * cardinality(i); }

  /// H numbers for a root, H x H otherwise (rows: the parent's state).
  std::size_t transition(std::size_t i) const { return transition_[i]; }
  /// [symbol][state]; a symbol is the value, or (value of the parent, value).
  std::size_t emission(std::size_t i) const { return emission_[i]; }
  std::size_t n_parameters() const { return transition_.back(); }

  AlignedVector<float> values, turned;  // `turned` holds the transitions transposed
  void turn();

  /// In doubles, each distribution divided by its sum, over the variables of the schema.
  features::Arena arena(const RowSet& rows) const;

 private:
  HiddenShape shape_;
  std::vector<std::uint32_t> cardinalities_;
  std::vector<std::size_t> transition_, emission_;
};

/// Log-likelihood of every distinct row.
std::vector<double> log_likelihoods(const HiddenTree& tree, const RowSet& rows, Cancel& cancel);

struct HiddenOptions {
  double transitions = 1, emissions = 1;  // pseudo-rows per hidden state
  double diagonal = 0.95;                 // of the first transitions
  std::size_t batch = 320;                // distinct rows of a mini-batch; 0: all of them, plain EM
  std::uint64_t seed = 0;
};

/// Learns the parameters of one shape by EM, in mini-batches or with all rows at once.
class HiddenLearner {
 public:
  /// Starts from clusters: every hidden state begins as a cluster, and transitions nearly keep it.
  HiddenLearner(std::shared_ptr<const RowSet> rows, HiddenShape shape, const Clusters& clusters,
                HiddenOptions options);
  ~HiddenLearner();
  HiddenLearner(const HiddenLearner&) = delete;
  HiddenLearner& operator=(const HiddenLearner&) = delete;

  /// One pass over the rows, in an order of its own. Old statistics fade by eta at each batch; it falls
  /// geometrically from `first` to `last`. With all rows in one batch both are 1: plain EM.
  void epoch(double first, double last, Cancel& cancel);

  const HiddenTree& tree() const { return tree_; }
  const RowSet& rows() const { return *rows_; }
  /// What was done so far in nanoseconds of one core of 2024: a pure function of the rows and the settings.
  double work() const { return work_; }
  /// What one epoch costs.
  double epoch_work() const;
  /// False once a parameter is not a number.
  bool is_finite() const;
  /// Keep the parameters of now, and go back to those kept.
  void keep() { kept_ = tree_.values; }
  void go_back();

 private:
  void start(const Clusters& clusters);
  void add_batch(std::span<const std::uint32_t> batch, Cancel& cancel);
  void blend(double eta, double scale);
  void maximise();

  std::shared_ptr<const RowSet> rows_;
  HiddenOptions options_;
  HiddenTree tree_;
  AlignedVector<float> kept_;
  std::vector<std::vector<std::uint8_t>> unseen_;  // per position: states that no row has
  std::vector<std::vector<double>> base_;          // per position: what emissions are drawn to, [symbol]
  std::vector<double> statistics_, fresh_;
  struct Lane;
  std::vector<std::unique_ptr<Lane>> passes_;
  std::uint64_t epochs_ = 0;
  double work_ = 0;
};

}  // namespace treewright
