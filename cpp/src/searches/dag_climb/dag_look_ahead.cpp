// Which of several equally good arcs begins a v-structure?
#include <algorithm>

#include "treewright/searches/dag_climb.hpp"

namespace treewright {

const Move& LookAhead::pick(DagMoves& moves, const std::vector<Move>& ties, Cancel& cancel) {
  const Move* chosen = &ties.front();
  if (ties.size() == 1) return *chosen;
  double most = evidence(moves, *chosen, cancel);
  for (std::size_t i = 1; i < ties.size(); ++i) {
    const double found = evidence(moves, ties[i], cancel);
    if (found > most) most = found, chosen = &ties[i];
  }
  return *chosen;
}

// How much better a further parent w of b becomes by a -> b: gain(w -> b | pa(b) + a) - max(0, gain(w -> b |
// pa(b))), for those w that gain at all.
double LookAhead::evidence(DagMoves& moves, const Move& move, Cancel& cancel) {
  if (move.kind == MoveKind::remove) return 0;
  const auto [a, b] = move.made();
  const GainColumn* after = column_after(move);
  if (!after) {
    asked_[b].push_back({a, moves.column_with(a, b, cancel)});
    after = &asked_[b].back().column;
  }
  double most = 0;
  for (Vertex w = 0; w < moves.size(); ++w) {
    if (w == a || moves.graph().has_arc(w, b)) continue;
    const double gain = after->gains[w];
    if (gain > 0) most = std::max(most, gain - std::max(0.0, moves.gain_of(w, b)));
  }
  return most;
}

const GainColumn* LookAhead::column_after(const Move& move) const {
  if (move.kind == MoveKind::remove) return nullptr;
  const auto [a, b] = move.made();
  for (const Asked& asked : asked_[b])
    if (asked.added == a) return &asked.column;
  return nullptr;
}

void LookAhead::forget(const Move& applied) {
  asked_[applied.to].clear();
  if (applied.kind == MoveKind::reverse) asked_[applied.from].clear();
}

}  // namespace treewright
