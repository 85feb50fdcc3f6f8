#include "check.hpp"
#include "graphs.hpp"
#include "treewright/graphs/cliques.hpp"

namespace tw = treewright;

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
