#include "treewright/searches/dag_moves.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>

namespace treewright {
namespace {

constexpr double kExcluded = -std::numeric_limits<double>::infinity();

}  // namespace

DagMoves::DagMoves(LocalScores& scores, ArcRules rules, DagBuilder start, bool only_gains, Cancel& cancel)
    : scores_(scores),
      rules_(std::move(rules)),
      graph_(std::move(start)),
      n_(scores.size()),
      only_gains_(only_gains),
      own_(n_, std::numeric_limits<double>::quiet_NaN()),
      gains_(n_ * n_, kExcluded),
      best_(n_),
      stale_(n_, 1) {
  if (graph_.size() != n_ || rules_.allowed.size() != n_ || rules_.required.size() != n_)
    throw std::invalid_argument("the start and the rules must have the vertices of the score");
  const std::vector<double> pairs = scores.pair_gains(cancel);
  for (Vertex v = 0; v < n_; ++v) {
    if (count_bits(graph_.parents().row(v), graph_.parents().words()) > 0) {
      refresh(v, cancel);
      continue;
    }
    for (Vertex u = 0; u < n_ && rules_.max_parents > 0; ++u)
      if (rules_.allowed.test(u, v)) gains_[v * n_ + u] = pairs[u * n_ + v];
  }
}

std::vector<Vertex> DagMoves::parents_of(Vertex child) const {
  std::vector<Vertex> parents;
  for_each_bit(graph_.parents().row(child), graph_.parents().words(),
               [&](std::size_t p) { parents.push_back(static_cast<Vertex>(p)); });
  return parents;
}

// Asked for only where it may spare a question.
double DagMoves::own(Vertex child, Cancel& cancel) {
  if (!only_gains_) return 0;
  if (std::isnan(own_[child])) own_[child] = scores_.local(child, parents_of(child), cancel);
  return own_[child];
}

GainColumn DagMoves::column_with(Vertex added, Vertex child, Cancel& cancel) {
  std::vector<Vertex> parents = parents_of(child);
  parents.insert(std::ranges::lower_bound(parents, added), added);
  return column(child, parents, own(child, cancel) + gain_of(added, child), cancel);
}

GainColumn DagMoves::column(Vertex child, VertexSet parents, double own, Cancel& cancel) {
  GainColumn column{0, std::vector<double>(n_, kExcluded)};
  std::vector<Vertex> candidates;
  std::vector<bool> is_parent(n_, false);
  for (const Vertex p : parents) is_parent[p] = true;
  if (parents.size() < rules_.max_parents)
    for (Vertex u = 0; u < n_; ++u)
      if (!is_parent[u] && rules_.allowed.test(u, child)) candidates.push_back(u);
  if (only_gains_ && scores_.is_exhausted(child, parents, candidates, own)) candidates.clear();
  std::vector<double> with(candidates.size()), without(parents.size());
  column.own = scores_.around(child, parents, candidates, with, without, cancel);
  for (std::size_t i = 0; i < candidates.size(); ++i) column.gains[candidates[i]] = with[i] - column.own;
  for (std::size_t i = 0; i < parents.size(); ++i)
    if (!rules_.required.test(parents[i], child)) column.gains[parents[i]] = without[i] - column.own;
  return column;
}

bool DagMoves::is_legal(const Move& move) const {
  if (move.kind == MoveKind::add) return graph_.can_add(move.from, move.to);
  if (move.kind == MoveKind::remove) return graph_.has_arc(move.from, move.to);
  return graph_.can_reverse(move.from, move.to);
}

std::vector<Move> DagMoves::all() const {
  std::vector<Move> moves;
  for (Vertex v = 0; v < n_; ++v)
    visit(
        v, [] { return -std::numeric_limits<double>::max(); },
        [&](const Move& move) { moves.push_back(move); });
  return moves;
}

void DagMoves::apply(const Move& move, Cancel& cancel, const GainColumn* known) {
  const auto [kind, from, to, gain] = move;
  own_[to] = own(to, cancel) + gain_of(from, to);
  if (kind == MoveKind::reverse) own_[from] = own(from, cancel) + gain_of(to, from);
  if (kind == MoveKind::add) {
    graph_.add(from, to);
    refresh(to, cancel, known);
    return;
  }
  outdate_freed(from, to);
  if (kind == MoveKind::remove) {
    graph_.remove(from, to);
    refresh(to, cancel);
    return;
  }
  graph_.reverse(from, to);
  refresh(to, cancel);
  refresh(from, cancel, known);
}

void DagMoves::refresh(Vertex child, Cancel& cancel, const GainColumn* known) {
  if (known)
    set_column(child, *known);
  else
    set_column(child, column(child, parents_of(child), own(child, cancel), cancel));
}

void DagMoves::set_column(Vertex child, const GainColumn& column) {
  own_[child] = column.own;
  std::copy(column.gains.begin(), column.gains.end(), gains_.begin() + child * n_);
  stale_[child] = 1;
  // turning child -> w round gains what this column says of w
  for_each_bit(graph_.children().row(child), graph_.children().words(),
               [&](std::size_t w) { stale_[w] = 1; });
}

// Without from -> to, vertices above `from` may become children of those below `to`, and arcs below `to` may
// be turned.
void DagMoves::outdate_freed(Vertex from, Vertex to) {
  stale_[from] = stale_[to] = 1;
  for_each_bit(graph_.ancestors().row(from), graph_.ancestors().words(),
               [&](std::size_t v) { stale_[v] = 1; });
  for (Vertex v = 0; v < n_; ++v)
    if (graph_.is_ancestor(to, v)) stale_[v] = 1;
}

}  // namespace treewright
