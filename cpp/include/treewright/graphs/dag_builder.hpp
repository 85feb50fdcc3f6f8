// A directed acyclic graph that a search edits one arc at a time.
//
// Every vertex carries the bit row of its ancestors, so "would this arc close a cycle" is one bit. Adding u
// -> v ORs ancestors(u) + u into v and its descendants; removing recomputes the rows of v and its
// descendants. Each edit costs O(n^2 / 64) word operations for families of bounded size.
#pragma once

#include <span>
#include <vector>

#include "treewright/graphs/bits.hpp"
#include "treewright/graphs/dag.hpp"

namespace treewright {

class DagBuilder {
 public:
  explicit DagBuilder(std::size_t n) : parents_(n), children_(n), ancestors_(n) {}

  std::size_t size() const { return parents_.size(); }
  std::size_t n_arcs() const { return n_arcs_; }
  bool has_arc(Vertex from, Vertex to) const { return children_.test(from, to); }
  bool adjacent(Vertex u, Vertex v) const { return has_arc(u, v) || has_arc(v, u); }
  bool is_ancestor(Vertex above, Vertex below) const { return ancestors_.test(below, above); }
  const BitMatrix& parents() const { return parents_; }
  const BitMatrix& children() const { return children_; }
  const BitMatrix& ancestors() const { return ancestors_; }

  bool can_add(Vertex from, Vertex to) const {
    return from != to && !adjacent(from, to) && !is_ancestor(to, from);
  }
  /// No directed path from `from` to `to` other than the arc itself.
  bool can_reverse(Vertex from, Vertex to) const;

  /// Each throws std::invalid_argument, and changes nothing, when the move is not legal.
  void add(Vertex from, Vertex to);
  void remove(Vertex from, Vertex to);
  void reverse(Vertex from, Vertex to);

  /// All arcs, sorted.
  std::vector<Arc> arcs() const;

  /// The vertices of a shortest directed path, both ends included; empty when there is none.
  std::vector<Vertex> path(Vertex from, Vertex to) const;

 private:
  void inherit(Vertex from, Vertex to);
  void recompute_below(Vertex v);

  BitMatrix parents_, children_, ancestors_;
  std::size_t n_arcs_ = 0;
};

}  // namespace treewright
