// Leaves of a feature graph: independent variables, a table, a Chow-Liu tree or a greedy k-tree, with
// smoothed parameters, over the variables and states that a context leaves.
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <vector>

#include "treewright/counting/pair_counts.hpp"
#include "treewright/efficient_markov/row_context.hpp"
#include "treewright/graphs/dag.hpp"
#include "treewright/inference/feature_graph.hpp"
#include "treewright/parallel/cancel.hpp"

namespace treewright {

/// (c + a) ln(c + a) with a = alpha / cells, for tables of any number of cells.
class SmoothedTerms {
 public:
  SmoothedTerms(double alpha, double largest_count, bool is_whole);

  double alpha() const { return alpha_; }
  const CountTerm& of(std::size_t cells);
  /// (c + alpha) ln(c + alpha).
  const CountTerm& whole() { return of(1); }

 private:
  double alpha_;
  std::size_t tabulated_;
  std::map<std::size_t, CountTerm> terms_;
};

/// Log-likelihood of the rows and of alpha rows spread evenly, under the best forest for all of them: the
/// even rows are the price of another context. One variable (`skip`) can be left out.
double tree_log_likelihood(const PairCounts& counts, SmoothedTerms& terms, std::size_t skip, Cancel& cancel);
inline constexpr std::size_t kNothingSkipped = static_cast<std::size_t>(-1);

/// Counts with `alpha` rows spread evenly over each table added, and `m` rows spread like a prior: the
/// smoothed counts of the parent context over the same variables. Pairs and singles stay consistent.
PairCounts smoothed(const PairCounts& counts, double alpha, double m, const PairCounts* prior);

/// What leaves are added to, and the columns behind the variables.
struct LeafPlace {
  features::ArenaBuilder& builder;
  const RowSet& rows;
  Cancel& cancel;
};

/// One table per variable.
features::Id add_independent(const LeafPlace& place, const std::vector<LocalVariable>& locals,
                             const PairCounts& pseudo);
/// The forest that maximises the likelihood of the counts, with the parameters of the pseudo-counts.
features::Id add_chow_liu(const LeafPlace& place, const std::vector<LocalVariable>& locals,
                          const PairCounts& counts, const PairCounts& pseudo);
/// A forest of at most `k` parents per variable, grown greedily; an edge must pay `penalty` times the price
/// of its parameters under BIC. CPTs get `alpha` rows spread like the pseudo-counts of the child.
features::Id add_k_tree(const LeafPlace& place, const RowContext& context, const PairCounts& pseudo,
                        std::size_t k, double alpha, double penalty);
/// All variables in one table; cells in which one of the conjunctions holds are impossible.
features::Id add_joint(const LeafPlace& place, const RowContext& context, double alpha,
                       std::span<const Conjunction> impossible);

/// ln of the probability of each state of a split, or of both sides of a feature.
std::vector<double> log_shares(std::span<const double> pseudo_counts);

}  // namespace treewright
