// Elimination orders and what eliminating along them does to a graph.
//
// Eliminating a vertex joins its remaining neighbours to each other and takes it away. The edges added on the
// way make the graph chordal; their number and the largest neighbourhood met (the width) depend on the order.
#pragma once

#include <string_view>

#include "treewright/graphs/undirected.hpp"

namespace treewright {

/// Next the vertex whose elimination adds the fewest edges; ties by degree, then number.
Order min_fill_order(BitMatrix graph, Cancel& cancel);

/// Next the vertex of smallest remaining degree.
Order min_degree_order(BitMatrix graph, Cancel& cancel);

/// Maximum cardinality search (Tarjan & Yannakakis 1984): visit the vertex with most visited neighbours,
/// beginning at vertex 0; the order is the visit turned round, perfect exactly for chordal graphs.
Order mcs_order(const BitMatrix& graph, Cancel& cancel);

/// Lexicographic breadth-first search (Rose, Tarjan & Lueker 1976), turned round likewise.
Order lex_bfs_order(const BitMatrix& graph, Cancel& cancel);

/// MCS-M (Berry, Blair, Heggernes & Peyton 2004): its fill is minimal, no edge of it can be spared.
Order mcs_m_order(const BitMatrix& graph, Cancel& cancel);

/// LEX M (Rose, Tarjan & Lueker 1976): minimal fill too.
Order lex_m_order(const BitMatrix& graph, Cancel& cancel);

/// By name: min_fill, min_degree, mcs, mcs_m, lex_bfs, lex_m.
Order elimination_order(const BitMatrix& graph, std::string_view method, Cancel& cancel);

/// What remains of an elimination, in positions of the order: row i has the later neighbours of the i-th
/// vertex after filling. Its lowest bit, the vertex eliminated first among them, is the parent of i in a
/// tree.
BitMatrix filled_upward(const BitMatrix& graph, std::span<const Vertex> order);

struct Elimination {
  BitMatrix filled;  // the chordal graph
  SetList cliques;   // its maximal cliques, sorted
  std::int64_t width = -1;
};

Elimination eliminate(const BitMatrix& graph, std::span<const Vertex> order);

}  // namespace treewright
