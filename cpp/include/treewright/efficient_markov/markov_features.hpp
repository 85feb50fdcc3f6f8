// The search for the feature of a context (LEM, step 2): every candidate partitions both of its sides.
#pragma once

#include <optional>
#include <vector>

#include "treewright/efficient_markov/constraints.hpp"
#include "treewright/efficient_markov/efficient_markov.hpp"

namespace treewright {

/// One side of a feature: what holds there, and the blocks it falls into. An impossible side has no blocks.
struct FeatureSide {
  double rows = 0;
  bool is_possible = true;
  std::vector<LocalVariable> locals;  // what is left, after all conclusions
  Constraints constraints;
  Blocks blocks;  // positions in `locals`
};

/// All states of a variable (a split), or a conjunction and its negation.
struct FeatureChoice {
  Conjunction feature;  // empty: a split on `variable`
  std::size_t variable = 0;
  std::vector<FeatureSide> sides;  // one per local state; of a conjunction: true, false
  double score = 0, imbalance = 0, unevenness = 0;

  bool is_split() const { return feature.empty(); }
};

class FeatureFinder {
 public:
  FeatureFinder(const MarkovOptions& options, const CountTerm& x_log_x, LearnedMarkov& tallies,
                Cancel& cancel)
      : options_(options), x_log_x_(x_log_x), tallies_(tallies), cancel_(cancel) {}

  /// The feature of best score, ties and near ties by balance; none when no candidate is admissible.
  std::optional<FeatureChoice> best(const RowContext& context, const PairCounts& counts,
                                    const Constraints& constraints);

 private:
  std::vector<FeatureChoice> atomic(const RowContext& context, const PairCounts& counts,
                                    const Constraints& constraints);
  std::optional<FeatureChoice> split(const RowContext& context, const PairCounts& counts,
                                     const Constraints& constraints, std::size_t v);
  std::optional<FeatureChoice> conjunction(const RowContext& context, const Constraints& constraints,
                                           const Conjunction& feature);
  std::vector<Conjunction> longer(const RowContext& context, const FeatureChoice& choice) const;
  std::vector<Conjunction> all_conjunctions(const RowContext& context) const;
  void partition(FeatureSide& side, const PairCounts& counts, ContextSide rows);
  void judge(FeatureChoice& choice) const;
  FeatureChoice chosen(std::vector<FeatureChoice> choices) const;
  double least_side() const { return options_.partition.min_rows / 5; }

  const MarkovOptions& options_;
  const CountTerm& x_log_x_;
  LearnedMarkov& tallies_;
  Cancel& cancel_;
};

}  // namespace treewright
