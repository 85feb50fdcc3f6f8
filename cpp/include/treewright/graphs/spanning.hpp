// Best trees over a dense matrix of weights: undirected (Prim) and directed (Chu-Liu, Edmonds).
//
// Both take the vertices by rank, so that equal weights never let the numbering of the vertices show.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "treewright/graphs/dag.hpp"
#include "treewright/parallel/cancel.hpp"

namespace treewright {

/// A square matrix in row order.
template <class T>
struct Weights {
  const T* data;
  std::size_t n;
  const T* row(std::size_t u) const { return data + u * n; }
  T operator()(std::size_t u, std::size_t v) const { return data[u * n + v]; }
};

/// The first pair u < v whose two weights differ or that is not a number; (n, n) when there is none.
template <class T>
Arc first_asymmetry(const Weights<T>& weights);

/// The edges (u < v, sorted) of the maximum spanning forest over the pairs that weigh more than `threshold`,
/// or over all pairs when there is none. Among equal weights the pair of smaller ranks is the better one;
/// pairs are then strictly ordered and the forest is unique. O(n^2).
template <class T>
std::vector<Arc> maximum_spanning_forest(const Weights<T>& weights, const T* threshold,
                                         std::span<const Vertex> ranks, Cancel& cancel);

inline constexpr std::int64_t kNoParent = -1;

/// The parent of each vertex, or kNoParent, in the set of arcs of largest total weight in which every vertex
/// has at most one parent and no arcs close a cycle. `weights(u, v)` is the gain of u -> v, `root[v]` that of
/// leaving v without parent; -inf forbids an arc. O(n^2) (Tarjan 1977).
std::vector<std::int64_t> maximum_branching(const Weights<double>& weights, std::span<const double> root,
                                            std::span<const Vertex> ranks, Cancel& cancel);

}  // namespace treewright
