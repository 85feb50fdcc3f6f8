// Searches from one start, each with its own seed, and a diary of the rounds that brought something.
//
// The first works alone until they are spread. Long work is cut into rounds of a fraction of a second. A
// round after which the best network ever met is better than before is kept: its score, what it added, the
// width and the time. Nothing else is worked out unless somebody listens, who then hears of every round.
#pragma once

#include <array>
#include <functional>
#include <memory>
#include <optional>

#include "treewright/bounded_treewidth/bounded_search.hpp"
#include "treewright/graphs/cliques.hpp"

namespace treewright {

struct BoundedRound {
  std::vector<Arc> added;  // since the round kept before, sorted
  std::uint64_t refused = 0;
  std::int64_t width = -1;
  double score = 0, seconds = 0;
};

struct BoundedNews {
  std::uint64_t kicks;
  std::int64_t width;
  double score;
};

/// Cliques of the cover that proves the width, and the tree that joins them.
struct BoundedProof {
  SetList cliques;
  std::vector<TreeEdge> joints;
};

/// A network with its proof, when the work was stopped half-way.
struct BoundedMet {
  double score = 0;
  DagBuilder dag;
  BoundedProof proof;
};

class BoundedSearches {
 public:
  /// Without an order the start must be a tree.
  BoundedSearches(LocalScores& scores, ArcRules rules, const DagBuilder& start, std::optional<Order> order,
                  const BoundedSettings& settings, Cancel& cancel);
  BoundedSearches(const BoundedSearches&) = delete;
  BoundedSearches& operator=(const BoundedSearches&) = delete;

  void listen(std::function<void(const BoundedNews&)> listener) { listener_ = std::move(listener); }
  void set_deadline(Deadline deadline);
  bool expired() const { return searches_.front()->expired(); }

  std::size_t size() const { return searches_.size(); }
  BoundedSearch& operator[](std::size_t i) { return *searches_[i]; }
  const BoundedSearch& operator[](std::size_t i) const { return *searches_[i]; }
  /// The search that has come furthest; of equals the one whose arcs come first.
  BoundedSearch& best() { return *searches_[find_best()]; }
  const BoundedSearch& best() const { return *searches_[find_best()]; }
  /// Moves, redraws, kicks, accepted kicks, width tests, refusals, families scored: of all there have been.
  using Tallies = std::array<std::uint64_t, 7>;
  Tallies tallies() const;
  const std::vector<BoundedRound>& rounds() const { return rounds_; }

  void climb(bool swaps, bool afresh, Cancel& cancel);
  /// Choose all families anew along the cover and climb, as long as that helps; true if it did.
  bool reoptimise(Cancel& cancel);
  /// Cut every variable off in turn and lay its arcs out anew; twice, if there are not too many.
  void settle(Cancel& cancel);
  /// From here on one search more for each of these; pairs are not counted again.
  void spread(const std::vector<LocalScores*>& scores, const std::vector<std::uint64_t>& seeds,
              Cancel& cancel);
  /// Begin anew under another bound, with what is known about families; one search until they are spread.
  void restart(const DagBuilder& start, std::optional<Order> order, std::size_t bound,
               std::size_t max_parents, Cancel& cancel);
  /// Take these arcs, narrowed, to their local optimum; each search keeps the better of its two.
  void begin_again(const std::vector<Arc>& arcs, Cancel& cancel);
  /// Kick each search so many times, or until the deadline, and return to the best of each.
  void kick(std::size_t wanted, Cancel& cancel);
  /// The narrowest proof that is found for the best network.
  BoundedProof prove(Cancel& cancel);
  /// The best network that any search has met; also after work that was stopped half-way.
  BoundedMet best_met(Cancel& cancel) const;

 private:
  using Instant = std::chrono::steady_clock::time_point;

  std::size_t find_best() const;
  bool settle_until(std::size_t last, Cancel& cancel);
  void end_round(Instant began);

  BoundedSettings settings_;
  std::vector<std::unique_ptr<BoundedSearch>> searches_;
  Tallies before_{};  // of searches under narrower bounds
  std::function<void(const BoundedNews&)> listener_;
  Deadline deadline_;
  std::vector<BoundedRound> rounds_;
  std::vector<Arc> arcs_;  // of the best network when a round was kept last
  std::uint64_t refused_ = 0;
  double reached_ = 0;
};

/// What an elimination order proves of a network.
std::int64_t width_of(const BoundedState& state);

/// The canonical member of the class of a network.
std::vector<Arc> canonical_arcs(const DagBuilder& dag);

}  // namespace treewright
