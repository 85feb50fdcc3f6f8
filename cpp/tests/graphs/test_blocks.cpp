#include "check.hpp"
#include "graphs.hpp"
#include "treewright/graphs/blocks.hpp"

namespace tw = treewright;

TEST(cycles_that_touch_are_blocks_of_their_own) {
  tw::Cancel cancel;
  tw::BitMatrix graph(8);
  for (std::size_t v = 0; v < 4; ++v) graph.join(v, (v + 1) % 4);
  for (std::size_t v = 3; v < 6; ++v) graph.join(v, v == 5 ? 3 : v + 1);
  graph.join(5, 6);
  const tw::SetList blocks = tw::biconnected_components(graph, cancel);
  CHECK((blocks.offsets == std::vector<std::int64_t>{0, 4, 7, 9, 10}));
  CHECK((blocks.members == tw::Order{0, 1, 2, 3, 3, 4, 5, 5, 6, 7}));
}

TEST(every_edge_lies_in_one_block) {
  tw::Cancel cancel;
  for (unsigned seed = 0; seed < 20; ++seed) {
    const tw::BitMatrix graph = random_graph(200, 2, seed);
    const tw::SetList blocks = tw::biconnected_components(graph, cancel);
    const tw::SetList holders = tw::transposed(blocks, graph.size());
    const auto ends = tw::edges_of(graph);
    for (std::size_t i = 0; i < ends.size(); i += 2) {
      const auto a = holders[ends[i]], b = holders[ends[i + 1]];
      tw::Order common;
      std::set_intersection(a.begin(), a.end(), b.begin(), b.end(), std::back_inserter(common));
      CHECK(common.size() == 1);
    }
  }
}
