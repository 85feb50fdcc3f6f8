// The search for a network under a width bound: climb, choose all families anew along the cover, and then
// destroy and rebuild a few of them, again and again.
#pragma once

#include <memory>

#include "treewright/bounded_treewidth/bounded_climb.hpp"
#include "treewright/bounded_treewidth/cover_anneal.hpp"

namespace treewright {

struct BoundedSettings {
  std::size_t bound = 1;
  std::uint64_t seed = 0;
  double temperature = 0;  // nats: how much worse than the present network a kick may leave it, on average
  bool checks = false;     // count everything anew after every change
  bool anneals = true;     // let annealing take part in the kicks, where it can
};

struct BoundedTally {
  std::uint64_t moves = 0, redrawn = 0, kicks = 0, accepted = 0;
};

class BoundedSearch {
 public:
  BoundedSearch(LocalScores& scores, ArcRules rules, const DagBuilder& start, Order order,
                const BoundedSettings& settings, Cancel& cancel);
  /// Go on from where another search is; what it knows about pairs is not counted again.
  BoundedSearch(const BoundedSearch& other, LocalScores& scores, const BoundedSettings& settings,
                Cancel& cancel);
  /// Begin anew under another bound, with what another search knows about families, which it loses.
  BoundedSearch(BoundedSearch& other, const DagBuilder& start, Order order, const BoundedSettings& settings,
                std::size_t max_parents, Cancel& cancel);
  BoundedSearch(const BoundedSearch&) = delete;  // its parts know each other by address
  BoundedSearch& operator=(const BoundedSearch&) = delete;

  const BoundedState& state() const { return state_; }
  BoundedState& state() { return state_; }
  double best_score() const { return best_; }
  /// The best network met, or what a long climb had made of it, and its score: sound also after work that was
  /// stopped half-way, when the state is not.
  std::pair<double, const BoundedSnapshot*> best_met() const;
  const BoundedTally& tally() const { return tally_; }
  std::uint64_t n_scored() const { return columns_.n_scored(); }
  void set_deadline(Deadline deadline) { deadline_ = deadline; }
  bool expired() const { return deadline_ && std::chrono::steady_clock::now() >= *deadline_; }

  /// `afresh` tries again what was refused.
  void climb(bool swaps, bool afresh, Cancel& cancel);
  /// Draw orders until so many in a row bring nothing; true if one did.
  bool redraw(std::size_t patience, Cancel& cancel);
  /// Cut these vertices off in turn, climb, and keep what is no worse; true if something was better. For each
  /// of them a few orders may be guessed where safe rules do not decide; then the one at hand must do.
  bool settle(std::size_t first, std::size_t last, Cancel& cancel);
  /// Begin again with these arcs, as many as the bound lets in, the most useful first; up to the local
  /// optimum. Back to the best network met unless that is better; true if it was.
  bool begin_again(const std::vector<Arc>& arcs, std::size_t patience, Cancel& cancel);
  /// So many kicks, or fewer at the deadline; how many.
  std::size_t kick(std::size_t most, Cancel& cancel);
  /// Back to the best network met.
  void return_to_best(Cancel& cancel);

 private:
  BoundedSearch(FamilyColumns columns, const DagBuilder& start, Order order, const BoundedSettings& settings,
                Cancel& cancel);
  bool redraw_once(Cancel& cancel);
  void let_in(std::vector<Arc> arcs, Cancel& cancel);
  template <class Damage>
  bool try_out(const Damage& damage, double tolerance, Cancel& cancel);
  void kick_once(Cancel& cancel);
  void turn_over(Cancel& cancel);
  bool can_anneal() const;
  bool is_annealing_due(Cancel& cancel);
  void begin_annealing(Cancel& cancel);
  void anneal_once(Cancel& cancel);
  void note_best();
  void keep_now_and_then();
  std::size_t draw_size();
  Order draw_ball(std::size_t wanted);
  void damage(const Order& ball, Cancel& cancel);
  void drop_some(Vertex child, double share, Cancel& cancel);
  void isolate(Vertex v, Cancel& cancel);
  void clear(Vertex child, Cancel& cancel);
  void reattach(Vertex child, Cancel& cancel);

  FamilyColumns columns_;
  BoundedSettings settings_;
  BoundedState state_;
  BoundedClimb climb_;
  Draws draws_;
  Deadline deadline_;
  BoundedTally tally_;
  double current_ = 0, best_ = 0;
  double highest_ = 0;    // since the search began, or was turned over
  std::size_t idle_ = 0;  // kicks since then
  bool strays_ = false;   // it was turned over, and has not come to anything better yet
  BoundedSnapshot best_seen_;
  double kept_score_ = 0;  // of a climb that goes on; the search itself never looks at it
  BoundedSnapshot kept_;
  std::chrono::steady_clock::time_point kept_at_ = std::chrono::steady_clock::now();
  bool anneals_ = false;
  std::unique_ptr<CoverAnneal> anneal_;
  std::uint32_t annealed_at_ = 0;  // clock of the state that its cover is about
};

}  // namespace treewright
