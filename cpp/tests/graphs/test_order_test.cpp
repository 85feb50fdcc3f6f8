// Whether an order keeps a changing graph narrow, beside an elimination from the beginning each time.
#include <algorithm>
#include <numeric>

#include "check.hpp"
#include "treewright/graphs/elimination.hpp"
#include "treewright/graphs/order_test.hpp"
#include "treewright/parallel/seeded_draws.hpp"

namespace tw = treewright;

TEST(an_order_is_judged_as_by_an_elimination_from_the_beginning) {
  for (std::uint64_t seed = 0; seed < 60; ++seed) {
    tw::Draws draws(seed);
    const std::size_t wide = seed % 10 == 9 ? 512 : 0;  // rows are kept otherwise there
    const std::size_t n = 2 + wide + draws.below(80), bound = 1 + draws.below(6);
    tw::Order order(n);
    std::iota(order.begin(), order.end(), tw::Vertex{0});
    draws.shuffle(order);
    tw::BitMatrix graph(n);
    tw::OrderTest test(n, bound);
    test.start(order);
    std::size_t held = 0;
    for (int step = 0; step < 400; ++step) {
      const std::size_t changes = 1 + draws.below(4);
      for (std::size_t i = 0; i < changes; ++i) {
        const auto u = static_cast<tw::Vertex>(draws.below(n)), v = static_cast<tw::Vertex>(draws.below(n));
        if (u == v) continue;
        if (graph.test(u, v)) {
          graph.reset(u, v), graph.reset(v, u);
        } else if (draws.below(n) < 2 * bound) {
          graph.join(u, v);
        } else {
          continue;
        }
        test.touch(u, v);
      }
      if (draws.below(40) == 0) draws.shuffle(order), test.start(order);
      if (draws.below(3) == 0) continue;  // what came meanwhile is not lost
      const bool narrow = tw::eliminate(graph, order).width <= static_cast<std::int64_t>(bound);
      held += narrow;
      CHECK(test.holds(graph) == narrow);
      CHECK(test.holds(graph) == narrow);
      if (!narrow) continue;
      const tw::BitMatrix filled = tw::filled_upward(graph, order);
      for (std::size_t i = 0; i < n; ++i) {
        tw::Order expected, found;
        tw::for_each_bit(filled.row(i), filled.words(), [&](std::size_t j) { expected.push_back(order[j]); });
        std::ranges::sort(expected);
        test.for_each_later(order[i], [&](tw::Vertex u) { found.push_back(u); });
        CHECK(found == expected);
      }
    }
    CHECK(held > 0);
  }
}
