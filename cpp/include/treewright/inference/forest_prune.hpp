// Evidence forbids states elsewhere when tables hold zeros: take those states out before planning.
#pragma once

#include "treewright/inference/factors.hpp"
#include "treewright/parallel/cancel.hpp"

namespace treewright::forests {

/// The same distribution over the states that are left.
struct Pruned {
  FactorSet set;                                 // tables over the live states; observed variables have one
  std::vector<std::vector<double>> cells;        // what the tables of `set` point to
  std::vector<std::vector<std::uint32_t>> live;  // per variable: the old numbers of its states
  Evidence soft;                                 // likelihoods over the live states
  std::vector<double> log_scales;                // taken out of each table
  bool impossible = false;                       // some variable has no state left
};

/// Arc consistency from the evidence through the tables with zeros. Exact: what is taken out has probability
/// zero.
Pruned prune(const FactorSet& set, const Evidence& evidence, Cancel& cancel);

}  // namespace treewright::forests
