#include "treewright/graphs/spanning.hpp"

#include <algorithm>
#include <numeric>

namespace treewright {
namespace {

std::vector<Vertex> vertices_by_rank(std::span<const Vertex> ranks) {
  std::vector<Vertex> vertices(ranks.size());
  std::iota(vertices.begin(), vertices.end(), Vertex{0});
  std::ranges::sort(vertices, {}, [&](Vertex v) { return ranks[v]; });
  return vertices;
}

}  // namespace

template <class T>
Arc first_asymmetry(const Weights<T>& weights) {
  constexpr std::size_t tile = 64;  // both triangles stay in cache
  const std::size_t n = weights.n;
  Arc first{static_cast<Vertex>(n), static_cast<Vertex>(n)};
  for (std::size_t top = 0; top < n; top += tile)
    for (std::size_t left = top; left < n; left += tile)
      for (std::size_t u = top; u < std::min(top + tile, n); ++u)
        for (std::size_t v = std::max(left, u + 1); v < std::min(left + tile, n); ++v)
          if (!(weights(u, v) == weights(v, u)))  // not a number differs from itself
            first = std::min(first, Arc{static_cast<Vertex>(u), static_cast<Vertex>(v)});
  return first;
}

template <class T>
std::vector<Arc> maximum_spanning_forest(const Weights<T>& weights, const T* threshold,
                                         std::span<const Vertex> ranks, Cancel& cancel) {
  const std::size_t n = weights.n;
  constexpr Vertex nobody = ~Vertex{0};
  const std::vector<Vertex> by_rank = vertices_by_rank(ranks);
  std::vector<Vertex> outside = by_rank, link(n, nobody);
  std::vector<T> best(n);
  const auto pair_of = [&](Vertex u, Vertex v) { return std::minmax(ranks[u], ranks[v]); };
  std::vector<Arc> edges;
  while (!outside.empty()) {
    cancel.check();
    std::size_t next = outside.size();
    for (std::size_t i = 0; i < outside.size(); ++i) {
      const Vertex v = outside[i];
      if (link[v] == nobody) continue;
      if (next == outside.size() || best[v] > best[outside[next]] ||
          (best[v] == best[outside[next]] &&
           pair_of(link[v], v) < pair_of(link[outside[next]], outside[next])))
        next = i;
    }
    if (next == outside.size()) next = 0;  // a new component, from its vertex at the front
    const Vertex u = outside[next];
    if (link[u] != nobody) edges.emplace_back(std::min(u, link[u]), std::max(u, link[u]));
    outside[next] = outside.back();
    outside.pop_back();
    const T* row = weights.row(u);
    for (const Vertex v : outside) {
      if (threshold && !(row[v] > *threshold)) continue;
      if (link[v] == nobody || row[v] > best[v] || (row[v] == best[v] && pair_of(u, v) < pair_of(link[v], v)))
        best[v] = row[v], link[v] = u;
    }
  }
  std::ranges::sort(edges);
  return edges;
}

template Arc first_asymmetry(const Weights<double>&);
template Arc first_asymmetry(const Weights<std::int64_t>&);
template std::vector<Arc> maximum_spanning_forest(const Weights<double>&, const double*,
                                                  std::span<const Vertex>, Cancel&);
template std::vector<Arc> maximum_spanning_forest(const Weights<std::int64_t>&, const std::int64_t*,
                                                  std::span<const Vertex>, Cancel&);

namespace {

// Edmonds' contractions on a matrix. Row `v` of `gain_` holds the reduced weights of the arcs into slot v; a
// cycle is folded into the slot of one member, so each contraction costs O(n) for every slot that disappears.
class Branching {
 public:
  Branching(const Weights<double>& weights, std::span<const double> root, const std::vector<Vertex>& by_rank)
      : n_(weights.n),
        slots_(n_ + 1),
        gain_(slots_ * slots_),
        from_(slots_ * slots_),
        into_(slots_ * slots_) {
    for (std::size_t v = 0; v < n_; ++v) {
      for (std::size_t u = 0; u <= n_; ++u) {
        const std::size_t at = v * slots_ + u;
        gain_[at] = u == n_ ? root[by_rank[v]] : weights(by_rank[u], by_rank[v]);
        from_[at] = static_cast<Vertex>(u);
        into_[at] = static_cast<Vertex>(v);
      }
    }
    node_of_.resize(slots_);
    std::iota(node_of_.begin(), node_of_.end(), std::size_t{0});
    entering_.resize(slots_);
    whole_.assign(slots_, nothing);
    live_.resize(n_);
    std::iota(live_.begin(), live_.end(), std::size_t{0});
  }

