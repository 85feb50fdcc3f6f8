// Mixtures by EM (Meila & Jordan 2000): every step learns every component anew, structure and all, from the
// rows weighted by how much they belong to it.
//
// What a component is, is the business of its family: Chow-Liu trees, cutset networks, or another that can
// learn from weighted rows and say how likely rows are.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "treewright/efficient_markov/clusters.hpp"
#include "treewright/efficient_markov/cutset.hpp"
#include "treewright/efficient_markov/weighted_tree.hpp"
#include "treewright/inference/feature_graph.hpp"
#include "treewright/parallel/cancel.hpp"

namespace treewright {

/// Rows in the form that a family likes to follow.
struct PreparedRows {
  virtual ~PreparedRows() = default;
};

class MixtureComponent {
 public:
  virtual ~MixtureComponent() = default;
  /// Of every distinct row, `stride` numbers apart.
  virtual void log_likelihoods(const PreparedRows& rows, std::size_t stride, double* out,
                               Cancel& cancel) const = 0;
  virtual features::Id add_to(features::ArenaBuilder& builder) const = 0;
};

class ComponentFamily {
 public:
  explicit ComponentFamily(std::shared_ptr<const RowSet> rows) : rows_(std::move(rows)) {}
  virtual ~ComponentFamily() = default;

  /// The rows to learn from.
  const RowSet& rows() const { return *rows_; }
  virtual std::unique_ptr<const PreparedRows> prepare(const RowSet& rows) const = 0;
  /// From the rows with these weights, one per distinct row. `work` grows by the steps taken, in nanoseconds
  /// of one core of 2024: a pure function of rows and weights.
  virtual std::unique_ptr<const MixtureComponent> learn(std::span<const double> weights, std::uint64_t seed,
                                                        double& work, Cancel& cancel) const = 0;

 private:
  std::shared_ptr<const RowSet> rows_;
};

struct TreeOptions {
  double alpha = 1;      // pseudo-rows, spread evenly over the cells of every pair table
  double shrinkage = 3;  // pseudo-rows that are distributed as all rows together
};

std::unique_ptr<const ComponentFamily> tree_family(std::shared_ptr<const RowSet> rows, TreeOptions options,
                                                   Cancel& cancel);
std::unique_ptr<const ComponentFamily> cutset_family(std::shared_ptr<const RowSet> rows,
                                                     CutsetOptions options);

class Mixture {
 public:
  /// Starts from soft clusters, one component each.
  Mixture(std::unique_ptr<const ComponentFamily> family, const Clusters& clusters, std::uint64_t seed,
          Cancel& cancel);
  /// Even mixture of `size` components that all see all rows and differ by chance only; nothing to improve.
  Mixture(std::unique_ptr<const ComponentFamily> family, std::size_t size, std::uint64_t seed,
          Cancel& cancel);

  /// The M-step: weights and components from the responsibilities of now.
  void maximise(Cancel& cancel);
  /// The E-step: responsibilities from the components of now; the mean log-likelihood of the rows.
  double expect(Cancel& cancel);

  std::size_t size() const { return log_weights_.size(); }
  const RowSet& rows() const { return family_->rows(); }
  std::vector<double> log_likelihoods(const RowSet& rows, Cancel& cancel) const;
  features::Arena arena() const;
  double work() const { return work_; }
  void keep() { kept_ = components_, kept_weights_ = log_weights_; }
  void go_back();

 private:
  using Components = std::vector<std::shared_ptr<const MixtureComponent>>;
  void learn_all(const std::vector<double>& totals, Cancel& cancel);
  std::vector<double> joint_logs(const PreparedRows& rows, std::size_t n_rows, Cancel& cancel) const;

  std::unique_ptr<const ComponentFamily> family_;
  std::unique_ptr<const PreparedRows> prepared_;
  std::uint64_t seed_;
  std::vector<float> responsibilities_;  // [row * size + component]; none: all rows to all
  Components components_, kept_;
  std::vector<double> log_weights_, kept_weights_;
  double work_ = 0;
};

/// The edges of the best tree for the rows or, given clusters, of the tree that is best on average within
/// them: the weight of an edge is the information given the cluster.
std::vector<ColumnEdge> learn_edges(const RowSet& rows, const Clusters* clusters, Cancel& cancel);

}  // namespace treewright
