// The moves of a search among DAGs: which there are, what each gains, and the best one.
//
// Gains stand in one column per child: what adding each other vertex to its parents gains, or removing it
// where it is one. A move changes the columns of one child (two when an arc is turned), each rescored by one
// question. The best move of every child is remembered; it is looked for again only when its column changed,
// when it became illegal, or when a removal may have made others legal.
//
// Vertices are ranks of names. Moves of equal gain come in the order child, parent, kind: by name.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "treewright/criteria/local_scores.hpp"
#include "treewright/graphs/dag_builder.hpp"

namespace treewright {

enum class MoveKind : std::uint8_t { add, remove, reverse };

/// `from` -> `to` is the arc that is added, removed or turned round (into `to` -> `from`).
struct Move {
  MoveKind kind;
  Vertex from, to;
  double gain;

  /// The arc that is there afterwards; meaningless for a removal.
  Arc made() const { return kind == MoveKind::reverse ? Arc{to, from} : Arc{from, to}; }
};

/// What is known before the search: rows are tails, columns are heads.
struct ArcRules {
  BitMatrix allowed, required;
  std::size_t max_parents;
};

/// The column of one child: its score, and the gain of toggling each vertex in its parents.
struct GainColumn {
  double own = 0;
  std::vector<double> gains;
};

class DagMoves {
 public:
  /// The start must obey the rules; arcs beyond `max_parents` may be there, but none will join them. Where
  /// `only_gains` matter, additions that cannot gain anything need not be scored: they count as excluded.
  DagMoves(LocalScores& scores, ArcRules rules, DagBuilder start, bool only_gains, Cancel& cancel);

  const DagBuilder& graph() const { return graph_; }
  const ArcRules& rules() const { return rules_; }
  std::size_t size() const { return n_; }
  double gain_of(Vertex toggled, Vertex child) const { return gains_[child * n_ + toggled]; }

  /// All legal moves of the largest gain that `banned(move)` does not exclude, in their order; or only the
  /// first of them.
  template <class Banned>
  std::vector<Move> best(const Banned& banned, bool all);

  /// Every legal move whatever its gain, in order.
  std::vector<Move> all() const;

  /// Change the graph and rescore what changed. `known` is the new column of the child of a new arc, when
  /// somebody has asked for it already.
  void apply(const Move& move, Cancel& cancel, const GainColumn* known = nullptr);

  /// The column of a child if `added` were one of its parents, too.
  GainColumn column_with(Vertex added, Vertex child, Cancel& cancel);
  std::vector<Vertex> parents_of(Vertex child) const;

 private:
  bool is_legal(const Move& move) const;
  /// Call `f(move)` for the legal moves into or out of the parents of a child that gain at least `floor()`.
  template <class Floor, class F>
  void visit(Vertex child, const Floor& floor, F&& f) const;
  template <class Banned>
  std::optional<Move> best_at(Vertex child, const Banned& banned) const;
  GainColumn column(Vertex child, VertexSet parents, double own, Cancel& cancel);
  double own(Vertex child, Cancel& cancel);
  void refresh(Vertex child, Cancel& cancel, const GainColumn* known = nullptr);
  void set_column(Vertex child, const GainColumn& column);
  void outdate_freed(Vertex from, Vertex to);

  LocalScores& scores_;
  ArcRules rules_;
  DagBuilder graph_;
  std::size_t n_;
  bool only_gains_;
  std::vector<double> own_;    // local score of each child as it stands; not a number while nobody asked
  std::vector<double> gains_;  // child * n + vertex; minus infinity where rules exclude the toggle
  std::vector<std::optional<Move>> best_;
  std::vector<std::uint8_t> stale_;
};

// ---------------------------------------------------------------------------------------------------------

template <class Floor, class F>
void DagMoves::visit(Vertex child, const Floor& floor, F&& f) const {
  const double* gains = gains_.data() + child * n_;
  const Word* parents = graph_.parents().row(child);
  for (Vertex u = 0; u < n_; ++u) {
    const bool is_parent = parents[u / 64] >> (u % 64) & 1;
    if (!is_parent) {
      if (gains[u] >= floor() && !graph_.is_ancestor(child, u)) f(Move{MoveKind::add, u, child, gains[u]});
      continue;
    }
    if (gains[u] >= floor()) f(Move{MoveKind::remove, u, child, gains[u]});
    const double turned = gains[u] + gains_[u * n_ + child];
    if (turned >= floor() && graph_.can_reverse(u, child)) f(Move{MoveKind::reverse, u, child, turned});
  }
}

template <class Banned>
std::optional<Move> DagMoves::best_at(Vertex child, const Banned& banned) const {
  std::optional<Move> best;
  constexpr double excluded = -std::numeric_limits<double>::max();  // what rules exclude is below
  visit(
      child, [&] { return best ? best->gain : excluded; },
      [&](const Move& move) {
        if ((!best || move.gain > best->gain) && !banned(move)) best = move;
      });
  return best;
}

template <class Banned>
std::vector<Move> DagMoves::best(const Banned& banned, bool all) {
  const auto nothing = [](const Move&) { return false; };
  std::vector<Vertex> children;
  std::optional<Move> top;
  for (Vertex v = 0; v < n_; ++v) {
    if (stale_[v] || (best_[v] && !is_legal(*best_[v]))) {
      best_[v] = best_at(v, nothing);
      stale_[v] = 0;
    }
    std::optional<Move> here = best_[v];
    if (here && (!top || here->gain >= top->gain) && banned(*here)) here = best_at(v, banned);
    if (!here || (top && here->gain < top->gain)) continue;
    if (!top || here->gain > top->gain) top = here, children.clear();
    children.push_back(v);
  }
  if (!top || !all) return top ? std::vector<Move>{*top} : std::vector<Move>{};
  std::vector<Move> moves;
  for (const Vertex v : children)
    visit(
        v, [&] { return top->gain; },
        [&](const Move& move) {
          if (move.gain == top->gain && !banned(move)) moves.push_back(move);
        });
  return moves;
}

}  // namespace treewright
