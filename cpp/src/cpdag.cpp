#include "treewright/cpdag.hpp"

#include <algorithm>
#include <queue>

namespace treewright {
namespace {

Word bit_in_word(Vertex v, std::size_t word) { return v / 64 == word ? Word{1} << (v % 64) : 0; }

// Chickering's edge order visits the arrows into y from the highest parent x down, and the first of them
// settles them all: everything into y is compelled if some compelled w -> x has w apart from y, or some other
// parent of y is apart from x; otherwise only the arrows from compelled parents of x are.
void label_family(const BitMatrix& parents, Vertex x, Vertex y, BitMatrix& compelled) {
  const Word *into_x = parents.row(x), *into_y = parents.row(y), *known = compelled.row(x);
  Word* label = compelled.row(y);
  bool all = false;
  for (std::size_t i = 0; i < parents.words() && !all; ++i)
    all = (known[i] & ~into_y[i]) != 0 || (into_y[i] & ~into_x[i] & ~bit_in_word(x, i)) != 0;
  std::copy_n(all ? into_y : known, parents.words(), label);
}

class Extender {
 public:
  Extender(Pdag&& graph, std::span<const Vertex> ranks)
      : g_(std::move(graph)), adjacent_(g_.adjacency()), ranks_(ranks), listed_(g_.size(), false) {}

  std::optional<Extension> run() {
    Extension found{BitMatrix(g_.size()), {}};
    for (Vertex v = 0; v < g_.size(); ++v) list_if_removable(v);
    while (!sinks_.empty()) {
      const Vertex v = sinks_.top().second;
      sinks_.pop();
      for (std::size_t i = 0; i < g_.words(); ++i)
        found.parents.row(v)[i] = g_.parents.row(v)[i] | g_.neighbours.row(v)[i];
      found.order.push_back(v);
      take_out(v);
    }
    if (found.order.size() < g_.size()) return std::nullopt;
    std::ranges::reverse(found.order);
    return found;
  }

 private:
  // A sink whose undirected neighbours are adjacent to all that is around it: pointing them at it makes no
  // v-structure. A vertex that may be removed stays so while others go.
  bool removable(Vertex v) const {
    for (std::size_t i = 0; i < g_.words(); ++i)
      if (g_.children.row(v)[i]) return false;
    bool fits = true;
    for_each_bit(g_.neighbours.row(v), g_.words(), [&](std::size_t y) {
      for (std::size_t i = 0; i < g_.words() && fits; ++i)
        fits = !(adjacent_.row(v)[i] & ~adjacent_.row(y)[i] & ~bit_in_word(static_cast<Vertex>(y), i));
    });
    return fits;
  }

  void list_if_removable(Vertex v) {
    if (listed_[v] || !removable(v)) return;
    listed_[v] = true;
    sinks_.emplace(ranks_[v], v);
  }

  // Only what was adjacent to v can have become removable.
  void take_out(Vertex v) {
    const std::vector<Word> around(adjacent_.row(v), adjacent_.row(v) + g_.words());
    for_each_bit(around.data(), around.size(), [&](std::size_t u) {
      g_.children.reset(u, v), g_.neighbours.reset(u, v), adjacent_.reset(u, v);
    });
    for_each_bit(around.data(), around.size(),
                 [&](std::size_t u) { list_if_removable(static_cast<Vertex>(u)); });
  }

  Pdag g_;
  BitMatrix adjacent_;
  std::span<const Vertex> ranks_;
  std::vector<bool> listed_;
  std::priority_queue<std::pair<Vertex, Vertex>> sinks_;  // rank, vertex
};

}  // namespace

Pdag cpdag_of(const BitMatrix& parents, std::span<const Vertex> order) {
  const std::size_t n = parents.size();
  std::vector<Vertex> position(n);
  for (Vertex i = 0; i < n; ++i) position[order[i]] = i;
  BitMatrix compelled(n);
  Pdag graph(n);
  for (const Vertex y : order) {
    Vertex highest = y;
    for_each_bit(parents.row(y), parents.words(), [&](std::size_t p) {
      if (highest == y || position[p] > position[highest]) highest = static_cast<Vertex>(p);
    });
    if (highest == y) continue;
    label_family(parents, highest, y, compelled);
    for_each_bit(parents.row(y), parents.words(), [&](std::size_t p) {
      const auto x = static_cast<Vertex>(p);
      compelled.test(y, p) ? graph.point(x, y) : graph.join(x, y);
    });
  }
  return graph;
}

std::optional<Extension> consistent_extension(Pdag graph, std::span<const Vertex> ranks) {
  return Extender(std::move(graph), ranks).run();
}

}  // namespace treewright
