#include <algorithm>
#include <cmath>
#include <numeric>
#include <stdexcept>

#include "efficient_markov/hidden_tree/hidden_pass.hpp"
#include "efficient_markov/hidden_tree/hidden_work.hpp"
#include "treewright/efficient_markov/hidden_tree.hpp"
#include "treewright/parallel/seeded_draws.hpp"
#include "treewright/parallel/threads.hpp"

namespace treewright {
namespace {

constexpr double kFloor = 1e-7;        // keeps every message above zero
constexpr double kClusterShare = 0.7;  // of a first emission; the rest is the marginal

/// The mean of a distribution of which `counts` were seen and `pull` pseudo-rows distributed as `base` were
/// imagined; numbers lie `stride` apart, none stays below the floor. Where nothing was seen or imagined, what
/// was there stays. A state that is `fixed` has what `base` gives it, whatever was seen of the others.
void estimate(float* out, const double* counts, std::size_t stride, std::span<const double> base, double pull,
              std::span<const std::uint8_t> fixed = {}) {
  const auto is_fixed = [&](std::size_t k) { return !fixed.empty() && fixed[k]; };
  double free = 1, kept = 0;
  for (std::size_t k = 0; k < base.size(); ++k)
    if (is_fixed(k)) free -= base[k];
  double sum = pull * free;
  for (std::size_t k = 0; k < base.size(); ++k)
    if (!is_fixed(k)) sum += counts[k * stride];
  if (!(sum > 0)) return;
  const auto share = [&](std::size_t k) {
    return std::max((counts[k * stride] + pull * base[k]) / sum, kFloor);
  };
  for (std::size_t k = 0; k < base.size(); ++k)
    if (!is_fixed(k)) kept += share(k);
  for (std::size_t k = 0; k < base.size(); ++k)
    out[k * stride] = static_cast<float>(is_fixed(k) ? base[k] : share(k) * free / kept);
}

/// Which states of each variable no row has.
std::vector<std::vector<std::uint8_t>> states_unseen(const RowSet& rows, const HiddenTree& tree) {
  std::vector<std::vector<std::uint8_t>> unseen(tree.size());
  for (std::size_t i = 0; i < tree.size(); ++i) {
    unseen[i].assign(tree.cardinality(i), 1);
    for (std::size_t row = 0; row < rows.n_rows(); ++row)
      unseen[i][rows.row(row)[tree.shape().columns[i]]] = 0;
  }
  return unseen;
}

/// What emissions are drawn to: the marginal of the variable or, where the parent is known, its conditional,
/// itself drawn to the marginal by one pseudo-row. A state that no row has keeps its marginal everywhere, so
/// that it tells nothing about other variables.
std::vector<std::vector<double>> emission_bases(const RowSet& rows, const HiddenTree& tree,
                                                const std::vector<std::vector<std::uint8_t>>& unseen) {
  const auto marginals = smoothed_marginals(rows);
  std::vector<std::vector<double>> bases(tree.size());
  for (std::size_t i = 0; i < tree.size(); ++i) {
    const auto& marginal = marginals[tree.shape().columns[i]];
    const std::size_t r = marginal.size();
    for (std::size_t c = 0; c < tree.contexts(i); ++c)
      bases[i].insert(bases[i].end(), marginal.begin(), marginal.end());
    if (!tree.knows_parent(i)) continue;
    const std::size_t column = tree.shape().columns[i], above = tree.shape().columns[tree.shape().parents[i]];
    std::vector<double> totals(tree.contexts(i), 1.0);
    for (std::size_t s = 0; s < r; ++s)
      if (unseen[i][s])
        for (double& total : totals) total -= marginal[s];
    const double free = totals[0];
    for (std::size_t row = 0; row < rows.n_rows(); ++row) {
      const std::size_t context = rows.row(row)[above];
      bases[i][context * r + rows.row(row)[column]] += rows.weights()[row];
      totals[context] += rows.weights()[row];
    }
    for (std::size_t s = 0; s < bases[i].size(); ++s)
      if (!unseen[i][s % r]) bases[i][s] = bases[i][s] * free / totals[s / r];
  }
  return bases;
}

}  // namespace

struct HiddenLearner::Lane {
  HiddenPass pass;
  AlignedVector<float> sums;
  explicit Lane(const HiddenTree& tree) : pass(tree), sums(tree.n_parameters()) {}
};

HiddenLearner::~HiddenLearner() = default;

HiddenLearner::HiddenLearner(std::shared_ptr<const RowSet> rows, HiddenShape shape, const Clusters& clusters,
                             HiddenOptions options)
    : rows_(std::move(rows)),
      options_(options),
      tree_(std::move(shape), rows_->cardinalities()),
      unseen_(states_unseen(*rows_, tree_)),
      base_(emission_bases(*rows_, tree_, unseen_)),
      statistics_(tree_.n_parameters()),
      fresh_(tree_.n_parameters()) {
  if (rows_->n_rows() == 0) throw std::invalid_argument("a hidden tree is learned from at least one row");
  if (clusters.size != tree_.states())
    throw std::invalid_argument("there must be as many clusters as hidden states");
  clusters.check_columns(*rows_);
  start(clusters);
  work_ = clusters.work;
}

void HiddenLearner::start(const Clusters& clusters) {
  Draws draws(options_.seed);
  const std::size_t states = tree_.states();
  const double total = rows_->total();
  for (std::size_t i = 0; i < tree_.size(); ++i) {
    double* transitions = statistics_.data() + tree_.transition(i);
    for (std::size_t a = 0; a < (tree_.is_root(i) ? 1 : states); ++a) {
      std::vector<double> noise(states);
      for (std::size_t b = 0; b < states; ++b) noise[b] = clusters.weights[b] * (0.5 + draws.uniform());
      const double sum = std::accumulate(noise.begin(), noise.end(), 0.0);
      const double stay = tree_.is_root(i) ? 0.0 : options_.diagonal;
      const double mass = tree_.is_root(i) ? total : total * clusters.weights[a];
      for (std::size_t b = 0; b < states; ++b)
        transitions[a * states + b] =
            mass * (tree_.is_root(i) ? clusters.weights[b] : stay * (a == b) + (1 - stay) * noise[b] / sum);
    }
    const auto& cluster = clusters.emissions[tree_.shape().columns[i]];
    const std::size_t r = tree_.cardinality(i);
    const double contexts = tree_.contexts(i);
    for (std::size_t s = 0; s < tree_.n_symbols(i); ++s)
      for (std::size_t h = 0; h < states; ++h)
        statistics_[tree_.emission(i) + s * states + h] =
            total / contexts * clusters.weights[h] *
            (kClusterShare * cluster[s % r * states + h] + (1 - kClusterShare) * base_[i][s]);
  }
  maximise();
}

void HiddenLearner::maximise() {
  const std::size_t states = tree_.states();
  const std::vector<double> even(states, 1.0 / static_cast<double>(states));
  for (std::size_t i = 0; i < tree_.size(); ++i) {
    for (std::size_t a = 0; a < (tree_.is_root(i) ? 1 : states); ++a) {
      const std::size_t at = tree_.transition(i) + a * states;
      estimate(tree_.values.data() + at, statistics_.data() + at, 1, even, options_.transitions);
    }
    const std::size_t r = tree_.cardinality(i);
    for (std::size_t context = 0; context < tree_.contexts(i); ++context) {
      const std::span<const double> base(base_[i].data() + context * r, r);
      const std::size_t at = tree_.emission(i) + context * r * states;
      for (std::size_t h = 0; h < states; ++h)
        estimate(tree_.values.data() + at + h, statistics_.data() + at + h, states, base, options_.emissions,
                 unseen_[i]);
    }
  }
  tree_.turn();
}

void HiddenLearner::add_batch(std::span<const std::uint32_t> batch, Cancel& cancel) {
  std::fill(fresh_.begin(), fresh_.end(), 0.0);
  const std::size_t blocks = blocks_for(batch.size()), lanes = std::min(blocks, threads());
  while (passes_.size() < lanes) passes_.push_back(std::make_unique<Lane>(tree_));
  for (std::size_t begin = 0; begin < blocks; begin += lanes) {
    const std::size_t count = std::min(lanes, blocks - begin);
    parallel_for(count, pass_nanoseconds(tree_, count * kRowBlock), cancel, [&](std::size_t lane) {
      const std::size_t first = (begin + lane) * kRowBlock;
      HiddenPass& pass = passes_[lane]->pass;
      pass.rows.load(*rows_, std::min(kRowBlock, batch.size() - first),
                     [&](std::size_t k) { return batch[first + k]; });
      pass.up();
      pass.down(passes_[lane]->sums.data());
    });
    for (std::size_t lane = 0; lane < count; ++lane) {  // in order, whatever the number of threads
      const float* sums = passes_[lane]->sums.data();
      for (std::size_t k = 0; k < fresh_.size(); ++k) fresh_[k] += static_cast<double>(sums[k]);
    }
  }
}

void HiddenLearner::blend(double eta, double scale) {
  const std::size_t states = tree_.states();
  for (std::size_t i = 0; i < tree_.size(); ++i) {
    const std::size_t begin = tree_.transition(i);
    if (tree_.is_root(i)) continue;
    for (std::size_t k = begin; k < begin + states * states; ++k)
      fresh_[k] *= static_cast<double>(tree_.values[k]);
  }
  const double keep = 1 - eta, add = eta * scale;
  for (std::size_t k = 0; k < fresh_.size(); ++k) statistics_[k] = keep * statistics_[k] + add * fresh_[k];
}

void HiddenLearner::epoch(double first, double last, Cancel& cancel) {
  std::vector<std::uint32_t> order(rows_->n_rows());
  std::iota(order.begin(), order.end(), 0u);
  const std::size_t size = options_.batch ? std::min(options_.batch, order.size()) : order.size();
  if (size < order.size()) Draws(options_.seed ^ (++epochs_ * 0x9e3779b97f4a7c15ull)).shuffle(order);
  const std::size_t batches = (order.size() + size - 1) / size;
  work_ += epoch_work();
  for (std::size_t b = 0; b < batches; ++b) {
    cancel.check();
    // batches of nearly equal size, so that none speaks for all rows with a few
    const std::size_t begin = b * order.size() / batches, end = (b + 1) * order.size() / batches;
    const std::span<const std::uint32_t> batch(order.data() + begin, end - begin);
    double weight = 0;
    for (const std::uint32_t row : batch) weight += rows_->weights()[row];
    add_batch(batch, cancel);
    const double way = batches > 1 ? static_cast<double>(b) / static_cast<double>(batches) : 1.0;
    blend(first * std::pow(last / first, way), rows_->total() / weight);
    maximise();
  }
}

double HiddenLearner::epoch_work() const {
  const std::size_t rows = rows_->n_rows(), size = options_.batch ? std::min(options_.batch, rows) : rows;
  const double batches = std::ceil(static_cast<double>(rows) / static_cast<double>(size));
  return pass_nanoseconds(tree_, blocks_for(rows) * kRowBlock) +
         6 * batches * static_cast<double>(tree_.n_parameters());
}

void HiddenLearner::go_back() {
  if (kept_.empty()) return;
  tree_.values = kept_;
  tree_.turn();
}

bool HiddenLearner::is_finite() const {
  return std::all_of(tree_.values.begin(), tree_.values.end(), [](float x) { return std::isfinite(x); });
}

}  // namespace treewright
