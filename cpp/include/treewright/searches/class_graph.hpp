// An equivalence class of DAGs that a search edits: marks, adjacency, and the steps to other classes.
//
// Insert and delete are those of Chickering (2002), turn is that of Hauser & Buehlmann (2012). Each stands
// for one arc added, removed or reversed in some member of the class, and together they reach every class
// that such a move reaches.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "treewright/graphs/bits.hpp"
#include "treewright/graphs/dag.hpp"
#include "treewright/graphs/pdag.hpp"

namespace treewright {

struct ClassGraph {
  explicit ClassGraph(std::size_t n = 0) : marks(n), adjacent(n), member(n) {}
  /// The class of the DAGs that extend these marks; throws std::invalid_argument when there are none.
  static ClassGraph completed(Pdag marks);
  /// The class of a DAG, given as rows of parents and an order in which parents come first.
  static ClassGraph of(const BitMatrix& parents, std::span<const Vertex> order);

  std::size_t size() const { return marks.size(); }
  std::size_t words() const { return marks.words(); }

  SharedPdag marks;
  SharedBits adjacent;
  SharedBits member;  // parents in some DAG of the class
};

enum class ClassMove : std::uint8_t { insert, remove, turn };
inline constexpr std::size_t kMoves = 3;

/// A step around the edge between x and y, judged at the child y.
///
/// insert, turn: `set` is the paper's C, the neighbours of y that become its parents beside x.
/// remove: `set` is the paper's H, common neighbours that become children of y and x.
struct ClassOperator {
  ClassMove move;
  Vertex x, y;
  std::vector<Vertex> set;  // rising
};

/// The same, its set borrowed: what is asked about again and again.
struct Attempt {
  ClassMove move;
  Vertex x, y;
  std::span<const Vertex> set;
  Attempt(ClassMove move, Vertex x, Vertex y, std::span<const Vertex> set)
      : move(move), x(x), y(y), set(set) {}
  Attempt(const ClassOperator& step) : Attempt(step.move, step.x, step.y, step.set) {}
};

/// Neighbours of y that are adjacent to x (the paper's NA), rising.
std::vector<Vertex> shared_neighbours(const ClassGraph& graph, Vertex x, Vertex y);

/// Call `visit(clique)` for the cliques among `candidates` (rising), smaller prefixes first, the empty one
/// too; one for which it says false is not grown further.
template <class Visit>
void for_each_clique(const ClassGraph& graph, std::span<const Vertex> candidates, std::vector<Vertex>& clique,
                     Visit&& visit) {
  if (!visit(static_cast<const std::vector<Vertex>&>(clique))) return;
  std::vector<Vertex> rest;
  for (std::size_t i = 0; i < candidates.size(); ++i) {
    rest.clear();
    for (std::size_t j = i + 1; j < candidates.size(); ++j)
      if (graph.adjacent.test(candidates[i], candidates[j])) rest.push_back(candidates[j]);
    clique.push_back(candidates[i]);
    for_each_clique(graph, rest, clique, visit);
    clique.pop_back();
  }
}

bool is_clique(const ClassGraph& graph, std::span<const Vertex> set);

/// For an undirected x - y: does the part of C that neighbours x too cut the rest of C from their other
/// common neighbours, among the neighbours of y? Then y may be a child of C, and of x once that is turned.
bool may_turn_line(const ClassGraph& graph, Vertex x, Vertex y, std::span<const Vertex> set);

/// A path that makes the step close a cycle; empty when it is sound. Only inserts and turned arrows can fail.
std::vector<Vertex> obstacle(const ClassGraph& graph, const Attempt& step);
/// Does a path found for this step earlier still stand?
bool is_obstacle(const ClassGraph& graph, const Attempt& step, std::span<const Vertex> path);

/// Vertices at which a step changed marks, and those at which it changed what they are adjacent to.
struct Changes {
  std::vector<Vertex> marks, adjacency;
};

/// Take a sound step, looking only at what it can reach. A few turns need a member that only a search through
/// the whole graph finds: then nothing happens, and the marks are to be completed.
std::optional<Changes> take(ClassGraph& graph, const ClassOperator& step);
/// Take all edges off a vertex. The v-structures elsewhere stay, so any member leads to the same class.
Changes take_off(ClassGraph& graph, Vertex v);

/// The marks after a sound step, not completed yet.
Pdag applied(const ClassGraph& graph, const ClassOperator& step);

/// The canonical member of a class (the one that ends with the largest vertices), as rows of parents, after
/// some childless and parentless vertices were hung on others: arcs (original, copy).
BitMatrix canonical_member(const ClassGraph& graph, std::span<const Arc> hung = {});

/// Every sound step from a class: slow and complete, for tests.
std::vector<ClassOperator> all_steps(const ClassGraph& graph);

}  // namespace treewright