  /// Parents in rank numbers; n stands for the root.
  std::vector<Vertex> run(Cancel& cancel) {
    std::vector<bool> done(slots_, false), on_path(slots_, false);
    done[n_] = true;
    std::vector<std::size_t> path;
    for (std::size_t start = 0; start < n_; ++start) {
      if (done[start] || !is_live(start)) continue;
      path.assign(1, start);
      on_path[start] = true;
      while (true) {
        cancel.check();
        const std::size_t v = path.back(), u = best_source(v);
        const std::size_t at = v * slots_ + u;
        entering_[node_of_[v]] = {from_[at], into_[at]};
        if (done[u]) break;
        if (!on_path[u]) {
          path.push_back(u);
          on_path[u] = true;
          continue;
        }
        std::vector<std::size_t> cycle;
        do {
          cycle.push_back(path.back());
          path.pop_back();
          on_path[cycle.back()] = false;
        } while (cycle.back() != u);
        path.push_back(contract(std::move(cycle)));
        on_path[path.back()] = true;
      }
      for (const std::size_t v : path) done[v] = true, on_path[v] = false;
    }
    return expand();
  }

 private:
  struct Entry {
    Vertex from, into;
  };
  static constexpr std::size_t nothing = ~std::size_t{0};

  bool is_live(std::size_t slot) const { return std::ranges::binary_search(live_, slot); }

  // Equal weights: rather none (the root), then the smallest rank.
  std::size_t best_source(std::size_t v) const {
    const double* row = gain_.data() + v * slots_;
    std::size_t best = n_;
    for (const std::size_t u : live_)
      if (u != v && row[u] > row[best]) best = u;
    return best;
  }

  std::size_t contract(std::vector<std::size_t> cycle) {
    const std::size_t whole = entering_.size(), kept = std::ranges::min(cycle);
    for (const std::size_t v : cycle) whole_[node_of_[v]] = whole;
    entering_.push_back({});
    whole_.push_back(nothing);
    std::vector<double> paid;  // what the cycle loses when it is entered at v
    for (const std::size_t v : cycle) paid.push_back(gain_[v * slots_ + best_source(v)]);
    std::vector<bool> inside(slots_, false);
    for (const std::size_t v : cycle) inside[v] = true;
    std::erase_if(live_, [&](std::size_t v) { return inside[v] && v != kept; });
    const auto fold = [&](std::size_t target, std::size_t source, double gain) {
      gain_[target] = gain, from_[target] = from_[source], into_[target] = into_[source];
    };
    // the slot of the smallest member takes the best arcs of all members
    for (std::size_t u = 0; u <= n_; ++u) {
      if (inside[u] || (u < n_ && !is_live(u))) continue;
      std::size_t best_in = 0, best_out = 0;
      for (std::size_t i = 1; i < cycle.size(); ++i) {
        if (entry(cycle[i], u, paid[i]) > entry(cycle[best_in], u, paid[best_in])) best_in = i;
        if (u < n_ && gain_[u * slots_ + cycle[i]] > gain_[u * slots_ + cycle[best_out]]) best_out = i;
      }
      fold(kept * slots_ + u, cycle[best_in] * slots_ + u, entry(cycle[best_in], u, paid[best_in]));
      const std::size_t out = u * slots_ + cycle[best_out];
      if (u < n_) fold(u * slots_ + kept, out, gain_[out]);
    }
    node_of_[kept] = whole;
    return kept;
  }

  double entry(std::size_t v, std::size_t u, double paid) const { return gain_[v * slots_ + u] - paid; }

  // Open the contracted nodes, last first: the arc that enters a whole enters the member that holds its head,
  // and displaces that member's arc of the cycle.
  std::vector<Vertex> expand() {
    for (std::size_t whole = entering_.size(); whole-- > slots_;) {
      const Entry entry = entering_[whole];
      std::size_t member = entry.into;
      while (whole_[member] != whole) member = whole_[member];
      entering_[member] = entry;
    }
    std::vector<Vertex> parent(n_);
    for (std::size_t v = 0; v < n_; ++v) parent[v] = entering_[v].from;
    return parent;
  }

  std::size_t n_, slots_;
  std::vector<double> gain_;
  std::vector<Vertex> from_, into_;   // the original arc behind each reduced one
  std::vector<std::size_t> live_;     // slots that still stand for a node, rising
  std::vector<std::size_t> node_of_;  // slot -> node (vertex or contracted cycle)
  std::vector<Entry> entering_;       // node -> the arc chosen into it
  std::vector<std::size_t> whole_;    // node -> the cycle it was folded into
};

}  // namespace

std::vector<std::int64_t> maximum_branching(const Weights<double>& weights, std::span<const double> root,
                                            std::span<const Vertex> ranks, Cancel& cancel) {
  const std::vector<Vertex> by_rank = vertices_by_rank(ranks);
  const std::vector<Vertex> found = Branching(weights, root, by_rank).run(cancel);
  std::vector<std::int64_t> parents(weights.n, kNoParent);
  for (std::size_t v = 0; v < weights.n; ++v)
    if (found[v] < weights.n) parents[by_rank[v]] = by_rank[found[v]];
  return parents;
}

}  // namespace treewright
