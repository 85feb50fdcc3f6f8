// Exact answers from a product of tables, over junction forests.
//
// Small networks keep one tree with the tables multiplied beforehand; evidence is a mask on it. Otherwise the
// observed variables are cut out and what is left is planned anew, once per set of observed variables. Where
// the tables hold zeros and the question is dear, states that the evidence forbids go first.
#pragma once

#include <limits>
#include <list>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <unordered_map>

#include "treewright/inference/forest_plan.hpp"
#include "treewright/inference/sampling.hpp"
#include "treewright/parallel/fork_mutex.hpp"

namespace treewright::forests {

enum class Strategy { kAutomatic, kMasked, kSliced, kPruned, kParts };

/// How to work; the answers do not depend on it beyond rounding.
struct ForestOptions {
  Strategy strategy = Strategy::kAutomatic;
  bool hubs = true;
  std::uint64_t stored_cells = std::uint64_t{1} << 21;
  std::uint64_t streamed_above = std::uint64_t{1} << 17;
  std::uint64_t tile = 2048;
  std::size_t cached_plans = 64, cached_bytes = std::size_t{32} << 20;
};

inline constexpr double kImpossible = -std::numeric_limits<double>::infinity();

struct Pruned;
struct SpacePool;

/// Every question returns the logarithm of the mass of its evidence (for a normalised product: its
/// probability), kImpossible when there is none; what it writes is then unspecified. Questions may be asked
/// from several threads at once. `limit` is in bytes; TooLarge is thrown before anything of that size exists.
class Forest {
 public:
  explicit Forest(FactorSet set, ForestOptions options = {});
  ~Forest();
  Forest(const Forest&) = delete;
  Forest& operator=(const Forest&) = delete;

  const FactorSet& factors() const { return set_; }
  /// Where the states of each variable begin in a flat vector of all; one more entry for the end.
  std::span<const std::uint64_t> offsets() const { return offsets_; }

  double log_mass(const Evidence& evidence, double limit, Cancel& cancel);
  /// The distribution of every variable, state by state.
  double marginals(const Evidence& evidence, std::span<double> out, double limit, Cancel& cancel);
  /// The joint distribution of the targets in C order.
  double joint(std::span<const Var> targets, const Evidence& evidence, std::vector<double>& out, double limit,
               Cancel& cancel);
  /// One state per variable, jointly the most probable; returns the logarithm of its mass.
  double most_probable(const Evidence& evidence, std::span<std::uint32_t> states, double limit,
                       Cancel& cancel);
  /// Rows first_row, first_row + 1, ... of the distribution given the evidence; row r depends on the seed and
  /// r alone. One column of codes per variable.
  double sample(const Evidence& evidence, std::uint64_t seed, std::uint64_t first_row, std::size_t n_rows,
                std::span<const Column> columns, double limit, Cancel& cancel);

  /// A smallest part of impossible evidence that is impossible already: positions in `observed`, then in
  /// `weighted` (counted on).
  std::vector<std::size_t> conflict(const Evidence& evidence, double limit, Cancel& cancel);

  Cost cost(const Evidence& evidence, std::span<const Var> targets, double limit, Cancel& cancel);

  /// The tree that serves every question, or nothing when a tree for each set of observed variables is
  /// better.
  std::shared_ptr<const Plan> masked_plan(Cancel& cancel);
  /// The same for larger networks, where it is too slow for one question but not for many rows at once.
  std::shared_ptr<const Plan> wide_plan(Cancel& cancel);
  /// A forest that answers every question by masks alone, for engines elsewhere: cliques without hubs, all
  /// of them stored. Throws TooLarge when they have more than `most_cells` cells in all.
  std::shared_ptr<const Plan> clique_plan(double most_cells, Cancel& cancel) const;
  /// Whether a plan is so dear that forbidden states should go first.
  bool worth_pruning(const Cost& cost) const;
  SpacePool& spaces() { return *spaces_; }
  const ForestOptions& options() const { return options_; }

 private:
  template <bool kMax, class Use>
  double answer(const Evidence& evidence, Question question, double limit, Cancel& cancel, Use&& use);
  template <bool kMax, class Use>
  double answer_pruned(const Pruned& pruned, Question question, Cancel& cancel, Use&& use);

  ForkLock locked();
  void check(const Evidence& evidence) const;
  Question question_for(const Evidence& evidence, std::span<const Var> targets, bool everything,
                        double limit) const;
  std::shared_ptr<const Plan> plan_for(const Question& question, Cancel& cancel);
  std::shared_ptr<const Plan> plan_for_all(double allowed, bool forced, Cancel& cancel);
  bool worth_planning_anew(const Plan& plan, const FactorSet& pruned) const;

  FactorSet set_;
  ForestOptions options_;
  std::vector<std::uint64_t> offsets_;
  double cells_with_zeros_ = 0;

  ForkMutex mutex_;
  bool masked_known_ = false, wide_known_ = false;
  std::shared_ptr<const Plan> masked_, wide_;
  struct Cached {
    std::string key;
    std::shared_ptr<const Plan> plan;
  };
  std::list<Cached> recent_;  // the latest first
  std::unordered_map<std::string, std::list<Cached>::iterator> cache_;
  std::size_t cache_bytes_ = 0;
  std::unique_ptr<SpacePool> spaces_;
};

}  // namespace treewright::forests
