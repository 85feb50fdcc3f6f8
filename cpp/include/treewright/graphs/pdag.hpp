// A partially directed graph: each edge is an arrow or has no direction yet.
#pragma once

#include <span>
#include <vector>

#include "treewright/graphs/bits.hpp"
#include "treewright/graphs/dag.hpp"
#include "treewright/graphs/shared_bits.hpp"

namespace treewright {

/// Three bit rows per vertex. `children` mirrors `parents`, `neighbours` (undirected) is symmetric.
template <class Rows>
struct PdagOf {
  explicit PdagOf(std::size_t n = 0) : parents(n), children(n), neighbours(n) {}
  /// Throws std::invalid_argument for vertices outside, loops and pairs that are marked twice.
  PdagOf(std::size_t n, std::span<const Arc> directed, std::span<const Arc> undirected);
  /// The same marks in rows of the other kind.
  template <class Others>
  explicit PdagOf(const PdagOf<Others>& marks)
      : parents(marks.parents), children(marks.children), neighbours(marks.neighbours) {}

  std::size_t size() const { return parents.size(); }
  std::size_t words() const { return parents.words(); }
  bool adjacent(Vertex u, Vertex v) const {
    return parents.test(u, v) || children.test(u, v) || neighbours.test(u, v);
  }
  void join(Vertex u, Vertex v) { neighbours.join(u, v); }
  void point(Vertex from, Vertex to) { children.set(from, to), parents.set(to, from); }
  /// Turn the undirected edge into from -> to.
  void orient(Vertex from, Vertex to) {
    neighbours.reset(from, to), neighbours.reset(to, from);
    point(from, to);
  }
  /// Everything a vertex shares an edge with.
  Rows adjacency() const;
  /// Is there a directed path?
  bool reaches(Vertex from, Vertex to) const;

  std::vector<Arc> directed_edges() const;    // sorted
  std::vector<Arc> undirected_edges() const;  // u < v, sorted

  bool operator==(const PdagOf&) const = default;

  Rows parents, children, neighbours;
};

using Pdag = PdagOf<BitMatrix>;
/// Marks that are copied often.
using SharedPdag = PdagOf<SharedBits>;

extern template struct PdagOf<BitMatrix>;
extern template struct PdagOf<SharedBits>;

}  // namespace treewright
