#include "treewright/bounded_treewidth/family_gains.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

namespace treewright {

namespace {

constexpr double kUnknown = std::numeric_limits<double>::quiet_NaN();
constexpr double kHopeless = -std::numeric_limits<double>::infinity();
// below this a gain is nothing, whatever the score
constexpr double kLeastArcGain = 1e-9;

}  // namespace

FamilyGains::FamilyGains(LocalScores& scores, std::vector<Order> parents, Cancel& cancel)
    : scores_(scores),
      parents_(std::move(parents)),
      gains_(parents_.size() * parents_.size(), kUnknown),
      threshold_(std::max(kLeastArcGain, scores.least_gain())) {
  for (Vertex v = 0; v < parents_.size(); ++v) {
    std::ranges::sort(parents_[v]);
    own_.push_back(scores.local(v, parents_[v], cancel));
  }
}

double FamilyGains::total() const { return std::accumulate(own_.begin(), own_.end(), 0.0); }

void FamilyGains::ask(Vertex t, const Word* wanted, Cancel& cancel) {
  double* row = gains_.data() + t * size();
  Order family = parents_[t];
  family.push_back(0);
  const auto worth_asking = [&](Vertex s) {
    if (s == t || !std::isnan(row[s]) || std::ranges::binary_search(parents_[t], s)) return false;
    family.back() = s;
    if (scores_.is_hopeless(t, family)) row[s] = kHopeless;
    return std::isnan(row[s]);
  };
  Order candidates;
  for_each_bit(wanted, words_for(size()), [&](std::size_t s) {
    if (worth_asking(static_cast<Vertex>(s))) candidates.push_back(static_cast<Vertex>(s));
  });
  if (candidates.empty()) return;
  // the others come for nothing, or save a question of their own later
  if (scores_.prefers_rows() || candidates.size() >= scores_.full_batch()) {
    candidates.clear();
    for (Vertex s = 0; s < size(); ++s)
      if (worth_asking(s)) candidates.push_back(s);
  }
  cancel.check();
  std::vector<double> found(candidates.size());
  const double own = scores_.additions(t, parents_[t], candidates, found, cancel);
  for (std::size_t i = 0; i < candidates.size(); ++i) row[candidates[i]] = found[i] - own;
}

void FamilyGains::add(Vertex s, Vertex t) {
  double* row = gains_.data() + t * size();
  own_[t] += row[s];
  parents_[t].insert(std::ranges::upper_bound(parents_[t], s), s);
  std::fill(row, row + size(), kUnknown);
}

}  // namespace treewright
