#include "treewright/efficient_markov/efficient_markov.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <optional>
#include <stdexcept>

#include "treewright/efficient_markov/leaf_trees.hpp"
#include "treewright/efficient_markov/markov_features.hpp"

namespace treewright {
namespace {

using features::ArenaBuilder;
using features::Id;
using Clock = std::chrono::steady_clock;

double cells_of(const std::vector<LocalVariable>& locals) {
  double cells = 1;
  for (const LocalVariable& local : locals) cells *= static_cast<double>(local.states.size());
  return cells;
}

class EfficientMarkov {
 public:
  EfficientMarkov(const RowSet& rows, const MarkovOptions& options, Cancel& cancel)
      : rows_(rows),
        options_(options),
        builder_(rows.schema_cardinalities()),
        x_log_x_(0, rows.is_whole() ? static_cast<std::size_t>(std::min(rows.total(), 131072.0)) + 1 : 0),
        finder_(options_, x_log_x_, learned_, cancel),
        place_{builder_, rows_, cancel},
        cancel_(cancel) {}

  LearnedMarkov learn() {
    const RowContext all(rows_, rows_.weights());
    ++learned_.partitions;
    ContextSide every(all);  // the variables may fall apart without any feature
    const Blocks blocks =
        low_information_blocks(all.pairs(cancel_), {}, options_.partition, x_log_x_, every, cancel_);
    const Id root =
        all.total() < options_.partition.min_rows ? leaf(all, {}) : grow_blocks(all, {}, blocks, 0);
    learned_.graph = builder_.finish(root);
    return std::move(learned_);
  }

 private:
  Id grow_blocks(const RowContext& context, const Constraints& constraints, const Blocks& blocks,
                 std::size_t depth) {
    if (blocks.size() == 1) return grow(context, constraints, depth);
    std::vector<Id> below;
    for (const Block& block : blocks) {
      const RowContext part = context.projected(block);
      below.push_back(grow(part, within(part.locals(), constraints), depth));
    }
    return builder_.add_and(below);
  }

  /// One block: a table, a leaf, or a feature with what is below its sides.
  Id grow(const RowContext& context, const Constraints& constraints, std::size_t depth) {
    cancel_.check();
    if (context.total() < options_.partition.min_rows || depth >= options_.max_depth || is_late())
      return leaf(context, constraints);
    const bool fits = cells_of(context.locals()) <= kMostTableCells;
    if (context.size() < 2 || (context.size() < options_.min_variables && fits))
      return add_joint(place_, context, options_.alpha, constraints);
    const PairCounts counts = context.pairs(cancel_);
    const auto choice = finder_.best(context, counts, constraints);
    if (!choice) return leaf(context, constraints);
    return choice->is_split() ? grow_split(context, *choice, depth) : grow_feature(context, *choice, depth);
  }

  Id grow_split(const RowContext& context, const FeatureChoice& choice, std::size_t depth) {
    const LocalVariable& local = context.local(choice.variable);
    std::vector<double> rows;
    std::vector<std::uint32_t> states;
    std::vector<Id> below;
    for (std::uint32_t s = 0; s < local.states.size(); ++s) {
      const FeatureSide& side = choice.sides[s];
      if (!side.is_possible || side.rows + options_.alpha <= 0) continue;
      const auto child = grow_side(context.where(choice.variable, s), side, depth + 1);
      if (!child) continue;
      states.push_back(local.states[s]);
      rows.push_back(side.rows);
      below.push_back(*child);
    }
    for (double& n : rows) n += options_.alpha / static_cast<double>(rows.size());
    return builder_.add_split(rows_.variables()[local.column], states, below, log_shares(rows));
  }

  Id grow_feature(const RowContext& context, const FeatureChoice& choice, std::size_t depth) {
    const auto yes = grow_side(context.where(choice.feature), choice.sides[0], depth + 1);
    const auto no = grow_side(context.where_not(choice.feature), choice.sides[1], depth + 1);
    std::vector<std::pair<std::uint32_t, std::uint32_t>> literals;
    for (const Literal& literal : choice.feature)
      literals.emplace_back(rows_.variables()[literal.column], literal.state);
    const double rows[] = {choice.sides[0].rows + options_.alpha / 2,
                           choice.sides[1].rows + options_.alpha / 2};
    const std::vector<double> shares = log_shares(rows);
    return builder_.add_feature(std::move(literals), yes.value(), no.value(), shares[0], shares[1]);
  }

  /// None when no row can be there.
  std::optional<Id> grow_side(const RowContext& part, const FeatureSide& side, std::size_t depth) {
    const RowContext context = part.with_states(side.locals);
    if (context.total() < options_.partition.min_rows) return possible_leaf(context, side.constraints);
    return grow_blocks(context, side.constraints, side.blocks, depth);
  }

