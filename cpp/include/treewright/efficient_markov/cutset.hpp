// Cutset networks (Rahman, Kothalkar & Gogate 2014): splits that raise the likelihood of the trees below.
//
// A context is split on the variable for which trees learned on either side, and the choice of the side,
// explain the rows better than one tree does. Everything is read off pair counts; what the most frequent
// state has follows by subtraction. Where no split pays, a tree (or a k-tree) is the leaf.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>

#include "treewright/counting/row_set.hpp"
#include "treewright/inference/feature_graph.hpp"
#include "treewright/parallel/cancel.hpp"

namespace treewright {

/// What a split must gain beyond nothing.
enum class SplitPenalty : std::uint8_t { kNone, kBic };

struct CutsetOptions {
  double alpha = 1;      // rows spread evenly over every table
  double shrinkage = 0;  // rows spread like the context above, in addition
  double min_rows = 50;  // contexts with fewer are leaves
  std::size_t max_depth = std::numeric_limits<std::size_t>::max();
  std::size_t candidates = 10;  // variables whose gain is computed, by the sum of their informations
  double candidate_share = 1;   // of the variables, drawn for each split, from which these are taken
  SplitPenalty penalty = SplitPenalty::kNone;
  std::size_t treewidth = 1;  // of the leaves; 0: independent variables
  double leaf_penalty = 1;    // of the leaves of treewidth two and more, in units of BIC
};

/// Variables of more states than this are split one state against the rest.
inline constexpr std::size_t kMostWays = 8;

/// `row_weights`: one per distinct row. The seed matters when candidates are drawn.
features::Arena learn_cutset(const RowSet& rows, std::span<const double> row_weights,
                             const CutsetOptions& options, std::uint64_t seed, Cancel& cancel);

/// An even mixture of `n_networks` cutset networks; with `resample` each sees rows drawn with replacement.
features::Arena learn_cutset_bag(const RowSet& rows, const CutsetOptions& options, std::size_t n_networks,
                                 bool resample, std::uint64_t seed, Cancel& cancel);

}  // namespace treewright
