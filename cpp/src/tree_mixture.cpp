#include "treewright/tree_mixture.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "row_block.hpp"
#include "treewright/threads.hpp"

namespace treewright {
namespace {

constexpr float kLeastShare = 1e-3f;  // a row that belongs to a component by less is left out of it

constexpr double kPairCountNanoseconds = 0.6, kPairJudgeNanoseconds = 14, kPlaneNanoseconds = 2;

PairCounts count_rows(const SparseRows& sparse, const StateRanks& ranks, const std::vector<double>& weights,
                      Cancel& cancel) {
  PairCounts counts(ranks.cardinalities);
  for (std::size_t i = 0; i < sparse.n_rows(); ++i) {
    if (i % 4096 == 0) cancel.check();
    add_row(counts, sparse.row(i), weights[i]);
  }
  return counts;
}

}  // namespace

TreeMixture::TreeMixture(std::shared_ptr<const RowSet> rows, const Clusters& clusters,
                         TreeMixtureOptions options, Cancel& cancel)
    : rows_(std::move(rows)),
      options_(options),
      ranks_(*rows_),
      sparse_(*rows_, ranks_),
      all_(count_rows(sparse_, ranks_, rows_->weights(), cancel)),
      log_weights_(clusters.size) {
  const std::vector<double> shares = clusters.responsibilities(*rows_, cancel);
  responsibilities_.assign(shares.begin(), shares.end());
  work_ += kPairCountNanoseconds * sparse_.n_pairs();
}

WeightedTree TreeMixture::learned(std::size_t k, Cancel& cancel) const {
  PairCounts counts(all_);
  const double scale = options_.shrinkage / rows_->total();
  for (double& c : counts.single) c *= scale;
  for (double& c : counts.pair) c *= scale;
  counts.total *= scale;
  const std::size_t size = log_weights_.size();
  for (std::size_t i = 0; i < sparse_.n_rows(); ++i) {
    if (i % 4096 == 0) cancel.check();
    const float share = responsibilities_[i * size + k];
    if (share > kLeastShare)
      add_row(counts, sparse_.row(i), rows_->weights()[i] * static_cast<double>(share));
  }
  std::vector<double> information(counts.size() * counts.size(), 0.0);
  add_information(counts, options_.alpha, information);
  return WeightedTree(counts, best_tree(information, counts.size(), cancel), options_.alpha);
}

void TreeMixture::maximise(Cancel& cancel) {
  const std::size_t size = log_weights_.size(), n = rows_->n_columns();
  std::vector<double> totals(size, 0.0);
  double pairs = 0;
  for (std::size_t i = 0; i < sparse_.n_rows(); ++i) {
    const auto set = static_cast<double>(sparse_.row(i).size());
    for (std::size_t k = 0; k < size; ++k) {
      const float share = responsibilities_[i * size + k];
      totals[k] += rows_->weights()[i] * static_cast<double>(share);
      if (share > kLeastShare) pairs += set * (set + 1) / 2;
    }
  }
  const double cost =
      kPairCountNanoseconds * pairs + static_cast<double>(size * n * n) * kPairJudgeNanoseconds;
  std::vector<std::unique_ptr<WeightedTree>> found(size);
  parallel_for(size, cost, cancel,
               [&](std::size_t k) { found[k] = std::make_unique<WeightedTree>(learned(k, cancel)); });
  trees_.clear();
  for (std::size_t k = 0; k < size; ++k) {
    trees_.push_back(std::move(*found[k]));
    // one pseudo-row in all: no component may vanish
    log_weights_[k] = std::log((totals[k] + 1 / static_cast<double>(size)) / (rows_->total() + 1));
  }
  const double sum = std::log(std::accumulate(log_weights_.begin(), log_weights_.end(), 0.0,
                                              [](double s, double w) { return s + std::exp(w); }));
  for (double& w : log_weights_) w -= sum;
  work_ += cost;
}

template <class Use>
void TreeMixture::each_row(const RowSet& rows, const SparseRows& sparse, Cancel& cancel, Use&& use) const {
  const std::size_t size = trees_.size();
  parallel_for(blocks_for(rows.n_rows()), row_nanoseconds(sparse), cancel, [&](std::size_t block) {
    std::vector<RowSet::Code> ranks(ranks_.n_columns(), 0);
    std::vector<double> joint(size);
    const std::size_t end = std::min((block + 1) * kRowBlock, rows.n_rows());
    for (std::size_t i = block * kRowBlock; i < end; ++i) {
      const auto planes = sparse.row(i);
      for (const std::uint32_t p : planes) {
        const std::uint32_t column = ranks_.column_of[p];
        ranks[column] = static_cast<RowSet::Code>(p - ranks_.first_plane[column] + 1);
      }
      double best = -std::numeric_limits<double>::infinity();
      for (std::size_t k = 0; k < size; ++k) {
        joint[k] = log_weights_[k] + trees_[k].log_likelihood(planes, ranks_.column_of, ranks.data());
        best = std::max(best, joint[k]);
      }
      double sum = 0;
      for (double& value : joint) sum += value = std::exp(value - best);
      use(i, joint, sum, best + std::log(sum));
      for (const std::uint32_t p : planes) ranks[ranks_.column_of[p]] = 0;
    }
  });
}

double TreeMixture::row_nanoseconds(const SparseRows& sparse) const {
  return kPlaneNanoseconds *
         static_cast<double>((sparse.planes.size() + 8 * sparse.n_rows()) * trees_.size());
}

double TreeMixture::expect(Cancel& cancel) {
  std::vector<double> logs(rows_->n_rows());
  const std::size_t size = trees_.size();
  each_row(*rows_, sparse_, cancel,
           [&](std::size_t i, const std::vector<double>& joint, double sum, double log) {
             for (std::size_t k = 0; k < size; ++k)
               responsibilities_[i * size + k] = static_cast<float>(joint[k] / sum);
             logs[i] = log;
           });
  work_ += row_nanoseconds(sparse_);
  double mean = 0;
  for (std::size_t i = 0; i < logs.size(); ++i) mean += rows_->weights()[i] * logs[i];
  return mean / rows_->total();
}

std::vector<double> TreeMixture::log_likelihoods(const RowSet& rows, Cancel& cancel) const {
  const SparseRows sparse(rows, ranks_);
  std::vector<double> logs(rows.n_rows());
  each_row(rows, sparse, cancel,
           [&](std::size_t i, const std::vector<double>&, double, double log) { logs[i] = log; });
  return logs;
}

features::Arena TreeMixture::arena() const {
  features::ArenaBuilder builder(rows_->schema_cardinalities());
  std::vector<features::Id> below;
  for (const WeightedTree& tree : trees_) below.push_back(tree.add_to(builder, ranks_, rows_->variables()));
  return builder.finish(builder.add_mix(below, log_weights_));
}

void TreeMixture::go_back() {
  if (kept_trees_.empty()) return;
  trees_ = kept_trees_;
  log_weights_ = kept_weights_;
}

std::vector<ColumnEdge> learn_edges(const RowSet& rows, const Clusters* clusters, Cancel& cancel) {
  const StateRanks ranks(rows);
  const SparseRows sparse(rows, ranks);
  const std::size_t n = rows.n_columns(), size = clusters ? clusters->size : 1;
  std::vector<double> shares(rows.n_rows(), 1.0), weights(rows.n_rows()), information(n * n, 0.0);
  if (clusters) shares = clusters->responsibilities(rows, cancel);
  for (std::size_t k = 0; k < size; ++k) {
    for (std::size_t i = 0; i < weights.size(); ++i) weights[i] = rows.weights()[i] * shares[i * size + k];
    add_information(count_rows(sparse, ranks, weights, cancel), 0, information);
  }
  return best_tree(information, n, cancel);
}

}  // namespace treewright
