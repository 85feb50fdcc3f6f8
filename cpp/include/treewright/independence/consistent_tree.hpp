// A junction tree whose every separator splits the variables as a list of partitions says
// (Chechetka & Guestrin 2007).
//
// A component (S, Q) is a separator with one block of its partition. It is solved by a clique S + x, x in Q,
// whose other k-subsets have solved components that make up Q - x. Components are solved by growing size, so
// every tree is put together from trees that are there already. A separator with all components solved is
// the root of a junction tree.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "treewright/parallel/cancel.hpp"

namespace treewright {

/// Variables as bits, at most 64.
using Mask = std::uint64_t;

/// Blocks of the variables outside a separator: whatever a pair above the threshold joins is in one.
/// `information`: n x n, symmetric.
std::vector<Mask> partition_above(Mask separator, std::span<const double> information, std::size_t n,
                                  double threshold);

/// Cliques of k + 1 variables of a consistent junction tree; none when there is none. All separators have k
/// members; of several trees the first by the order of separators and variables.
std::optional<std::vector<Mask>> consistent_tree(std::span<const Mask> separators,
                                                 const std::vector<std::vector<Mask>>& partitions,
                                                 Cancel& cancel);

}  // namespace treewright
