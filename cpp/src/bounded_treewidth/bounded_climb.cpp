#include "treewright/bounded_treewidth/bounded_climb.hpp"

#include <algorithm>
#include <numeric>
#include <ranges>

namespace treewright {

BoundedClimb::BoundedClimb(BoundedState& state)
    : state_(state),
      best_(state.size()),
      stale_(state.size(), 1),
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

void BoundedClimb::roll_back() {
  for (const auto& [refusal, time] : journal_ | std::views::reverse) *refusal = time;
  journal_.clear();
}

/// All but those made since the last family shrank: the network has only grown, they hold for good.
void BoundedClimb::forget_refusals() {
  const std::uint32_t since = state_.last_shrink();
  const auto outdated = [&](std::uint32_t time) { return time < since; };
  std::ranges::replace_if(refused_adds_, outdated, 0);
  std::ranges::replace_if(refused_turns_, outdated, 0);
  std::erase_if(refused_swaps_, [&](const auto& swap) { return outdated(swap.second); });
  std::ranges::fill(stale_, 1);
}

/// What others changed, or what shrank, frees moves anywhere.
void BoundedClimb::outdate() {
  if (seen_ == state_.clock()) return;
  seen_ = state_.clock();
  std::ranges::fill(stale_, 1);
}

void BoundedClimb::outdate_around(Vertex child) {
  stale_[child] = 1;
  // turning child -> w round gains what the column of the child says of w
  for_each_bit(state_.dag().children().row(child), state_.dag().children().words(),
               [&](std::size_t w) { stale_[w] = 1; });
}

bool BoundedClimb::is_legal(const Move& move) const {
  if (move.kind == MoveKind::add) return state_.dag().can_add(move.from, move.to);
  if (move.kind == MoveKind::remove) return state_.dag().has_arc(move.from, move.to);
  return state_.dag().can_reverse(move.from, move.to);
}

std::optional<Move> BoundedClimb::best_at(Vertex child, Cancel& cancel) {
  const FamilyColumn& column = state_.column(child, cancel);
  const double threshold = state_.columns().threshold();
  std::optional<Move> best;
  const auto offer = [&](MoveKind kind, Vertex from, double gain) {
    if (gain <= threshold || (best && (gain < best->gain || (gain == best->gain && from >= best->from))))
      return;
    const Move move{kind, from, child, gain};
    if (kind != MoveKind::remove && (!is_legal(move) || stands(refusal(kind, from, child), from, child)))
      return;
    best = move;
  };
  for (const auto& [gain, from] : column.useful) {
    if (best) break;
    offer(MoveKind::add, from, gain);
  }
  const Order& parents = state_.parents(child);
  for (std::size_t i = 0; i < parents.size(); ++i) {
    const Vertex p = parents[i];
    if (state_.rules().required.test(p, child)) continue;
    offer(MoveKind::remove, p, column.without[i]);
    if (state_.rules().allowed.test(child, p))
      offer(MoveKind::reverse, p, column.without[i] + state_.column(p, cancel).with[child]);
  }
  return best;
}

/// Make the best move that keeps the width; false when there is none.
bool BoundedClimb::step(Cancel& cancel) {
  while (true) {
    outdate();
    std::optional<Move> top;
    for (const Vertex v : visit_) {
      if (stale_[v] || (best_[v] && !is_legal(*best_[v]))) {
        best_[v] = best_at(v, cancel);
        stale_[v] = 0;
      }
      if (best_[v] && (!top || best_[v]->gain > top->gain)) top = best_[v];
    }
    if (!top) return false;
    if (make(*top, cancel)) return true;
    refuse(*top);
    stale_[top->to] = 1;
    cancel.check();
  }
}

bool BoundedClimb::make(const Move& move, Cancel& cancel) {
  const auto [kind, from, to, gain] = move;
  if (kind == MoveKind::remove) {
    state_.shrink(to, without_parent(state_.parents(to), from), cancel);
    return true;
  }
  if (kind == MoveKind::add) {
    if (!state_.change({{to, with_parent(state_.parents(to), from)}}, cancel)) return false;
    outdate_around(to);
    seen_ = state_.clock();
    return true;
  }
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
