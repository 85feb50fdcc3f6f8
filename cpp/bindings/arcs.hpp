// Lists of vertex pairs between NumPy and the core.
#pragma once

#include <stdexcept>
#include <string>

#include "bind.hpp"
#include "treewright/graphs/dag.hpp"

using Pairs = Matrix<std::uint32_t>;

inline std::vector<tw::Arc> arcs_of(const Pairs& pairs) {
  if (pairs.shape(1) != 2) throw std::invalid_argument("pairs of vertices come in two columns");
  std::vector<tw::Arc> arcs(pairs.shape(0));
  for (std::size_t i = 0; i < arcs.size(); ++i) arcs[i] = {pairs(i, 0), pairs(i, 1)};
  return arcs;
}

inline OutMatrix<std::uint32_t> pairs_to_numpy(const std::vector<tw::Arc>& arcs) {
  std::vector<std::uint32_t> flat;
  flat.reserve(2 * arcs.size());
  for (const auto& [u, v] : arcs) flat.insert(flat.end(), {u, v});
  return to_numpy(std::move(flat), arcs.size(), 2);
}

inline void require_vertex(std::size_t v, std::size_t n) {
  if (v >= n)
    throw std::out_of_range("there is no vertex " + std::to_string(v) + " among " + std::to_string(n));
}

inline void require_vertices(std::span<const tw::Vertex> vertices, std::size_t n) {
  for (const tw::Vertex v : vertices) require_vertex(v, n);
}

inline std::span<const tw::Vertex> ranks_of(const Array<tw::Vertex>& ranks, std::size_t n) {
  if (ranks.size() != n) throw std::invalid_argument("every vertex needs one rank");
  return span_of(ranks);
}
