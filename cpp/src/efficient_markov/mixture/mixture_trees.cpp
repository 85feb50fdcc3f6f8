#include "treewright/counting/sparse_rows.hpp"
#include "treewright/efficient_markov/mixture.hpp"

namespace treewright {
namespace {

constexpr double kPairCountNanoseconds = 1, kPairJudgeNanoseconds = 14;

struct SparsePrepared : PreparedRows {
  SparseRows sparse;
  SparsePrepared(const RowSet& rows, const StateRanks& ranks) : sparse(rows, ranks) {}
};

PairCounts count_rows(const SparseRows& sparse, const StateRanks& ranks, std::span<const double> weights,
                      Cancel& cancel) {
  PairCounts counts(ranks.cardinalities);
  for (std::size_t i = 0; i < sparse.n_rows(); ++i) {
    if (i % 4096 == 0) cancel.check();
    add_row(counts, sparse.row(i), weights[i]);
  }
  return counts;
}

class TreeComponent : public MixtureComponent {
 public:
  TreeComponent(WeightedTree tree, std::shared_ptr<const StateRanks> ranks,
                const std::vector<std::uint32_t>& variables)
      : tree_(std::move(tree)), ranks_(std::move(ranks)), variables_(variables) {}

  void log_likelihoods(const PreparedRows& rows, std::size_t stride, double* out,
                       Cancel& cancel) const override {
    const SparseRows& sparse = static_cast<const SparsePrepared&>(rows).sparse;
    std::vector<RowSet::Code> ranks(ranks_->n_columns(), 0);
    for (std::size_t i = 0; i < sparse.n_rows(); ++i) {
      if (i % 4096 == 0) cancel.check();
      const auto planes = sparse.row(i);
      for (const std::uint32_t p : planes) {
        const std::uint32_t column = ranks_->column_of[p];
        ranks[column] = static_cast<RowSet::Code>(p - ranks_->first_plane[column] + 1);
      }
      out[i * stride] = tree_.log_likelihood(planes, ranks_->column_of, ranks.data());
      for (const std::uint32_t p : planes) ranks[ranks_->column_of[p]] = 0;
    }
  }

  features::Id add_to(features::ArenaBuilder& builder) const override {
    return tree_.add_to(builder, *ranks_, variables_);
  }

 private:
  WeightedTree tree_;
  std::shared_ptr<const StateRanks> ranks_;
  std::vector<std::uint32_t> variables_;
};

class TreeFamily : public ComponentFamily {
 public:
  TreeFamily(std::shared_ptr<const RowSet> rows, TreeOptions options, Cancel& cancel)
      : ComponentFamily(std::move(rows)),
        options_(options),
        ranks_(std::make_shared<StateRanks>(this->rows())),
        sparse_(this->rows(), *ranks_),
        all_(count_rows(sparse_, *ranks_, this->rows().weights(), cancel)) {
    const double scale = options.shrinkage / this->rows().total();
    for (double& c : all_.single) c *= scale;
    for (double& c : all_.pair) c *= scale;
    all_.total *= scale;
  }

  std::unique_ptr<const PreparedRows> prepare(const RowSet& asked) const override {
    return std::make_unique<SparsePrepared>(asked, *ranks_);
  }

  std::unique_ptr<const MixtureComponent> learn(std::span<const double> weights, std::uint64_t, double& work,
                                                Cancel& cancel) const override {
    PairCounts counts(all_);
    double pairs = 0;
    for (std::size_t i = 0; i < sparse_.n_rows(); ++i) {
      if (i % 4096 == 0) cancel.check();
      if (weights[i] <= 0) continue;
      const auto row = sparse_.row(i);
      add_row(counts, row, weights[i]);
      pairs += static_cast<double>(row.size() * (row.size() + 1) / 2);
    }
    const std::size_t n = counts.size();
    std::vector<double> information(n * n, 0.0);
    add_information(counts, options_.alpha, information);
    work += kPairCountNanoseconds * pairs + kPairJudgeNanoseconds * static_cast<double>(n * n);
    return std::make_unique<TreeComponent>(
        WeightedTree(counts, best_tree(information, n, cancel), options_.alpha), ranks_, rows().variables());
  }

 private:
  TreeOptions options_;
  std::shared_ptr<const StateRanks> ranks_;
  SparseRows sparse_;
  PairCounts all_;  // of the rows together, worth `shrinkage` rows
};

}  // namespace

std::unique_ptr<const ComponentFamily> tree_family(std::shared_ptr<const RowSet> rows, TreeOptions options,
                                                   Cancel& cancel) {
  return std::make_unique<TreeFamily>(std::move(rows), options, cancel);
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
