#include "treewright/graphs/pdag.hpp"

#include <stdexcept>
#include <string>

namespace treewright {

template <class Rows>
PdagOf<Rows>::PdagOf(std::size_t n, std::span<const Arc> directed, std::span<const Arc> undirected)
    : PdagOf(n) {
  const auto require_new = [&](Vertex u, Vertex v) {
    if (u >= n || v >= n)
      throw std::invalid_argument("an edge leaves the " + std::to_string(n) + " vertices");
    if (u == v) throw std::invalid_argument("an edge joins a vertex with itself");
    if (adjacent(u, v)) throw std::invalid_argument("a pair of vertices has two marks");
  };
  for (const auto& [from, to] : directed) require_new(from, to), point(from, to);
  for (const auto& [u, v] : undirected) require_new(u, v), join(u, v);
}

template <class Rows>
Rows PdagOf<Rows>::adjacency() const {
  Rows all = neighbours;
  for (std::size_t v = 0; v < size(); ++v)
    for (const Rows* rows : {&parents, &children})
      for_each_bit(rows->row(v), words(), [&](std::size_t u) { all.set(v, u); });
  return all;
}

template <class Rows>
bool PdagOf<Rows>::reaches(Vertex from, Vertex to) const {
  std::vector<Word> seen(words(), 0), open(words(), 0);
  open[from / 64] |= Word{1} << (from % 64);
  for (bool more = true; more;) {
    more = false;
    for (std::size_t i = 0; i < words(); ++i)
      while (open[i]) {
        const std::size_t v = i * 64 + static_cast<std::size_t>(std::countr_zero(open[i]));
        open[i] &= open[i] - 1;
        seen[i] |= Word{1} << (v % 64);
        for (std::size_t j = 0; j < words(); ++j) open[j] |= children.row(v)[j] & ~seen[j];
        if (open[to / 64] >> (to % 64) & 1) return true;
        more = true;
      }
  }
  return false;
}

template <class Rows>
std::vector<Arc> PdagOf<Rows>::directed_edges() const {
  std::vector<Arc> edges;
  for (Vertex u = 0; u < size(); ++u)
    for_each_bit(children.row(u), words(),
                 [&](std::size_t v) { edges.emplace_back(u, static_cast<Vertex>(v)); });
  return edges;
}

template <class Rows>
std::vector<Arc> PdagOf<Rows>::undirected_edges() const {
  std::vector<Arc> edges;
  for (Vertex u = 0; u < size(); ++u)
    for_each_bit(neighbours.row(u), words(), [&](std::size_t v) {
      if (u < v) edges.emplace_back(u, static_cast<Vertex>(v));
    });
  return edges;
}

template struct PdagOf<BitMatrix>;
template struct PdagOf<SharedBits>;

}  // namespace treewright
