#include "treewright/efficient_markov/cutset.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <optional>
#include <stdexcept>

#include "treewright/efficient_markov/leaf_trees.hpp"
#include "treewright/efficient_markov/row_context.hpp"
#include "treewright/parallel/seeded_draws.hpp"
#include "treewright/parallel/threads.hpp"

namespace treewright {
namespace {

using features::Arena;
using features::ArenaBuilder;
using features::Id;

/// A split and the counts of its sides: all states of a variable, or one state against the rest.
struct Split {
  std::size_t variable = 0;
  bool is_feature = false;
  std::uint32_t state = 0;        // of a feature
  std::vector<PairCounts> sides;  // by state; of a feature: true, false. The variable is still in them
  double gain = 0;
};

class CutsetLearner {
 public:
  CutsetLearner(const RowSet& rows, const RowContext& all, const CutsetOptions& options, std::uint64_t seed,
                Cancel& cancel)
      : rows_(rows),
        options_(options),
        builder_(rows.schema_cardinalities()),
        terms_(options.alpha, all.total(), all.is_whole()),
        x_log_x_(0, all.is_whole() ? static_cast<std::size_t>(std::min(all.total(), 131072.0)) + 1 : 0),
        draws_(seed),
        cancel_(cancel) {}

  Arena learn(RowContext all) {
    PairCounts counts = all.pairs(cancel_);
    return builder_.finish(grow(std::move(all), std::move(counts), nullptr, 0));
  }

 private:
  Id grow(RowContext context, PairCounts counts, const PairCounts* prior, std::size_t depth) {
    cancel_.check();
    const PairCounts pseudo = smoothed(counts, options_.alpha, options_.shrinkage, prior);
    std::optional<Split> split;
    if (context.total() >= options_.min_rows && depth < options_.max_depth && context.size() > 1)
      split = best_split(context, counts);
    if (!split) return add_leaf(context, counts, pseudo);
    counts = PairCounts();
    return split->is_feature ? grow_feature(std::move(context), *split, pseudo, depth)
                             : grow_states(std::move(context), *split, pseudo, depth);
  }

  Id grow_states(RowContext context, Split& split, const PairCounts& pseudo, std::size_t depth) {
    const LocalVariable local = context.local(split.variable);
    std::vector<double> cells, log_theta;
    pseudo.cells(split.variable, cells);
    const std::vector<double> shares = log_shares(cells);
    const PairCounts prior = options_.shrinkage > 0 ? pseudo.without(split.variable) : PairCounts();
    std::vector<RowContext> parts;
    for (std::uint32_t s = 0; s < local.states.size(); ++s) parts.push_back(context.where(split.variable, s));
    context.forget_bits();
    std::vector<std::uint32_t> states;
    std::vector<Id> below;
    for (std::uint32_t s = 0; s < local.states.size(); ++s) {
      if (cells[s] <= 0) continue;  // only without smoothing
      states.push_back(local.states[s]);
      log_theta.push_back(shares[s]);
      below.push_back(grow(std::move(parts[s]), split.sides[s].without(split.variable),
                           options_.shrinkage > 0 ? &prior : nullptr, depth + 1));
    }
    return builder_.add_split(rows_.variables()[local.column], states, below, log_theta);
  }

  /// The side on which the state is excluded has a table of other states than the context above, which then
  /// says nothing about it: shrinkage starts anew there.
  Id grow_feature(RowContext context, Split& split, const PairCounts& pseudo, std::size_t depth) {
    const LocalVariable local = context.local(split.variable);
    const Literal literal{local.column, local.states[split.state]};
    const double holds = pseudo.count(split.variable, split.state);
    const double counts[] = {holds, std::max(pseudo.total - holds, 0.0)};
    const std::vector<double> shares = log_shares(counts);
    const PairCounts prior = options_.shrinkage > 0 ? pseudo.without(split.variable) : PairCounts();
    const Id yes = grow(context.where(split.variable, split.state), split.sides[0].without(split.variable),
                        options_.shrinkage > 0 ? &prior : nullptr, depth + 1);
    std::vector<LocalVariable> left_states = context.locals();
    std::erase(left_states[split.variable].states, literal.state);
    RowContext rest = context.where_not({literal}).with_states(std::move(left_states));
    PairCounts left = rest.pairs(cancel_);
    const Id no = grow(std::move(rest), std::move(left), nullptr, depth + 1);
    return builder_.add_feature({{rows_.variables()[local.column], literal.state}}, yes, no, shares[0],
                                shares[1]);
  }

