// Small graphs for the tests.
#pragma once

#include <random>

#include "treewright/graphs/undirected.hpp"

/// Every vertex joined to a few earlier ones, at random.
inline treewright::BitMatrix random_graph(std::size_t n, unsigned most, unsigned seed) {
  std::mt19937 random(seed);
  treewright::BitMatrix graph(n);
  for (std::size_t v = 1; v < n; ++v)
    for (unsigned k = random() % (most + 1); k > 0; --k) graph.join(v, random() % v);
  return graph;
}

inline treewright::BitMatrix cycle(std::size_t n) {
  treewright::BitMatrix graph(n);
  for (std::size_t v = 0; v < n; ++v) graph.join(v, (v + 1) % n);
  return graph;
}

inline treewright::BitMatrix grid(std::size_t side) {
  treewright::BitMatrix graph(side * side);
  for (std::size_t r = 0; r < side; ++r)
    for (std::size_t c = 0; c < side; ++c) {
      if (c + 1 < side) graph.join(r * side + c, r * side + c + 1);
      if (r + 1 < side) graph.join(r * side + c, (r + 1) * side + c);
    }
  return graph;
}
