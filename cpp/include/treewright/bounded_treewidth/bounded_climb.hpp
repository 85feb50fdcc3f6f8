// Climbing under a width bound: add, remove or turn an arc, or put one parent in the place of another.
//
// Moves are tried in the order of their gains; the first that closes no cycle and keeps the width is made.
// A refusal is remembered. While the network only grows it holds for good; when a family shrinks, refusals
// that concern one of its members are forgotten.
//
// The best move of every child is remembered too. It is looked for again where its family, or that of a
// parent, has changed or arcs above it have gone; where only refusals were forgotten, these are looked at.
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
  void remember(Cancel& cancel);
  void roll_back();

 private:
  struct Swap {
    double gain;
    Vertex out, in, child;
  };

  bool step(Cancel& cancel);
  bool step_swap(Cancel& cancel);
  struct Known {
    std::optional<Move> best;
    char stale = 1;
  };

  void outdate(Cancel& cancel);
  void outdate_around(Vertex child);
  void outdate_below(const Word* above);
  void set_stale(Vertex child) { known(child).stale = 1; }
  Known& known(Vertex child);
  std::optional<Move> best_at(Vertex child, Cancel& cancel);
  void offer_again(Vertex from, Vertex child, Cancel& cancel);
  void offer(const Move& move, std::optional<Move>& best) const;
  bool is_legal(const Move& move) const;
  bool make(const Move& move, Cancel& cancel);

  const std::vector<Swap>& swaps_of(Vertex child, Cancel& cancel);
  std::optional<Swap> best_swap_at(Vertex child, Cancel& cancel);

  std::size_t place(Vertex from, Vertex to) const { return to * state_.size() + from; }
  std::uint32_t refused_at(const Move& move) const {
    return (move.kind == MoveKind::add ? refused_adds_ : refused_turns_)[place(move.from, move.to)];
  }
  void refuse(const Move& move);
  /// A refusal made at `time` is still good.
  bool stands(std::uint32_t time, Vertex u, Vertex v) const {
    return time != 0 && time >= state_.shrunk_at(u) && time >= state_.shrunk_at(v);
  }
  std::uint64_t swap_key(const Swap& swap) const {
    return (std::uint64_t{swap.child} * state_.size() + swap.out) * state_.size() + swap.in;
  }

  BoundedState& state_;
  std::vector<Known> known_;
  std::vector<std::pair<Vertex, Known>> known_before_;             // when it was to be remembered
  std::vector<char> is_noted_;                                     // there
  BitMatrix refused_children_;                                     // of each parent: ever refused to be added
  std::vector<std::uint32_t> refused_adds_, refused_turns_;        // clock of the state; 0: not refused
  std::vector<std::pair<std::uint32_t*, std::uint32_t>> journal_;  // what a refusal was before
  std::unordered_map<std::uint64_t, std::uint32_t> refused_swaps_;
  std::vector<std::vector<Swap>> swaps_;
  std::vector<Order> swaps_for_;  // the families that `swaps_` belong to
  std::vector<char> has_swaps_;
  Order visit_;  // children in the order in which ties between them go
};

}  // namespace treewright