  Id add_leaf(const RowContext& context, const PairCounts& counts, const PairCounts& pseudo) {
    const LeafPlace place{builder_, rows_, cancel_};
    if (options_.treewidth == 0 || context.size() == 1)
      return add_independent(place, context.locals(), pseudo);
    if (options_.treewidth == 1) return add_chow_liu(place, context.locals(), counts, pseudo);
    return add_k_tree(place, context, pseudo, options_.treewidth, options_.alpha, options_.leaf_penalty);
  }

  std::optional<Split> best_split(const RowContext& context, const PairCounts& counts) {
    std::optional<Split> best;
    const double alone = tree_log_likelihood(counts, terms_, kNothingSkipped, cancel_);
    for (const std::size_t v : shortlist(counts)) {
      Split split = context.local(v).states.size() <= kMostWays ? split_states(context, counts, v)
                                                                : split_feature(context, counts, v);
      split.gain -= alone + price(counts, v);
      if (split.gain > 0 && (!best || split.gain > best->gain)) best = std::move(split);
    }
    return best;
  }

  Split split_states(const RowContext& context, const PairCounts& counts, std::size_t v) {
    Split split{v, false, 0, {}, 0};
    const auto r = static_cast<std::uint32_t>(counts.cardinality(v));
    std::vector<double> cells;
    counts.cells(v, cells);
    const auto largest =
        static_cast<std::uint32_t>(std::max_element(cells.begin(), cells.end()) - cells.begin());
    split.sides.resize(r);
    split.sides[largest] = counts;
    for (std::uint32_t s = 0; s < r; ++s) {
      if (s == largest) continue;
      split.sides[s] = context.pairs_given(v, s, cancel_);
      split.sides[largest].subtract(split.sides[s]);
    }
    const CountTerm& term = terms_.of(r);
    split.gain = -terms_.whole()(counts.total);
    for (std::uint32_t s = 0; s < r; ++s)
      split.gain += term(cells[s]) + tree_log_likelihood(split.sides[s], terms_, v, cancel_);
    return split;
  }

  /// The most frequent state against the others.
  Split split_feature(const RowContext& context, const PairCounts& counts, std::size_t v) {
    Split split{v, true, 0, {}, 0};
    std::vector<double> cells;
    counts.cells(v, cells);
    split.state = static_cast<std::uint32_t>(std::max_element(cells.begin(), cells.end()) - cells.begin());
    split.sides = {context.pairs_given(v, split.state, cancel_), counts};
    split.sides[1].subtract(split.sides[0]);
    const CountTerm& term = terms_.of(2);
    split.gain = term(split.sides[0].total) + term(split.sides[1].total) - terms_.whole()(counts.total) +
                 tree_log_likelihood(split.sides[0], terms_, v, cancel_) +
                 tree_log_likelihood(split.sides[1], terms_, kNothingSkipped, cancel_);
    return split;
  }

  /// What a split adds under BIC: one more tree over the other variables for each further side.
  double price(const PairCounts& counts, std::size_t v) const {
    if (options_.penalty == SplitPenalty::kNone || counts.total <= 1) return 0;
    const double others = static_cast<double>(counts.n_planes()) - (counts.cardinality(v) - 1.0);
    const double further = counts.cardinality(v) <= kMostWays ? counts.cardinality(v) - 1.0 : 1.0;
    return 0.5 * std::log(counts.total) * further * std::max(2 * others - 1, 1.0);
  }

