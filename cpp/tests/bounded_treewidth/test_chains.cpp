#include <algorithm>

#include "check.hpp"
#include "graphs.hpp"
#include "treewright/bounded_treewidth/chains.hpp"
#include "treewright/graphs/elimination.hpp"

namespace tw = treewright;

TEST(one_walk_finds_what_pairs_find) {
  tw::Cancel cancel;
  for (unsigned seed = 0; seed < 15; ++seed) {
    const tw::BitMatrix graph = random_graph(20 + 10 * seed, 3, seed);
    const tw::Order order = tw::min_fill_order(graph, cancel);
    const tw::BitMatrix chordal = tw::eliminate(graph, order).filled;
    const tw::InducedNodes induced(chordal, order);
    for (tw::Vertex s = 0; s < graph.size(); s += 3) {
      const tw::InducedFrom from = induced.from(s);
      for (tw::Vertex t = 0; t < graph.size(); ++t) {
        tw::Order found;
        if (const tw::Word* row = from.to(t))
          tw::for_each_bit(row, from.words,
                           [&](std::size_t v) { found.push_back(static_cast<tw::Vertex>(v)); });
        CHECK(found == induced.between(s, t));
      }
    }
  }
}

TEST(blocks_that_are_too_large_to_remember_walk_again) {
  tw::Cancel cancel;
  const std::size_t n = tw::ChordalBlock::remembered + 40;
  tw::BitMatrix strip(n);
  for (std::size_t v = 0; v + 1 < n; ++v) {
    strip.join(v, v + 1);
    if (v + 2 < n) strip.join(v, v + 2);
  }
  tw::ChordalCover cover(strip, cancel);
  CHECK(cover.width() == 2);
  tw::BlockWalk walk;
  const auto last = static_cast<tw::Vertex>(n - 1);
  const tw::Order parents{last - 1};
  for (const tw::Vertex s : {0u, 7u, 0u}) {
    const tw::CoverUpdate update = cover.propose(s, last, parents, tw::UpdateRule::block_wise, walk);
    CHECK(update.edges.size() == n - 3 - s);
    CHECK(update.block_width == 3);
  }
  const tw::CoverUpdate update = cover.propose(0, last, parents, tw::UpdateRule::block_wise, walk);
  CHECK(!cover.accept(update, 2, cancel));
  CHECK(cover.width() == 2);
  CHECK(cover.accept(update, 3, cancel));
  CHECK(cover.width() == 3);
  CHECK(tw::perfect_order(cover.graph(), cancel).has_value());
}

TEST(a_chain_of_nothing_is_empty) { CHECK(tw::best_chain({}, 3).empty()); }
