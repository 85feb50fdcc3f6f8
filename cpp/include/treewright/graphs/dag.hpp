// A directed acyclic graph that does not change: sorted neighbour lists both ways.
//
// Lists and not bit rows, because networks are sparse: a graph of a hundred thousand vertices stays legal,
// and a walk costs what it visits. Searches that add and remove arcs use DagBuilder.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

namespace treewright {

using Vertex = std::uint32_t;
using Arc = std::pair<Vertex, Vertex>;  // from, to

/// One directed cycle of the arcs, or nothing. It does not depend on how vertices are numbered: ties go to
/// the smallest rank, and the cycle starts at its vertex of smallest rank.
std::vector<Vertex> find_cycle(std::size_t n, std::span<const Arc> arcs, std::span<const Vertex> ranks);

/// The neighbours of every vertex in one array, rising.
class NeighbourLists {
 public:
  NeighbourLists() = default;
  /// Lists `second` under `first` for every pair.
  NeighbourLists(std::size_t n, std::span<const Arc> pairs);
  std::span<const Vertex> operator[](std::size_t v) const {
    return {items_.data() + first_[v], items_.data() + first_[v + 1]};
  }

 private:
  std::vector<std::size_t> first_;
  std::vector<Vertex> items_;
};

class Dag {
 public:
  /// Throws std::invalid_argument when an arc leaves the vertices, is repeated or closes a cycle.
  Dag(std::size_t n, std::span<const Arc> arcs);

  std::size_t size() const { return n_; }
  std::size_t n_arcs() const { return n_arcs_; }
  std::span<const Vertex> parents(Vertex v) const { return parents_[v]; }
  std::span<const Vertex> children(Vertex v) const { return children_[v]; }
  bool has_arc(Vertex from, Vertex to) const;
  bool adjacent(Vertex u, Vertex v) const { return has_arc(u, v) || has_arc(v, u); }

  /// Parents before children; among vertices that are ready the smallest rank first.
  std::vector<Vertex> topological_order(std::span<const Vertex> ranks) const;

  /// Vertices with a directed path into (out of) one of `vertices`, without `vertices` themselves; rising.
  std::vector<Vertex> ancestors(std::span<const Vertex> vertices) const;
  std::vector<Vertex> descendants(std::span<const Vertex> vertices) const;

  /// Pairs (u, v), u < v, that share an arc or a child; sorted.
  std::vector<Arc> moral_edges() const;

  /// u -> w <- v with u < v not adjacent, as triples u, w, v in one flat array; sorted by w, u, v.
  std::vector<Vertex> v_structures() const;

  /// Arcs u -> v with parents(v) = parents(u) + u: those whose reversal keeps the equivalence class; sorted.
  std::vector<Arc> covered_arcs() const;

 private:
  std::vector<Vertex> closure(std::span<const Vertex> vertices, const NeighbourLists& steps) const;

  std::size_t n_, n_arcs_;
  NeighbourLists parents_, children_;
};

}  // namespace treewright
