#include "treewright/searches/feature_design.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <set>
#include <stdexcept>

#include "treewright/parallel/threads.hpp"

namespace treewright {
namespace {

constexpr std::uint32_t kNoLiteral = std::numeric_limits<std::uint32_t>::max();
constexpr int kNewtonSteps = 60;
constexpr double kLargestWeight = 40;

template <class Visit>
void each_row(const std::vector<std::uint64_t>& words, Visit&& visit) {
  for (std::size_t k = 0; k < words.size(); ++k)
    for (std::uint64_t left = words[k]; left; left &= left - 1)
      visit(64 * k + static_cast<std::size_t>(std::countr_zero(left)));
}

}  // namespace

FeatureDesign::FeatureDesign(std::span<const std::uint32_t> codes, std::span<const double> weights,
                             std::vector<std::uint32_t> cardinalities)
    : rows_(weights.size()), words_((rows_ + 63) / 64), row_weights_(weights.begin(), weights.end()) {
  if (codes.size() != rows_ * cardinalities.size())
    throw std::invalid_argument("every row needs one code per variable");
  for (const double weight : weights) total_ += weight;
  for (std::uint32_t v = 0; v < cardinalities.size(); ++v) {
    offsets_.push_back(static_cast<std::uint32_t>(variables_.size()));
    variables_.insert(variables_.end(), cardinalities[v] - 1, v);
  }
  offsets_.push_back(static_cast<std::uint32_t>(variables_.size()));
  bits_.assign(variables_.size() * words_, 0);
  for (std::uint32_t v = 0; v < cardinalities.size(); ++v)
    for (std::size_t i = 0; i < rows_; ++i) {
      const std::uint32_t code = codes[v * rows_ + i];
      if (code >= cardinalities[v])
        throw std::out_of_range("a row holds a code that is no state of its variable");
      if (code > 0) bits_[(offsets_[v] + code - 1) * words_ + i / 64] |= std::uint64_t{1} << i % 64;
    }
  shares_.assign(variables_.size() * rows_, 0.0);
}

void FeatureDesign::check(const Conjunction& feature) const {
  if (feature.empty()) throw std::invalid_argument("a feature has at least one literal");
  for (std::size_t k = 0; k < feature.size(); ++k) {
    if (feature[k] >= n_literals()) throw std::out_of_range("a feature has a literal that does not exist");
    if (k && variables_[feature[k - 1]] >= variables_[feature[k]])
      throw std::invalid_argument("literals of a feature rise, and no two are of one variable");
  }
}

FeatureDesign::Words FeatureDesign::holding(const Conjunction& feature, std::uint32_t except) const {
  Words words(words_, ~std::uint64_t{0});
  if (words_ && rows_ % 64) words.back() = (std::uint64_t{1} << rows_ % 64) - 1;
  for (const std::uint32_t literal : feature)
    if (literal != except)
      for (std::size_t k = 0; k < words_; ++k) words[k] &= bits_[literal * words_ + k];
  return words;
}

double FeatureDesign::add(Conjunction feature) {
  check(feature);
  double holds = 0;
  each_row(holding(feature, kNoLiteral), [&](std::size_t i) { holds += row_weights_[i]; });
  std::vector<Use> uses;
  for (const std::uint32_t literal : feature) {
    Use use{literal, {}};
    if (feature.size() > 1)
      each_row(holding(feature, literal),
               [&](std::size_t i) { use.rows.push_back(static_cast<std::uint32_t>(i)); });
    uses.push_back(std::move(use));
  }
  features_.push_back(std::move(feature));
  uses_.push_back(std::move(uses));
  return holds;
}

double FeatureDesign::evaluate(std::span<const double> weights, std::span<double> gradient, Cancel& cancel) {
  if (weights.size() != n_features() || gradient.size() != n_features())
    throw std::invalid_argument("every feature has one weight and one slope");
  std::fill(shares_.begin(), shares_.end(), 0.0);  // energies first
  for (std::size_t f = 0; f < uses_.size(); ++f)
    for (const Use& use : uses_[f]) {
      double* const out = shares_.data() + use.literal * rows_;
      if (uses_[f].size() == 1)
        for (std::size_t i = 0; i < rows_; ++i) out[i] += weights[f];
      else
        for (const std::uint32_t i : use.rows) out[i] += weights[f];
    }
  double value = 0;
  for (std::size_t v = 0; v + 1 < offsets_.size(); ++v) {
    cancel.check();
    const std::size_t begin = offsets_[v], end = offsets_[v + 1];
    for (std::size_t i = 0; i < rows_; ++i) {
      double largest = 0, seen = 0;  // the first state has energy 0
      for (std::size_t l = begin; l < end; ++l) {
        const double energy = shares_[l * rows_ + i];
        largest = std::max(largest, energy);
        if (bits_[l * words_ + i / 64] >> i % 64 & 1) seen = energy;
      }
      double sum = std::exp(-largest);
      for (std::size_t l = begin; l < end; ++l)
        sum += shares_[l * rows_ + i] = std::exp(shares_[l * rows_ + i] - largest);
      for (std::size_t l = begin; l < end; ++l) shares_[l * rows_ + i] /= sum;
      value += row_weights_[i] * (seen - largest - std::log(sum));
    }
  }
  for (std::size_t f = 0; f < uses_.size(); ++f) {
    gradient[f] = 0;
    for (const Use& use : uses_[f]) {
      const double* const share = shares_.data() + use.literal * rows_;
      const std::uint64_t* const holds = bits_.data() + use.literal * words_;
      const auto slope = [&](std::size_t i) {
        return row_weights_[i] * (static_cast<double>(holds[i / 64] >> i % 64 & 1) - share[i]);
      };
      if (uses_[f].size() == 1)
        for (std::size_t i = 0; i < rows_; ++i) gradient[f] += slope(i);
      else
        for (const std::uint32_t i : use.rows) gradient[f] += slope(i);
    }
  }
  return value;
}

std::vector<FeatureDesign::Conjunction> FeatureDesign::candidates(std::size_t most_literals,
                                                                  Cancel& cancel) const {
  const std::set<Conjunction> known(features_.begin(), features_.end());
  std::set<Conjunction> found;
  for (const Conjunction& feature : features_) {
    cancel.check();
    if (feature.size() >= most_literals) continue;
    const Words here = holding(feature, kNoLiteral);
    for (std::uint32_t literal = 0; literal < n_literals(); ++literal) {
      if (std::ranges::any_of(feature, [&](auto l) { return variables_[l] == variables_[literal]; }))
        continue;
      bool holds = false;
      for (std::size_t k = 0; k < words_ && !holds; ++k) holds = here[k] & bits_[literal * words_ + k];
      if (!holds) continue;
      Conjunction longer = feature;
      longer.insert(std::ranges::lower_bound(longer, literal), literal);
      if (!known.contains(longer)) found.insert(std::move(longer));
    }
  }
  return {found.begin(), found.end()};
}

// With p the probability of the literal's state in a row, a weight d changes the log-probability of the state
// seen by [seen] d - log(1 + p (e^d - 1)): concave in d, so Newton steps inside a shrinking bracket end.
FeatureDesign::Gain FeatureDesign::gain(const Conjunction& conjunction, double variance) const {
  std::vector<double> p, w;
  double hits = 0;
  for (const std::uint32_t literal : conjunction)
    each_row(holding(conjunction, literal), [&](std::size_t i) {
      p.push_back(shares_[literal * rows_ + i]);
      w.push_back(row_weights_[i]);
      if (bits_[literal * words_ + i / 64] >> i % 64 & 1) hits += row_weights_[i];
    });
  double low = -kLargestWeight, high = kLargestWeight, d = 0;
  for (int step = 0; step < kNewtonSteps; ++step) {
    const double growth = std::exp(d);
    double slope = hits - d / variance, curvature = 1 / variance;
    for (std::size_t k = 0; k < p.size(); ++k) {
      const double moved = p[k] * growth / (1 + p[k] * (growth - 1));
      slope -= w[k] * moved;
      curvature += w[k] * moved * (1 - moved);
    }
    (slope > 0 ? low : high) = d;
    double next = d + slope / curvature;
    if (!(next > low && next < high)) next = (low + high) / 2;
    if (std::abs(next - d) <= 1e-10 * (1 + std::abs(d))) break;
    d = next;
  }
  double gain = hits * d - d * d / (2 * variance);
  const double grown = std::expm1(d);
  for (std::size_t k = 0; k < p.size(); ++k) gain -= w[k] * std::log1p(p[k] * grown);
  return {gain, d};
}

std::vector<FeatureDesign::Gain> FeatureDesign::gains(const std::vector<Conjunction>& conjunctions,
                                                      double variance, Cancel& cancel) const {
  for (const Conjunction& one : conjunctions) check(one);
  std::vector<Gain> out(conjunctions.size());
  const double each = 20.0 * static_cast<double>(rows_);
  parallel_for(out.size(), each * static_cast<double>(out.size()), cancel,
               [&](std::size_t k) { out[k] = gain(conjunctions[k], variance); });
  return out;
}

}  // namespace treewright
