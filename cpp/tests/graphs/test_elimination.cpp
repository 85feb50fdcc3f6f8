#include "check.hpp"
#include "graphs.hpp"
#include "treewright/graphs/elimination.hpp"

namespace tw = treewright;

TEST(edges_come_back_as_they_went_in) {
  const std::vector<tw::Vertex> ends{0, 1, 2, 70, 3, 64};
  CHECK(tw::edges_of(tw::from_edges(80, ends)) == ends);
  bool refused = false;
  try {
    tw::from_edges(3, std::vector<tw::Vertex>{1, 1});
  } catch (const std::invalid_argument&) {
    refused = true;
  }
  CHECK(refused);
}

TEST(relabelling_there_and_back_changes_nothing) {
  const tw::BitMatrix graph = random_graph(100, 5, 1);
  tw::Order order;
  for (tw::Vertex v = 0; v < 100; ++v) order.push_back(v * 37 % 100);
  CHECK(tw::relabelled(tw::relabelled(graph, order), tw::inverse(order)) == graph);
}

TEST(sets_inside_others_are_found) {
  tw::SetList sets;
  for (const auto& one : {tw::Order{0, 1}, {0, 1, 2}, {3}, {2, 1}, {3}}) {
    sets.members.insert(sets.members.end(), one.begin(), one.end());
    sets.close();
  }
  CHECK((tw::containers(4, sets) == std::vector<std::int64_t>{1, -1, -1, 1, 2}));
}

TEST(every_order_leads_to_a_chordal_supergraph) {
  tw::Cancel cancel;
  for (unsigned seed = 0; seed < 20; ++seed) {
    const tw::BitMatrix graph = random_graph(70, 3, seed);
    for (const char* method : {"min_fill", "min_degree", "mcs", "mcs_m", "lex_bfs", "lex_m"}) {
      const tw::Order order = tw::elimination_order(graph, method, cancel);
      tw::check_permutation(order, graph.size());
      const tw::Elimination result = tw::eliminate(graph, order);
      CHECK(tw::edges_of(tw::eliminate(result.filled, order).filled) == tw::edges_of(result.filled));
      std::int64_t largest = 0;
      for (std::size_t i = 0; i < result.cliques.size(); ++i)
        largest = std::max(largest, static_cast<std::int64_t>(result.cliques[i].size()));
      CHECK(largest == result.width + 1);
    }
  }
}

TEST(the_empty_graph_has_an_empty_order) {
  tw::Cancel cancel;
  const tw::BitMatrix none(0);
  for (const char* method : {"min_fill", "min_degree", "mcs", "mcs_m", "lex_bfs", "lex_m"})
    CHECK(tw::elimination_order(none, method, cancel).empty());
  CHECK(tw::eliminate(none, tw::Order{}).width == -1);
}

TEST(a_request_to_stop_is_obeyed) {
  tw::Cancel cancel;
  cancel.request();
  bool stopped = false;
  try {
    tw::min_fill_order(random_graph(50, 3, 1), cancel);
  } catch (const tw::Cancelled&) {
    stopped = true;
  }
  CHECK(stopped);
}
