// Graphs as rows of 64-bit words between NumPy and the core.
#pragma once

#include <algorithm>
#include <stdexcept>

#include "bind.hpp"
#include "treewright/graphs/bits.hpp"

using Rows = Matrix<std::uint64_t>;
using OutRows = OutMatrix<std::uint64_t>;

inline tw::BitMatrix graph_of(const Rows& rows) {
  tw::BitMatrix graph(rows.shape(0));
  if (rows.shape(1) != graph.words())
    throw std::invalid_argument("rows of bits have one word per 64 vertices");
  std::copy_n(rows.data(), rows.size(), graph.row(0));
  return graph;
}

inline OutRows rows_of(const tw::BitMatrix& graph) {
  const std::size_t words = graph.size() * graph.words();
  return to_numpy(std::vector<std::uint64_t>(graph.row(0), graph.row(0) + words), graph.size(),
                  graph.words());
}
