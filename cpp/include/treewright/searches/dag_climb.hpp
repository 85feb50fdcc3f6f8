// Climbing among directed acyclic graphs: add, remove or turn the arc that gains most.
//
// Plain climbing stops where no move gains. With a patience it walks on, by the best move that leads to no
// structure it remembers, and ends where it was best (tabu search); with perturbations it then makes some
// moves at random and climbs again. Between moves it may turn covered arcs at random, which changes the graph
// but not its equivalence class (Castelo & Kocka 2003).
//
// Moves of equal gain are common: a score-equivalent score cannot tell a -> b from b -> a until other parents
// of a or b are known. Looking ahead, the arc is drawn towards the end where a further parent would gain most
// by it, the beginning of a v-structure; then by name.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "treewright/graphs/undirected.hpp"
#include "treewright/searches/dag_moves.hpp"

namespace treewright {

struct ClimbSettings {
  bool look_ahead = true;
  std::size_t tabu = 0;            // structures remembered
  std::size_t patience = 0;        // steps of a round without a new best of that round
  std::size_t perturbations = 0;   // rounds without a new best of all
  double perturbed_share = 0.1;    // of the arcs: so many random moves
  std::size_t covered_tries = 0;   // arcs drawn after each move, turned when covered
  std::size_t covered_rounds = 0;  // further batches of draws that may bring nothing
  std::uint64_t seed = 0;
  std::optional<std::size_t> treewidth;  // no graph on the way is wider
  std::vector<char> is_number;           // by vertex: eliminated before all others; empty: nobody
};

struct ClimbTally {
  std::size_t steps = 0, ties = 0, perturbations = 0, covered = 0;
};

struct Climb {
  std::vector<Arc> arcs;    // of the best graph met; sorted
  double gain = 0;          // over the start
  std::vector<Move> moves;  // in order, those after the best included
  ClimbTally tally;
  Order order;  // under a bound: an elimination order of that graph within it
};

/// `report(steps, gain)` is called after every step. Work that is stopped half-way leaves in `kept` what it
/// would have returned if it had ended there.
Climb climb_dags(LocalScores& scores, ArcRules rules, DagBuilder start, const ClimbSettings& settings,
                 Cancel& cancel, const std::function<void(std::size_t, double)>& report = {},
                 Climb* kept = nullptr);

/// Picks among moves of equal gain: by evidence of v-structures, then the first.
class LookAhead {
 public:
  explicit LookAhead(std::size_t n) : asked_(n) {}

  const Move& pick(DagMoves& moves, const std::vector<Move>& ties, Cancel& cancel);

  /// The column that the head of a new arc will have, if it was asked for while picking.
  const GainColumn* column_after(const Move& move) const;
  /// Forget what was asked about the children whose parents changed.
  void forget(const Move& applied);

 private:
  struct Asked {
    Vertex added;
    GainColumn column;
  };
  double evidence(DagMoves& moves, const Move& move, Cancel& cancel);

  std::vector<std::vector<Asked>> asked_;  // by child
};

}  // namespace treewright
