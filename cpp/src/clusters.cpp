#include "treewright/clusters.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "row_block.hpp"
#include "treewright/dispatch.hpp"
#include "treewright/seeded_draws.hpp"
#include "treewright/threads.hpp"

namespace treewright {
namespace {

constexpr double kCellNanoseconds = 0.15;  // of one state, row and column

/// Emissions as floats in logarithms, [state * size + cluster], column after column.
struct LogTables {
  std::vector<std::size_t> first;
  AlignedVector<float> cells;
  AlignedVector<float> log_weights;

  explicit LogTables(const Clusters& clusters) : first{0} {
    for (const auto& column : clusters.emissions) {
      for (const double p : column) cells.push_back(static_cast<float>(std::log(p)));
      first.push_back(cells.size());
    }
    for (const double w : clusters.weights) log_weights.push_back(static_cast<float>(std::log(w)));
  }
};

/// Joint log-probabilities of a block, then posteriors: out[cluster][row].
class Posterior {
 public:
  Posterior(const Clusters& clusters, const LogTables& tables) : clusters_(clusters), tables_(tables) {
    cells.resize(clusters.size * kRowBlock);
  }

  AlignedVector<float> cells;
  double logs[kRowBlock];

  void find(const RowBlock& block, std::span<const std::uint32_t> cardinalities) {
    const std::size_t size = clusters_.size;
    for (std::size_t h = 0; h < size; ++h)
      std::fill_n(cells.data() + h * kRowBlock, kRowBlock, tables_.log_weights[h]);
    alignas(64) std::uint32_t symbols[kRowBlock];
    for (std::size_t column = 0; column < cardinalities.size(); ++column) {
      block.symbols(column, symbols);
      kernels().blocks.add_look_up(symbols, cardinalities[column], tables_.cells.data() + tables_.first[column],
                                   size, cells.data());
    }
    for (std::size_t k = 0; k < kRowBlock; ++k) normalise(k);
  }

 private:
  void normalise(std::size_t row) {
    float best = cells[row];
    for (std::size_t h = 1; h < clusters_.size; ++h) best = std::max(best, cells[h * kRowBlock + row]);
    double sum = 0;
    for (std::size_t h = 0; h < clusters_.size; ++h) {
      float& cell = cells[h * kRowBlock + row];
      cell = std::exp(cell - best);
      sum += cell;
    }
    for (std::size_t h = 0; h < clusters_.size; ++h) {
      float& cell = cells[h * kRowBlock + row];
      cell = static_cast<float>(cell / sum);
    }
    logs[row] = best + std::log(sum);
  }

