#include "treewright/graphs/dag.hpp"

#include <algorithm>
#include <functional>
#include <queue>
#include <stdexcept>
#include <string>

namespace treewright {
namespace {

std::vector<Arc> reversed(std::span<const Arc> arcs) {
  std::vector<Arc> back;
  back.reserve(arcs.size());
  for (const auto& [from, to] : arcs) back.emplace_back(to, from);
  return back;
}

// Remove, again and again, the vertices without an arc into them; true marks what is left.
std::vector<bool> strip(std::size_t n, const NeighbourLists& out, const NeighbourLists& in,
                        std::vector<bool> left) {
  std::vector<std::size_t> waiting(n, 0);
  std::vector<Vertex> ready;
  for (Vertex v = 0; v < n; ++v) {
    if (!left[v]) continue;
    for (const Vertex u : in[v]) waiting[v] += left[u];
    if (waiting[v] == 0) ready.push_back(v);
  }
  while (!ready.empty()) {
    const Vertex v = ready.back();
    ready.pop_back();
    left[v] = false;
    for (const Vertex w : out[v])
      if (left[w] && --waiting[w] == 0) ready.push_back(w);
  }
  return left;
}

void require_vertices(std::size_t n, std::span<const Arc> arcs) {
  for (const auto& [from, to] : arcs)
    if (from >= n || to >= n)
      throw std::invalid_argument("an arc leaves the " + std::to_string(n) + " vertices");
}

}  // namespace

NeighbourLists::NeighbourLists(std::size_t n, std::span<const Arc> pairs)
    : first_(n + 1, 0), items_(pairs.size()) {
  for (const auto& [v, other] : pairs) ++first_[v + 1];
  for (std::size_t v = 0; v < n; ++v) first_[v + 1] += first_[v];
  std::vector<std::size_t> next(first_.begin(), first_.end() - 1);
  for (const auto& [v, other] : pairs) items_[next[v]++] = other;
  for (std::size_t v = 0; v < n; ++v) std::sort(items_.begin() + first_[v], items_.begin() + first_[v + 1]);
}

std::vector<Vertex> find_cycle(std::size_t n, std::span<const Arc> arcs, std::span<const Vertex> ranks) {
  require_vertices(n, arcs);
  const NeighbourLists out(n, arcs), in(n, reversed(arcs));
  // What survives stripping sources and then sinks has a next vertex everywhere, so a walk must meet itself.
  const auto core = strip(n, in, out, strip(n, out, in, std::vector<bool>(n, true)));
  const auto by_rank = [&](Vertex a, Vertex b) { return ranks[a] < ranks[b]; };
  std::vector<Vertex> path;
  for (Vertex v = 0; v < n; ++v)
    if (core[v] && (path.empty() || by_rank(v, path.front()))) path.assign(1, v);
  if (path.empty()) return {};
  std::vector<std::size_t> seen_at(n, n);
  for (;;) {
    const Vertex v = path.back();
    if (seen_at[v] < n) {
      path.pop_back();
      path.erase(path.begin(), path.begin() + static_cast<std::ptrdiff_t>(seen_at[v]));
      break;
    }
    seen_at[v] = path.size() - 1;
    Vertex next = v;
    bool found = false;
    for (const Vertex w : out[v])
      if (core[w] && (!found || by_rank(w, next))) next = w, found = true;
    path.push_back(next);
  }
  std::rotate(path.begin(), std::min_element(path.begin(), path.end(), by_rank), path.end());
  return path;
}

Dag::Dag(std::size_t n, std::span<const Arc> arcs) : n_(n), n_arcs_(arcs.size()) {
  require_vertices(n, arcs);
  children_ = NeighbourLists(n, arcs);
  parents_ = NeighbourLists(n, reversed(arcs));
  for (std::size_t v = 0; v < n; ++v)
    if (std::ranges::adjacent_find(children_[v]) != children_[v].end())
      throw std::invalid_argument("an arc is given twice");
  const auto left = strip(n, children_, parents_, std::vector<bool>(n, true));
  if (std::ranges::find(left, true) != left.end()) throw std::invalid_argument("the arcs close a cycle");
}

bool Dag::has_arc(Vertex from, Vertex to) const { return std::ranges::binary_search(children_[from], to); }

std::vector<Vertex> Dag::topological_order(std::span<const Vertex> ranks) const {
  std::vector<std::size_t> waiting(n_);
  using Ready = std::pair<Vertex, Vertex>;  // rank, vertex
  std::priority_queue<Ready, std::vector<Ready>, std::greater<>> ready;
  for (Vertex v = 0; v < n_; ++v)
    if ((waiting[v] = parents(v).size()) == 0) ready.emplace(ranks[v], v);
  std::vector<Vertex> order;
  order.reserve(n_);
  while (!ready.empty()) {
    const Vertex v = ready.top().second;
    ready.pop();
    order.push_back(v);
    for (const Vertex w : children(v))
      if (--waiting[w] == 0) ready.emplace(ranks[w], w);
  }
  return order;
}

std::vector<Vertex> Dag::ancestors(std::span<const Vertex> vertices) const {
  return closure(vertices, parents_);
}

std::vector<Vertex> Dag::descendants(std::span<const Vertex> vertices) const {
  return closure(vertices, children_);
}

std::vector<Vertex> Dag::closure(std::span<const Vertex> vertices, const NeighbourLists& steps) const {
  std::vector<bool> seen(n_, false);
  std::vector<Vertex> found(vertices.begin(), vertices.end());
  for (const Vertex v : vertices) seen[v] = true;
  for (std::size_t i = 0; i < found.size(); ++i)
    for (const Vertex w : steps[found[i]])
      if (!seen[w]) seen[w] = true, found.push_back(w);
  found.erase(found.begin(), found.begin() + static_cast<std::ptrdiff_t>(vertices.size()));
  std::ranges::sort(found);
  return found;
}

std::vector<Arc> Dag::moral_edges() const {
  std::vector<Arc> edges;
  for (Vertex v = 0; v < n_; ++v) {
    const auto family = parents(v);
    for (std::size_t i = 0; i < family.size(); ++i) {
      edges.emplace_back(std::min(family[i], v), std::max(family[i], v));
      for (std::size_t j = i + 1; j < family.size(); ++j) edges.emplace_back(family[i], family[j]);
    }
  }
  std::ranges::sort(edges);
  edges.erase(std::unique(edges.begin(), edges.end()), edges.end());
  return edges;
}

std::vector<Vertex> Dag::v_structures() const {
  std::vector<Vertex> triples;
  for (Vertex w = 0; w < n_; ++w) {
    const auto family = parents(w);
    for (std::size_t i = 0; i < family.size(); ++i)
      for (std::size_t j = i + 1; j < family.size(); ++j)
        if (!adjacent(family[i], family[j])) triples.insert(triples.end(), {family[i], w, family[j]});
  }
  return triples;
}

std::vector<Arc> Dag::covered_arcs() const {
  std::vector<Arc> arcs;
  for (Vertex u = 0; u < n_; ++u)
    for (const Vertex v : children(u)) {
      if (parents(v).size() != parents(u).size() + 1) continue;
      const auto kept = [u](Vertex p) { return p != u; };
      auto others = parents(v);
      auto mine = parents(u).begin();
      const bool covered = std::ranges::all_of(others, [&](Vertex p) { return !kept(p) || p == *mine++; });
      if (covered) arcs.emplace_back(u, v);
    }
  return arcs;
}

}  // namespace treewright
