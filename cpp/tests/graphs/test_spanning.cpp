#include <algorithm>
#include <numeric>
#include <random>
#include <tuple>

#include "check.hpp"
#include "treewright/graphs/spanning.hpp"

namespace tw = treewright;
using tw::Arc;
using tw::Vertex;

namespace {

std::vector<Vertex> ranks_below(std::size_t n) {
  std::vector<Vertex> ranks(n);
  std::iota(ranks.begin(), ranks.end(), Vertex{0});
  return ranks;
}

}  // namespace

TEST(equal_weights_join_everyone_with_the_smallest_rank) {
  const std::vector<double> ones(16, 1.0);
  const std::vector<Vertex> ranks{3, 0, 2, 1};
  tw::Cancel cancel;
  const auto edges = tw::maximum_spanning_forest<double>({ones.data(), 4}, nullptr, ranks, cancel);
  CHECK((edges == std::vector<Arc>{{0, 1}, {1, 2}, {1, 3}}));
}

TEST(a_threshold_leaves_several_trees) {
  const std::vector<std::int64_t> weights{0, 5, 1, 5, 0, 2, 1, 2, 0};
  const std::int64_t threshold = 2;
  tw::Cancel cancel;
  const auto edges = tw::maximum_spanning_forest(tw::Weights<std::int64_t>{weights.data(), 3}, &threshold,
                                                 ranks_below(3), cancel);
  CHECK((edges == std::vector<Arc>{{0, 1}}));
}

TEST(asymmetry_is_located) {
  const std::vector<double> weights{0, 1, 2, 1, 0, 3, 2, 4, 0};
  CHECK((tw::first_asymmetry(tw::Weights<double>{weights.data(), 3}) == Arc{1, 2}));
}

TEST(a_branching_opens_a_heavy_cycle_at_the_cheapest_place) {
  // 0 -> 1 -> 2 -> 0 weighs 10 each; vertex 2 is paid 2 for being the root, so the cycle opens there
  std::vector<double> weights{0, 10, 9, 1, 0, 10, 10, 1, 0};
  const std::vector<double> roots{0, 0, 2};
  tw::Cancel cancel;
  const auto parents =
      tw::maximum_branching(tw::Weights<double>{weights.data(), 3}, roots, ranks_below(3), cancel);
  CHECK((parents == std::vector<std::int64_t>{2, 0, -1}));
}

TEST(a_branching_never_closes_a_cycle) {
  std::mt19937 random(5);
  std::uniform_int_distribution<int> weight(-2, 6);
  for (int round = 0; round < 200; ++round) {
    const std::size_t n = 1 + random() % 12;
    std::vector<double> weights(n * n), roots(n, 0.0);
    for (auto& w : weights) w = weight(random);
    tw::Cancel cancel;
    const auto parents =
        tw::maximum_branching(tw::Weights<double>{weights.data(), n}, roots, ranks_below(n), cancel);
    std::vector<Arc> arcs;
    for (Vertex v = 0; v < n; ++v)
      if (parents[v] >= 0) arcs.emplace_back(static_cast<Vertex>(parents[v]), v);
    CHECK(tw::find_cycle(n, arcs, ranks_below(n)).empty());
  }
}

namespace {

// Pairs in order of weight, equal ones by rank, as long as they close no cycle.
std::vector<Arc> pairs_in_order(const std::vector<std::int64_t>& weights, const std::vector<Vertex>& ranks) {
  const std::size_t n = ranks.size();
  std::vector<std::tuple<std::int64_t, Vertex, Vertex, Arc>> pairs;
  for (Vertex u = 0; u < n; ++u)
    for (Vertex v = u + 1; v < n; ++v)
      pairs.emplace_back(-weights[u * n + v], std::min(ranks[u], ranks[v]), std::max(ranks[u], ranks[v]),
                         Arc{u, v});
  std::sort(pairs.begin(), pairs.end());
  std::vector<Vertex> part = ranks_below(n);
  std::vector<Arc> edges;
  for (const auto& [weight, low, high, pair] : pairs) {
    const Vertex one = part[pair.first], other = part[pair.second];
    if (one == other) continue;
    for (Vertex& p : part)
      if (p == other) p = one;
    edges.push_back(pair);
  }
  std::sort(edges.begin(), edges.end());
  return edges;
}

double total_of(const std::vector<double>& weights, const std::vector<double>& roots,
                const std::vector<std::int64_t>& parents) {
  double total = 0;
  const std::size_t n = roots.size();
  for (std::size_t v = 0; v < n; ++v)
    total += parents[v] < 0 ? roots[v] : weights[static_cast<std::size_t>(parents[v]) * n + v];
  return total;
}

bool has_cycle(const std::vector<std::int64_t>& parents) {
  for (std::size_t v = 0; v < parents.size(); ++v) {
    std::int64_t above = parents[v];
    for (std::size_t step = 0; above >= 0 && step <= parents.size(); ++step)
      above = parents[static_cast<std::size_t>(above)];
    if (above >= 0) return true;
  }
  return false;
}

// The best of all ways to give every vertex a parent or none.
double best_branching(const std::vector<double>& weights, const std::vector<double>& roots) {
  const auto n = static_cast<std::int64_t>(roots.size());
  std::vector<std::int64_t> parents(roots.size(), -1);
  double best = -1e300;
  for (;;) {
    if (!has_cycle(parents)) best = std::max(best, total_of(weights, roots, parents));
    std::size_t v = 0;
    for (; v < parents.size(); ++v) {
      if (++parents[v] == static_cast<std::int64_t>(v)) ++parents[v];
      if (parents[v] < n) break;
      parents[v] = -1;
    }
    if (v == parents.size()) return best;
  }
}

}  // namespace

TEST(a_forest_has_the_pairs_taken_in_order) {
  std::mt19937 random(7);
  for (int round = 0; round < 200; ++round) {
    const std::size_t n = 2 + random() % 7;
    std::vector<std::int64_t> weights(n * n);
    for (std::size_t u = 0; u < n; ++u)
      for (std::size_t v = 0; v < u; ++v)
        weights[u * n + v] = weights[v * n + u] = static_cast<std::int64_t>(random() % 3);
    std::vector<Vertex> ranks = ranks_below(n);
    std::shuffle(ranks.begin(), ranks.end(), random);
    tw::Cancel cancel;
    auto edges = tw::maximum_spanning_forest<std::int64_t>({weights.data(), n}, nullptr, ranks, cancel);
    CHECK(edges == pairs_in_order(weights, ranks));
  }
}

TEST(no_branching_weighs_more) {
  std::mt19937 random(9);
  std::uniform_int_distribution<int> weight(-2, 6);
  for (int round = 0; round < 200; ++round) {
    const std::size_t n = 2 + random() % 4;
    std::vector<double> weights(n * n), roots(n);
    for (auto& w : weights) w = weight(random);
    for (auto& w : roots) w = weight(random) - 3;
    tw::Cancel cancel;
    const auto parents =
        tw::maximum_branching(tw::Weights<double>{weights.data(), n}, roots, ranks_below(n), cancel);
    CHECK(!has_cycle(parents));
    CHECK(total_of(weights, roots, parents) == best_branching(weights, roots));
  }
}
