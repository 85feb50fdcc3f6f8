// What all algorithms on undirected graphs share: edges in and out, relabelling, lists of sets.
//
// Every algorithm of the core breaks ties by the smaller vertex number. A caller that wants another rule,
// such as the order of the names, relabels the graph first and maps the answer back.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "treewright/graphs/bits.hpp"
#include "treewright/parallel/cancel.hpp"

namespace treewright {

using Vertex = std::uint32_t;
using Order = std::vector<Vertex>;

inline constexpr std::size_t kNone = static_cast<std::size_t>(-1);

/// Sets of vertices one after the other; set i is members[offsets[i]] up to members[offsets[i + 1]].
struct SetList {
  std::vector<std::int64_t> offsets{0};
  std::vector<Vertex> members;

  std::size_t size() const { return offsets.size() - 1; }
  std::span<const Vertex> operator[](std::size_t i) const {
    return {members.data() + offsets[i], static_cast<std::size_t>(offsets[i + 1] - offsets[i])};
  }
  /// Members pushed since the last call become a set.
  void close() { offsets.push_back(static_cast<std::int64_t>(members.size())); }
};

/// Members rise within each set, and the sets rise lexicographically.
SetList sorted(const SetList& sets);

/// The sets that hold each of the vertices 0..n-1.
SetList transposed(const SetList& sets, std::size_t n);

inline std::size_t first_bit(const Word* row, std::size_t words, std::size_t from_word = 0) {
  for (std::size_t i = from_word; i < words; ++i)
    if (row[i]) return i * 64 + std::countr_zero(row[i]);
  return kNone;
}

/// std::popcount, inline also on x86 processors that need not have the instruction, where it would be a call.
inline std::size_t ones(Word x) {
#if defined(__x86_64__) && !defined(__POPCNT__)
  x -= x >> 1 & 0x5555555555555555;
  x = (x & 0x3333333333333333) + (x >> 2 & 0x3333333333333333);
  return ((x + (x >> 4)) & 0x0f0f0f0f0f0f0f0f) * 0x0101010101010101 >> 56;
#else
  return static_cast<std::size_t>(std::popcount(x));
#endif
}

inline std::size_t count_common(const Word* a, const Word* b, std::size_t words) {
  std::size_t total = 0;
  for (std::size_t i = 0; i < words; ++i) total += ones(a[i] & b[i]);
  return total;
}

/// All vertices 0..n-1 as a row of bits.
std::vector<Word> all_bits(std::size_t n);

/// Degree of every vertex.
std::vector<std::size_t> degrees(const BitMatrix& graph);

/// `ends` holds two vertices per edge. Throws std::invalid_argument on loops and vertices beyond n.
BitMatrix from_edges(std::size_t n, std::span<const Vertex> ends);

/// Two vertices per edge, the smaller first, edges in lexicographic order.
std::vector<Vertex> edges_of(const BitMatrix& graph);

/// The graph whose vertex i is vertex `order[i]` of the given one.
BitMatrix relabelled(const BitMatrix& graph, std::span<const Vertex> order);

/// Throws std::invalid_argument unless every vertex 0..n-1 occurs once.
void check_permutation(std::span<const Vertex> order, std::size_t n);

/// position[order[i]] = i.
Order inverse(std::span<const Vertex> order);

/// Every set becomes a clique.
BitMatrix two_section(std::size_t n, const SetList& sets);

/// For every set one that contains it (of equal sets the first contains the others), or -1.
std::vector<std::int64_t> containers(std::size_t n, const SetList& sets);

/// Connected components, sorted.
SetList components(const BitMatrix& graph);

}  // namespace treewright
