// Blocks: maximal sets of vertices that no single vertex disconnects.
#pragma once

#include "treewright/graphs/undirected.hpp"

namespace treewright {

/// Hopcroft & Tarjan (1973), without recursion. A bridge is a block of two, an isolated vertex a block of
/// one; two blocks share at most one vertex. Sorted.
SetList biconnected_components(const BitMatrix& graph, Cancel& cancel);

}  // namespace treewright
