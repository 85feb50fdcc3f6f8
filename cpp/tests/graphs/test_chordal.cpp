#include "check.hpp"
#include "graphs.hpp"
#include "treewright/graphs/chordal.hpp"
#include "treewright/graphs/elimination.hpp"

namespace tw = treewright;

TEST(a_long_cycle_is_its_own_witness) {
  tw::Cancel cancel;
  CHECK(!tw::perfect_order(cycle(100), cancel));
  CHECK(tw::chordless_cycle(cycle(100), cancel).size() == 100);
  CHECK(tw::chordless_cycle(cycle(3), cancel).empty());
}

TEST(filled_graphs_are_chordal_and_minimal_covers_stay_inside) {
  tw::Cancel cancel;
  for (unsigned seed = 0; seed < 20; ++seed) {
    const tw::BitMatrix graph = random_graph(70, 3, seed);
    const tw::BitMatrix cover = tw::eliminate(graph, tw::lex_bfs_order(graph, cancel)).filled;
    const tw::BitMatrix minimal = tw::make_minimal(graph, cover, cancel);
    CHECK(tw::perfect_order(cover, cancel).has_value());
    CHECK(tw::perfect_order(minimal, cancel).has_value());
    for (std::size_t v = 0; v < graph.size(); ++v)
      for (std::size_t w = 0; w < graph.words(); ++w) {
        CHECK((graph.row(v)[w] & ~minimal.row(v)[w]) == 0);
        CHECK((minimal.row(v)[w] & ~cover.row(v)[w]) == 0);
      }
  }
}

TEST(induced_nodes_of_a_strip) {
  tw::Cancel cancel;
  tw::BitMatrix strip(7);
  for (std::size_t v = 0; v < 6; ++v) {
    strip.join(v, v + 1);
    if (v < 5) strip.join(v, v + 2);
  }
  const tw::InducedNodes induced(strip, *tw::perfect_order(strip, cancel));
  CHECK((induced.between(0, 6) == tw::Order{1, 2, 3, 4, 5}));
  CHECK((induced.between(3, 0) == tw::Order{1, 2}));
  CHECK(induced.between(2, 4).empty());
}
