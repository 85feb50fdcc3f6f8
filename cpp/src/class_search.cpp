// Choosing and taking steps; what a step leaves stale.
#include "treewright/class_search.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>

namespace treewright {
namespace {

bool differ(const BitMatrix& a, const BitMatrix& b, Vertex v) {
  return !std::equal(a.row(v), a.row(v) + a.words(), b.row(v));
}

bool meet(const Word* a, const Word* b, std::size_t words) {
  for (std::size_t i = 0; i < words; ++i)
    if (a[i] & b[i]) return true;
  return false;
}

}  // namespace

ClassSearch::ClassSearch(std::shared_ptr<LocalScores> scores, ClassSearchSettings settings)
    : scores_(std::move(scores)), settings_(settings), rows_(*scores_), allowed_(scores_->size()) {
  if (!scores_->is_score_equivalent())
    throw std::invalid_argument("a search over classes needs a score that cannot tell their members apart");
  state_.graph = ClassGraph(size());
  for (auto& lists : state_.lists) lists.assign(size(), nullptr);
  for (Vertex u = 0; u < size(); ++u)
    for (Vertex v = 0; v < size(); ++v)
      if (u != v) allowed_.set(u, v);
}

std::int64_t ClassSearch::units_of(double gain) const {
  // a family that no sum can bear (1e300) is far below or above everything else
  constexpr double kMost = 0x1p60;
  return std::llround(std::clamp(gain / scores_->resolution(), -kMost, kMost));
}

void ClassSearch::start_from(const Pdag& marks) {
  if (marks.size() != size()) throw std::invalid_argument("the start has other variables than the score");
  replace(ClassGraph::completed(marks));
  state_.units = 0;
}

void ClassSearch::allow(BitMatrix pairs) {
  if (pairs.size() != size()) throw std::invalid_argument("one row of allowed pairs for each variable");
  allowed_ = std::move(pairs);
  state_.lists[static_cast<std::size_t>(Move::insert)].assign(size(), nullptr);
}

// Lists of a child depend on its own edges and on what its neighbours are adjacent to; turns also on the
// edges of everything adjacent.
void ClassSearch::replace(ClassGraph graph) {
  const std::size_t n = size(), words = graph.words();
  std::vector<Word> marks(words, 0), adjacency(words, 0);
  const ClassGraph& old = state_.graph;
  for (Vertex v = 0; v < n; ++v) {
    const Word bit = Word{1} << (v % 64);
    if (differ(old.marks.parents, graph.marks.parents, v) ||
        differ(old.marks.children, graph.marks.children, v) ||
        differ(old.marks.neighbours, graph.marks.neighbours, v))
      marks[v / 64] |= bit;
    if (differ(old.adjacent, graph.adjacent, v)) adjacency[v / 64] |= bit;
  }
  state_.graph = std::move(graph);
  for (Vertex y = 0; y < n; ++y) {
    const bool own = (marks[y / 64] >> (y % 64) & 1) ||
                     meet(state_.graph.marks.neighbours.row(y), adjacency.data(), words);
    const bool turned = own || meet(state_.graph.adjacent.row(y), marks.data(), words);
    if (own) state_.lists[0][y] = state_.lists[1][y] = nullptr;
    if (turned) state_.lists[2][y] = nullptr;
  }
}

void ClassSearch::refresh(Move move, Cancel& cancel) {
  auto& lists = state_.lists[static_cast<std::size_t>(move)];
  for (Vertex y = 0; y < size(); ++y) {
    if (lists[y]) continue;
    cancel.check();
    ++tally_.lists;
    lists[y] = move == Move::insert   ? list_inserts(y, cancel)
               : move == Move::remove ? list_removals(y, cancel)
                                      : list_turns(y, cancel);
  }
}

bool ClassSearch::is_sound(const OperatorList& list, std::size_t item, const ClassOperator& step) {
  std::vector<Vertex>& known = list.obstacles[item];
  if (!known.empty() && is_obstacle(state_.graph, step, known)) return false;
  ++tally_.checks;
  known = obstacle(state_.graph, step);
  return known.empty();
}

std::optional<ClassSearch::Taken> ClassSearch::step(Move move, Cancel& cancel) {
  refresh(move, cancel);
  const auto& lists = state_.lists[static_cast<std::size_t>(move)];
  struct Head {
    const OperatorList* list;
    Vertex y;
    std::size_t at;
  };
  // larger gain, fewer chosen, then names: child, parent, set
  const auto worse = [](const Head& a, const Head& b) {
    const Candidate &p = a.list->items[a.at], &q = b.list->items[b.at];
    if (p.gain != q.gain) return p.gain < q.gain;
    if (p.chosen != q.chosen) return p.chosen > q.chosen;
    return a.y > b.y;  // one head for each child
  };
  std::vector<Head> heads;
  for (Vertex y = 0; y < size(); ++y)
    if (!lists[y]->items.empty()) heads.push_back({lists[y].get(), y, 0});
  std::ranges::make_heap(heads, worse);
  while (!heads.empty()) {
    std::ranges::pop_heap(heads, worse);
    Head& head = heads.back();
    const Candidate& item = head.list->items[head.at];
    const VertexSet set = head.list->set_of(item);
    const bool out = banned_ && move == Move::insert &&
                     ((item.x == banned_->first && head.y == banned_->second) ||
                      (item.x == banned_->second && head.y == banned_->first));
    ClassOperator taken{move, item.x, head.y, {set.begin(), set.end()}};
    if (!out && is_sound(*head.list, head.at, taken)) {
      const double gain = item.gain;
      replace(ClassGraph::completed(applied(state_.graph, taken)));
      state_.units += units_of(gain);
      ++tally_.steps[static_cast<std::size_t>(move)];
      return Taken{std::move(taken), gain};
    }
    if (++head.at < head.list->items.size())
      std::ranges::push_heap(heads, worse);
    else
      heads.pop_back();
  }
  return std::nullopt;
}

bool ClassSearch::run_move(Move move, Cancel& cancel) {
  bool changed = false;
  while (step(move, cancel)) {
    changed = true;
    cancel.check();
  }
  return changed;
}

bool ClassSearch::run(Cancel& cancel) {
  bool changed = false;
  for (bool more = true; more; changed = changed || more) {
    more = run_move(Move::insert, cancel);
    more = run_move(Move::remove, cancel) || more;
    more = run_move(Move::turn, cancel) || more;
  }
  return changed;
}

}  // namespace treewright
