#include "treewright/bounded_treewidth/bounded_search.hpp"

namespace treewright {

BoundedSearch::BoundedSearch(LocalScores& scores, ArcRules rules, const DagBuilder& start, Order order,
                             const BoundedSettings& settings, Cancel& cancel)
    : BoundedSearch(FamilyColumns(scores, std::move(rules), cancel), start, std::move(order), settings,
                    cancel) {}

BoundedSearch::BoundedSearch(const BoundedSearch& other, LocalScores& scores, const BoundedSettings& settings,
                             Cancel& cancel)
    : BoundedSearch(FamilyColumns(other.columns_, scores), other.state_.dag(), other.state_.order(), settings,
                    cancel) {}

BoundedSearch::BoundedSearch(FamilyColumns columns, const DagBuilder& start, Order order,
                             const BoundedSettings& settings, Cancel& cancel)
    : columns_(std::move(columns)),
      settings_(settings),
      state_(columns_, start, std::move(order), settings.bound, cancel),
      climb_(state_),
      draws_(settings.seed) {
  if (settings.checks) {
    state_.check_always();
    state_.check(cancel);
  }
  current_ = best_ = highest_ = state_.total();
  best_seen_ = state_.snapshot();
  anneals_ = can_anneal();
}

void BoundedSearch::climb(bool swaps, bool afresh, Cancel& cancel) {
  if (afresh) climb_.forget_refusals();
  tally_.moves += climb_.run(swaps, deadline_, cancel);
  current_ = state_.total();
  note_best();
}

void BoundedSearch::note_best() {
  if (current_ > highest_) highest_ = current_, idle_ = 0;
  if (current_ <= best_) return;
  best_ = current_;
  best_seen_ = state_.snapshot();
  strays_ = false;
}

void BoundedSearch::return_to_best(Cancel& cancel) {
  if (current_ >= best_) return;
  state_.adopt(best_seen_, cancel);
  current_ = best_;
}

}  // namespace treewright