  const Clusters& clusters_;
  const LogTables& tables_;
};

/// Weighted counts of (cluster, state) for every column of the rows of one block.
struct BlockSums {
  AlignedVector<float> weights, cells;
};

void count_block(const RowSet& rows, std::size_t number, const Clusters& clusters, const LogTables& tables,
                 BlockSums& sums) {
  RowBlock block;
  block.load_run(rows, number);
  Posterior posterior(clusters, tables);
  posterior.find(block, rows.cardinalities());
  const std::size_t size = clusters.size;
  for (std::size_t h = 0; h < size; ++h)
    for (std::size_t k = 0; k < kRowBlock; ++k) posterior.cells[h * kRowBlock + k] *= block.weights[k];
  sums.weights.assign(size, 0);
  sums.cells.resize(tables.first.back());
  alignas(64) const std::uint32_t one[kRowBlock] = {};
  kernels().blocks.tally(one, 1, posterior.cells.data(), size, sums.weights.data());
  alignas(64) std::uint32_t symbols[kRowBlock];
  for (std::size_t column = 0; column < rows.n_columns(); ++column) {
    block.symbols(column, symbols);
    kernels().blocks.tally(symbols, rows.cardinalities()[column], posterior.cells.data(), size,
                           sums.cells.data() + tables.first[column]);
  }
}

double step_nanoseconds(const RowSet& rows, std::size_t size) {
  return kCellNanoseconds * static_cast<double>(rows.n_rows() * (rows.n_columns() + 8) * size);
}

/// One step of EM: blocks in waves on threads, their sums added in order.
Clusters improved(const RowSet& rows, const Clusters& old, const std::vector<std::vector<double>>& marginals,
                  double pull, Cancel& cancel) {
  const LogTables tables(old);
  std::vector<double> weights(old.size, 0.0), cells(tables.first.back(), 0.0);
  const std::size_t blocks = blocks_for(rows.n_rows()), wave = std::min<std::size_t>(threads() * 2, 16);
  std::vector<BlockSums> sums(wave);
  for (std::size_t begin = 0; begin < blocks; begin += wave) {
    const std::size_t count = std::min(wave, blocks - begin);
    parallel_for(count, step_nanoseconds(rows, old.size) * count / blocks, cancel,
                 [&](std::size_t k) { count_block(rows, begin + k, old, tables, sums[k]); });
    for (std::size_t k = 0; k < count; ++k) {
      for (std::size_t h = 0; h < old.size; ++h) weights[h] += sums[k].weights[h];
      for (std::size_t c = 0; c < cells.size(); ++c) cells[c] += sums[k].cells[c];
    }
  }
  Clusters next = old;
  for (std::size_t h = 0; h < old.size; ++h) next.weights[h] = (weights[h] + 1) / (rows.total() + old.size);
  for (std::size_t column = 0; column < rows.n_columns(); ++column)
    for (std::size_t h = 0; h < old.size; ++h) {
      const double* from = cells.data() + tables.first[column];
      double total = 0;
      for (std::size_t s = 0; s < marginals[column].size(); ++s) total += from[s * old.size + h];
      for (std::size_t s = 0; s < marginals[column].size(); ++s)
        next.emissions[column][s * old.size + h] =
            (from[s * old.size + h] + pull * marginals[column][s]) / (total + pull);
    }
  return next;
}

/// Rows drawn by weight, blended one to three with the marginals.
Clusters first_clusters(const RowSet& rows, const ClusterOptions& options,
                        const std::vector<std::vector<double>>& marginals) {
  Clusters clusters;
  clusters.size = options.clusters;
  clusters.weights.assign(options.clusters, 1.0 / static_cast<double>(options.clusters));
  clusters.emissions.resize(rows.n_columns());
  std::vector<double> cumulative(rows.n_rows());
  double sum = 0;
  for (std::size_t i = 0; i < rows.n_rows(); ++i) cumulative[i] = sum += rows.weights()[i];
  for (std::size_t column = 0; column < rows.n_columns(); ++column)
    clusters.emissions[column].resize(marginals[column].size() * options.clusters);
  Draws draws(options.seed);
  for (std::size_t h = 0; h < options.clusters; ++h) {
    const double at = draws.uniform() * sum;
    std::size_t row = std::upper_bound(cumulative.begin(), cumulative.end(), at) - cumulative.begin();
    row = std::min(row, rows.n_rows() - 1);
    for (std::size_t column = 0; column < rows.n_columns(); ++column)
      for (std::size_t s = 0; s < marginals[column].size(); ++s)
        clusters.emissions[column][s * options.clusters + h] =
            0.25 * (rows.row(row)[column] == s) + 0.75 * marginals[column][s];
  }
  return clusters;
}

}  // namespace

std::vector<std::vector<double>> smoothed_marginals(const RowSet& rows) {
  std::vector<std::vector<double>> marginals;
  for (const std::uint32_t r : rows.cardinalities())
    marginals.emplace_back(r, r ? 1.0 / static_cast<double>(r) : 0.0);
  for (std::size_t i = 0; i < rows.n_rows(); ++i)
    for (std::size_t column = 0; column < rows.n_columns(); ++column)
      marginals[column][rows.row(i)[column]] += rows.weights()[i];
  for (auto& column : marginals)
    for (double& p : column) p /= rows.total() + 1;
  return marginals;
}

std::vector<double> Clusters::responsibilities(const RowSet& rows, Cancel& cancel,
                                               std::vector<double>* logs) const {
  const LogTables tables(*this);
  std::vector<double> found(rows.n_rows() * size);
  if (logs) logs->assign(rows.n_rows(), 0.0);
  parallel_for(blocks_for(rows.n_rows()), step_nanoseconds(rows, size) / 2, cancel, [&](std::size_t number) {
    RowBlock block;
    block.load_run(rows, number);
    Posterior posterior(*this, tables);
    posterior.find(block, rows.cardinalities());
    for (std::size_t k = 0; k < block.n_rows; ++k) {
      const std::size_t row = number * kRowBlock + k;
      for (std::size_t h = 0; h < size; ++h) found[row * size + h] = posterior.cells[h * kRowBlock + k];
      if (logs) (*logs)[row] = posterior.logs[k];
    }
  });
  return found;
}

Clusters find_clusters(const RowSet& rows, const ClusterOptions& options, Cancel& cancel) {
  if (rows.n_rows() == 0) throw std::invalid_argument("clusters need at least one row");
  if (options.clusters == 0) throw std::invalid_argument("there must be at least one cluster");
  const auto marginals = smoothed_marginals(rows);
  Clusters clusters = first_clusters(rows, options, marginals);
  for (std::size_t step = 0; step < options.steps; ++step) {
    cancel.check();
    clusters = improved(rows, clusters, marginals, options.pull, cancel);
  }
  return clusters;
}

}  // namespace treewright
