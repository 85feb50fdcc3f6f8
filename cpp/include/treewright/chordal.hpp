// Chordal graphs: recognition with a witness, induced paths, redundant fill.
#pragma once

#include <optional>

#include "treewright/undirected.hpp"

namespace treewright {

/// An order whose elimination adds no edge; none if the graph is not chordal.
std::optional<Order> perfect_order(const BitMatrix& graph, Cancel& cancel);

/// The vertices, in turn, of a cycle of at least four without a chord; empty if the graph is chordal.
Order chordless_cycle(const BitMatrix& graph, Cancel& cancel);

/// Drops edges that `graph` does not need from a chordal supergraph until none can be spared.
BitMatrix make_minimal(const BitMatrix& graph, BitMatrix chordal, Cancel& cancel);

/// Inner vertices of the chordless paths of one chordal graph.
class InducedNodes {
 public:
  /// `order` must be perfect for `chordal`.
  InducedNodes(const BitMatrix& chordal, std::span<const Vertex> order);

  /// Rising; empty if s and t are equal, adjacent or not connected.
  Order between(Vertex s, Vertex t) const;

 private:
  Order order_, position_;
  BitMatrix later_;  // in positions: node i of the tree is i with its later neighbours
  std::vector<std::size_t> parent_;
};

}  // namespace treewright
