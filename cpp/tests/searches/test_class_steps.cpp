// Steps taken inside a class lead to the same class as marks that are completed anew.
#include <algorithm>

#include "check.hpp"
#include "treewright/graphs/cpdag.hpp"
#include "treewright/parallel/seeded_draws.hpp"
#include "treewright/searches/class_graph.hpp"

namespace tw = treewright;

namespace {

// The class that the kept member belongs to.
tw::SharedPdag class_of_member(const tw::ClassGraph& graph) {
  tw::Pdag arrows(graph.size());
  for (tw::Vertex v = 0; v < graph.size(); ++v)
    tw::for_each_bit(graph.member.row(v), graph.words(),
                     [&](std::size_t p) { arrows.point(static_cast<tw::Vertex>(p), v); });
  return tw::ClassGraph::completed(arrows).marks;
}

tw::ClassGraph without_vertex(const tw::ClassGraph& graph, tw::Vertex v) {
  tw::Pdag arrows(graph.size());
  for (tw::Vertex u = 0; u < graph.size(); ++u)
    tw::for_each_bit(graph.member.row(u), graph.words(), [&](std::size_t p) {
      if (u != v && p != v) arrows.point(static_cast<tw::Vertex>(p), u);
    });
  return tw::ClassGraph::completed(arrows);
}

// Everything that differs is among the changes.
bool are_changes(const tw::ClassGraph& before, const tw::ClassGraph& after, const tw::Changes& changes) {
  const auto among = [](const std::vector<tw::Vertex>& vertices, tw::Vertex v) {
    return std::find(vertices.begin(), vertices.end(), v) != vertices.end();
  };
  for (tw::Vertex u = 0; u < before.size(); ++u)
    for (tw::Vertex v = 0; v < before.size(); ++v) {
      const bool same = before.marks.parents.test(u, v) == after.marks.parents.test(u, v) &&
                        before.marks.neighbours.test(u, v) == after.marks.neighbours.test(u, v);
      if (!same && !(among(changes.marks, u) && among(changes.marks, v))) return false;
      if (before.adjacent.test(u, v) != after.adjacent.test(u, v) && !among(changes.adjacency, u))
        return false;
    }
  return true;
}

}  // namespace

TEST(walks_through_classes) {
  tw::Draws draws(7);
  std::size_t local = 0, taken = 0, taken_off = 0;
  for (std::size_t walk = 0; walk < 60; ++walk) {
    tw::ClassGraph graph(3 + walk % 6);
    for (std::size_t i = 0; i < 40; ++i) {
      const tw::ClassGraph before = graph;
      if (draws.happens(0.05)) {
        const auto v = static_cast<tw::Vertex>(draws.below(graph.size()));
        const tw::Changes changes = tw::take_off(graph, v);
        CHECK(graph.marks == without_vertex(before, v).marks);
        CHECK(are_changes(before, graph, changes));
        ++taken_off;
      } else {
        const auto steps = tw::all_steps(graph);
        if (steps.empty()) break;
        // inserts are many: half of the time another step
        tw::ClassOperator step = steps[draws.below(steps.size())];
        for (int k = 0; k < 6 && step.move == tw::ClassMove::insert && draws.happens(0.5); ++k)
          step = steps[draws.below(steps.size())];
        const tw::ClassGraph wanted = tw::ClassGraph::completed(tw::applied(before, step));
        ++taken;
        if (const auto changes = tw::take(graph, step)) {
          ++local;
          CHECK(are_changes(before, graph, *changes));
        } else {
          CHECK(graph.marks == before.marks && step.move == tw::ClassMove::turn);
          graph = wanted;
        }
        CHECK(graph.marks == wanted.marks);
      }
      CHECK(graph.adjacent == graph.marks.adjacency());
      CHECK(class_of_member(graph) == graph.marks);
    }
  }
  CHECK(local * 10 > taken * 9);
  CHECK(taken_off > 20);
}
