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

TEST(a_collider_is_opened_by_what_it_leads_to) {
  const tw::Dag dag(4, std::vector<Arc>{{0, 2}, {1, 2}, {2, 3}});
  tw::DSeparation walker(dag);
  const std::vector<Vertex> itself{2}, below{3};
  CHECK(walker.separated(0, 1, {}));
  CHECK(!walker.separated(0, 1, itself));
  CHECK(!walker.separated(0, 1, below));
  CHECK(walker.separated(0, 3, itself));
  CHECK(!walker.separated(0, 3, {}));
}

TEST(the_fourth_rule_wants_the_diagonal) {
  tw::Cancel cancel;
  // 0 - 3 -> 2 -> 1 with 0 - 2 and 0 - 1, 3 apart from 1: 0 -> 1
  tw::Pdag with(4, std::vector<Arc>{{3, 2}, {2, 1}}, std::vector<Arc>{{0, 1}, {0, 2}, {0, 3}});
  tw::close_under_meek(with, identity(4), cancel);
  CHECK(!with.neighbours.test(0, 1));
  // without 0 - 3 the first rule turns 2 - 0 round, and 0 - 1 stays open
  tw::Pdag without(4, std::vector<Arc>{{3, 2}, {2, 1}}, std::vector<Arc>{{0, 1}, {0, 2}});
  tw::close_under_meek(without, identity(4), cancel);
  CHECK(without.neighbours.test(0, 1));
  CHECK(!without.neighbours.test(0, 2));
}

namespace {

// Meek's rules as they are written, for every edge again and again.
tw::Pdag closed_slowly(tw::Pdag g) {
  const auto n = static_cast<Vertex>(g.size());
  const auto into = [&](Vertex u, Vertex v) { return g.children.test(u, v); };
  const auto beside = [&](Vertex u, Vertex v) { return g.neighbours.test(u, v); };
  const auto forced = [&](Vertex a, Vertex b) {
    for (Vertex c = 0; c < n; ++c) {
      if (into(c, a) && c != b && !g.adjacent(c, b)) return true;
      if (into(a, c) && into(c, b)) return true;
      for (Vertex d = 0; d < n; ++d) {
        if (c != d && beside(a, c) && beside(a, d) && into(c, b) && into(d, b) && !g.adjacent(c, d))
          return true;
        if (d != b && beside(a, d) && into(d, c) && into(c, b) && g.adjacent(a, c) && !g.adjacent(d, b))
          return true;
      }
    }
    return false;
  };
  for (bool changes = true; changes;) {
    changes = false;
    for (Vertex a = 0; a < n; ++a)
      for (Vertex b = 0; b < n; ++b)
        if (beside(a, b) && forced(a, b)) g.orient(a, b), changes = true;
  }
  return g;
}

}  // namespace

TEST(the_rules_of_meek_direct_what_they_say_and_no_more) {
  std::mt19937 random(17);
  for (int round = 0; round < 400; ++round) {
    const std::size_t n = 4 + random() % 4;
    const auto arcs = random_arcs(n, 0.5, random);
    std::vector<Arc> directed;  // some arrows of a graph are known: no rule goes against them
    for (const Arc& arc : arcs)
      if (random() % 3 == 0) directed.push_back(arc);
    const tw::Dag dag(n, arcs);
    const auto known = tw::cpdag_of(rows_of(dag), dag.topological_order(identity(n)));
    tw::Pdag graph = known;
    for (const auto& [u, v] : directed)
      if (graph.neighbours.test(u, v)) graph.orient(u, v);
    tw::Pdag fast = graph;
    tw::Cancel cancel;
    CHECK(tw::close_under_meek(fast, identity(n), cancel).empty());
    CHECK(fast == closed_slowly(graph));
  }
}

TEST(a_detour_starts_beside_the_edge) {
  // d -> c -> b and c -> a, where d is apart from a: nothing directs a - b
  tw::Pdag graph(4, std::vector<Arc>{{3, 2}, {2, 1}, {2, 0}}, std::vector<Arc>{{0, 1}});
  const tw::Pdag before = graph;
  tw::Cancel cancel;
  CHECK(tw::close_under_meek(graph, identity(4), cancel).empty());
  CHECK(graph == before);
}

TEST(of_two_directions_that_are_forced_that_of_the_smaller_rank_is_taken) {
  // c -> a and d -> b, both apart from the other end of a - b
  const tw::Pdag graph(4, std::vector<Arc>{{2, 0}, {3, 1}}, std::vector<Arc>{{0, 1}});
  tw::Cancel cancel;
  tw::Pdag one = graph, other = graph;
  tw::close_under_meek(one, identity(4), cancel);
  CHECK(one.children.test(0, 1));
  tw::close_under_meek(other, std::vector<Vertex>{3, 2, 1, 0}, cancel);
  CHECK(other.children.test(1, 0));
}
