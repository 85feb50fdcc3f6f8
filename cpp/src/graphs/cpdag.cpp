#include "treewright/graphs/cpdag.hpp"

#include <algorithm>
#include <numeric>
#include <queue>
#include <stdexcept>

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
      : g_(std::move(graph)),
        adjacent_(g_.adjacency()),
        ranks_(ranks),
        found_{BitMatrix(g_.size()), {}},
        listed_(g_.size(), false) {}

  /// Remove sinks while there are any; what is left over has no consistent extension.
  void run() {
    for (Vertex v = 0; v < g_.size(); ++v) list_if_removable(v);
    drain();
  }

  /// Go on where consistent removal stops.
  void run_on() {
    while (!complete()) {
      const Vertex v = cheapest_sink();
      listed_[v] = true;
      remove(v);
      drain();
    }
  }

  bool complete() const { return found_.order.size() == g_.size(); }

  Extension result() {
    std::ranges::reverse(found_.order);
    return std::move(found_);
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

  void drain() {
    while (!sinks_.empty()) {
      const Vertex v = sinks_.top().second;
      sinks_.pop();
      remove(v);
    }
  }

  // Point what is left around v at v, and take v out. Only its neighbours can have become removable.
  void remove(Vertex v) {
    for (std::size_t i = 0; i < g_.words(); ++i)
      found_.parents.row(v)[i] = g_.parents.row(v)[i] | g_.neighbours.row(v)[i];
    found_.order.push_back(v);
    for_each_bit(adjacent_.row(v), g_.words(), [&](std::size_t u) {
      g_.children.reset(u, v), g_.neighbours.reset(u, v), adjacent_.reset(u, v);
    });
    for_each_bit(adjacent_.row(v), g_.words(),
                 [&](std::size_t u) { list_if_removable(static_cast<Vertex>(u)); });
  }

  Vertex cheapest_sink() const {
    constexpr std::size_t none = ~std::size_t{0};
    std::size_t fewest = none;
    Vertex best = 0;
    for (Vertex v = 0; v < g_.size(); ++v) {
      if (listed_[v] || count_bits(g_.children.row(v), g_.words()) > 0) continue;
      const std::size_t cost = apart_around(v);
      if (cost < fewest || (cost == fewest && ranks_[v] > ranks_[best])) fewest = cost, best = v;
    }
    if (fewest == none) throw std::invalid_argument("the arrows close a cycle");
    return best;
  }

  // Pairs around v that are apart although an undirected neighbour of v is one of them.
  std::size_t apart_around(Vertex v) const {
    std::size_t pairs = 0;
    for_each_bit(g_.neighbours.row(v), g_.words(), [&](std::size_t y) {
      for (std::size_t i = 0; i < g_.words(); ++i)
        pairs += std::popcount(adjacent_.row(v)[i] & ~adjacent_.row(y)[i] &
                               ~bit_in_word(static_cast<Vertex>(y), i));
    });
    return pairs;
  }

  Pdag g_;
  BitMatrix adjacent_;
  std::span<const Vertex> ranks_;
  Extension found_;
  std::vector<bool> listed_;                              // may be removed, or gone
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
  Extender extender(std::move(graph), ranks);
  extender.run();
  if (!extender.complete()) return std::nullopt;
  return extender.result();
}

std::vector<Vertex> obstruction(Pdag graph) {
  std::vector<Vertex> left(graph.size());
  std::iota(left.begin(), left.end(), Vertex{0});
  const std::vector<Vertex> ranks = left;  // any order of removal leaves the same vertices
  Extender extender(std::move(graph), ranks);
  extender.run();
  std::vector<bool> gone(left.size(), false);
  for (const Vertex v : extender.result().order) gone[v] = true;
  std::erase_if(left, [&](Vertex v) { return gone[v]; });
  return left;
}

Extension nearest_extension(Pdag graph, std::span<const Vertex> ranks) {
  Extender extender(std::move(graph), ranks);
  extender.run();
  extender.run_on();
  return extender.result();
}

}  // namespace treewright
