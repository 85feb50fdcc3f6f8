// Climbing under a width bound: add, remove or turn an arc, or put one parent in the place of another.
//
// Moves are tried in the order of their gains; the first that closes no cycle and keeps the width is made.
// A refusal is remembered. While the network only grows it holds for good; when a family shrinks, refusals
// that concern one of its members are forgotten.
//
// Vertices are ranks of names. Moves of equal gain come in the order child, parent, kind: by name, until
// chance is asked to mix the children.
#pragma once

#include <chrono>
#include <functional>
#include <optional>
#include <unordered_map>

#include "treewright/bounded_treewidth/bounded_state.hpp"
#include "treewright/parallel/seeded_draws.hpp"

namespace treewright {

using Deadline = std::optional<std::chrono::steady_clock::time_point>;

class BoundedClimb {
 public:
  explicit BoundedClimb(BoundedState& state);

  /// Up to where no move gains, or to the deadline; the moves made. Swaps come last: only where no other move
  /// gains. `between` is called before each move, when everything agrees.
  std::size_t run(bool swaps, const Deadline& deadline, const std::function<void()>& between, Cancel& cancel);
  /// Try again what may no longer be too wide.
  void forget_refusals();

  /// Let chance decide between moves of equal gain.
  void shuffle(Draws& draws) { draws.shuffle(visit_); }

  /// From now on remember which refusals are new; `roll_back` takes them back, with the state's own.
  void remember() { journal_.clear(); }
  void roll_back();

 private:
  struct Swap {
    double gain;
    Vertex out, in, child;
  };

  bool step(Cancel& cancel);
  bool step_swap(Cancel& cancel);
  void outdate();
  std::optional<Move> best_at(Vertex child, Cancel& cancel);
  bool is_legal(const Move& move) const;
  bool make(const Move& move, Cancel& cancel);
  void outdate_around(Vertex child);

  const std::vector<Swap>& swaps_of(Vertex child, Cancel& cancel);
  std::optional<Swap> best_swap_at(Vertex child, Cancel& cancel);

  std::uint32_t& refusal(MoveKind kind, Vertex from, Vertex to) {
    return (kind == MoveKind::add ? refused_adds_ : refused_turns_)[to * state_.size() + from];
  }
  void refuse(const Move& move) {
    std::uint32_t& time = refusal(move.kind, move.from, move.to);
    journal_.emplace_back(&time, time);
    time = state_.clock();
  }
  /// A refusal made at `time` is still good.
  bool stands(std::uint32_t time, Vertex u, Vertex v) const {
    return time != 0 && time >= state_.shrunk_at(u) && time >= state_.shrunk_at(v);
  }
  std::uint64_t swap_key(const Swap& swap) const {
    return (std::uint64_t{swap.child} * state_.size() + swap.out) * state_.size() + swap.in;
  }

  BoundedState& state_;
  std::vector<std::optional<Move>> best_;
  std::vector<char> stale_;
  std::uint32_t seen_ = 0;                                         // clock of the state that `best_` is about
  std::vector<std::uint32_t> refused_adds_, refused_turns_;        // clock of the state; 0: not refused
  std::vector<std::pair<std::uint32_t*, std::uint32_t>> journal_;  // what a refusal was before
  std::unordered_map<std::uint64_t, std::uint32_t> refused_swaps_;
  std::vector<std::vector<Swap>> swaps_;
  std::vector<Order> swaps_for_;  // the families that `swaps_` belong to
  std::vector<char> has_swaps_;
  Order visit_;  // children in the order in which ties between them go
};

}  // namespace treewright
