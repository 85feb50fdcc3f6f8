#include "treewright/bounded_treewidth/bounded_climb.hpp"

#include <algorithm>
#include <numeric>
#include <ranges>

namespace treewright {

BoundedClimb::BoundedClimb(BoundedState& state)
    : state_(state),
      known_(state.size()),
      is_noted_(state.size(), 0),
      refused_children_(state.size()),
      refused_adds_(state.size() * state.size(), 0),
      refused_turns_(state.size() * state.size(), 0),
      swaps_(state.size()),
      swaps_for_(state.size()),
      has_swaps_(state.size(), 0),
      visit_(state.size()) {
  std::iota(visit_.begin(), visit_.end(), Vertex{0});
}

std::size_t BoundedClimb::run(bool swaps, const Deadline& deadline, const std::function<void()>& between,
                              Cancel& cancel) {
  std::size_t moves = 0;
  while (!deadline || std::chrono::steady_clock::now() < *deadline) {
    between();
    cancel.check();
    if (!step(cancel) && !(swaps && step_swap(cancel))) break;
    ++moves;
  }
  return moves;
}

void BoundedClimb::remember(Cancel& cancel) {
  outdate(cancel);
  journal_.clear();
  for (const auto& [child, before] : known_before_) is_noted_[child] = 0;
  known_before_.clear();
}

/// The state is what it was, so what was known of it is true again.
void BoundedClimb::roll_back() {
  for (const auto& [refusal, time] : journal_ | std::views::reverse) *refusal = time;
  for (auto& [child, before] : known_before_) known_[child] = before, is_noted_[child] = 0;
  journal_.clear(), known_before_.clear();
  state_.forget_changes();
}

BoundedClimb::Known& BoundedClimb::known(Vertex child) {
  if (!std::exchange(is_noted_[child], 1)) known_before_.emplace_back(child, known_[child]);
  return known_[child];
}

/// All but those made since the last family shrank: the network has only grown, they hold for good.
void BoundedClimb::forget_refusals() {
  const std::uint32_t since = state_.last_shrink();
  const auto outdated = [&](std::uint32_t time) { return time < since; };
  std::ranges::replace_if(refused_adds_, outdated, 0);
  std::ranges::replace_if(refused_turns_, outdated, 0);
  std::erase_if(refused_swaps_, [&](const auto& swap) { return outdated(swap.second); });
  for (Vertex v = 0; v < state_.size(); ++v) set_stale(v);
}

void BoundedClimb::refuse(const Move& move) {
  auto& times = move.kind == MoveKind::add ? refused_adds_ : refused_turns_;
  std::uint32_t& time = times[place(move.from, move.to)];
  if (move.kind == MoveKind::add) refused_children_.set(move.from, move.to);
  journal_.emplace_back(&time, time);
  time = state_.clock();
}

void BoundedClimb::outdate(Cancel& cancel) {
  const BoundedChanges& changes = state_.changes();
  if (changes.children.empty()) return;
  for (const Vertex v : changes.children) outdate_around(v);
  outdate_below(changes.loosened.data());
  Order freed = changes.freed;
  std::ranges::sort(freed);
  freed.erase(std::unique(freed.begin(), freed.end()), freed.end());
  for (const Vertex v : freed) set_stale(v);
  for (const Vertex u : freed) {
    const auto again = [&](std::size_t v) { offer_again(u, static_cast<Vertex>(v), cancel); };
    for_each_bit(refused_children_.row(u), refused_children_.words(), again);
    for_each_bit(state_.dag().children().row(u), refused_children_.words(), again);
  }
  state_.forget_changes();
}

void BoundedClimb::outdate_around(Vertex child) {
  set_stale(child);
  // turning child -> w round gains what the column of the child says of w
  for_each_bit(state_.dag().children().row(child), state_.dag().children().words(),
               [&](std::size_t w) { set_stale(static_cast<Vertex>(w)); });
}

/// These may have lost descendants, which may be their parents now; and arcs from them may be turned.
void BoundedClimb::outdate_below(const Word* above) {
  for_each_bit(above, state_.dag().children().words(),
               [&](std::size_t v) { outdate_around(static_cast<Vertex>(v)); });
}

/// What a forgotten refusal stood against.
void BoundedClimb::offer_again(Vertex from, Vertex child, Cancel& cancel) {
  if (known_[child].stale) return;
  const FamilyColumn& column = state_.column(child, cancel);
  const Order& parents = state_.parents(child);
  const auto at = std::ranges::lower_bound(parents, from);
  std::optional<Move> best = known_[child].best;
  if (at == parents.end() || *at != from) {
    offer({MoveKind::add, from, child, column.with[from]}, best);
  } else if (state_.rules().allowed.test(child, from) && !state_.rules().required.test(from, child)) {
    const double fewer = column.without[static_cast<std::size_t>(at - parents.begin())];
    offer({MoveKind::reverse, from, child, fewer + state_.column(from, cancel).with[child]}, best);
  }
  if (best && (!known_[child].best || best->from != known_[child].best->from ||
               best->kind != known_[child].best->kind))
    known(child).best = best;
}

bool BoundedClimb::is_legal(const Move& move) const {
  if (move.kind == MoveKind::add) return state_.dag().can_add(move.from, move.to);
  if (move.kind == MoveKind::remove) return state_.dag().has_arc(move.from, move.to);
  return state_.dag().can_reverse(move.from, move.to);
}

/// The best move by gain, then by its parent, of those that are legal and not refused.
void BoundedClimb::offer(const Move& move, std::optional<Move>& best) const {
  if (move.gain <= state_.columns().threshold()) return;
  if (best && (move.gain < best->gain || (move.gain == best->gain && move.from >= best->from))) return;
  const bool may_fail = move.kind != MoveKind::remove;
  if (!may_fail || (is_legal(move) && !stands(refused_at(move), move.from, move.to))) best = move;
}

std::optional<Move> BoundedClimb::best_at(Vertex child, Cancel& cancel) {
  const FamilyColumn& column = state_.column(child, cancel);
  std::optional<Move> best;
  for (const auto& [gain, from] : column.useful) {
    if (best) break;
    offer({MoveKind::add, from, child, gain}, best);
  }
  const Order& parents = state_.parents(child);
  for (std::size_t i = 0; i < parents.size(); ++i) {
    const Vertex p = parents[i];
    if (state_.rules().required.test(p, child)) continue;
    offer({MoveKind::remove, p, child, column.without[i]}, best);
    if (state_.rules().allowed.test(child, p))
      offer({MoveKind::reverse, p, child, column.without[i] + state_.column(p, cancel).with[child]}, best);
  }
  return best;
}

/// Make the best move that keeps the width; false when there is none.
bool BoundedClimb::step(Cancel& cancel) {
  while (true) {
    outdate(cancel);
    const Move* top = nullptr;
    for (const Vertex v : visit_) {
      if (known_[v].stale || (known_[v].best && !is_legal(*known_[v].best))) {
        Known& looked_at = known(v);
        looked_at = {best_at(v, cancel), 0};
      }
      const std::optional<Move>& best = known_[v].best;
      if (best && (!top || best->gain > top->gain)) top = &*best;
    }
    if (!top) return false;
    const Move move = *top;
    if (make(move, cancel)) return true;
    refuse(move);
    set_stale(move.to);
    cancel.check();
  }
}

bool BoundedClimb::make(const Move& move, Cancel& cancel) {
  const auto [kind, from, to, gain] = move;
  if (kind == MoveKind::remove) {
    state_.shrink(to, without_parent(state_.parents(to), from), cancel);
    return true;
  }
  if (kind == MoveKind::add) return state_.change({{to, with_parent(state_.parents(to), from)}}, cancel);
  return state_.change(
      {{to, without_parent(state_.parents(to), from)}, {from, with_parent(state_.parents(from), to)}},
      cancel);
}

/// All swaps into one family that gain, most first.
const std::vector<BoundedClimb::Swap>& BoundedClimb::swaps_of(Vertex child, Cancel& cancel) {
  const Order& parents = state_.parents(child);
  std::vector<Swap>& swaps = swaps_[child];
  if (has_swaps_[child] && swaps_for_[child] == parents) return swaps;
  swaps.clear();
  const FamilyColumn& column = state_.column(child, cancel);
  const double threshold = state_.columns().threshold();
  for (std::size_t i = 0; i < parents.size(); ++i) {
    const Vertex out = parents[i];
    if (state_.rules().required.test(out, child)) continue;
    const ColumnPointer fewer = state_.columns().column(child, without_parent(parents, out), cancel);
    for (const auto& [gain, in] : fewer->useful) {
      if (gain + column.without[i] <= threshold) break;
      if (in != out && !std::ranges::binary_search(parents, in))
        swaps.push_back({gain + column.without[i], out, in, child});
    }
  }
  std::ranges::stable_sort(swaps, std::ranges::greater{}, &Swap::gain);
  swaps_for_[child] = parents;
  has_swaps_[child] = 1;
  return swaps;
}

std::optional<BoundedClimb::Swap> BoundedClimb::best_swap_at(Vertex child, Cancel& cancel) {
  for (const Swap& swap : swaps_of(child, cancel)) {
    if (state_.dag().is_ancestor(child, swap.in)) continue;
    const auto refused = refused_swaps_.find(swap_key(swap));
    if (refused != refused_swaps_.end() && stands(refused->second, swap.in, child)) continue;
    return swap;
  }
  return std::nullopt;
}

bool BoundedClimb::step_swap(Cancel& cancel) {
  std::vector<std::optional<Swap>> best(state_.size());
  for (Vertex v = 0; v < state_.size(); ++v) best[v] = best_swap_at(v, cancel);
  while (true) {
    cancel.check();
    const auto top = std::ranges::max_element(
        best, {}, [](const std::optional<Swap>& swap) { return swap ? swap->gain : 0.0; });
    if (top == best.end() || !*top) return false;
    const Swap swap = **top;
    if (state_.change(
            {{swap.child, with_parent(without_parent(state_.parents(swap.child), swap.out), swap.in)}},
            cancel))
      return true;
    refused_swaps_[swap_key(swap)] = state_.clock();
    *top = best_swap_at(swap.child, cancel);
  }
}

}  // namespace treewright
