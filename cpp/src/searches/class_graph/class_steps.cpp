// Steps taken inside a class: only what a step can reach is looked at.
//
// A step adds, removes or turns one arc in some member of the class. The class keeps a member; it is turned
// into one that the step applies to by ordering anew the undirected component of the child. Which arrows into
// a vertex are compelled follows from its ancestors alone, so after the step only the descendants of the
// vertices that got other parents are labelled again.
#include <algorithm>

#include "treewright/searches/class_graph.hpp"

namespace treewright {
namespace {

using Vertices = std::vector<Vertex>;

template <class F>
void each(const SharedBits& rows, Vertex v, F&& f) {
  for_each_bit(rows.row(v), rows.words(), [&](std::size_t u) { f(static_cast<Vertex>(u)); });
}

void erase_edge(ClassGraph& graph, Vertex u, Vertex v) {
  for (SharedBits* rows :
       {&graph.marks.parents, &graph.marks.children, &graph.marks.neighbours, &graph.adjacent, &graph.member})
    rows->reset(u, v), rows->reset(v, u);
}

// Order an undirected component, a clique first, then always a vertex with most ordered neighbours: the
// component is chordal, so these are a clique too, and the edges from earlier to later ones make no
// v-structure (Tarjan & Yannakakis 1984).
void order_anew(ClassGraph& graph, std::span<const Vertex> clique, Vertices& moved) {
  const SharedBits& lines = graph.marks.neighbours;
  std::vector<std::uint32_t> n_ordered(graph.size(), 0);
  std::vector<bool> ordered(graph.size(), false);
  std::vector<Vertices> by_count(1);
  const auto put = [&](Vertex v) {
    ordered[v] = true;
    moved.push_back(v);
    each(lines, v, [&](Vertex u) {
      if (ordered[u]) {
        graph.member.set(v, u), graph.member.reset(u, v);
        return;
      }
      if (++n_ordered[u] == by_count.size()) by_count.emplace_back();
      by_count[n_ordered[u]].push_back(u);
    });
  };
  for (const Vertex v : clique) put(v);
  while (by_count.size() > 1) {
    if (by_count.back().empty()) {
      by_count.pop_back();
      continue;
    }
    const Vertex v = by_count.back().back();
    const std::size_t count = by_count.size() - 1;
    by_count.back().pop_back();
    if (!ordered[v] && n_ordered[v] == count) put(v);
  }
}

// Among the neighbours of v, are the parents in the member exactly these?
bool has_parents_among_neighbours(const ClassGraph& graph, Vertex v, std::span<const Vertex> wanted) {
  std::size_t found = 0;
  bool good = true;
  each(graph.marks.neighbours, v, [&](Vertex u) {
    if (!graph.member.test(v, u)) return;
    ++found;
    good = good && std::ranges::find(wanted, u) != wanted.end();
  });
  return good && found == wanted.size();
}

// Labels after a change of parents, from the vertices concerned down to their descendants.
class Relabelling {
 public:
  Relabelling(ClassGraph& graph, Changes& changes)
      : graph_(graph), changes_(changes), dirty_(graph.size(), false), moved_(graph.size(), false) {}

  void run(std::span<const Vertex> heads, std::span<const Vertex> moved) {
    for (const Vertex v : moved) {
      dirty_[v] = moved_[v] = true;
      each_child(v, [&](Vertex child) { dirty_[child] = true; });
    }
    for (const Vertex v : heads) dirty_[v] = moved_[v] = true;
    const Vertices order = descendants(heads);
    for (auto at = order.rbegin(); at != order.rend(); ++at) {
      if (!dirty_[*at]) continue;
      if (label(*at) || moved_[*at]) each_child(*at, [&](Vertex child) { dirty_[child] = true; });
    }
  }

 private:
  template <class F>
  void each_child(Vertex v, F&& f) const {
    each(graph_.marks.children, v, f);
    each(graph_.marks.neighbours, v, [&](Vertex u) {
      if (graph_.member.test(u, v)) f(u);
    });
  }

  // The heads and all below them, children before parents.
  Vertices descendants(std::span<const Vertex> heads) const {
    Vertices order;
    std::vector<bool> seen(graph_.size(), false);
    std::vector<std::pair<Vertex, bool>> open;  // to be entered, or to be left
    for (const Vertex head : heads) {
      open.emplace_back(head, false);
      while (!open.empty()) {
        const auto [v, done] = open.back();
        open.pop_back();
        if (done) {
          order.push_back(v);
        } else if (!seen[v]) {
          seen[v] = true;
          open.emplace_back(v, true);
          each_child(v, [&](Vertex child) {
            if (!seen[child]) open.emplace_back(child, false);
          });
        }
      }
    }
    return order;
  }

