// Orders in which to eliminate variables so that the tables met on the way stay small.
//
// The next variable is one whose elimination adds the lightest edges (weighted min-fill); runs whose costs
// are shaken by noise are tried while they cost a small share of what a better order could save. Work is
// counted in steps, not in seconds, so that an order depends on the question alone.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

#include "treewright/graphs/bits.hpp"
#include "treewright/parallel/cancel.hpp"

namespace treewright::forests {

/// Variables as vertices 0..n-1, an edge where two share a table.
struct OrderProblem {
  std::vector<std::uint32_t> cardinalities;
  BitMatrix graph;                                   // up to kDenseVertices vertices
  std::vector<std::vector<std::uint32_t>> adjacent;  // beyond, sorted
  std::vector<char> last;                            // eliminated after all others; empty: nobody is

  static constexpr std::size_t kDenseVertices = 8000;
  bool dense() const { return cardinalities.size() <= kDenseVertices; }
};

/// An order, and the neighbours that each variable had when it left, in rising order of position.
struct EliminationRun {
  std::vector<std::uint32_t> order;
  std::vector<std::uint32_t> starts, later;  // later[starts[i] .. starts[i + 1]): neighbours of order[i]
  double cells = std::numeric_limits<double>::infinity();  // of all tables met
  double largest = 0;                                      // cells of the largest one
  std::size_t largest_at = 0;
};

struct SearchEffort {
  double share = 0.1;        // of the cells of the best order so far, spent on noisy runs
  std::size_t at_least = 0;  // noisy runs in any case
  double most_steps = 1e8;   // about 0.3 s on a busy machine
  /// A first order that meets a table above this is not worth improving; a sparse run stops there.
  double hopeless_cells = std::numeric_limits<double>::infinity();
  /// Orders with more cells than this in all are of no use to the caller: infinitely many are reported.
  double useless_cells = std::numeric_limits<double>::infinity();
};

EliminationRun find_order(const OrderProblem& problem, const SearchEffort& effort, Cancel& cancel);

}  // namespace treewright::forests
