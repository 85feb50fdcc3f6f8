// Chordal graphs: recognition with a witness, induced paths, redundant fill.
#pragma once

#include <optional>

#include "treewright/graphs/undirected.hpp"

namespace treewright {

/// An order whose elimination adds no edge; none if the graph is not chordal.
std::optional<Order> perfect_order(const BitMatrix& graph, Cancel& cancel);

/// The vertices, in turn, of a cycle of at least four without a chord; empty if the graph is chordal.
Order chordless_cycle(const BitMatrix& graph, Cancel& cancel);

/// Drops edges that `graph` does not need from a chordal supergraph until none can be spared.
BitMatrix make_minimal(const BitMatrix& graph, BitMatrix chordal, Cancel& cancel);

/// Inner vertices of the chordless paths from one vertex to each other one. Equal sets are kept once.
struct InducedFrom {
  static constexpr std::uint32_t nothing = ~std::uint32_t{0};

  std::size_t words = 0;
  std::vector<std::uint32_t> set_of;  // by target; `nothing` where it is equal, adjacent or not connected
  std::vector<Word> sets;

  const Word* to(std::size_t t) const {
    return set_of[t] == nothing ? nullptr : sets.data() + set_of[t] * words;
  }
};

/// Inner vertices of the chordless paths of one chordal graph.
class InducedNodes {
 public:
  /// `order` must be perfect for `chordal`.
  InducedNodes(const BitMatrix& chordal, std::span<const Vertex> order);

  /// Rising; empty if s and t are equal, adjacent or not connected.
  Order between(Vertex s, Vertex t) const;

  /// The same for one source and every target, in one walk over the tree.
  InducedFrom from(Vertex s) const;

  /// Size of the largest clique less one.
  std::int64_t width() const;

  /// Size of the largest clique inside a set, a row of bits.
  std::int64_t largest_clique(const Word* set) const;

 private:
  Order order_, position_;
  BitMatrix later_;  // in positions: node i of the tree is i with its later neighbours
  std::vector<std::size_t> parent_, first_child_, children_;
  BitMatrix adhesion_;  // row i: the later neighbours of node i as vertices
};

}  // namespace treewright