  // Chickering's rule by the last parent, the one that all others are parents of. Without such a parent two
  // of them are apart and all arrows are compelled.
  bool label(Vertex v) {
    const Word* into = graph_.member.row(v);
    const std::size_t words = graph_.words();
    const Word* compelled = into;
    each(graph_.member, v, [&](Vertex x) {
      const Word *into_x = graph_.member.row(x), *known = graph_.marks.parents.row(x);
      bool is_last = true, all = false;
      for (std::size_t i = 0; i < words && is_last; ++i) {
        const Word itself = x / 64 == i ? Word{1} << (x % 64) : 0;
        is_last = !(into[i] & ~into_x[i] & ~itself);
        all = all || (known[i] & ~into[i]);
      }
      if (is_last && !all) compelled = known;
    });
    Vertices wrong;  // found before a mark is changed, which may move the rows
    for_each_bit(into, words, [&](std::size_t p) {
      const bool wanted = compelled[p / 64] >> (p % 64) & 1;
      if (wanted != graph_.marks.parents.test(v, p)) wrong.push_back(static_cast<Vertex>(p));
    });
    for (const Vertex p : wrong) {
      if (graph_.marks.parents.test(v, p)) {
        graph_.marks.parents.reset(v, p), graph_.marks.children.reset(p, v);
        graph_.marks.join(p, v);
      } else {
        graph_.marks.orient(p, v);
      }
      changes_.marks.push_back(p);
    }
    if (!wrong.empty()) changes_.marks.push_back(v);
    return !wrong.empty();
  }

  ClassGraph& graph_;
  Changes& changes_;
  std::vector<bool> dirty_, moved_;
};

void tidy(Vertices& vertices) {
  std::ranges::sort(vertices);
  vertices.erase(std::ranges::unique(vertices).begin(), vertices.end());
}

}  // namespace

std::optional<Changes> take(ClassGraph& graph, const ClassOperator& step) {
  const auto& [move, x, y, set] = step;
  const bool is_line = graph.marks.neighbours.test(x, y);
  Vertices clique = set;
  if (move == ClassMove::remove) {
    clique = shared_neighbours(graph, x, y);
    std::erase_if(clique, [&](Vertex v) { return std::ranges::find(set, v) != set.end(); });
    if (is_line) clique.push_back(x);
  }
  Vertices moved, heads{y};
  if (move == ClassMove::turn && is_line) {
    // such a member is not made by an order that begins with a clique; mostly it is there already
    Vertices of_x{y};
    for (const Vertex c : set)
      if (graph.marks.neighbours.test(x, c)) of_x.push_back(c);
    if (!has_parents_among_neighbours(graph, y, clique) || !has_parents_among_neighbours(graph, x, of_x))
      return std::nullopt;
  } else {
    if (!has_parents_among_neighbours(graph, y, clique)) {
      clique.push_back(y);
      order_anew(graph, clique, moved);
    }
    if (move == ClassMove::turn && !has_parents_among_neighbours(graph, x, {}))
      order_anew(graph, std::span(&x, 1), moved);
  }
  Changes changes;
  changes.marks = {x, y};
  if (move != ClassMove::turn) changes.adjacency = {std::min(x, y), std::max(x, y)};
  erase_edge(graph, x, y);
  if (move != ClassMove::remove) {
    graph.marks.point(x, y);
    graph.adjacent.join(x, y);
    graph.member.set(y, x);
  }
  if (move == ClassMove::turn) heads.push_back(x);
  Relabelling(graph, changes).run(heads, moved);
  tidy(changes.marks);
  return changes;
}

Changes take_off(ClassGraph& graph, Vertex v) {
  Changes changes;
  Vertices heads{v};
  changes.marks = {v};
  each(graph.adjacent, v, [&](Vertex u) {
    if (graph.member.test(u, v)) heads.push_back(u);
    changes.marks.push_back(u);
  });
  for (std::size_t i = 1; i < changes.marks.size(); ++i) erase_edge(graph, v, changes.marks[i]);
  changes.adjacency = changes.marks;
  Relabelling(graph, changes).run(heads, {});
  tidy(changes.marks);
  return changes;
}

}  // namespace treewright
