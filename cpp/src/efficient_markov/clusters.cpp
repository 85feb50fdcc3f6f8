#include "treewright/efficient_markov/clusters.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "parallel/lanes.hpp"
#include "treewright/counting/sparse_rows.hpp"
#include "treewright/parallel/seeded_draws.hpp"
#include "treewright/parallel/threads.hpp"

namespace treewright {
namespace {

constexpr std::size_t kChunk = 1024;  // rows whose sums are made by one thread
constexpr float kNegligible = -25;    // in logarithms: a share that no float sum would notice

// Clusters lie side by side, in whole vectors; every one is summed over the planes in their order.
inline std::size_t padded(std::size_t clusters) { return (clusters + 7) / 8 * 8; }

TREEWRIGHT_CLONES
void add_floats(const float* from, std::size_t n, float* out) {
  for (std::size_t h = 0; h < n; ++h) out[h] += from[h];
}

TREEWRIGHT_CLONES
void add_shares(const float* shares, std::size_t n, double* out) {
  for (std::size_t h = 0; h < n; ++h) out[h] += static_cast<double>(shares[h]);
}

/// What a plane adds to the log-probability of every cluster, compared with the usual state of its column.
struct LogTables {
  std::size_t width;
  std::vector<float> usual, planes;  // [cluster], [plane * width + cluster]

  LogTables(const Clusters& clusters, const StateRanks& ranks)
      : width(padded(clusters.size)), usual(width, 0.0f), planes(ranks.n_planes() * width, 0.0f) {
    std::vector<double> sums(clusters.size);
    for (std::size_t h = 0; h < clusters.size; ++h) sums[h] = std::log(clusters.weights[h]);
    for (std::size_t column = 0; column < ranks.n_columns(); ++column) {
      const double* cells = clusters.emissions[column].data();
      const auto& codes = ranks.code_of[column];
      for (std::size_t h = 0; h < clusters.size; ++h) {
        const double base = std::log(cells[codes[0] * clusters.size + h]);
        sums[h] += base;
        for (std::size_t rank = 1; rank < codes.size(); ++rank)
          planes[(ranks.first_plane[column] + rank - 1) * width + h] =
              static_cast<float>(std::log(cells[codes[rank] * clusters.size + h]) - base);
      }
    }
    for (std::size_t h = 0; h < clusters.size; ++h) usual[h] = static_cast<float>(sums[h]);
  }
};

/// The shares of the clusters in one row; its log-likelihood.
double find_shares(std::span<const std::uint32_t> row, const LogTables& tables, std::size_t size,
                   float* shares) {
  std::copy(tables.usual.begin(), tables.usual.end(), shares);
  for (const std::uint32_t plane : row)
    add_floats(tables.planes.data() + plane * tables.width, tables.width, shares);
  const float best = *std::max_element(shares, shares + size);
  double sum = 0;
  for (std::size_t h = 0; h < size; ++h) {
    const float below = shares[h] - best;
    sum += shares[h] = below < kNegligible ? 0.0f : std::exp(below);
  }
  for (std::size_t h = 0; h < size; ++h) shares[h] = static_cast<float>(shares[h] / sum);
  return static_cast<double>(best) + std::log(sum);
}

/// Weighted counts of the clusters, alone and with every plane.
struct Sums {
  std::vector<double> weights, planes;
  Sums(std::size_t width, std::size_t n_planes) : weights(width, 0.0), planes(n_planes * width, 0.0) {}

