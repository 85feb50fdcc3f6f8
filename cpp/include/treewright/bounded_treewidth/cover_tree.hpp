// A K-tree that grows from a root, and small changes that leave it one.
//
// Every vertex stands on a clique of K vertices that came before it (the first K have only each other). The
// vertices in the order in which they came, last to first, are a perfect elimination order of width K, so
// whatever a change does, the proof of the width is at hand. Three changes reach every K-tree:
//
// - a leaf, on which nothing stands, goes to another clique;
// - one vertex of a clique is replaced by another that is joined to the rest of it, in the clique of v and in
//   those of all that stand on v and the vertex that goes: the whole branch slides along;
// - two neighbours exchange their places.
#pragma once

#include <algorithm>
#include <span>
#include <vector>

#include "treewright/graphs/undirected.hpp"
#include "treewright/parallel/seeded_draws.hpp"

namespace treewright {

/// The vertices that a change sets on other cliques.
struct CoverChange {
  enum class Kind { leaf, slide, exchange };

  Kind kind = Kind::leaf;
  Vertex first = 0, second = 0;  // of an exchange, both; of a leaf, itself
  Order vertices;
  Order cliques;  // of each of them as many as the tree is wide, rising
};

class CoverTree {
 public:
  CoverTree(std::size_t n, std::size_t width);

  /// `graph` is a K-tree and `visit` a perfect order of it, first to last.
  void plant(const BitMatrix& graph, const Order& visit);

  std::size_t size() const { return sizes_.size(); }
  std::size_t width() const { return width_; }
  std::span<const Vertex> clique(Vertex v) const { return {cliques_.data() + v * width_, sizes_[v]}; }
  /// Those that stand on v, in no order.
  const Order& above(Vertex v) const { return above_[v]; }
  BitMatrix graph() const;
  /// Last to first.
  Order elimination_order() const;
  /// Vertices that lie together: breadth first from one of them, neighbours in random order.
  Order draw_ball(std::size_t wanted, QuickDraws& draws) const;

  /// Each fills in a change that concerns v, or is false if chance has drawn one that cannot be made.
  /// The clique that a leaf goes to holds `near`.
  bool draw_leaf(Vertex v, Vertex near, QuickDraws& draws, CoverChange& change) const;
  bool draw_slide(Vertex v, QuickDraws& draws, CoverChange& change) const;
  bool draw_exchange(Vertex v, QuickDraws& draws, CoverChange& change) const;
  void make(const CoverChange& change);

 private:
  bool is_full(Vertex v) const { return sizes_[v] == width_; }
  bool stands_on(Vertex v, Vertex u) const { return std::ranges::find(clique(v), u) != clique(v).end(); }
  Vertex draw_bag(Vertex holding, QuickDraws& draws) const;

  std::size_t width_;
  Order cliques_;
  std::vector<std::uint32_t> sizes_;
  std::vector<Order> above_;
  std::vector<std::uint64_t> came_;
  std::uint64_t clock_ = 0;
};

}  // namespace treewright
