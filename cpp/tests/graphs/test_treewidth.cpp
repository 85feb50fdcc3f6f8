#include "check.hpp"
#include "graphs.hpp"
#include "treewright/graphs/elimination.hpp"
#include "treewright/graphs/treewidth.hpp"

namespace tw = treewright;

TEST(grids_have_the_treewidth_of_their_side) {
  tw::Cancel cancel;
  for (std::size_t side = 1; side <= 5; ++side) {
    const tw::Treewidth found = tw::bound_treewidth(grid(side), 30, cancel);
    CHECK(found.unresolved == 0);
    CHECK(found.upper == static_cast<std::int64_t>(side == 1 ? 0 : side));
    CHECK(tw::eliminate(grid(side), found.order).width == found.upper);
  }
}

TEST(bounds_enclose_and_orders_keep_their_promise) {
  tw::Cancel cancel;
  for (unsigned seed = 0; seed < 20; ++seed) {
    const tw::BitMatrix graph = random_graph(90, 3, seed);
    const tw::Treewidth found = tw::bound_treewidth(graph, 0, cancel);
    CHECK(tw::degeneracy(graph) <= found.upper);
    CHECK(tw::contraction_bound(graph, cancel) <= found.lower);
    CHECK(found.lower <= found.upper);
    CHECK(tw::eliminate(graph, found.order).width == found.upper);
    for (std::int64_t width = 0; width <= found.upper; ++width)
      if (const auto order = tw::fits(graph, width, cancel)) {
        CHECK(width >= found.lower);
        CHECK(tw::eliminate(graph, *order).width <= width);
      }
  }
}

TEST(no_vertices_fit_any_width) {
  tw::Cancel cancel;
  CHECK(tw::fits(tw::BitMatrix(0), -1, cancel)->empty());
  CHECK(!tw::fits(tw::BitMatrix(1), -1, cancel));
  CHECK(tw::bound_treewidth(tw::BitMatrix(0), 30, cancel).upper == -1);
}
