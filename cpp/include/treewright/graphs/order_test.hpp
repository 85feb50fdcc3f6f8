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

 private:
  void begin();
  bool settle(std::size_t place, const BitMatrix& graph);
  void hang(Vertex v, Vertex heir);
  void wait(std::size_t place) { waiting_[place / 64] |= Word{1} << (place % 64); }

  std::size_t bound_;
  bool is_new_ = true;
  Order order_, position_;
  BitMatrix later_;            // what each was joined to when it went
  Order above_;                // what each hangs on; itself for none
  std::vector<Order> below_;   // what hangs on each
  std::vector<Word> waiting_;  // places in the order whose vertices are to be looked at
  std::vector<Word> joined_;
};

}  // namespace treewright
