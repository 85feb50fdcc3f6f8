// K-trees that change: they stay K-trees, with the edges that a slow twin says.
#include "check.hpp"
#include "treewright/bounded_treewidth/cover_tree.hpp"
#include "treewright/graphs/chordal.hpp"
#include "treewright/graphs/elimination.hpp"

namespace tw = treewright;

namespace {

/// A K-tree and one of its perfect orders.
tw::CoverTree grown(std::size_t n, std::size_t width, tw::QuickDraws& draws) {
  tw::BitMatrix graph(n);
  tw::Order visit;
  std::vector<tw::Order> cliques;
  for (tw::Vertex v = 0; v < n; ++v) {
    tw::Order on = v <= width ? visit : cliques[draws.below(cliques.size())];
    for (const tw::Vertex u : on) graph.join(u, v);
    visit.push_back(v);
    if (v < width) continue;
    on.push_back(v);
    for (std::size_t out = 0; out < on.size(); ++out) {
      cliques.push_back(on);
      cliques.back().erase(cliques.back().begin() + static_cast<std::ptrdiff_t>(out));
    }
  }
  tw::CoverTree tree(n, width);
  tree.plant(graph, visit);
  return tree;
}

bool is_adjacent(const tw::BitMatrix& graph, tw::Vertex u, tw::Vertex v) { return graph.test(u, v); }

/// What the change says, done to the edges of the graph alone.
tw::BitMatrix changed(const tw::BitMatrix& graph, const tw::CoverChange& change, std::size_t width) {
  tw::BitMatrix after = graph;
  const auto part = [&](tw::Vertex u, tw::Vertex v) { after.reset(u, v), after.reset(v, u); };
  if (change.kind == tw::CoverChange::Kind::exchange) {
    tw::Order names(graph.size());
    for (tw::Vertex v = 0; v < graph.size(); ++v) names[v] = v;
    std::swap(names[change.first], names[change.second]);
    return tw::relabelled(graph, names);
  }
  for (std::size_t i = 0; i < change.vertices.size(); ++i) {
    const tw::Vertex v = change.vertices[i];
    if (change.kind == tw::CoverChange::Kind::slide) {
      part(v, change.first);
      after.join(v, change.second);
      continue;
    }
    for (tw::Vertex u = 0; u < graph.size(); ++u)
      if (graph.test(u, v)) part(u, v);
    for (std::size_t j = 0; j < width; ++j) after.join(v, change.cliques[i * width + j]);
  }
  return after;
}

void check_tree(const tw::CoverTree& tree) {
  const std::size_t n = tree.size(), width = tree.width();
  const tw::BitMatrix graph = tree.graph();
  CHECK(tw::edges_of(graph).size() / 2 == width * n - width * (width + 1) / 2);
  const tw::Elimination done = tw::eliminate(graph, tree.elimination_order());
  CHECK(done.width == static_cast<std::int64_t>(width) && done.filled == graph);
  for (tw::Vertex v = 0; v < n; ++v) {
    CHECK(std::ranges::is_sorted(tree.clique(v)));
    for (const tw::Vertex u : tree.clique(v)) {
      CHECK(std::ranges::count(tree.above(u), v) == 1);
      for (const tw::Vertex w : tree.clique(v)) CHECK(u == w || is_adjacent(graph, u, w));
    }
    for (const tw::Vertex above : tree.above(v)) CHECK(std::ranges::count(tree.clique(above), v) == 1);
  }
}

}  // namespace

TEST(changes_leave_a_tree_with_the_edges_of_the_twin) {
  for (std::size_t width = 1; width <= 4; ++width) {
    tw::QuickDraws draws(width);
    tw::CoverTree tree = grown(14, width, draws);
    check_tree(tree);
    tw::CoverChange change;
    std::size_t made[3] = {0, 0, 0};
    for (int step = 0; step < 900; ++step) {
      const auto v = static_cast<tw::Vertex>(draws.below(14)),
                 near = static_cast<tw::Vertex>(draws.below(14));
      const bool drawn = step % 3 == 0   ? tree.draw_leaf(v, near, draws, change)
                         : step % 3 == 1 ? tree.draw_slide(v, draws, change)
                                         : tree.draw_exchange(v, draws, change);
      if (!drawn) continue;
      ++made[step % 3];
      const tw::BitMatrix expected = changed(tree.graph(), change, width);
      tree.make(change);
      CHECK(tree.graph() == expected);
      check_tree(tree);
    }
    CHECK(made[0] > 10 && made[2] > 10 && (width == 1 ? made[1] == 0 : made[1] > 10));
  }
}

TEST(a_branch_slides_as_a_whole) {
  // 2 on {0, 1}, 3 on {0, 1}, 4 on {1, 3}, 5 on {1, 4}: when 3 leaves 1 for 2, so do 4 and 5
  tw::BitMatrix graph(6);
  for (const auto& [u, v] : std::vector<std::pair<tw::Vertex, tw::Vertex>>{
           {0, 1}, {0, 2}, {1, 2}, {0, 3}, {1, 3}, {1, 4}, {3, 4}, {1, 5}, {4, 5}})
    graph.join(u, v);
  tw::CoverTree tree(6, 2);
  tree.plant(graph, {0, 1, 2, 3, 4, 5});
  tw::QuickDraws draws(0);
  tw::CoverChange change;
  while (!tree.draw_slide(3, draws, change) || change.first != 1 || change.second != 2) {
  }
  CHECK((change.vertices == tw::Order{3, 4, 5}));
  tree.make(change);
  CHECK((tw::Order(tree.clique(5).begin(), tree.clique(5).end()) == tw::Order{2, 4}));
  check_tree(tree);
}

TEST(a_ball_lies_together) {
  tw::QuickDraws draws(3);
  const tw::CoverTree tree = grown(30, 3, draws);
  const tw::BitMatrix graph = tree.graph();
  for (int i = 0; i < 20; ++i) {
    const tw::Order ball = tree.draw_ball(9, draws);
    CHECK(ball.size() == 9);
    for (std::size_t j = 1; j < ball.size(); ++j) {
      const auto joins = [&](tw::Vertex u) { return graph.test(ball[j], u); };
      CHECK(std::any_of(ball.begin(), ball.begin() + static_cast<std::ptrdiff_t>(j), joins));
    }
  }
  CHECK(tree.draw_ball(100, draws).size() == 30);
}
