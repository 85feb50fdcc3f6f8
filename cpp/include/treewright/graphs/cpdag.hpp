// From a DAG to its equivalence class and back.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "treewright/graphs/dag.hpp"
#include "treewright/graphs/pdag.hpp"

namespace treewright {

/// The completed partially directed graph of a DAG: arrows that every equivalent DAG shares stay arrows
/// (Chickering 1995, order edges and label compelled). `order` is any topological order.
Pdag cpdag_of(const BitMatrix& parents, std::span<const Vertex> order);

/// A DAG as bit rows, with a topological order of it.
struct Extension {
  BitMatrix parents;
  std::vector<Vertex> order;
};

/// A DAG with the same skeleton, the same arrows and no new v-structure, if there is one (Dor & Tarsi 1992).
/// Of the sinks that may be removed it always takes the one of largest rank, so that the answer is canonical.
std::optional<Extension> consistent_extension(Pdag graph, std::span<const Vertex> ranks);

/// The vertices among which no sink may be removed: what stands in the way of a consistent extension; rising,
/// and empty exactly when there is one.
std::vector<Vertex> obstruction(Pdag graph);

/// A DAG with the same skeleton and the same arrows. Where no sink can go without a new v-structure, the one
/// that makes fewest goes, of equals the one of largest rank; so it is the consistent extension when there is
/// one. Throws std::invalid_argument when the arrows close a cycle.
Extension nearest_extension(Pdag graph, std::span<const Vertex> ranks);

}  // namespace treewright
