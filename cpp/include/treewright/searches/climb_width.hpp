// "Would the network stay narrow?", asked of one move of a climb after the other.
//
// An elimination order within the bound is kept for the graph as it is. It serves every graph that a removal
// leads to, and many that an arc is added to; only where it does not is another order looked for.
#pragma once

#include <map>
#include <optional>
#include <tuple>

#include "treewright/graphs/undirected.hpp"
#include "treewright/searches/dag_moves.hpp"

namespace treewright {

class ClimbWidth {
 public:
  /// Numbers (a flag for each vertex, or none at all) are eliminated before the others. Throws
  /// std::invalid_argument where no order of the start within the bound is found.
  ClimbWidth(std::size_t bound, std::vector<char> is_number, const DagBuilder& start, Cancel& cancel);

  /// Whether the graph has an order within the bound after a move; false may be a bad guess, true is none.
  bool admits(const DagBuilder& graph, const Move& move);
  /// The move was made, and this is the graph.
  void follow(const DagBuilder& graph, const Move& made);
  /// Of the graph with the labels around numbers that hang together joined.
  const Order& order() const { return order_; }

 private:
  std::optional<Order> order_of(const BitMatrix& parents) const;

  std::size_t bound_;
  std::vector<char> is_number_;
  Cancel& cancel_;
  Order order_;
  std::map<std::tuple<MoveKind, Vertex, Vertex>, bool> asked_;  // of the present graph
};

}  // namespace treewright
