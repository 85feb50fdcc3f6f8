// From a DAG to its equivalence class and back.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "treewright/dag.hpp"
#include "treewright/pdag.hpp"

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

}  // namespace treewright
