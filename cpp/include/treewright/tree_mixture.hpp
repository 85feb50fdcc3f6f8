// Mixtures of Chow-Liu trees by EM (Meila & Jordan 2000): every step learns every tree anew, edges and all,
// from the rows weighted by how much they belong to it.
#pragma once

#include <cstddef>
#include <limits>
#include <memory>
#include <numeric>
#include <vector>

#include "treewright/cancel.hpp"
#include "treewright/clusters.hpp"
#include "treewright/weighted_tree.hpp"

namespace treewright {

struct TreeMixtureOptions {
  double alpha = 1;      // pseudo-rows, spread evenly over the cells of every pair table
  double shrinkage = 3;  // pseudo-rows that are distributed as all rows together
};

class TreeMixture {
 public:
  /// Starts from soft clusters, one tree each.
  TreeMixture(std::shared_ptr<const RowSet> rows, const Clusters& clusters, TreeMixtureOptions options,
              Cancel& cancel);

  /// The M-step: weights and trees from the responsibilities of now.
  void maximise(Cancel& cancel);
  /// The E-step: responsibilities from the trees of now; the mean log-likelihood of the rows learned from.
  double expect(Cancel& cancel);

  std::size_t size() const { return trees_.size(); }
  const RowSet& rows() const { return *rows_; }
  /// Of every distinct row.
  std::vector<double> log_likelihoods(const RowSet& rows, Cancel& cancel) const;
  features::Arena arena() const;
  /// Steps of counting, of judging pairs and of following trees so far, in nanoseconds of one core of 2024;
  /// a pure function of the data.
  double work() const { return work_; }
  void keep() { kept_trees_ = trees_, kept_weights_ = log_weights_; }
  void go_back();

 private:
  WeightedTree learned(std::size_t k, Cancel& cancel) const;
  /// Joint log-probabilities with every component, then the log-likelihood of the row.
  template <class Use>
  void each_row(const RowSet& rows, const SparseRows& sparse, Cancel& cancel, Use&& use) const;
  double row_nanoseconds(const SparseRows& sparse) const;

  std::shared_ptr<const RowSet> rows_;
  TreeMixtureOptions options_;
  StateRanks ranks_;
  SparseRows sparse_;
  PairCounts all_;                       // of the rows together
  std::vector<float> responsibilities_;  // [row * size + component]
  std::vector<WeightedTree> trees_, kept_trees_;
  std::vector<double> log_weights_, kept_weights_;
  double work_ = 0;
};

/// The edges of the best tree for the rows or, given clusters, of the tree that is best on average within
/// them: the weight of an edge is the information given the cluster.
std::vector<ColumnEdge> learn_edges(const RowSet& rows, const Clusters* clusters, Cancel& cancel);

}  // namespace treewright
