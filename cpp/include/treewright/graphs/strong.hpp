// Graphs of labels and numbers whose numbers are eliminated first: *strong* elimination (Lauritzen 1992).
//
// Eliminating numbers that hang together joins all labels around them, in whatever order they go. Once these
// are joined, putting numbers first costs no width: what hangs together lies apart from everything else but
// its labels, which are a clique, and a clique may go last in a chordal graph. So the strong treewidth of a
// graph is the treewidth of what `strong_graph` makes of it.
#pragma once

#include "treewright/graphs/undirected.hpp"

namespace treewright {

/// The graph with the labels around each connected set of numbers joined; `is_number` has a flag a vertex.
BitMatrix strong_graph(BitMatrix graph, std::span<const char> is_number);

/// An elimination order of numbers first, then labels, as narrow as `order` is on `strong_graph(graph)`.
Order strong_order(const BitMatrix& graph, std::span<const char> is_number, std::span<const Vertex> order);

}  // namespace treewright
