#include "treewright/efficient_markov/markov_features.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "treewright/efficient_markov/cutset.hpp"

namespace treewright {

double partition_score(const Blocks& blocks, PartitionScore score) {
  double cost = 0;
  for (const Block& block : blocks) {
    const auto size = static_cast<double>(block.size());
    cost += score == PartitionScore::kInverseSquare ? size * size : std::exp2(size);
  }
  return cost > 0 ? 1 / cost : 1;
}

std::optional<FeatureChoice> FeatureFinder::best(const RowContext& context, const PairCounts& counts,
                                                 const Constraints& constraints) {
  std::vector<FeatureChoice> choices = atomic(context, counts, constraints);
  if (choices.empty()) return std::nullopt;
  if (options_.feature_length > 1 && options_.search == FeatureSearch::kExhaustive) {
    for (const Conjunction& feature : all_conjunctions(context))
      if (auto found = conjunction(context, constraints, feature)) choices.push_back(std::move(*found));
    return chosen(std::move(choices));
  }
  FeatureChoice current = chosen(std::move(choices));
  for (std::size_t length = 2; length <= options_.feature_length; ++length) {  // one literal more
    choices.clear();
    for (const Conjunction& feature : longer(context, current))
      if (auto found = conjunction(context, constraints, feature)) choices.push_back(std::move(*found));
    if (choices.empty()) break;
    FeatureChoice next = chosen(std::move(choices));
    if (!(next.score > current.score)) break;
    current = std::move(next);
  }
  return current;
}

/// Every variable; one of many states by each of its states against the rest.
std::vector<FeatureChoice> FeatureFinder::atomic(const RowContext& context, const PairCounts& counts,
                                                 const Constraints& constraints) {
  std::vector<FeatureChoice> found;
  std::vector<std::size_t> all(context.size());
  std::iota(all.begin(), all.end(), std::size_t{0});
  for (const std::size_t v : most_telling(counts, x_log_x_, std::move(all), options_.candidates)) {
    const LocalVariable& local = context.local(v);
    if (local.states.size() <= kMostWays) {
      if (auto choice = split(context, counts, constraints, v)) found.push_back(std::move(*choice));
      continue;
    }
    for (const RowSet::Code state : local.states)
      if (auto choice = conjunction(context, constraints, {{local.column, state}}))
        found.push_back(std::move(*choice));
  }
  return found;
}

std::optional<FeatureChoice> FeatureFinder::split(const RowContext& context, const PairCounts& counts,
                                                  const Constraints& constraints, std::size_t v) {
  std::vector<double> cells;
  counts.cells(v, cells);
  const auto is_filled = [&](double rows) { return rows > 0 && rows >= least_side(); };
  if (std::count_if(cells.begin(), cells.end(), is_filled) < 2) return std::nullopt;
  ++tallies_.features_tried;
  FeatureChoice choice;
  choice.variable = v;
  const auto largest = static_cast<std::size_t>(std::max_element(cells.begin(), cells.end()) - cells.begin());
  std::vector<PairCounts> sides(cells.size());
  sides[largest] = counts;
  for (std::uint32_t s = 0; s < cells.size(); ++s) {
    if (s == largest) continue;
    sides[s] = context.pairs_given(v, s, cancel_);
    sides[largest].subtract(sides[s]);
  }
  const LocalVariable& local = context.local(v);
  for (std::uint32_t s = 0; s < cells.size(); ++s) {
    FeatureSide side;
    side.rows = cells[s];
    side.locals = context.locals();
    side.locals.erase(side.locals.begin() + static_cast<std::ptrdiff_t>(v));
    side.constraints = given(constraints, {{local.column, local.states[s]}});
    partition(side, sides[s].without(v), ContextSide(context, v, s));
    choice.sides.push_back(std::move(side));
  }
  judge(choice);
  return choice;
}

std::optional<FeatureChoice> FeatureFinder::conjunction(const RowContext& context,
                                                        const Constraints& constraints,
                                                        const Conjunction& feature) {
  const RowContext holds = context.where(feature), fails = context.where_not(feature);
  if (std::min(holds.total(), fails.total()) < std::max(least_side(), 1e-12)) return std::nullopt;
  ++tallies_.features_tried;
  FeatureChoice choice;
  choice.feature = feature;
  FeatureSide yes{holds.total(), true, holds.locals(), given(constraints, feature), {}};
  partition(yes, holds.pairs(cancel_), ContextSide(holds));
  FeatureSide no{fails.total(), true, fails.locals(), constraints, {}};
  no.constraints.push_back(feature);
  partition(no, fails.pairs(cancel_), ContextSide(fails));
  choice.sides.push_back(std::move(yes));
  choice.sides.push_back(std::move(no));
  judge(choice);
  return choice;
}

/// LMIP on one side. Counts keep the states as they were: a state without rows changes no entropy.
void FeatureFinder::partition(FeatureSide& side, const PairCounts& counts, ContextSide rows) {
  side.is_possible = settle(side.locals, side.constraints);
  if (!side.is_possible) return;
  ++tallies_.partitions;
  const Blocks together = tied(side.locals, side.constraints);
  side.blocks = low_information_blocks(counts, together, options_.partition, x_log_x_, rows, cancel_);
}

/// The sum of the scores of both sides; of more sides twice their mean, over those with rows enough.
void FeatureFinder::judge(FeatureChoice& choice) const {
  double sum = 0, n = 0, low = std::numeric_limits<double>::infinity(), high = 0, most = 0;
  double least = std::numeric_limits<double>::infinity();
  for (const FeatureSide& side : choice.sides) {
    if (!side.is_possible || side.rows < least_side() || side.rows <= 0) continue;
    const double score = partition_score(side.blocks, options_.score);
    sum += score, ++n;
    low = std::min(low, score), high = std::max(high, score);
    least = std::min(least, side.rows), most = std::max(most, side.rows);
  }
  choice.score = 2 * sum / n;
  choice.imbalance = high - low;
  choice.unevenness = most - least;
}

/// Among the scores close to the best: the sides of most equal scores, then of most equal rows, then the
/// first candidate.
FeatureChoice FeatureFinder::chosen(std::vector<FeatureChoice> choices) const {
  double best = 0;
  for (const FeatureChoice& choice : choices) best = std::max(best, choice.score);
  const double close = best * (1 - options_.balance_tolerance);
  std::size_t at = choices.size();
  const auto before = [&](const FeatureChoice& a, const FeatureChoice& b) {
    if (a.imbalance != b.imbalance) return a.imbalance < b.imbalance;
    return a.unevenness < b.unevenness;
  };
  for (std::size_t k = 0; k < choices.size(); ++k)
    if (choices[k].score >= close && (at == choices.size() || before(choices[k], choices[at]))) at = k;
  return std::move(choices[at]);
}

/// One literal more; a split may start with each of its states.
std::vector<Conjunction> FeatureFinder::longer(const RowContext& context, const FeatureChoice& choice) const {
  std::vector<Conjunction> starts{choice.feature};
  if (choice.is_split()) {
    starts.clear();
    const LocalVariable& local = context.local(choice.variable);
    for (const RowSet::Code state : local.states) starts.push_back({{local.column, state}});
  }
  std::vector<Conjunction> found;
  for (const Conjunction& start : starts)
    for (const LocalVariable& local : context.locals()) {
      if (std::any_of(start.begin(), start.end(), [&](const Literal& l) { return l.column == local.column; }))
        continue;
      for (const RowSet::Code state : local.states) {
        Conjunction feature = start;
        feature.push_back({local.column, state});
        std::sort(feature.begin(), feature.end());
        found.push_back(std::move(feature));
      }
    }
  return found;
}

std::vector<Conjunction> FeatureFinder::all_conjunctions(const RowContext& context) const {
  std::vector<Conjunction> found, shorter;
  for (const LocalVariable& local : context.locals())
    for (const RowSet::Code state : local.states) shorter.push_back({{local.column, state}});
  for (std::size_t length = 2; length <= options_.feature_length; ++length) {
    std::vector<Conjunction> grown;
    for (const Conjunction& start : shorter)
      for (const LocalVariable& local : context.locals()) {
        if (local.column <= start.back().column) continue;
        for (const RowSet::Code state : local.states) {
          grown.push_back(start);
          grown.back().push_back({local.column, state});
        }
      }
    found.insert(found.end(), grown.begin(), grown.end());
    shorter = std::move(grown);
  }
  return found;
}

}  // namespace treewright
