// Iterative proportional fitting on a junction tree (Jirousek & Preucil 1995).
//
// A step multiplies the distribution so that one scope gets its target marginal. On the full table every step
// would touch every cell; here it touches one clique, and a walk over the tree carries the change to the next
// clique: one sweep over all scopes costs about as much as one propagation.
#pragma once

#include "treewright/inference/clique_tree.hpp"

namespace treewright::forests {

struct Fitted {
  std::uint64_t sweeps = 0;
  double residual = 0;  // the largest difference to a target that the last sweep met
};

/// Start uniform; give every scope its target in turn, until a whole sweep met no difference above
/// `tolerance`, or for `most_sweeps`. `targets` and `factors` lie side by side as the tree says; the product
/// of the factors is the fitted distribution but for a constant. A target of zero makes a factor of zero.
Fitted fit_proportionally(const CliqueTree& tree, std::span<const double> targets, double tolerance,
                          std::uint64_t most_sweeps, std::span<double> factors, Cancel& cancel);

}  // namespace treewright::forests
