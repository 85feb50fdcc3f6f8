#include "treewright/searches/class_graph.hpp"

#include <algorithm>
#include <numeric>
#include <stdexcept>

#include "treewright/graphs/cpdag.hpp"

namespace treewright {
namespace {

std::vector<Word> bits_of(std::size_t words, std::span<const Vertex> set) {
  std::vector<Word> bits(words, 0);
  for (const Vertex v : set) bits[v / 64] |= Word{1} << (v % 64);
  return bits;
}

std::vector<Vertex> in_order(std::size_t n) {
  std::vector<Vertex> ranks(n);
  std::iota(ranks.begin(), ranks.end(), Vertex{0});
  return ranks;
}

bool has(const std::vector<Word>& bits, std::size_t v) { return bits[v / 64] >> (v % 64) & 1; }

void erase_mark(Pdag& marks, Vertex u, Vertex v) {
  for (BitMatrix* rows : {&marks.parents, &marks.children, &marks.neighbours})
    rows->reset(u, v), rows->reset(v, u);
}

// What a path from y to x must meet: C, and for a turned arrow the neighbours of x as well.
std::vector<Word> barrier(const ClassGraph& graph, const Attempt& step) {
  std::vector<Word> bits = bits_of(graph.words(), step.set);
  if (step.move == ClassMove::turn)
    for (std::size_t i = 0; i < bits.size(); ++i) bits[i] |= graph.marks.neighbours.row(step.x)[i];
  return bits;
}

bool can_fail(const ClassGraph& graph, const Attempt& step) {
  return step.move == ClassMove::insert ||
         (step.move == ClassMove::turn && !graph.marks.neighbours.test(step.x, step.y));
}

}  // namespace

ClassGraph ClassGraph::completed(Pdag marks) {
  const std::vector<Vertex> ranks = in_order(marks.size());
  const auto extension = consistent_extension(std::move(marks), ranks);
  if (!extension) throw std::invalid_argument("no DAG extends these marks");
  return of(extension->parents, extension->order);
}

ClassGraph ClassGraph::of(const BitMatrix& parents, std::span<const Vertex> order) {
  ClassGraph graph;
  graph.marks = SharedPdag(cpdag_of(parents, order));
  graph.adjacent = graph.marks.adjacency();
  graph.member = SharedBits(parents);
  return graph;
}

std::vector<Vertex> shared_neighbours(const ClassGraph& graph, Vertex x, Vertex y) {
  std::vector<Vertex> shared;
  const Word *lines = graph.marks.neighbours.row(y), *known = graph.adjacent.row(x);
  for (std::size_t i = 0; i < graph.words(); ++i)
    for (Word rest = lines[i] & known[i]; rest; rest &= rest - 1)
      shared.push_back(static_cast<Vertex>(i * 64 + static_cast<std::size_t>(std::countr_zero(rest))));
  return shared;
}

bool is_clique(const ClassGraph& graph, std::span<const Vertex> set) {
  for (std::size_t i = 0; i < set.size(); ++i)
    for (std::size_t j = i + 1; j < set.size(); ++j)
      if (!graph.adjacent.test(set[i], set[j])) return false;
  return true;
}

bool may_turn_line(const ClassGraph& graph, Vertex x, Vertex y, std::span<const Vertex> set) {
  const SharedBits& lines = graph.marks.neighbours;
  const std::vector<Word> clique = bits_of(graph.words(), set);
  std::vector<Vertex> open;
  for (const Vertex v : set)
    if (!lines.test(x, v)) open.push_back(v);
  if (open.empty()) return false;  // then the turn leads back to this class
  std::vector<Word> seen = bits_of(graph.words(), open);
  while (!open.empty()) {
    const Vertex u = open.back();
    open.pop_back();
    for (std::size_t i = 0; i < graph.words(); ++i)
      for (Word rest = lines.row(u)[i] & lines.row(y)[i] & ~seen[i]; rest; rest &= rest - 1) {
        const std::size_t v = i * 64 + static_cast<std::size_t>(std::countr_zero(rest));
        if (v == x || has(clique, v)) continue;  // x is not of the graph; C & N is what cuts
        if (lines.test(x, v)) return false;
        seen[i] |= Word{1} << (v % 64);
        open.push_back(static_cast<Vertex>(v));
      }
  }
  return true;
}

std::vector<Vertex> obstacle(const ClassGraph& graph, const Attempt& step) {
  if (!can_fail(graph, step)) return {};
  const SharedPdag& marks = graph.marks;
  const std::size_t words = graph.words();
  std::vector<Word> closed = barrier(graph, step);
  closed[step.y / 64] |= Word{1} << (step.y % 64);
  std::vector<Vertex> queue{step.y};
  std::vector<std::uint32_t> from{0};  // place of the predecessor in the queue
  for (std::size_t at = 0; at < queue.size(); ++at) {
    const Vertex u = queue[at];
    const Word *children = marks.children.row(u), *lines = marks.neighbours.row(u);
    for (std::size_t i = 0; i < words; ++i)
      for (Word rest = (children[i] | lines[i]) & ~closed[i]; rest; rest &= rest - 1) {
        const auto v = static_cast<Vertex>(i * 64 + static_cast<std::size_t>(std::countr_zero(rest)));
        if (v == step.x) {
          if (u == step.y && step.move == ClassMove::turn) continue;  // the arrow that is turned
          std::vector<Vertex> path{v};
          for (std::size_t k = at;; k = from[k]) {
            path.push_back(queue[k]);
            if (k == 0) break;
          }
          std::ranges::reverse(path);
          return path;
        }
        closed[i] |= Word{1} << (v % 64);
        queue.push_back(v);
        from.push_back(static_cast<std::uint32_t>(at));
      }
  }
  return {};
}

bool is_obstacle(const ClassGraph& graph, const Attempt& step, std::span<const Vertex> path) {
  const SharedBits& lines = graph.marks.neighbours;
  for (std::size_t i = 0; i + 1 < path.size(); ++i) {
    if (!graph.marks.children.test(path[i], path[i + 1]) && !lines.test(path[i], path[i + 1])) return false;
    if (i > 0 && step.move == ClassMove::turn && lines.test(step.x, path[i])) return false;
  }
  return path.size() >= 2;  // C is the same as when the path was found
}

Pdag applied(const ClassGraph& graph, const ClassOperator& step) {
  Pdag marks(graph.marks);
  const auto& [move, x, y, set] = step;
  const auto orient = [&](Vertex from, Vertex to) {
    if (marks.neighbours.test(from, to)) marks.orient(from, to);
  };
  switch (move) {
    case ClassMove::insert:
      marks.point(x, y);
      for (const Vertex t : set)
        if (!graph.adjacent.test(t, x)) orient(t, y);
      break;
    case ClassMove::remove:
      erase_mark(marks, x, y);
      for (const Vertex h : set) orient(y, h), orient(x, h);
      break;
    case ClassMove::turn:
      erase_mark(marks, x, y);
      marks.point(x, y);
      for (const Vertex c : set) orient(c, y);
      break;
  }
  return marks;
}

BitMatrix canonical_member(const ClassGraph& graph, std::span<const Arc> hung) {
  const std::vector<Vertex> ranks = in_order(graph.size());
  BitMatrix parents = consistent_extension(Pdag(graph.marks), ranks)->parents;
  if (hung.empty()) return parents;
  Pdag dag(graph.size());
  for (Vertex v = 0; v < graph.size(); ++v)
    for_each_bit(parents.row(v), parents.words(),
                 [&](std::size_t p) { dag.point(static_cast<Vertex>(p), v); });
  for (const auto& [original, copy] : hung) {
    if (count_bits(graph.adjacent.row(copy), graph.words()) > 0)
      throw std::invalid_argument("a vertex with edges cannot be hung on another");
    dag.point(original, copy);
  }
  return consistent_extension(Pdag(ClassGraph::completed(dag).marks), ranks)->parents;
}

namespace {

std::vector<Vertex> row_of(const SharedBits& rows, Vertex v) {
  std::vector<Vertex> out;
  for_each_bit(rows.row(v), rows.words(), [&](std::size_t u) { out.push_back(static_cast<Vertex>(u)); });
  return out;
}

bool includes(std::span<const Vertex> larger, std::span<const Vertex> smaller) {
  return std::ranges::includes(larger, smaller);
}

std::vector<Vertex> left_of(std::span<const Vertex> set, std::span<const Vertex> gone) {
  std::vector<Vertex> rest;
  std::ranges::set_difference(set, gone, std::back_inserter(rest));
  return rest;
}

}  // namespace

std::vector<ClassOperator> all_steps(const ClassGraph& graph) {
  std::vector<ClassOperator> steps;
  const auto keep_if_sound = [&](ClassOperator step) {
    if (obstacle(graph, step).empty()) steps.push_back(std::move(step));
  };
  std::vector<Vertex> clique;
  for (Vertex y = 0; y < graph.size(); ++y)
    for (Vertex x = 0; x < graph.size(); ++x) {
      if (x == y) continue;
      const std::vector<Vertex> around = row_of(graph.marks.neighbours, y);
      const std::vector<Vertex> shared = shared_neighbours(graph, x, y);
      if (!graph.adjacent.test(x, y) || graph.marks.children.test(y, x)) {
        const ClassMove move = graph.adjacent.test(x, y) ? ClassMove::turn : ClassMove::insert;
        for_each_clique(graph, around, clique, [&](const std::vector<Vertex>& set) {
          if (includes(set, shared)) keep_if_sound({move, x, y, set});
          return true;
        });
      }
      if (graph.marks.parents.test(y, x) || graph.marks.neighbours.test(y, x))
        for_each_clique(graph, shared, clique, [&](const std::vector<Vertex>& set) {
          steps.push_back({ClassMove::remove, x, y, left_of(shared, set)});
          return true;
        });
      if (graph.marks.neighbours.test(y, x))
        for_each_clique(graph, left_of(around, std::span(&x, 1)), clique, [&](const auto& set) {
          if (may_turn_line(graph, x, y, set)) steps.push_back({ClassMove::turn, x, y, set});
          return true;
        });
    }
  return steps;
}

}  // namespace treewright