  Id leaf(const RowContext& context, const Constraints& constraints) {
    return possible_leaf(context, constraints).value();  // a context with rows has a row
  }

  /// Groups that constraints tie together are tables, everything else is independent or a tree.
  std::optional<Id> possible_leaf(const RowContext& context, const Constraints& constraints) {
    std::vector<Id> below;
    std::vector<std::uint8_t> is_tied(context.size(), 0);
    for (const Block& group : tied(context.locals(), constraints)) {
      const RowContext part = context.projected(group);
      const auto made = tied_leaf(part, within(part.locals(), constraints));
      if (!made) return std::nullopt;
      below.push_back(*made);
      for (const std::uint32_t i : group) is_tied[i] = 1;
    }
    Block free;
    for (std::uint32_t i = 0; i < context.size(); ++i)
      if (!is_tied[i]) free.push_back(i);
    if (!free.empty()) {
      const RowContext rest = context.projected(free);
      const PairCounts counts = rest.pairs(cancel_), pseudo = smoothed(counts, options_.alpha, 0, nullptr);
      below.push_back(options_.leaf == MarkovLeaf::kTree && rest.size() > 1
                          ? add_chow_liu(place_, rest.locals(), counts, pseudo)
                          : add_independent(place_, rest.locals(), pseudo));
    }
    return builder_.add_and(below);
  }

  /// A table; where it would be large, a split on the variable that most constraints speak about.
  std::optional<Id> tied_leaf(const RowContext& context, const Constraints& constraints) {
    if (cells_of(context.locals()) <= kMostTableCells) {
      if (!is_satisfiable(context.locals(), constraints)) return std::nullopt;
      return add_joint(place_, context, options_.alpha, constraints);
    }
    const std::size_t v = most_constrained(context, constraints);
    const LocalVariable& local = context.local(v);
    std::vector<double> rows;
    std::vector<std::uint32_t> states;
    std::vector<Id> below;
    for (std::uint32_t s = 0; s < local.states.size(); ++s) {
      const RowContext part = context.where(v, s);
      std::vector<LocalVariable> locals = part.locals();
      Constraints left = given(constraints, {{local.column, local.states[s]}});
      if (part.total() + options_.alpha <= 0 || !settle(locals, left)) continue;
      const auto made = possible_leaf(part.with_states(std::move(locals)), left);
      if (!made) continue;
      states.push_back(local.states[s]);
      rows.push_back(part.total());
      below.push_back(*made);
    }
    if (states.empty()) return std::nullopt;
    for (double& n : rows) n += options_.alpha / static_cast<double>(rows.size());
    return builder_.add_split(rows_.variables()[local.column], states, below, log_shares(rows));
  }

  static std::size_t most_constrained(const RowContext& context, const Constraints& constraints) {
    std::vector<std::size_t> times(context.size(), 0);
    for (const Conjunction& feature : constraints)
      for (const Literal& literal : feature) ++times[context.position(literal.column)];
    return static_cast<std::size_t>(std::max_element(times.begin(), times.end()) - times.begin());
  }

  /// Whether some assignment avoids every conjunction; the groups asked about have few cells.
  static bool is_satisfiable(std::vector<LocalVariable> locals, Constraints constraints) {
    if (!settle(locals, constraints)) return false;
    if (constraints.empty()) return true;
    const std::uint32_t column = constraints[0][0].column;
    const auto at = std::find_if(locals.begin(), locals.end(),
                                 [column](const LocalVariable& local) { return local.column == column; });
    const std::vector<RowSet::Code> states = at->states;
    for (const RowSet::Code state : states) {
      at->states = {state};
      if (is_satisfiable(locals, constraints)) return true;
    }
    return false;
  }

  bool is_late() {
    if (learned_.out_of_time) return true;
    if (!std::isfinite(options_.seconds)) return false;
    learned_.out_of_time = std::chrono::duration<double>(Clock::now() - start_).count() > options_.seconds;
    return learned_.out_of_time;
  }

  const RowSet& rows_;
  const MarkovOptions options_;
  ArenaBuilder builder_;
  CountTerm x_log_x_;
  LearnedMarkov learned_;
  FeatureFinder finder_;
  LeafPlace place_;
  Cancel& cancel_;
  Clock::time_point start_ = Clock::now();
};

}  // namespace

LearnedMarkov learn_efficient_markov(const RowSet& rows, const MarkovOptions& options, Cancel& cancel) {
  if (!(options.alpha >= 0) || !std::isfinite(options.alpha))
    throw std::invalid_argument("alpha must be a number from 0 on");
  if (rows.total() + options.alpha <= 0)
    throw std::invalid_argument("there are no rows, and alpha = 0 leaves nothing to estimate from");
  return EfficientMarkov(rows, options, cancel).learn();
}

}  // namespace treewright
