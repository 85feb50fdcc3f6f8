#include "check.hpp"
#include "graphs.hpp"
#include "treewright/chordal.hpp"
#include "treewright/elimination.hpp"

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

TEST(cliques_stop_at_their_limit) {
  tw::Cancel cancel;
  CHECK(tw::maximal_cliques(cycle(10), 10, cancel)->size() == 10);
  CHECK(!tw::maximal_cliques(cycle(10), 9, cancel));
  CHECK(!tw::maximal_cliques(tw::BitMatrix(3), 2, cancel));
  CHECK(tw::maximal_cliques(tw::BitMatrix(0), 0, cancel)->size() == 0);
}

TEST(the_heaviest_tree_of_a_chain_is_the_chain) {
  tw::Cancel cancel;
  tw::SetList clusters;
  for (tw::Vertex v = 0; v < 5; ++v) {
    clusters.members.push_back(v), clusters.members.push_back(v + 1);
    clusters.close();
  }
  const auto edges = tw::join_tree(clusters, 6, cancel);
  CHECK(edges.size() == 4);
  for (std::size_t i = 0; i < edges.size(); ++i)
    CHECK(edges[i].first == i && edges[i].second == i + 1 && edges[i].weight == 1);
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
