// Conjunctions that are known to be false: what the false side of a feature leaves to everything below it.
//
// All variables of such a conjunction that is not decided yet must stay in one block; otherwise the blocks
// would not be independent even under the uniform distribution.
#pragma once

#include <cstdint>
#include <vector>

#include "treewright/efficient_markov/partition.hpp"
#include "treewright/efficient_markov/row_context.hpp"

namespace treewright {

using Constraints = std::vector<Conjunction>;

/// Draw all conclusions: a conjunction with a literal that no state allows is false anyway and goes; a
/// literal that is certain leaves its conjunction; the last literal of a conjunction takes its state from its
/// variable. What is left has two or more literals each, over variables of two or more states. False when no
/// row can satisfy the constraints (as far as these conclusions show).
bool settle(std::vector<LocalVariable>& locals, Constraints& constraints);

/// What is left to rule out when a conjunction holds. Its variables are gone from `locals`.
Constraints given(const Constraints& constraints, const Conjunction& feature);

/// The variables (local positions) that constraints tie together.
Blocks tied(const std::vector<LocalVariable>& locals, const Constraints& constraints);

/// The constraints that speak about the columns of a block.
Constraints within(const std::vector<LocalVariable>& block, const Constraints& constraints);

}  // namespace treewright
