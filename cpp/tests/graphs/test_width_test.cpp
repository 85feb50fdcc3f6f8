// Asking about a graph that changes: the answers are those of the whole graph, whatever has come and gone.
#include <random>

#include "check.hpp"
#include "treewright/graphs/elimination.hpp"
#include "treewright/graphs/treewidth.hpp"
#include "treewright/graphs/width_test.hpp"

namespace tw = treewright;

namespace {

/// A graph whose edges come and go, told to a test.
struct Changing {
  Changing(std::size_t n, std::size_t bound) : graph(n), test(n, bound) {}

  void toggle(tw::Vertex u, tw::Vertex v) {
    if (graph.test(u, v)) {
      graph.reset(u, v), graph.reset(v, u);
    } else {
      graph.join(u, v);
    }
    test.toggle(u, v);
  }

  tw::BitMatrix graph;
  tw::WidthTest test;
};

struct Tally {
  std::size_t yes = 0, no = 0;
};

/// Random questions of one to three edges; what fits mostly stays, and now and then edges go.
Tally ask(std::size_t n, std::size_t bound, unsigned seed, std::size_t questions) {
  std::mt19937_64 rng(seed);
  tw::Cancel cancel;
  Changing changing(n, bound);
  Tally tally;
  for (std::size_t i = 0; i < questions; ++i) {
    changing.test.renew(changing.graph, cancel);
    CHECK(changing.test.is_unchanged());
    std::vector<std::pair<tw::Vertex, tw::Vertex>> toggled;
    for (std::size_t k = 0; k < 1 + rng() % 3; ++k) {
      const auto u = static_cast<tw::Vertex>(rng() % n), v = static_cast<tw::Vertex>(rng() % n);
      if (u == v) continue;
      changing.toggle(u, v);
      toggled.emplace_back(u, v);
    }
    const auto found = changing.test.order(changing.graph, cancel);
    const bool whole = tw::fits(changing.graph, static_cast<std::int64_t>(bound), cancel).has_value();
    if (found) {
      ++tally.yes;
      tw::check_permutation(*found, n);
      CHECK(tw::eliminate(changing.graph, *found).width <= static_cast<std::int64_t>(bound));
    } else {
      ++tally.no;
      CHECK(!whole || !changing.test.is_certain());
    }
    if (bound <= 2) CHECK(found.has_value() == whole);  // safe rules decide
    if (!found || rng() % 8 == 0)
      for (const auto& [u, v] : toggled) changing.toggle(u, v);
  }
  return tally;
}

}  // namespace

TEST(answers_are_those_of_the_whole_graph) {
  for (const std::size_t n : {4, 9, 17, 70, 150, 300})
    for (const std::size_t bound : {1, 2, 4}) {
      const Tally tally = ask(n, bound, static_cast<unsigned>(n + bound), n < 100 ? 300 : 500);
      CHECK(tally.yes > 0);
      if (n > bound + 1 && n < 70) CHECK(tally.no > 0);
    }
}

TEST(twice_is_not_at_all) {
  tw::Cancel cancel;
  Changing changing(5, 1);
  changing.test.renew(changing.graph, cancel);
  changing.toggle(0, 1);
  CHECK(!changing.test.is_unchanged());
  changing.toggle(1, 0);
  CHECK(changing.test.is_unchanged());
}

TEST(a_graph_no_wider_than_its_size_always_fits) {
  tw::Cancel cancel;
  Changing changing(4, 3);
  for (tw::Vertex u = 0; u < 4; ++u)
    for (tw::Vertex v = 0; v < u; ++v) changing.toggle(u, v);
  CHECK(changing.test.order(changing.graph, cancel).has_value());
  changing.test.renew(changing.graph, cancel);
  CHECK(changing.test.is_decided());
  tw::WidthTest nothing(0, 2);
  nothing.renew(tw::BitMatrix(0), cancel);
  CHECK(nothing.order(tw::BitMatrix(0), cancel)->empty());
}
