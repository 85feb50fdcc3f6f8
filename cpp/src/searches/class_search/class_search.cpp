// Choosing and taking steps; what a step leaves stale.
#include "treewright/searches/class_search.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>

namespace treewright {
namespace {

// From so many lists on, clusters build theirs side by side.
constexpr std::size_t kManyLists = 32;

bool differ(const SharedBits& a, const SharedBits& b, Vertex v) {
  const Word *left = a.row(v), *right = b.row(v);
  return left != right && !std::equal(left, left + a.words(), right);
}

}  // namespace

ClassSearch::ClassSearch(std::shared_ptr<LocalScores> scores, ClassSearchSettings settings)
    : scores_(std::move(scores)),
      settings_(settings),
      rows_(*scores_, settings.whole_rows),
      allowed_(scores_->size()),
      seen_(scores_->size()),
      changed_at_(scores_->size(), version_) {
  if (!scores_->is_score_equivalent())
    throw std::invalid_argument("a search over classes needs a score that cannot tell their members apart");
  state_.graph = ClassGraph(size());
  state_.lists = {Lists(size()), Lists(size(), false), Lists(size())};
  reopened_at_.fill(std::vector<std::uint64_t>(size(), 0));
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

double ClassSearch::score(const BitMatrix& parents, Cancel& cancel) {
  double total = 0;
  std::vector<Vertex> family;
  for (Vertex v = 0; v < size(); ++v) {
    family.clear();
    for_each_bit(parents.row(v), parents.words(),
                 [&](std::size_t p) { family.push_back(static_cast<Vertex>(p)); });
    total += scores_->local(v, family, cancel);
  }
  return total;
}

void ClassSearch::allow(const BitMatrix& pairs) {
  if (pairs.size() != size()) throw std::invalid_argument("one row of allowed pairs for each variable");
  allowed_ = SharedBits(pairs);
  std::ranges::fill(changed_at_, ++version_);
  forget_inserts();
}

BitMatrix ClassSearch::useful_pairs(Cancel& cancel) {
  BitMatrix pairs(size());
  const std::vector<Word> nothing_more(pairs.words(), 0);
  for (Vertex y = 0; y < size(); ++y)
    for (const auto& [gain, x] : rows_.useful(y, {}, nothing_more.data(), cancel)) pairs.set(x, y);
  return pairs;
}

void ClassSearch::forget_inserts() {
  state_.lists[static_cast<std::size_t>(ClassMove::insert)] = Lists(size());
}

void ClassSearch::ban(std::optional<Arc> pair) {
  banned_ = pair;
  for (Vertex y = 0; y < size(); ++y) state_.lists[static_cast<std::size_t>(ClassMove::insert)].rewind(y);
}

void ClassSearch::Lists::set_cursor(Vertex y, std::uint32_t cursor) {
  head[y] = {0, 0, cursor};
  if (!of[y] || cursor >= of[y]->items.size()) return;
  head[y].gain = of[y]->items[cursor].gain;
  head[y].chosen = of[y]->items[cursor].chosen;
}

void ClassSearch::Lists::rewind_watchers(Vertex v) {
  for_each_bit(watchers.row(v), watchers.words(), [&](std::size_t y) { rewind(static_cast<Vertex>(y)); });
  if (count_bits(watchers.row(v), watchers.words()) > 0)
    std::fill_n(watchers.own_row(v), watchers.words(), Word{0});
}

void ClassSearch::replace(ClassGraph graph) {
  Changes changes;
  const ClassGraph& old = state_.graph;
  for (Vertex v = 0; v < size(); ++v) {
    if (differ(old.marks.parents, graph.marks.parents, v) ||
        differ(old.marks.children, graph.marks.children, v) ||
        differ(old.marks.neighbours, graph.marks.neighbours, v))
      changes.marks.push_back(v);
    if (differ(old.adjacent, graph.adjacent, v)) changes.adjacency.push_back(v);
  }
  state_.graph = std::move(graph);
  forget_stale(changes);
}

void ClassSearch::take_step(const ClassOperator& step) {
  if (const std::optional<Changes> changes = take(state_.graph, step))
    forget_stale(*changes);
  else
    replace(ClassGraph::completed(applied(state_.graph, step)));
}

// Lists of a child depend on its own edges and on what its neighbours are adjacent to; turns also on the
// edges of everything adjacent.
void ClassSearch::forget_stale(const Changes& changes) {
  const ClassGraph& graph = state_.graph;
  auto& [inserts, removals, turns] = state_.lists;
  const auto drop_all = [&](std::size_t y) {
    const auto child = static_cast<Vertex>(y);
    inserts.drop(child), removals.drop(child), turns.drop(child);
  };
  for (const Vertex v : changes.marks) {
    drop_all(v);
    for_each_bit(graph.adjacent.row(v), graph.words(),
                 [&](std::size_t y) { turns.drop(static_cast<Vertex>(y)); });
    inserts.rewind_watchers(v), turns.rewind_watchers(v);
  }
  for (const Vertex v : changes.adjacency)
    for_each_bit(graph.marks.neighbours.row(v), graph.words(), drop_all);
}

void ClassSearch::refresh(ClassMove move, Cancel& cancel) {
  Lists& lists = state_.lists[static_cast<std::size_t>(move)];
  std::vector<Vertex> stale;
  for (Vertex y = 0; y < size(); ++y)
    if (!lists.of[y]) stale.push_back(y);
  if (stale.size() >= kManyLists && !cluster_of_.empty()) build_side_by_side(move, stale, cancel);
  for (const Vertex y : stale) {
    if (lists.of[y]) continue;  // built with others
    lists.of[y] = build_list(move, y, cancel);
    lists.rewind(y);
  }
}

ClassSearch::ListPointer ClassSearch::build_list(ClassMove move, Vertex y, Cancel& cancel) {
  cancel.check();
  ++tally_.lists;
  return move == ClassMove::insert   ? list_inserts(y, cancel)
         : move == ClassMove::remove ? list_removals(y, cancel)
                                     : list_turns(y, cancel);
}

VertexSet ClassSearch::OperatorList::obstacle(std::size_t item) const {
  if (obstacles.empty()) return {};
  return VertexSet(paths).subspan(obstacles[item].first, obstacles[item].size);
}

void ClassSearch::OperatorList::note_obstacle(std::size_t item, VertexSet path) const {
  if (obstacles.empty()) obstacles.resize(items.size());
  obstacles[item] = {static_cast<std::uint32_t>(paths.size()), static_cast<std::uint32_t>(path.size())};
  paths.insert(paths.end(), path.begin(), path.end());
}

// Other branches may be reading the list: a branch notes in a copy of its own.
void ClassSearch::note_obstacle(ClassMove move, Vertex y, std::size_t item, VertexSet path) {
  ListPointer& list = state_.lists[static_cast<std::size_t>(move)].of[y];
  if (branch_ != 0 && list->owner != branch_) {
    auto own = std::make_shared<OperatorList>(*list);
    own->owner = branch_;
    list = std::move(own);
  }
  list->note_obstacle(item, path);
}

bool ClassSearch::is_sound(ClassMove move, Vertex y, const OperatorList& list, std::size_t item) {
  const Candidate& tried = list.items[item];
  const Attempt attempt{move, tried.x, y, list.set_of(tried)};
  VertexSet path = list.obstacle(item);
  std::vector<Vertex> found;
  if (path.empty() || !is_obstacle(state_.graph, attempt, path)) {
    ++tally_.checks;
    found = obstacle(state_.graph, attempt);
    if (found.empty()) return true;
    note_obstacle(move, y, item, found);
    path = found;
  }
  SharedBits& watchers = state_.lists[static_cast<std::size_t>(move)].watchers;
  for (const Vertex v : path) watchers.set(v, y);
  return false;
}

// The child whose next step is best: larger gain, fewer chosen, then the first by name.
std::optional<ClassSearch::Leader> ClassSearch::best_child(ClassMove move) const {
  const Lists& lists = state_.lists[static_cast<std::size_t>(move)];
  Leader best{0, {}, 0};
  Lists::Head found;
  for (Vertex y = 0; y < size(); ++y) {
    const Lists::Head& head = lists.head[y];
    if (head.is_better(found)) {
      best.next = found, best.next_y = best.y;
      best.y = y, found = head;
    } else if (head.is_better(best.next)) {
      best.next = head, best.next_y = y;
    }
  }
  return found.gain > 0 ? std::optional(best) : std::nullopt;
}

bool ClassSearch::Leader::still_leads(const Lists& lists) const {
  const Lists::Head& head = lists.head[y];
  return head.gain > 0 && (head.is_better(next) || (!next.is_better(head) && y < next_y));
}

bool ClassSearch::is_banned(Vertex x, Vertex y) const {
  return banned_ && std::min(x, y) == banned_->first && std::max(x, y) == banned_->second;
}

std::optional<ClassSearch::Taken> ClassSearch::step(ClassMove move, Cancel& cancel) {
  refresh(move, cancel);
  Lists& lists = state_.lists[static_cast<std::size_t>(move)];
  for (std::optional<Leader> leader = best_child(move); leader;) {
    const Vertex y = leader->y;
    const ListPointer list = lists.of[y];
    const std::uint32_t at = lists.head[y].cursor;
    const Candidate& item = list->items[at];
    if ((move == ClassMove::insert && is_banned(item.x, y)) || !is_sound(move, y, *list, at)) {
      lists.set_cursor(y, at + 1);
      if (!leader->still_leads(lists)) leader = best_child(move);
      continue;
    }
    const VertexSet set = list->set_of(item);
    Taken taken{{move, item.x, y, {set.begin(), set.end()}}, item.gain};
    take_step(taken.step);
    state_.units += units_of(taken.gain);
    ++tally_.steps[static_cast<std::size_t>(move)];
    return taken;
  }
  return std::nullopt;
}

bool ClassSearch::run_move(ClassMove move, std::size_t& left, Cancel& cancel) {
  bool changed = false;
  while (left > 0 && step(move, cancel)) {
    changed = true;
    --left;
    cancel.check();
  }
  return changed;
}

bool ClassSearch::run(Cancel& cancel) {
  bool changed = false;
  std::size_t left = settings_.most_steps;
  for (bool more = true; more; changed = changed || more) {
    more = run_move(ClassMove::insert, left, cancel);
    more = run_move(ClassMove::remove, left, cancel) || more;
    more = run_move(ClassMove::turn, left, cancel) || more;
  }
  return changed;
}

}  // namespace treewright
