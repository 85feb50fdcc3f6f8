// Treewidth: bounds, a fast certified test against a bound, and the exact value for small cores.
#pragma once

#include <optional>

#include "treewright/graphs/undirected.hpp"

namespace treewright {

/// The largest minimum degree over subgraphs: a lower bound of the treewidth.
std::int64_t degeneracy(const BitMatrix& graph);

/// The same over minors, by contracting a vertex of least degree into the neighbour with which it shares
/// least
/// ("least-c"; Gogate & Dechter 2004, Bodlaender & Koster 2011). Never below the degeneracy of what it meets.
std::int64_t contraction_bound(BitMatrix graph, Cancel& cancel);

/// An elimination order of width at most `width`, or none. Never accepts wrongly; rejects wrongly only where
/// no safe rule applies and min-fill guesses badly, so never for a width of two or less.
/// `proved` tells whether a rejection is certain: no guess was made before it.
std::optional<Order> fits(BitMatrix graph, std::int64_t width, Cancel& cancel, bool* proved = nullptr);

struct Treewidth {
  std::int64_t lower = -1, upper = -1;
  Order order;                 // an elimination order of width `upper`
  std::size_t unresolved = 0;  // vertices of the largest core left open between the bounds; 0: exact
};

/// Safe reductions, split into blocks, and a search over elimination orders in every core of at most `limit`
/// vertices (at most 64) that the bounds leave open. With a limit of 0: bounds only.
Treewidth bound_treewidth(const BitMatrix& graph, std::size_t limit, Cancel& cancel);

}  // namespace treewright
