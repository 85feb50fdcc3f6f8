#include "treewright/bounded_treewidth/family_columns.hpp"

#include <algorithm>
#include <limits>

namespace treewright {
namespace {

constexpr double kExcluded = -std::numeric_limits<double>::infinity();
// below this a gain is nothing, whatever the score
constexpr double kLeastColumnGain = 1e-9;
// Beyond these what was remembered is dropped; answers do not change, they are only counted again.
constexpr std::size_t kMostBytes = std::size_t{512} << 20;
constexpr std::size_t kMostLocals = std::size_t{1} << 22;
constexpr std::size_t kMostBests = std::size_t{1} << 20;

// Square by square, so that rows and columns stay in cache.
void transpose(std::vector<double>& matrix, std::size_t n) {
  constexpr std::size_t kSide = 32;
  for (std::size_t top = 0; top < n; top += kSide)
    for (std::size_t left = 0; left <= top; left += kSide)
      for (std::size_t i = top; i < std::min(top + kSide, n); ++i)
        for (std::size_t j = left; j < std::min(left + kSide, i); ++j)
          std::swap(matrix[i * n + j], matrix[j * n + i]);
}

}  // namespace

FamilyColumns::FamilyColumns(LocalScores& scores, ArcRules rules, Cancel& cancel)
    : scores_(scores),
      rules_(std::move(rules)),
      threshold_(std::max(kLeastColumnGain, scores.least_gain())),
      pairs_(scores.pair_gains(cancel)),
      prints_(scores.size(), 3) {
  transpose(pairs_, scores.size());
  if (rules_.allowed.size() != scores.size() || rules_.required.size() != scores.size())
    throw std::invalid_argument("the rules must have the vertices of the score");
}

FamilyColumns::FamilyColumns(const FamilyColumns& other, LocalScores& scores)
    : scores_(scores),
      rules_(other.rules_),
      threshold_(other.threshold_),
      pairs_(other.pairs_),
      prints_(scores.size(), 3) {
  if (scores.size() != size()) throw std::invalid_argument("the scores must have the vertices of the others");
}

void FamilyColumns::allow_parents(std::size_t most) {
  const std::size_t before = std::exchange(rules_.max_parents, most);
  if (before == most) return;
  bests_.clear();
  FingerprintMap<ColumnPointer>
      kept;  // those of families that could not grow do not say what would be gained
  columns_.for_each([&](const Fingerprint& print, ColumnPointer& column) {
    if (column->without.size() < std::min(before, most)) kept.put(print, std::move(column));
  });
  columns_ = std::move(kept);
}

double FamilyColumns::local(Vertex child, VertexSet parents, Cancel& cancel) {
  const Fingerprint print = key(child, parents);
  if (const double* known = locals_.find(print)) return *known;
  cancel.check();
  if (locals_.size() >= kMostLocals) locals_.clear();
  return locals_.put(print, scores_.local(child, parents, cancel));
}

ColumnPointer FamilyColumns::column(Vertex child, const Order& parents, Cancel& cancel) {
  const Fingerprint print = key(child, parents);
  if (const ColumnPointer* known = columns_.find(print)) return *known;
  cancel.check();
  if (bytes_ > kMostBytes) {
    columns_.clear();
    bytes_ = 0;
  }
  ColumnPointer made = make_column(child, parents, cancel);
  bytes_ += 128 + made->with.size() * sizeof(double) + made->useful.size() * sizeof(FamilyColumn::Useful);
  return columns_.put(print, std::move(made));
}

ColumnPointer FamilyColumns::make_column(Vertex child, const Order& parents, Cancel& cancel) {
  auto made = std::make_shared<FamilyColumn>();
  made->with.assign(size(), kExcluded);
  made->without.assign(parents.size(), 0.0);
  Order candidates;
  if (parents.size() < rules_.max_parents)
    for (Vertex u = 0; u < size(); ++u)
      if (u != child && rules_.allowed.test(u, child) && !std::ranges::binary_search(parents, u))
        candidates.push_back(u);
  made->own = local(child, parents, cancel);
  if (parents.empty()) {  // counted for all pairs at once
    for (const Vertex u : candidates) made->with[u] = pair_gain(u, child);
  } else {
    if (scores_.is_exhausted(child, parents, candidates, made->own)) candidates.clear();
    std::vector<double> more(candidates.size());
    const double own = scores_.around(child, parents, candidates, more, made->without, cancel);
    for (std::size_t i = 0; i < candidates.size(); ++i) made->with[candidates[i]] = more[i] - own;
    for (double& fewer : made->without) fewer -= own;
  }
  for (const Vertex u : candidates)
    if (made->with[u] > threshold_) made->useful.push_back({made->with[u], u});
  std::ranges::stable_sort(made->useful, std::ranges::greater{}, &FamilyColumn::Useful::gain);
  return made;
}

BestPointer FamilyColumns::best_within(Vertex child, const Order& candidates, Cancel& cancel) {
  const Fingerprint print = prints_.of(candidates) ^ prints_(child, 2);
  if (const BestPointer* known = bests_.find(print)) return *known;
  if (bests_.size() >= kMostBests) bests_.clear();
  return bests_.put(print, choose_within(child, candidates, cancel));
}

BestPointer FamilyColumns::choose_within(Vertex child, const Order& candidates, Cancel& cancel) {
  BestFamily found;
  for (Vertex u = 0; u < size(); ++u)
    if (rules_.required.test(u, child)) found.parents.push_back(u);
  if (!std::ranges::includes(candidates, found.parents)) return nullptr;
  found.score = local(child, found.parents, cancel);
  select_forward(child, candidates, found, cancel);
  if (found.parents.size() > 1) delete_backward(child, found, cancel);
  return std::make_shared<const BestFamily>(std::move(found));
}

void FamilyColumns::select_forward(Vertex child, const Order& candidates, BestFamily& found, Cancel& cancel) {
  Order open;
  for (const Vertex u : candidates)
    if (u != child && rules_.allowed.test(u, child) && !std::ranges::binary_search(found.parents, u))
      open.push_back(u);
  while (!open.empty() && found.parents.size() < rules_.max_parents) {
    if (scores_.is_exhausted(child, found.parents, open, found.score)) return;
    double best = found.score + threshold_;
    Vertex chosen = child;
    for (const Vertex u : open) {
      const double score = found.parents.empty() ? found.score + pair_gain(u, child)
                                                 : local(child, with_parent(found.parents, u), cancel);
      if (score > best) best = score, chosen = u;
    }
    if (chosen == child) return;
    found.parents = with_parent(found.parents, chosen);
    found.score = best;
    std::erase(open, chosen);
  }
}

void FamilyColumns::delete_backward(Vertex child, BestFamily& found, Cancel& cancel) {
  while (true) {
    double best = found.score + threshold_;
    std::size_t chosen = kNone;
    for (std::size_t i = 0; i < found.parents.size(); ++i) {
      if (rules_.required.test(found.parents[i], child)) continue;
      const double score = local(child, without_parent(found.parents, found.parents[i]), cancel);
      if (score > best) best = score, chosen = i;
    }
    if (chosen == kNone) return;
    found.parents = without_parent(found.parents, found.parents[chosen]);
    found.score = best;
  }
}

}  // namespace treewright
