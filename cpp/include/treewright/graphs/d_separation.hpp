// d-separation by reachability: which vertices does a ball thrown at the sources reach, given some?
//
// A ball that comes from below passes on to parents and children; one that comes from above passes to
// children, and turns back up where it meets a vertex that is given or has a given descendant. Each vertex is
// visited at most once from each side, so a walk costs O(vertices + arcs).
#pragma once

#include <cstdint>
#include <span>
#include <tuple>
#include <vector>

#include "treewright/graphs/dag.hpp"
#include "treewright/parallel/cancel.hpp"

namespace treewright {

using SeparationQuery = std::tuple<Vertex, Vertex, std::vector<Vertex>>;  // x, y, given

/// Holds the marks of a walk, so that many questions need one allocation. Not for several threads at once.
class DSeparation {
 public:
  explicit DSeparation(const Dag& dag) : dag_(dag), marks_(dag.size(), 0) {}

  /// Throws std::invalid_argument when x and y coincide or one of them is given, std::out_of_range for
  /// vertices the graph does not have.
  bool separated(Vertex x, Vertex y, std::span<const Vertex> given);

  /// Call `f(v)` for every vertex connected to a source given the rest, sources included.
  template <class F>
  void for_each_connected(std::span<const Vertex> sources, std::span<const Vertex> given, F&& f) {
    begin(given);
    for (const Vertex s : sources) throw_ball(s, kFromBelow);
    walk(kUnbounded);
    for (const Vertex v : touched_)
      if (marks_[v] & (kFromAbove | kFromBelow) && !(marks_[v] & kGiven)) f(v);
    forget();
  }

 private:
  static constexpr std::uint8_t kGiven = 1, kAboveGiven = 2, kRelevant = 4, kFromAbove = 8, kFromBelow = 16;
  static constexpr Vertex kUnbounded = ~Vertex{0};

  void require(Vertex v) const;
  void mark(Vertex v, std::uint8_t what);
  void mark_ancestors(Vertex v, std::uint8_t what);
  void begin(std::span<const Vertex> given);
  void throw_ball(Vertex v, std::uint8_t side);
  bool walk(Vertex target);
  void forget();

  const Dag& dag_;
  std::vector<std::uint8_t> marks_;
  std::vector<Vertex> touched_, stack_;
  std::vector<std::pair<Vertex, std::uint8_t>> balls_;
};

/// One answer per query, on several threads when there are many.
std::vector<std::uint8_t> separated_many(const Dag& dag, std::span<const SeparationQuery> queries,
                                         Cancel& cancel);

}  // namespace treewright
