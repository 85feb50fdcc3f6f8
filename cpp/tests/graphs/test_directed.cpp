#include <algorithm>
#include <numeric>
#include <random>
#include <stdexcept>

#include "check.hpp"
#include "treewright/graphs/cpdag.hpp"
#include "treewright/graphs/d_separation.hpp"
#include "treewright/graphs/dag.hpp"
#include "treewright/graphs/dag_builder.hpp"
#include "treewright/graphs/meek.hpp"

namespace tw = treewright;
using tw::Arc;
using tw::Vertex;

namespace {

std::vector<Vertex> identity(std::size_t n) {
  std::vector<Vertex> ranks(n);
  std::iota(ranks.begin(), ranks.end(), Vertex{0});
  return ranks;
}

std::vector<Arc> random_arcs(std::size_t n, double density, std::mt19937& random) {
  std::vector<Vertex> order = identity(n);
  std::shuffle(order.begin(), order.end(), random);
  std::vector<Arc> arcs;
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t j = i + 1; j < n; ++j)
      if (std::bernoulli_distribution(density)(random)) arcs.emplace_back(order[i], order[j]);
  return arcs;
}

tw::BitMatrix rows_of(const tw::Dag& dag) {
  tw::BitMatrix parents(dag.size());
  for (Vertex v = 0; v < dag.size(); ++v)
    for (const Vertex p : dag.parents(v)) parents.set(v, p);
  return parents;
}

template <class F>
bool refuses(F&& f) {
  try {
    f();
  } catch (const std::logic_error&) {
    return true;
  }
  return false;
}

}  // namespace

TEST(a_dag_refuses_what_is_none) {
  CHECK(refuses([] { tw::Dag(2, std::vector<Arc>{{0, 1}, {1, 0}}); }));
  CHECK(refuses([] { tw::Dag(2, std::vector<Arc>{{0, 0}}); }));
  CHECK(refuses([] { tw::Dag(2, std::vector<Arc>{{0, 2}}); }));
  CHECK(refuses([] { tw::Dag(2, std::vector<Arc>{{0, 1}, {0, 1}}); }));
  CHECK(tw::Dag(0, {}).size() == 0);
}

TEST(a_cycle_is_found_behind_tails_of_other_vertices) {
  const std::vector<Arc> arcs{{0, 1}, {1, 2}, {2, 3}, {3, 1}, {3, 4}};
  CHECK((tw::find_cycle(5, arcs, identity(5)) == std::vector<Vertex>{1, 2, 3}));
  const std::vector<Vertex> ranks{4, 3, 2, 1, 0};
  CHECK((tw::find_cycle(5, arcs, ranks) == std::vector<Vertex>{3, 1, 2}));
  CHECK(tw::find_cycle(5, std::vector<Arc>{{0, 1}}, ranks).empty());
}

TEST(builder_ancestors_stay_right_under_random_moves) {
  std::mt19937 random(7);
  const std::size_t n = 130;  // three words
  tw::DagBuilder builder(n);
  for (int move = 0; move < 4000; ++move) {
    const Vertex u = random() % n, v = random() % n;
    if (builder.can_add(u, v)) {
      builder.add(u, v);
    } else if (builder.can_reverse(u, v) && random() % 2) {
      builder.reverse(u, v);
    } else if (builder.has_arc(u, v)) {
      builder.remove(u, v);
    } else {
      CHECK(refuses([&] { builder.add(u, v); }));
    }
  }
  const auto arcs = builder.arcs();
  const tw::Dag dag(n, arcs);
  CHECK(builder.n_arcs() == arcs.size());
  for (Vertex v = 0; v < n; ++v) {
    const std::vector<Vertex> one{v};
    const auto above = dag.ancestors(one);
    CHECK(tw::count_bits(builder.ancestors().row(v), builder.ancestors().words()) == above.size());
    for (const Vertex a : above) CHECK(builder.is_ancestor(a, v));
  }
}

TEST(class_and_extension_lead_back_to_each_other) {
  std::mt19937 random(11);
  for (const std::size_t n : {1, 5, 20, 64, 65, 150})
    for (const double density : {0.05, 0.2, 0.6}) {
      const auto ranks = identity(n);
      const tw::Dag dag(n, random_arcs(n, density, random));
      const tw::Pdag graph = tw::cpdag_of(rows_of(dag), dag.topological_order(ranks));
      const auto extension = tw::consistent_extension(graph, ranks);
      CHECK(extension.has_value());
      if (!extension) continue;
      CHECK(tw::cpdag_of(extension->parents, extension->order) == graph);
      CHECK(tw::obstruction(graph).empty());
      tw::Cancel cancel;
      tw::Pdag closed = graph;
      CHECK(tw::close_under_meek(closed, ranks, cancel).empty());
      CHECK(closed == graph);
    }
}

TEST(a_chordless_cycle_obstructs) {
  const tw::Pdag square(5, {}, std::vector<Arc>{{0, 1}, {1, 2}, {2, 3}, {0, 3}, {3, 4}});
  CHECK(!tw::consistent_extension(square, identity(5)));
  CHECK((tw::obstruction(square) == std::vector<Vertex>{0, 1, 2, 3}));
  const auto near = tw::nearest_extension(square, identity(5));
  CHECK(near.order.size() == 5);
}

TEST(separation_of_pairs_agrees_with_walks_to_everyone) {
  std::mt19937 random(13);
  for (int round = 0; round < 50; ++round) {
    const std::size_t n = 12;
    const tw::Dag dag(n, random_arcs(n, 0.25, random));
    tw::DSeparation walker(dag);
    std::vector<Vertex> given;
    for (Vertex v = 1; v < n; ++v)
      if (random() % 4 == 0) given.push_back(v);
    std::vector<bool> reached(n, false);
    const std::vector<Vertex> source{0};
    walker.for_each_connected(source, given, [&](Vertex v) { reached[v] = true; });
    for (Vertex y = 1; y < n; ++y) {
      if (std::find(given.begin(), given.end(), y) != given.end()) continue;
      CHECK(walker.separated(0, y, given) != reached[y]);
      CHECK(walker.separated(y, 0, given) != reached[y]);
    }
  }
}

TEST(separation_refuses_overlap_and_strangers) {
  const tw::Dag dag(3, std::vector<Arc>{{0, 1}});
  tw::DSeparation walker(dag);
  const std::vector<Vertex> given{1}, outside{3};
  CHECK(refuses([&] { walker.separated(0, 0, {}); }));
  CHECK(refuses([&] { walker.separated(0, 1, given); }));
  CHECK(refuses([&] { walker.separated(0, 1, outside); }));
  CHECK(walker.separated(0, 2, given));
}
