// "Does this elimination order still keep the graph narrow?", asked again and again of a graph that changes
// little.
//
// When a vertex goes it is joined to its own later neighbours, and to what those were joined to that hang on
// it: each hangs on the first to go of what it was joined to. An edge that comes or goes concerns the end
// that goes first, and what stands above it only as far as something differs from before. So a question looks
// at a few vertices; only another order is worked out as a whole.
#pragma once

#include <span>
#include <vector>

#include "treewright/graphs/undirected.hpp"

namespace treewright {

class OrderTest {
 public:
  OrderTest(std::size_t n, std::size_t bound);

  /// Ask about another order from now on.
  void start(std::span<const Vertex> order);
  /// The edge came or went.
  void touch(Vertex u, Vertex v);
  /// No vertex has more later neighbours than the bound when it goes. The graph has all touches so far.
  bool holds(const BitMatrix& graph);

  /// Call `f(u)` for the neighbours that a vertex has when its turn comes, rising; once the test held.
  template <class F>
  void for_each_later(Vertex v, F&& f) const {
    if (is_wide_)
      for (const Vertex u : lists_[v]) f(u);
    else
      for_each_bit(later_.row(v), later_.words(), [&](std::size_t u) { f(static_cast<Vertex>(u)); });
  }

 private:
  void begin();
  bool settle(std::size_t place, const BitMatrix& graph);
  bool settle_bits(Vertex v, const BitMatrix& graph);
  bool settle_list(Vertex v, const BitMatrix& graph);
  void hang(Vertex v);
  void wait(std::size_t place) { waiting_[place / 64] |= Word{1} << (place % 64); }

  std::size_t bound_;
  bool is_new_ = true;
  Order order_, position_;
  bool is_wide_;               // few bits of a row are set: lists are shorter
  BitMatrix later_;            // what each was joined to when it went
  std::vector<Order> lists_;   // the same of wide rows
  Order above_;                // what each hangs on; itself for none
  std::vector<Order> below_;   // what hangs on each
  std::vector<Word> waiting_;  // places in the order whose vertices are to be looked at
  std::vector<Word> joined_;
  Order found_;                          // the same of wide rows
  std::vector<std::uint64_t> found_in_;  // the round in which each vertex was found last
  std::uint64_t round_ = 0;
};

}  // namespace treewright
