// Which variables a feature graph joins: those that meet on a path, with the scope of the leaf at its end.
#include "treewright/inference/feature_graph.hpp"

namespace treewright::features {

namespace {

void join_all(BitMatrix& graph, const std::vector<std::uint32_t>& ones,
              const std::vector<std::uint32_t>& others) {
  for (const std::uint32_t u : ones)
    for (const std::uint32_t v : others)
      if (u != v) graph.join(u, v);
}

void join_families(BitMatrix& graph, std::span<const std::uint32_t> about) {
  std::vector<std::uint32_t> variables;
  for (std::size_t at = 1; at < about.size(); at += 2 + about[at + 1]) {
    std::vector<std::uint32_t> family{about[at]};
    for (std::size_t i = 0; i < about[at + 1]; ++i) family.push_back(variables[about[at + 2 + i]]);
    variables.push_back(about[at]);
    join_all(graph, family, family);
  }
}

}  // namespace

BitMatrix interactions_of(const Arena& arena) {
  BitMatrix graph(arena.cardinalities.size());
  const auto scopes = scopes_of(arena);
  for (Id node = 0; node < arena.size(); ++node) {
    const auto about = arena.integers_of(node);
    switch (arena.kinds[node]) {
      case Kind::kOne:
      case Kind::kAnd:
        break;
      case Kind::kTree:
        join_families(graph, about);
        break;
      case Kind::kSplit:
        join_all(graph, {about[0]}, scopes[node]);
        break;
      case Kind::kFeature:
        for (std::size_t i = 0; i < about.size(); i += 2) join_all(graph, {about[i]}, scopes[node]);
        break;
      default:
        join_all(graph, scopes[node], scopes[node]);  // hidden choices may join them all
    }
  }
  return graph;
}

}  // namespace treewright::features
