// The cover of a network as a K-tree, and random perfect orders of it.
#pragma once

#include "treewright/bounded_treewidth/bounded_state.hpp"
#include "treewright/parallel/seeded_draws.hpp"

namespace treewright {

/// The cover that the order of a network makes, filled up to a K-tree: a vertex with fewer than K later
/// neighbours takes more from the bag of the earliest of them, those with the strongest tie first.
BitMatrix complete_cover(const BoundedState& state, const FamilyColumns& columns);

/// Maximum cardinality search that draws among equals; the visit, first to last.
Order draw_visit(const BitMatrix& chordal, Draws& draws);

}  // namespace treewright
