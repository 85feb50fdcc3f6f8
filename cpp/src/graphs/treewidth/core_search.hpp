// Settles whether a small graph has at most a given treewidth.
#pragma once

#include <optional>

#include "treewright/graphs/undirected.hpp"

namespace treewright {

/// An elimination order of at most this width of a graph of 1 to 64 vertices; none if there is no such order.
std::optional<Order> order_within(const BitMatrix& core, std::int64_t width, Cancel& cancel);

}  // namespace treewright
