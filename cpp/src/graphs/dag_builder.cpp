#include "treewright/graphs/dag_builder.hpp"

#include <algorithm>
#include <stdexcept>

namespace treewright {
namespace {

void merge(Word* into, const Word* from, std::size_t words) {
  for (std::size_t i = 0; i < words; ++i) into[i] |= from[i];
}

}  // namespace

bool DagBuilder::can_reverse(Vertex from, Vertex to) const {
  if (!has_arc(from, to)) return false;
  bool detour = false;
  for_each_bit(parents_.row(to), parents_.words(),
               [&](std::size_t p) { detour |= ancestors_.test(p, from); });
  return !detour;
}

void DagBuilder::add(Vertex from, Vertex to) {
  if (!can_add(from, to)) throw std::invalid_argument("this arc cannot be added");
  children_.set(from, to);
  parents_.set(to, from);
  ++n_arcs_;
  inherit(from, to);
}

void DagBuilder::remove(Vertex from, Vertex to) {
  if (!has_arc(from, to)) throw std::invalid_argument("there is no such arc to remove");
  children_.reset(from, to);
  parents_.reset(to, from);
  --n_arcs_;
  recompute_below(to);
}

void DagBuilder::reverse(Vertex from, Vertex to) {
  if (!can_reverse(from, to)) throw std::invalid_argument("this arc cannot be reversed");
  remove(from, to);
  add(to, from);
}

std::vector<Arc> DagBuilder::arcs() const {
  std::vector<Arc> arcs;
  arcs.reserve(n_arcs_);
  for (Vertex u = 0; u < size(); ++u)
    for_each_bit(children_.row(u), children_.words(),
                 [&](std::size_t v) { arcs.emplace_back(u, static_cast<Vertex>(v)); });
  return arcs;
}

std::vector<Vertex> DagBuilder::path(Vertex from, Vertex to) const {
  constexpr Vertex nobody = ~Vertex{0};
  std::vector<Vertex> came_from(size(), nobody), queue{from};
  came_from[from] = from;
  for (std::size_t i = 0; i < queue.size() && came_from[to] == nobody; ++i)
    for_each_bit(children_.row(queue[i]), children_.words(), [&](std::size_t w) {
      if (came_from[w] != nobody) return;
      came_from[w] = queue[i];
      queue.push_back(static_cast<Vertex>(w));
    });
  if (came_from[to] == nobody) return {};
  std::vector<Vertex> path{to};
  while (path.back() != from) path.push_back(came_from[path.back()]);
  std::ranges::reverse(path);
  return path;
}

void DagBuilder::inherit(Vertex from, Vertex to) {
  std::vector<Word> gained(ancestors_.row(from), ancestors_.row(from) + ancestors_.words());
  gained[from / 64] |= Word{1} << (from % 64);
  merge(ancestors_.row(to), gained.data(), gained.size());
  for (Vertex w = 0; w < size(); ++w)
    if (ancestors_.test(w, to)) merge(ancestors_.row(w), gained.data(), gained.size());
}

void DagBuilder::recompute_below(Vertex v) {
  // An ancestor has strictly fewer ancestors, so their number orders the vertices topologically.
  std::vector<std::pair<std::size_t, Vertex>> below{{0, v}};
  for (Vertex w = 0; w < size(); ++w)
    if (ancestors_.test(w, v)) below.emplace_back(count_bits(ancestors_.row(w), ancestors_.words()), w);
  std::sort(below.begin() + 1, below.end());
  for (const auto& [n_ancestors, w] : below) {
    Word* row = ancestors_.row(w);
    std::copy_n(parents_.row(w), parents_.words(), row);
    for_each_bit(parents_.row(w), parents_.words(),
                 [&](std::size_t p) { merge(row, ancestors_.row(p), ancestors_.words()); });
  }
}

}  // namespace treewright
