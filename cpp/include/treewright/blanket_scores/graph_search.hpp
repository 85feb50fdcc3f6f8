// Searches over undirected graphs, one flip after the other.
//
// Standings are compared after rounding to nine decimals, ties by the smaller pair, so that the path does not
// hang on the last bits of a logarithm.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "treewright/blanket_scores/graph_scores.hpp"

namespace treewright {

/// Which flips are allowed.
struct FlipRules {
  BitMatrix movable;  // pairs that may be flipped, both ways round
  std::size_t max_blanket = kNone;
  std::optional<std::int64_t> max_width;
};

struct Flip {
  Vertex x, y;
  double total;  // of the score after it
};

struct FoundGraph {
  BitMatrix graph;
  double total = 0;
  std::vector<Flip> flips;  // from the start to the graph
  std::uint64_t proposals = 0;
  Order order;  // where the width is bounded: an elimination order that proves it
};

/// A graph under a score, with the proof that its width is within the rules.
class FlipSearch {
 public:
  /// `proof`, where the width is bounded: an elimination order of the start, if one is known.
  FlipSearch(GraphScore& score, const FlipRules& rules, const BitMatrix& start, Cancel& cancel,
             Order proof = {});

  /// The published search (IBMAP-HC): propose the pairs of least standing, at most `patience` of them; the
  /// first that raises the total is flipped.
  FoundGraph climb(std::size_t patience, std::size_t max_steps);
  /// Flip the pair of least standing whatever the total does, not the same within `tenure` steps; the best
  /// graph met is given back once none better came for `stall` steps.
  FoundGraph walk(std::size_t stall, std::size_t tenure, std::size_t max_steps);
  /// Look at the `breadth` pairs of least standing and flip the best of them, not the same within `tenure`
  /// steps, with the same stop.
  FoundGraph tabu(std::size_t breadth, std::size_t stall, std::size_t tenure, std::size_t max_steps);

  /// The best graph so far: what is left of a search that was cancelled.
  const FoundGraph& best() const { return best_; }
  /// Called now and then with the flips taken and the best total so far.
  void listen(std::function<void(std::size_t, double)> listener) { listener_ = std::move(listener); }

 private:
  struct Pair {
    std::int64_t standing;
    Vertex x, y;
    auto operator<=>(const Pair&) const = default;
  };
  static std::int64_t rounded(double standing);
  std::vector<Pair> candidates(const std::vector<std::size_t>& barred, std::size_t step) const;
  bool is_free(Vertex x, Vertex y) const;
  bool fits_with(Vertex x, Vertex y);
  std::optional<Pair> worst(std::vector<Pair>& heap);
  std::optional<Pair> best_of_worst(std::vector<Pair>& heap, std::size_t breadth);
  void flip(const Pair& pair);
  /// Flip what `choose` takes from the heap, whatever the total does; the best graph met.
  template <class Choose>
  FoundGraph wander(std::size_t stall, std::size_t tenure, std::size_t max_steps, Choose choose);
  FoundGraph here() const;
  void tell();

  GraphScore& score_;
  const FlipRules& rules_;
  Cancel& cancel_;
  Order order_, next_order_;
  std::vector<Flip> flips_;
  std::uint64_t proposals_ = 0;
  FoundGraph best_;
  std::function<void(std::size_t, double)> listener_;
  std::chrono::steady_clock::time_point told_{};
};

/// All graphs of at most six variables; those within 1e-10 of the best, in the order of their edges.
struct BestGraphs {
  std::vector<BitMatrix> graphs;
  double total = 0;
  std::uint64_t judged = 0;
};
BestGraphs search_all(GraphScore& score, const FlipRules& rules, const BitMatrix& required, Cancel& cancel);

/// Blankets that every variable finds for itself (phase one of Pensar et al. 2017): row v has what v found.
/// `listener`, if there is one, is called with the number of variables that are done.
BitMatrix blankets_apart(LocalScores& scores, const FlipRules& rules, Cancel& cancel,
                         const std::function<void(std::size_t)>& listener = {});

/// A random walk over graphs whose long-run shares are exp(score), up to a constant (Metropolis et al. 1953).
struct FlipSample {
  std::vector<double> shares;  // n x n: how often each pair was joined
  std::uint64_t accepted = 0;
  BitMatrix best;
  double total = 0;
};
FlipSample sample_flips(GraphScore& score, const FlipRules& rules, const BitMatrix& start,
                        std::uint64_t burn_in, std::uint64_t steps, double temperature, std::uint64_t seed,
                        Cancel& cancel);

}  // namespace treewright
