#include <numeric>
#include <random>

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
