// Second thoughts: take something apart, search again, keep the better of the two.
#include <algorithm>
#include <numeric>
#include <utility>

#include "treewright/graphs/cpdag.hpp"
#include "treewright/searches/class_search.hpp"

namespace treewright {
namespace {

// Roundings in the worth of the edges that a reopening takes off, at most.
constexpr std::int64_t kEdgesTakenOff = 64;

template <class Rows>
std::vector<Vertex> members_of(const Rows& rows, std::size_t v) {
  std::vector<Vertex> out;
  for_each_bit(rows.row(v), rows.words(), [&](std::size_t u) { out.push_back(static_cast<Vertex>(u)); });
  return out;
}

}  // namespace

// A score that carries rounding adds some with every step, on the way to the same class too.
bool ClassSearch::is_better_than(std::int64_t units) {
  const std::uint64_t n_steps = std::accumulate(tally_.steps.begin(), tally_.steps.end(), std::uint64_t{1});
  const auto taken = static_cast<std::int64_t>(n_steps - std::exchange(n_steps_seen_, n_steps));
  const std::int64_t noise = units_of(scores_->least_gain()) * (taken + kEdgesTakenOff);
  return state_.units > units + noise;
}

// Work that is stopped half-way, by its owner or by a score that fails, leaves the search where it was.
void ClassSearch::undo_if_stopped(const State& before, const std::function<void()>& work) {
  const SharedBits allowed = allowed_;
  try {
    work();
  } catch (...) {
    allowed_ = allowed;
    banned_.reset();
    rows_.set_discount(0);
    state_ = before;
    throw;
  }
}

bool ClassSearch::keep_if_better(State&& before) {
  if (is_better_than(before.units)) {
    ++tally_.improved;
    note_changes();
    return true;
  }
  state_ = std::move(before);
  return false;
}

void ClassSearch::note_changes() {
  ++version_;
  const SharedBits& now = state_.graph.adjacent;
  for (Vertex v = 0; v < size(); ++v)
    if (now.row(v) != seen_.row(v) && !std::equal(now.row(v), now.row(v) + now.words(), seen_.row(v)))
      changed_at_[v] = version_;
  seen_ = now;
}

bool ClassSearch::changed_near(Vertex v, std::uint64_t since) const {
  bool changed = changed_at_[v] > since;
  for_each_bit(state_.graph.adjacent.row(v), state_.graph.words(),
               [&](std::size_t u) { changed = changed || changed_at_[u] > since; });
  return changed;
}

// Parents that add most, one at a time; a vertex without children may have any.
double ClassSearch::add_as_sink(Vertex v, BitMatrix& parents, Cancel& cancel) {
  double gained = 0;
  std::vector<Vertex> family;
  std::vector<Word> asked(allowed_.row(v), allowed_.row(v) + allowed_.words());
  while (may_grow(v, family)) {
    const GainRows::Useful* best = nullptr;
    for (const auto& found : rows_.useful(v, family, asked.data(), cancel))
      if (asked[found.x / 64] >> (found.x % 64) & 1 && (!best || found.gain > best->gain)) best = &found;
    if (!best) break;
    gained += best->gain;
    asked[best->x / 64] &= ~(Word{1} << (best->x % 64));
    parents.set(v, best->x);
    family.insert(std::ranges::upper_bound(family, best->x), best->x);
  }
  return gained;
}

double ClassSearch::add_as_source(Vertex v, BitMatrix& parents, std::span<const Vertex> order,
                                  Cancel& cancel) {
  double gained = 0;
  for (const Vertex child : order) {
    const std::vector<Vertex> family = members_of(parents, child);
    if (child == v || !allowed_.test(v, child) || !may_grow(child, family)) continue;
    const double gain = rows_.gain(v, child, family, cancel);
    if (gain <= scores_->least_gain()) continue;
    gained += gain;
    parents.set(child, v);
  }
  return gained;
}

// What the edges at a vertex are worth in some member of the class, and so in all.
double ClassSearch::worth_of_edges(Vertex v, Cancel& cancel) {
  const SharedBits& member = state_.graph.member;
  const std::vector<Vertex> own = members_of(member, v);
  double worth = own.empty() ? 0 : scores_->local(v, own, cancel) - scores_->local(v, {}, cancel);
  for (const Vertex child : members_of(state_.graph.adjacent, v)) {
    if (!member.test(child, v)) continue;
    std::vector<Vertex> family = members_of(member, child);
    const double with = scores_->local(child, family, cancel);
    std::erase(family, v);
    worth += with - scores_->local(child, family, cancel);
  }
  return worth;
}

void ClassSearch::reopen_node(Vertex v, Return how, Cancel& cancel) {
  ++tally_.reopened;
  double change = -worth_of_edges(v, cancel);
  if (how == Return::step_by_step)
    forget_stale(take_off(state_.graph, v));
  else
    change += put_back(v, how, cancel);
  state_.units += units_of(change);
  run(cancel);
}

// Other edges for a vertex, all at once, as a sink or as a source; what they add.
double ClassSearch::put_back(Vertex v, Return how, Cancel& cancel) {
  const ClassGraph& before = state_.graph;
  std::vector<Vertex> ranks(size());
  std::iota(ranks.begin(), ranks.end(), Vertex{0});
  auto [parents, order] = *consistent_extension(Pdag(before.marks), ranks);
  for (const Vertex u : members_of(before.adjacent, v)) parents.reset(u, v), parents.reset(v, u);
  const auto place = std::ranges::find(order, v);
  double gained = 0;
  if (how == Return::as_sink) {
    std::rotate(place, place + 1, order.end());
    gained = add_as_sink(v, parents, cancel);
  } else {
    std::rotate(order.begin(), place, place + 1);
    gained = add_as_source(v, parents, order, cancel);
  }
  replace(ClassGraph::of(parents, order));
  return gained;
}

std::vector<Arc> ClassSearch::vertices_to_reopen() const {
  const SharedBits& adjacent = state_.graph.adjacent;
  const auto degree = [&](const Arc& v) { return count_bits(adjacent.row(v.first), adjacent.words()); };
  std::vector<Arc> order;
  for (Vertex v = 0; v < size(); ++v)
    if (const Arc itself{v, v}; degree(itself) >= 2) order.push_back(itself);
  std::ranges::stable_sort(order, std::ranges::greater{}, degree);
  return order;
}

void ClassSearch::reopen_nodes(Return how, Cancel& cancel) {
  note_changes();  // of runs that came between
  std::vector<std::uint64_t>& reopened_at = reopened_at_[static_cast<std::size_t>(how)];
  const Reopening reopening{
      // the same surroundings would lead the same way
      [&](const Arc& v) { return changed_near(v.first, reopened_at[v.first]); },
      [&](ClassSearch& search, const Arc& v) { search.reopen_node(v.first, how, cancel); },
      [&](const Arc& v, std::uint64_t version) { reopened_at[v.first] = version; }};
  sweep_on([&] { return vertices_to_reopen(); }, reopening, cancel);
}

// The edge leaves by its best delete, whatever that costs.
void ClassSearch::reopen_edge(Vertex u, Vertex v, Cancel& cancel) {
  std::optional<Taken> best;
  const auto consider = [&](Vertex x, Vertex y) {
    const ClassGraph& graph = state_.graph;
    if (graph.marks.children.test(y, x)) return;
    const std::vector<Vertex> parents = members_of(graph.marks.parents, y);
    const std::vector<Vertex> shared = shared_neighbours(graph, x, y);
    std::vector<Vertex> clique;
    for_each_clique(graph, shared, clique, [&](const std::vector<Vertex>& set) {
      std::vector<Vertex> base, turned;
      std::ranges::set_union(parents, set, std::back_inserter(base));
      std::erase(base, x);
      std::ranges::set_difference(shared, set, std::back_inserter(turned));
      const double gain = -rows_.gain(x, y, base, cancel);
      if (turned.size() <= settings_.largest_set &&
          (!best || gain > best->gain || (gain == best->gain && turned.size() < best->step.set.size())))
        best = Taken{{ClassMove::remove, x, y, turned}, gain};
      return true;
    });
  };
  consider(v, u), consider(u, v);  // u < v: of equals, the child of smaller name
  if (!best) return;
  ++tally_.reopened;
  take_step(best->step);
  state_.units += units_of(best->gain);
  ban(Arc{u, v});
  run(cancel);
  ban(std::nullopt);
  run(cancel);
}

std::vector<Arc> ClassSearch::edges_to_reopen(Cancel& cancel) {
  const BitMatrix parents = canonical_member(state_.graph);
  std::vector<std::pair<double, Arc>> edges;
  for (Vertex child = 0; child < size(); ++child) {
    const std::vector<Vertex> family = members_of(parents, child);
    for (const Vertex parent : family) {
      std::vector<Vertex> base = family;
      std::erase(base, parent);
      edges.emplace_back(rows_.gain(parent, child, base, cancel), std::minmax(parent, child));
    }
  }
  std::ranges::sort(edges);
  std::vector<Arc> order;
  for (const auto& [gain, edge] : edges) order.push_back(edge);
  return order;
}

void ClassSearch::reopen_edges(Cancel& cancel) {
  const Reopening reopening{
      [&](const Arc& edge) { return state_.graph.adjacent.test(edge.first, edge.second); },
      [&](ClassSearch& search, const Arc& edge) { search.reopen_edge(edge.first, edge.second, cancel); }};
  sweep_on([&] { return edges_to_reopen(cancel); }, reopening, cancel);
}

}  // namespace treewright
