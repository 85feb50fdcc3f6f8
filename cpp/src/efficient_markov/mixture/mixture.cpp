#include "treewright/efficient_markov/mixture.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <stdexcept>

#include "treewright/parallel/threads.hpp"

namespace treewright {
namespace {

constexpr float kLeastShare = 1e-3f;     // a row that belongs to a component by less is left out of it
constexpr double kRowNanoseconds = 200;  // to follow one row through one component, roughly

/// In place: joint logarithms of one row become shares; the log-likelihood of the row.
double normalise(std::span<double> joint) {
  const double best = *std::max_element(joint.begin(), joint.end());
  if (best == -std::numeric_limits<double>::infinity()) return best;
  double sum = 0;
  for (double& value : joint) sum += value = std::exp(value - best);
  for (double& value : joint) value /= sum;
  return best + std::log(sum);
}

}  // namespace

Mixture::Mixture(std::unique_ptr<const ComponentFamily> family, const Clusters& clusters, std::uint64_t seed,
                 Cancel& cancel)
    : family_(std::move(family)),
      prepared_(family_->prepare(rows())),
      seed_(seed),
      log_weights_(clusters.size),
      work_(clusters.work) {
  const std::vector<double> shares = clusters.responsibilities(rows(), cancel);
  responsibilities_.assign(shares.begin(), shares.end());
}

Mixture::Mixture(std::unique_ptr<const ComponentFamily> family, std::size_t size, std::uint64_t seed,
                 Cancel& cancel)
    : family_(std::move(family)), prepared_(family_->prepare(rows())), seed_(seed), log_weights_(size) {
  if (size == 0) throw std::invalid_argument("a mixture has at least one component");
  learn_all(std::vector<double>(size, rows().total() / static_cast<double>(size)), cancel);
}

void Mixture::maximise(Cancel& cancel) {
  std::vector<double> totals(size(), 0.0);
  for (std::size_t i = 0; i < rows().n_rows(); ++i)
    for (std::size_t k = 0; k < size(); ++k)
      totals[k] += rows().weights()[i] * static_cast<double>(responsibilities_[i * size() + k]);
  learn_all(totals, cancel);
}

void Mixture::learn_all(const std::vector<double>& totals, Cancel& cancel) {
  components_.assign(size(), nullptr);
  std::vector<double> work(size(), 0.0);
  // components are many and long: each is one piece of work
  parallel_for(size(), std::numeric_limits<double>::infinity(), cancel, [&](std::size_t k) {
    std::vector<double> weights = rows().weights();
    if (!responsibilities_.empty())
      for (std::size_t i = 0; i < weights.size(); ++i) {
        const float share = responsibilities_[i * size() + k];
        weights[i] = share > kLeastShare ? weights[i] * static_cast<double>(share) : 0.0;
      }
    components_[k] = family_->learn(weights, seed_ + k, work[k], cancel);
  });
  work_ = std::accumulate(work.begin(), work.end(), work_);
  // one pseudo-row in all: no component may vanish
  double sum = 0;
  const double share = 1 / static_cast<double>(size());
  for (const double total : totals) sum += total + share;
  for (std::size_t k = 0; k < size(); ++k) log_weights_[k] = std::log((totals[k] + share) / sum);
}

std::vector<double> Mixture::joint_logs(const PreparedRows& rows, std::size_t n_rows, Cancel& cancel) const {
  std::vector<double> joint(n_rows * size());
  parallel_for(size(), kRowNanoseconds * static_cast<double>(joint.size()), cancel, [&](std::size_t k) {
    components_[k]->log_likelihoods(rows, size(), joint.data() + k, cancel);
    for (std::size_t i = 0; i < n_rows; ++i) joint[i * size() + k] += log_weights_[k];
  });
  return joint;
}

double Mixture::expect(Cancel& cancel) {
  std::vector<double> joint = joint_logs(*prepared_, rows().n_rows(), cancel);
  double sum = 0;
  for (std::size_t i = 0; i < rows().n_rows(); ++i) {
    const std::span<double> row(joint.data() + i * size(), size());
    sum += rows().weights()[i] * normalise(row);
    for (std::size_t k = 0; k < size(); ++k) responsibilities_[i * size() + k] = static_cast<float>(row[k]);
  }
  work_ += kRowNanoseconds * static_cast<double>(joint.size());
  return sum / rows().total();
}

std::vector<double> Mixture::log_likelihoods(const RowSet& asked, Cancel& cancel) const {
  std::vector<double> joint = joint_logs(*family_->prepare(asked), asked.n_rows(), cancel);
  std::vector<double> logs(asked.n_rows());
  for (std::size_t i = 0; i < logs.size(); ++i) logs[i] = normalise({joint.data() + i * size(), size()});
  return logs;
}

features::Arena Mixture::arena() const {
  features::ArenaBuilder builder(rows().schema_cardinalities());
  std::vector<features::Id> below;
  for (const auto& component : components_) below.push_back(component->add_to(builder));
  return builder.finish(builder.add_mix(below, log_weights_));
}

void Mixture::go_back() {
  if (kept_.empty()) return;
  components_ = kept_;
  log_weights_ = kept_weights_;
}

}  // namespace treewright