  /// The variables that tell most about the others, from all or from those that were drawn. Equal gains go to
  /// the first by name.
  std::vector<std::size_t> shortlist(const PairCounts& counts) {
    return most_telling(counts, x_log_x_, draw(counts.size()), options_.candidates);
  }

  std::vector<std::size_t> draw(std::size_t n) {
    std::vector<std::size_t> all(n);
    std::iota(all.begin(), all.end(), std::size_t{0});
    if (options_.candidate_share >= 1) return all;
    draws_.shuffle(all);
    const double wanted = std::ceil(options_.candidate_share * static_cast<double>(n));
    all.resize(std::clamp<std::size_t>(static_cast<std::size_t>(wanted), 1, n));
    std::sort(all.begin(), all.end());
    return all;
  }

  const RowSet& rows_;
  const CutsetOptions options_;
  ArenaBuilder builder_;
  SmoothedTerms terms_;
  CountTerm x_log_x_;
  Draws draws_;
  Cancel& cancel_;
};

void check(const CutsetOptions& options) {
  if (!(options.alpha >= 0) || !(options.shrinkage >= 0) || !std::isfinite(options.alpha + options.shrinkage))
    throw std::invalid_argument("alpha and shrinkage must be numbers from 0 on");
  if (options.candidates == 0) throw std::invalid_argument("at least one candidate must be looked at");
  if (!(options.candidate_share > 0) || options.candidate_share > 1)
    throw std::invalid_argument("the share of the candidates must be above 0 and at most 1");
}

/// How often each row is drawn with replacement, one draw for each row.
std::vector<double> resampled(const RowSet& rows, std::uint64_t seed) {
  Draws draws(seed);
  std::vector<double> ends(rows.n_rows()), drawn(rows.n_rows(), 0.0);
  std::partial_sum(rows.weights().begin(), rows.weights().end(), ends.begin());
  for (double k = 0; k < std::floor(rows.total()); ++k) {
    const double at = draws.uniform() * rows.total();
    const auto row = std::upper_bound(ends.begin(), ends.end(), at) - ends.begin();
    ++drawn[std::min<std::size_t>(static_cast<std::size_t>(row), drawn.size() - 1)];
  }
  return drawn;
}

}  // namespace

Arena learn_cutset(const RowSet& rows, std::span<const double> row_weights, const CutsetOptions& options,
                   std::uint64_t seed, Cancel& cancel) {
  check(options);
  RowContext all(rows, row_weights);
  if (all.total() + options.alpha <= 0)
    throw std::invalid_argument("there are no rows, and alpha = 0 leaves nothing to estimate from");
  CutsetLearner learner(rows, all, options, seed, cancel);
  return learner.learn(std::move(all));
}

Arena learn_cutset_bag(const RowSet& rows, const CutsetOptions& options, std::size_t n_networks,
                       bool resample, std::uint64_t seed, Cancel& cancel) {
  if (n_networks == 0) throw std::invalid_argument("a bag holds at least one network");
  std::vector<Arena> networks(n_networks);
  const double expected = static_cast<double>(rows.n_rows() * rows.n_columns()) * 100.0;
  parallel_for(n_networks, expected * static_cast<double>(n_networks), cancel, [&](std::size_t i) {
    const PhiloxBlock block = philox({static_cast<std::uint32_t>(i), 0, 2, 0}, seed);
    const std::uint64_t own = std::uint64_t{block[0]} << 32 | block[1];
    const std::vector<double> weights = resample ? resampled(rows, own ^ 1) : rows.weights();
    networks[i] = learn_cutset(rows, weights, options, own, cancel);
  });
  ArenaBuilder builder(rows.schema_cardinalities());
  std::map<Id, double> times;  // equal networks are one
  for (const Arena& network : networks) ++times[builder.append(network)];
  std::vector<Id> roots;
  std::vector<double> log_weights;
  for (const auto& [root, n] : times) {
    roots.push_back(root);
    log_weights.push_back(std::log(n / static_cast<double>(n_networks)));
  }
  return builder.finish(builder.add_mix(roots, log_weights));
}

}  // namespace treewright
