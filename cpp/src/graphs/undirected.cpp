#include "treewright/graphs/undirected.hpp"

#include <numeric>
#include <stdexcept>
#include <utility>

namespace treewright {

SetList sorted(const SetList& sets) {
  SetList copy = sets;
  for (std::size_t i = 0; i < copy.size(); ++i)
    std::sort(copy.members.begin() + copy.offsets[i], copy.members.begin() + copy.offsets[i + 1]);
  std::vector<std::size_t> rank(copy.size());
  std::iota(rank.begin(), rank.end(), 0);
  std::sort(rank.begin(), rank.end(), [&](std::size_t a, std::size_t b) {
    const auto x = copy[a], y = copy[b];
    return std::lexicographical_compare(x.begin(), x.end(), y.begin(), y.end());
  });
  SetList result;
  result.members.reserve(copy.members.size());
  for (const std::size_t i : rank) {
    result.members.insert(result.members.end(), copy[i].begin(), copy[i].end());
    result.close();
  }
  return result;
}

SetList transposed(const SetList& sets, std::size_t n) {
  SetList result;
  result.offsets.assign(n + 1, 0);
  for (const Vertex v : sets.members) ++result.offsets[v + 1];
  std::partial_sum(result.offsets.begin(), result.offsets.end(), result.offsets.begin());
  result.members.resize(sets.members.size());
  std::vector<std::int64_t> next(result.offsets.begin(), result.offsets.end() - 1);
  for (std::size_t i = 0; i < sets.size(); ++i)
    for (const Vertex v : sets[i]) result.members[next[v]++] = static_cast<Vertex>(i);
  return result;
}

std::vector<Word> all_bits(std::size_t n) {
  std::vector<Word> bits(words_for(n), ~Word{0});
  if (n % 64) bits.back() = (Word{1} << (n % 64)) - 1;
  return bits;
}

std::vector<std::size_t> degrees(const BitMatrix& graph) {
  std::vector<std::size_t> result(graph.size());
  for (std::size_t v = 0; v < graph.size(); ++v) result[v] = count_bits(graph.row(v), graph.words());
  return result;
}

BitMatrix from_edges(std::size_t n, std::span<const Vertex> ends) {
  BitMatrix graph(n);
  for (std::size_t i = 0; i + 1 < ends.size(); i += 2) {
    const Vertex u = ends[i], v = ends[i + 1];
    if (u >= n || v >= n || u == v) throw std::invalid_argument("an edge joins two different vertices");
    graph.join(u, v);
  }
  return graph;
}

std::vector<Vertex> edges_of(const BitMatrix& graph) {
  std::vector<Vertex> ends;
  for (std::size_t u = 0; u < graph.size(); ++u)
    for_each_bit(graph.row(u), graph.words(), [&](std::size_t v) {
      if (u < v) ends.push_back(static_cast<Vertex>(u)), ends.push_back(static_cast<Vertex>(v));
    });
  return ends;
}

void check_permutation(std::span<const Vertex> order, std::size_t n) {
  std::vector<char> seen(n, 0);
  for (const Vertex v : order)
    if (v >= n || std::exchange(seen[v], 1)) throw std::invalid_argument("an order names every vertex once");
  if (order.size() != n) throw std::invalid_argument("an order names every vertex once");
}

Order inverse(std::span<const Vertex> order) {
  Order position(order.size());
  for (std::size_t i = 0; i < order.size(); ++i) position[order[i]] = static_cast<Vertex>(i);
  return position;
}

BitMatrix relabelled(const BitMatrix& graph, std::span<const Vertex> order) {
  if (std::is_sorted(order.begin(), order.end())) return graph;
  const Order position = inverse(order);
  BitMatrix result(graph.size());
  for (std::size_t v = 0; v < graph.size(); ++v)
    for_each_bit(graph.row(v), graph.words(), [&](std::size_t u) { result.set(position[v], position[u]); });
  return result;
}

BitMatrix two_section(std::size_t n, const SetList& sets) {
  BitMatrix graph(n);
  std::vector<Word> mask(graph.words());
  for (std::size_t i = 0; i < sets.size(); ++i) {
    for (const Vertex v : sets[i]) mask[v / 64] |= Word{1} << (v % 64);
    for (const Vertex v : sets[i]) {
      for (std::size_t w = 0; w < mask.size(); ++w) graph.row(v)[w] |= mask[w];
      graph.reset(v, v);
    }
    for (const Vertex v : sets[i]) mask[v / 64] = 0;
  }
  return graph;
}

std::vector<std::int64_t> containers(std::size_t n, const SetList& sets) {
  std::vector<std::int64_t> result(sets.size(), -1);
  const SetList holders = transposed(sets, n);
  std::vector<std::size_t> shared(sets.size());
  for (std::size_t i = 0; i < sets.size(); ++i) {
    for (const Vertex v : sets[i])
      for (const Vertex j : holders[v]) ++shared[j];
    if (sets[i].empty()) continue;
    for (const Vertex j : holders[sets[i].front()]) {  // a container holds every member, so also the first
      const bool inside = j != i && shared[j] == sets[i].size();
      if (inside && (sets[j].size() > sets[i].size() || j < i) && result[i] < 0) result[i] = j;
    }
    for (const Vertex v : sets[i])
      for (const Vertex j : holders[v]) shared[j] = 0;
  }
  return result;
}

SetList components(const BitMatrix& graph) {
  SetList result;
  std::vector<Word> unseen = all_bits(graph.size());
  for (std::size_t root; (root = first_bit(unseen.data(), unseen.size())) != kNone; result.close()) {
    const std::size_t start = result.members.size();
    unseen[root / 64] &= ~(Word{1} << (root % 64));
    result.members.push_back(static_cast<Vertex>(root));
    for (std::size_t next = start; next < result.members.size(); ++next) {
      const Word* row = graph.row(result.members[next]);
      for (std::size_t w = 0; w < unseen.size(); ++w) {
        const Word fresh = row[w] & unseen[w];
        unseen[w] &= ~fresh;
        for (Word rest = fresh; rest; rest &= rest - 1)
          result.members.push_back(static_cast<Vertex>(w * 64 + std::countr_zero(rest)));
      }
    }
    std::sort(result.members.begin() + static_cast<std::ptrdiff_t>(start), result.members.end());
  }
  return result;
}

}  // namespace treewright
