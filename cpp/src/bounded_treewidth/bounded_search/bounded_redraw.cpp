// All families anew, along a perfect order of the completed cover.
//
// Two parents of one child must be joined, and such an edge takes up width without carrying an arc. Along a
// perfect order of a chordal graph the neighbours visited before form a clique, so parents chosen among them
// need no further edge, close no cycle and keep the width: the cover is used to the full. Single moves rarely
// lead there.
#include <algorithm>
#include <limits>

#include "treewright/bounded_treewidth/bounded_search.hpp"
#include "treewright/bounded_treewidth/cover_visits.hpp"
#include "treewright/graphs/elimination.hpp"

namespace treewright {

BitMatrix complete_cover(const BoundedState& state, const FamilyColumns& columns) {
  const std::size_t n = state.size();
  const Order& order = state.order();
  BitMatrix later = filled_upward(state.moral(), order);
  const auto liking = [&](std::size_t i, std::size_t j) {
    const Vertex u = order[i], v = order[j];
    double best = -std::numeric_limits<double>::infinity();
    if (columns.rules().allowed.test(u, v)) best = std::max(best, columns.pair_gain(u, v));
    if (columns.rules().allowed.test(v, u)) best = std::max(best, columns.pair_gain(v, u));
    return best;
  };
  for (std::size_t i = n - 1; i-- > 0;) {
    std::size_t lacking = std::min(state.bound(), n - 1 - i);
    lacking -= std::min(lacking, count_bits(later.row(i), later.words()));
    if (lacking == 0) continue;
    std::size_t home = first_bit(later.row(i), later.words());
    if (home == kNone) home = i + 1;
    home = std::min(home, std::max(i + 1, n - std::min(n, state.bound())));  // later bags are too small
    std::vector<std::pair<double, std::size_t>> offered;
    const auto offer = [&](std::size_t j) {
      if (!later.test(i, j)) offered.emplace_back(-liking(i, j), j);
    };
    offer(home);
    for_each_bit(later.row(home), later.words(), offer);
    std::ranges::sort(offered);
    for (std::size_t k = 0; k < std::min(lacking, offered.size()); ++k) later.set(i, offered[k].second);
  }
  BitMatrix graph(n);
  for (std::size_t i = 0; i < n; ++i)
    for_each_bit(later.row(i), later.words(), [&](std::size_t j) { graph.join(order[i], order[j]); });
  return graph;
}

Order draw_visit(const BitMatrix& chordal, Draws& draws) {
  const std::size_t n = chordal.size();
  std::vector<std::size_t> visited_neighbours(n, 0);
  std::vector<char> visited(n, 0);
  Order visit, equals;
  while (visit.size() < n) {
    std::size_t most = 0;
    for (Vertex v = 0; v < n; ++v) {
      if (visited[v] || (!equals.empty() && visited_neighbours[v] < most)) continue;
      if (visited_neighbours[v] > most) equals.clear(), most = visited_neighbours[v];
      equals.push_back(v);
    }
    const Vertex next = equals[draws.below(equals.size())];
    equals.clear();
    visited[next] = 1;
    visit.push_back(next);
    for_each_bit(chordal.row(next), chordal.words(), [&](std::size_t u) { ++visited_neighbours[u]; });
  }
  return visit;
}

bool BoundedSearch::redraw_once(Cancel& cancel) {
  state_.renew_order(cancel);
  const BitMatrix tree = complete_cover(state_, columns_);
  const Order visit = draw_visit(tree, draws_);
  std::vector<Word> before(tree.words(), 0);
  BoundedSnapshot drawn{std::vector<Order>(state_.size()), Order(visit.rbegin(), visit.rend())};
  std::vector<double> scores(state_.size());
  for (const Vertex v : visit) {
    Order candidates;
    for (std::size_t w = 0; w < tree.words(); ++w)
      for (Word rest = tree.row(v)[w] & before[w]; rest; rest &= rest - 1)
        candidates.push_back(static_cast<Vertex>(w * 64 + std::countr_zero(rest)));
    const BestPointer best = columns_.best_within(v, candidates, cancel);
    if (!best) return false;
    drawn.parents[v] = best->parents;
    scores[v] = best->score;
    before[v / 64] |= Word{1} << (v % 64);
  }
  double total = 0;
  for (const double score : scores) total += score;
  if (total <= current_ + columns_.threshold()) return false;
  state_.adopt(drawn, cancel);
  current_ = state_.total();
  note_best();
  ++tally_.redrawn;
  return true;
}

bool BoundedSearch::redraw(std::size_t patience, Cancel& cancel) {
  if (state_.size() == 0) return false;
  bool found = false;
  for (std::size_t failed = 0; failed < patience && !expired();) {
    const bool better = redraw_once(cancel);
    found |= better;
    failed = better ? 0 : failed + 1;
  }
  return found;
}

}  // namespace treewright
