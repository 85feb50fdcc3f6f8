#include "treewright/bounded_treewidth/bounded_search.hpp"

#include <algorithm>

namespace treewright {

BoundedSearch::BoundedSearch(LocalScores& scores, ArcRules rules, const DagBuilder& start, Order order,
                             const BoundedSettings& settings, Cancel& cancel)
    : BoundedSearch(FamilyColumns(scores, std::move(rules), cancel), start, std::move(order), settings,
                    cancel) {}

BoundedSearch::BoundedSearch(const BoundedSearch& other, LocalScores& scores, const BoundedSettings& settings,
                             Cancel& cancel)
    : BoundedSearch(FamilyColumns(other.columns_, scores), other.state_.dag(), other.state_.order(), settings,
                    cancel) {}

BoundedSearch::BoundedSearch(BoundedSearch& other, const DagBuilder& start, Order order,
                             const BoundedSettings& settings, std::size_t max_parents, Cancel& cancel)
    : BoundedSearch((other.columns_.allow_parents(max_parents), std::move(other.columns_)), start,
                    std::move(order), settings, cancel) {}

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
  kept_score_ = best_;
  best_seen_ = kept_ = state_.snapshot();
  anneals_ = can_anneal();
}

void BoundedSearch::climb(bool swaps, bool afresh, Cancel& cancel) {
  if (afresh) climb_.forget_refusals();
  tally_.moves += climb_.run(swaps, deadline_, [this] { keep_now_and_then(); }, cancel);
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

void BoundedSearch::keep_now_and_then() {
  const auto now = std::chrono::steady_clock::now();
  if (now - kept_at_ < Cancel::interval) return;
  kept_at_ = now;
  const double total = state_.total();
  if (total <= std::max(best_, kept_score_)) return;
  kept_score_ = total;
  kept_ = state_.snapshot();
}

std::pair<double, const BoundedSnapshot*> BoundedSearch::best_met() const {
  return kept_score_ > best_ ? std::pair{kept_score_, &kept_} : std::pair{best_, &best_seen_};
}

void BoundedSearch::return_to_best(Cancel& cancel) {
  if (current_ >= best_) return;
  state_.adopt(best_seen_, cancel);
  current_ = best_;
}

}  // namespace treewright
