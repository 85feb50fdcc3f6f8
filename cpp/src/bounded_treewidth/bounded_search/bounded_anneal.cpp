// Kicks that heat and cool a part of the cover, where the bound is narrow.
//
// Few families fit in a narrow cover, so that most are known before long; and a vertex there stands between
// others that cannot be passed: to lay out a part anew, one arc after the other, ends up where it was. The
// annealing knows only networks without idle width, the other kicks know all of them: they take turns.
#include "treewright/bounded_treewidth/bounded_search.hpp"
#include "treewright/bounded_treewidth/cover_visits.hpp"

namespace treewright {
namespace {

constexpr std::size_t kWidest = 2;               // beyond it families are too many to be known
constexpr std::size_t kAnneals = 8, kTurn = 40;  // of so many kicks

bool all_is_allowed(const ArcRules& rules, std::size_t bound) {
  const std::size_t n = rules.allowed.size();
  std::size_t allowed = 0, required = 0;
  for (std::size_t v = 0; v < n; ++v) {
    allowed += count_bits(rules.allowed.row(v), rules.allowed.words());
    required += count_bits(rules.required.row(v), rules.required.words());
  }
  return required == 0 && allowed == n * (n - 1) && rules.max_parents >= bound;
}

}  // namespace

bool BoundedSearch::can_anneal() const {
  const std::size_t n = state_.size(), bound = state_.bound();
  return settings_.anneals && bound >= 2 && bound <= kWidest && n > bound + 2 &&
         CoverAnneal::can_remember(n, bound) && all_is_allowed(columns_.rules(), bound);
}

bool BoundedSearch::is_annealing_due(Cancel& cancel) {
  if (!anneals_ || tally_.kicks % kTurn >= kAnneals) return false;
  if (!anneal_) begin_annealing(cancel);
  return anneals_;
}

/// Where the first cover is idle annealing does not pay, and is left at that.
void BoundedSearch::begin_annealing(Cancel& cancel) {
  anneal_ = std::make_unique<CoverAnneal>(columns_, state_.bound(), settings_.seed, cancel);
  anneal_->plant(complete_cover(state_, columns_), cancel);
  annealed_at_ = state_.clock();
  anneals_ = anneal_->is_busy();
  if (!anneals_) anneal_.reset();
}

/// The cover is that of the network, unless something else has changed the network meanwhile; whenever it is
/// better the network follows.
void BoundedSearch::anneal_once(Cancel& cancel) {
  if (annealed_at_ != state_.clock()) {
    state_.renew_order(cancel);
    anneal_->plant(complete_cover(state_, columns_), cancel);
  }
  if (anneal_->anneal_part(cancel) && anneal_->total() > current_ + columns_.threshold()) {
    state_.adopt(anneal_->network(cancel), cancel);
    current_ = state_.total();
    note_best();
    ++tally_.accepted;
  }
  annealed_at_ = state_.clock();
}

}  // namespace treewright
