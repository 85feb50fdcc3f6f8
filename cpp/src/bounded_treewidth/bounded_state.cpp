#include "treewright/bounded_treewidth/bounded_state.hpp"

#include <algorithm>
#include <numeric>
#include <ranges>
#include <stdexcept>

#include "treewright/graphs/elimination.hpp"
#include "treewright/graphs/treewidth.hpp"

namespace treewright {

BoundedState::BoundedState(FamilyColumns& columns, const DagBuilder& start, Order order, std::size_t bound,
                           Cancel& cancel)
    : columns_(columns),
      bound_(bound),
      dag_(columns.size()),
      parents_(columns.size()),
      scores_(columns.size()),
      column_of_(columns.size()),
      moral_(columns.size()),
      test_(columns.size(), bound),
      order_test_(columns.size(), bound),
      families_(columns.size() * columns.size(), 0),
      is_remembered_(columns.size(), 0),
      shrunk_at_(columns.size(), 0) {
  if (start.size() != size()) throw std::invalid_argument("the start must have the vertices of the score");
  check_permutation(order, size());
  set_order(std::move(order));
  changes_.loosened.assign(moral_.words(), 0);
  for (Vertex v = 0; v < size(); ++v) scores_[v] = columns_.local(v, parents_[v], cancel);
  std::vector<FamilyChange> families(size());
  for (Vertex v = 0; v < size(); ++v) families[v].child = v;
  for (const auto& [s, t] : start.arcs()) {
    if (!rules().allowed.test(s, t)) throw std::invalid_argument("an arc of the start is not allowed");
    families[t].parents.push_back(s);
  }
  for (const FamilyChange& family : families) add_to_moral(family.child, family.parents);
  replace(families, cancel);
  if (!holds()) throw std::invalid_argument("the order does not prove that the start is narrow");
}

double BoundedState::total() const { return std::accumulate(scores_.begin(), scores_.end(), 0.0); }

const OrderTest& BoundedState::bags() {
  if (!holds()) throw std::logic_error("the order does not prove the width");
  return order_test_;
}

const FamilyColumn& BoundedState::column(Vertex v, Cancel& cancel) {
  if (!column_of_[v]) column_of_[v] = columns_.column(v, parents_[v], cancel);
  return *column_of_[v];
}

void BoundedState::set_order(Order order) {
  order_ = std::move(order);
  order_test_.start(order_);
}

void BoundedState::add_to_moral(Vertex child, const Order& parents) {
  const auto join = [&](Vertex u, Vertex v) {
    ++families_[v * size() + u];
    if (++families_[u * size() + v] == 1) moral_.join(u, v), note_edge(u, v);
  };
  for (std::size_t i = 0; i < parents.size(); ++i) {
    join(child, parents[i]);
    for (std::size_t j = 0; j < i; ++j) join(parents[i], parents[j]);
  }
}

void BoundedState::take_from_moral(Vertex child, const Order& parents) {
  const auto part = [&](Vertex u, Vertex v) {
    --families_[v * size() + u];
    if (--families_[u * size() + v] == 0) moral_.reset(u, v), moral_.reset(v, u), note_edge(u, v);
  };
  for (std::size_t i = 0; i < parents.size(); ++i) {
    part(child, parents[i]);
    for (std::size_t j = 0; j < i; ++j) part(parents[i], parents[j]);
  }
}

/// Where safe rules decide they are quicker; where they do not, the order at hand is asked first. What the
/// test then guesses may be wrong, and the order may know better.
bool BoundedState::within_bound(Cancel& cancel) {
  if (test_.is_unchanged()) return true;
  const bool guesses = !test_.is_decided();
  if (guesses && holds()) return true;
  if (guesses && guesses_left_ == 0) return ++n_refused_, false;
  if (guesses && guesses_left_ != kAlways) --guesses_left_;
  ++n_tests_;
  if (auto found = test_.order(moral_, cancel)) {
    set_order(std::move(*found));
    return true;
  }
  if (!guesses && !test_.is_certain() && holds()) return true;
  ++n_refused_;
  return false;
}

void BoundedState::renew_order(Cancel& cancel) {
  ++n_tests_;
  if (auto found = fits(moral_, static_cast<std::int64_t>(bound_), cancel)) set_order(std::move(*found));
}

void BoundedState::narrow(Cancel& cancel) {
  std::int64_t width = eliminate(moral_, order_).width;
  while (auto found = fits(moral_, width - 1, cancel)) {
    set_order(std::move(*found));
    width = eliminate(moral_, order_).width;
    if (width < 0) return;
  }
}

bool BoundedState::change(const std::vector<FamilyChange>& changes, Cancel& cancel) {
  test_.renew(moral_, cancel);
  for (const auto& [child, parents] : changes) take_from_moral(child, parents_[child]);
  for (const auto& [child, parents] : changes) add_to_moral(child, parents);
  if (within_bound(cancel)) {
    replace(changes, cancel);
    if (checks_) check(cancel);
    return true;
  }
  for (const auto& [child, parents] : changes) take_from_moral(child, parents);
  for (const auto& [child, parents] : changes) add_to_moral(child, parents_[child]);
  if (checks_) check(cancel);
  return false;
}

void BoundedState::shrink(Vertex child, Order parents, Cancel& cancel) {
  if (!std::ranges::includes(parents_[child], parents))
    throw std::logic_error("a family that does not shrink");
  take_from_moral(child, parents_[child]);
  add_to_moral(child, parents);
  replace({{child, std::move(parents)}}, cancel);
  if (checks_) check(cancel);
}

void BoundedState::adopt(const BoundedSnapshot& snapshot, Cancel& cancel) {
  std::vector<FamilyChange> changes;
  for (Vertex v = 0; v < size(); ++v)
    if (snapshot.parents[v] != parents_[v]) changes.push_back({v, snapshot.parents[v]});
  become(changes, snapshot.order, cancel);
}

void BoundedState::become(const std::vector<FamilyChange>& changes, const Order& order, Cancel& cancel) {
  for (const auto& [child, parents] : changes) {
    take_from_moral(child, parents_[child]);
    add_to_moral(child, parents);
  }
  replace(changes, cancel);
  set_order(order);
  if (checks_) check(cancel);
}

void BoundedState::stamp(Vertex child) {
  const auto mark = [&](Vertex v) {
    if (remembers_) remembered_stamps_.emplace_back(v, shrunk_at_[v]);
    shrunk_at_[v] = clock_;
    changes_.freed.push_back(v);
  };
  mark(child);
  for (const Vertex p : parents_[child]) mark(p);
}

/// Whoever stands above an arc that goes may be joined to what stands below it.
void BoundedState::loosen(Vertex from) {
  const Word* above = dag_.ancestors().row(from);
  for (std::size_t w = 0; w < changes_.loosened.size(); ++w) changes_.loosened[w] |= above[w];
  changes_.loosened[from / 64] |= Word{1} << (from % 64);
}

void BoundedState::forget_changes() {
  changes_.children.clear(), changes_.freed.clear();
  std::ranges::fill(changes_.loosened, 0);
}

/// Everything but the moral graph and its proof. Arcs go before arcs come, so that no cycle closes meanwhile.
void BoundedState::replace(const std::vector<FamilyChange>& changes, Cancel& cancel) {
  ++clock_;
  for (const auto& [child, parents] : changes) {
    if (remembers_ && !std::exchange(is_remembered_[child], 1))
      remembered_.push_back({child, parents_[child]});
    if (std::ranges::includes(parents, parents_[child])) continue;
    stamp(child);
    last_shrink_ = clock_;
    for (const Vertex p : parents_[child])
      if (!std::ranges::binary_search(parents, p)) loosen(p), dag_.remove(p, child);
  }
  for (const auto& [child, parents] : changes) {
    for (const Vertex p : parents)
      if (!std::ranges::binary_search(parents_[child], p)) dag_.add(p, child);
    parents_[child] = parents;
    changes_.children.push_back(child);
    scores_[child] = columns_.local(child, parents, cancel);
    column_of_[child].reset();
  }
}

void BoundedState::remember() {
  for (const auto& [child, parents] : remembered_) is_remembered_[child] = 0;
  remembered_.clear();
  remembered_stamps_.clear();
  remembered_shrink_ = last_shrink_;
  remembered_order_ = order_;
  remembers_ = true;
}

void BoundedState::roll_back(Cancel& cancel) {
  std::vector<FamilyChange> changes;
  for (const auto& [child, parents] : remembered_)
    if (parents != parents_[child]) changes.push_back({child, parents});
  std::ranges::sort(changes, {}, &FamilyChange::child);
  become(changes, remembered_order_, cancel);
  for (const auto& [v, time] : remembered_stamps_ | std::views::reverse) shrunk_at_[v] = time;
  last_shrink_ = remembered_shrink_;
  remember();
}

void BoundedState::check(Cancel& cancel) {
  const auto require = [](bool true_so_far, const char* what) {
    if (!true_so_far) throw std::logic_error(what);
  };
  DagBuilder dag(size());
  BitMatrix moral(size());
  std::vector<std::uint32_t> families(size() * size(), 0);
  for (Vertex v = 0; v < size(); ++v) {
    Order family = parents_[v];
    for (const Vertex p : family) dag.add(p, v);  // throws when a cycle closes
    family.push_back(v);
    for (const Vertex a : family)
      for (const Vertex b : family)
        if (a != b) moral.join(a, b), ++families[a * size() + b];
    require(scores_[v] == columns_.local(v, parents_[v], cancel), "a score is not that of its family");
    require(parents_[v].size() <= bound_, "a family is too large");
    for (Vertex u = 0; u < size(); ++u) {
      const bool is_parent = std::ranges::binary_search(parents_[v], u);
      require(!is_parent || rules().allowed.test(u, v), "an arc is not allowed");
      require(is_parent || !rules().required.test(u, v), "a required arc is missing");
    }
  }
  require(dag.ancestors() == dag_.ancestors() && dag.children() == dag_.children(), "the graph is another");
  require(moral == moral_ && families == families_, "the moral graph is another");
  check_permutation(order_, size());
  require(eliminate(moral_, order_).width <= static_cast<std::int64_t>(bound_) && holds(),
          "the order does not prove the width");
}

}  // namespace treewright
