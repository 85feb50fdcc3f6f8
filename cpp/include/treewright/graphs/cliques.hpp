// Maximal cliques, and the tree that joins them.
#pragma once

#include <optional>

#include "treewright/graphs/undirected.hpp"

namespace treewright {

/// Maximal cliques of any graph, sorted; none if there are more than `limit`. Linear for chordal graphs, else
/// Bron & Kerbosch (1973) with pivots, outermost along a degeneracy order.
std::optional<SetList> maximal_cliques(const BitMatrix& graph, std::size_t limit, Cancel& cancel);

/// Edge i joins clusters first < second.
struct TreeEdge {
  std::size_t first, second, weight;
};

/// The spanning tree over the clusters with the largest intersections; ties go to the smaller pair (i, j),
/// and clusters that share nothing are joined last, with weight 0. Edges are sorted.
std::vector<TreeEdge> join_tree(const SetList& clusters, std::size_t n, Cancel& cancel);

}  // namespace treewright