  void clear() {
    std::fill(weights.begin(), weights.end(), 0.0);
    std::fill(planes.begin(), planes.end(), 0.0);
  }
  void add(const Sums& other) {
    for (std::size_t h = 0; h < weights.size(); ++h) weights[h] += other.weights[h];
    for (std::size_t c = 0; c < planes.size(); ++c) planes[c] += other.planes[c];
  }
};

void count_chunk(const SparseRows& rows, const std::vector<double>& weights, std::size_t chunk,
                 const LogTables& tables, std::size_t size, Sums& sums) {
  sums.clear();
  std::vector<float> shares(tables.width);
  const std::size_t end = std::min((chunk + 1) * kChunk, rows.n_rows());
  for (std::size_t i = chunk * kChunk; i < end; ++i) {
    find_shares(rows.row(i), tables, size, shares.data());
    for (std::size_t h = 0; h < size; ++h) shares[h] *= static_cast<float>(weights[i]);
    add_shares(shares.data(), tables.width, sums.weights.data());
    for (const std::uint32_t plane : rows.row(i))
      add_shares(shares.data(), tables.width, sums.planes.data() + plane * tables.width);
  }
}

double step_nanoseconds(const SparseRows& rows, std::size_t size) {
  return 0.3 * static_cast<double>((rows.planes.size() + 20 * rows.n_rows()) * padded(size));
}

/// One step of EM: chunks of rows on threads, their sums added in order.
void improve(Clusters& clusters, const RowSet& rows, const SparseRows& sparse, const StateRanks& ranks,
             const std::vector<std::vector<double>>& marginals, double pull, Cancel& cancel) {
  const LogTables tables(clusters, ranks);
  const std::size_t chunks = (rows.n_rows() + kChunk - 1) / kChunk, lanes = std::min(chunks, threads());
  Sums total(tables.width, ranks.n_planes());
  std::vector<Sums> parts(lanes, total);
  for (std::size_t begin = 0; begin < chunks; begin += lanes) {
    const std::size_t count = std::min(lanes, chunks - begin);
    parallel_for(count, step_nanoseconds(sparse, clusters.size) * count / chunks, cancel, [&](std::size_t k) {
      count_chunk(sparse, rows.weights(), begin + k, tables, clusters.size, parts[k]);
    });
    for (std::size_t k = 0; k < count; ++k) total.add(parts[k]);
  }
  const std::size_t size = clusters.size;
  const double all = rows.total() + static_cast<double>(size);  // one pseudo-row keeps a cluster alive
  for (std::size_t h = 0; h < size; ++h) clusters.weights[h] = (total.weights[h] + 1) / all;
  for (std::size_t column = 0; column < ranks.n_columns(); ++column)
    for (std::size_t h = 0; h < size; ++h) {
      double rest = total.weights[h];
      const auto& codes = ranks.code_of[column];
      double* out = clusters.emissions[column].data();
      const auto set = [&](std::size_t rank, double count) {
        out[codes[rank] * size + h] =
            (count + pull * marginals[column][codes[rank]]) / (total.weights[h] + pull);
      };
      for (std::size_t rank = 1; rank < codes.size(); ++rank) {
        const double count = total.planes[(ranks.first_plane[column] + rank - 1) * tables.width + h];
        rest -= count;
        set(rank, count);
      }
      set(0, std::max(rest, 0.0));
    }
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

void Clusters::check_columns(const RowSet& rows) const {
  bool same = emissions.size() == rows.n_columns();
  for (std::size_t column = 0; same && column < emissions.size(); ++column)
    same = emissions[column].size() == size * rows.cardinalities()[column];
  if (!same) throw std::invalid_argument("these rows have other columns than those clustered");
}

std::vector<double> Clusters::responsibilities(const RowSet& rows, Cancel& cancel) const {
  check_columns(rows);
  const StateRanks ranks(rows);
  const SparseRows sparse(rows, ranks);
  const LogTables tables(*this, ranks);
  std::vector<double> found(rows.n_rows() * size);
  const std::size_t chunks = (rows.n_rows() + kChunk - 1) / kChunk;
  parallel_for(chunks, step_nanoseconds(sparse, size) / 2, cancel, [&](std::size_t chunk) {
    std::vector<float> shares(tables.width);
    const std::size_t end = std::min((chunk + 1) * kChunk, rows.n_rows());
    for (std::size_t i = chunk * kChunk; i < end; ++i) {
      find_shares(sparse.row(i), tables, size, shares.data());
      std::copy_n(shares.begin(), size, found.begin() + static_cast<std::ptrdiff_t>(i * size));
    }
  });
  return found;
}

Clusters find_clusters(const RowSet& rows, const ClusterOptions& options, Cancel& cancel) {
  if (rows.n_rows() == 0) throw std::invalid_argument("clusters need at least one row");
  if (options.clusters == 0) throw std::invalid_argument("there must be at least one cluster");
  const auto marginals = smoothed_marginals(rows);
  const StateRanks ranks(rows);
  const SparseRows sparse(rows, ranks);
  Clusters clusters = first_clusters(rows, options, marginals);
  for (std::size_t step = 0; step < options.steps; ++step) {
    cancel.check();
    improve(clusters, rows, sparse, ranks, marginals, options.pull, cancel);
  }
  clusters.work = static_cast<double>(options.steps) * step_nanoseconds(sparse, options.clusters);
  return clusters;
}

}  // namespace treewright
