// Meek's four rules: which undirected edges of a partially directed graph have one possible direction?
#pragma once

#include <span>
#include <vector>

#include "treewright/graphs/pdag.hpp"
#include "treewright/parallel/cancel.hpp"

namespace treewright {

/// Orient until no rule applies. An orientation that would close a directed cycle (possible only where the
/// given directions contradict each other) is left out and returned. Edges are taken by rank, so the result
/// does not depend on how vertices are numbered.
std::vector<Arc> close_under_meek(Pdag& graph, std::span<const Vertex> ranks, Cancel& cancel);

}  // namespace treewright
