#include "treewright/bounded_treewidth/chain_search.hpp"

#include <algorithm>
#include <utility>

namespace treewright {

std::vector<Candidate> chain_candidates(BoundedNetwork& network, std::span<const Vertex> order,
                                        std::optional<std::int64_t> limit, Cancel& cancel) {
  const std::size_t n = network.size();
  FamilyGains& gains = network.gains();
  std::vector<Candidate> found;
  std::vector<Word> before(words_for(n), 0), tails;
  std::vector<std::vector<Vertex>> heads(n);  // by tail
  for (const Vertex t : order) {
    tails = network.possible_tails(t);
    for (std::size_t w = 0; w < tails.size(); ++w) tails[w] &= before[w];
    before[t / 64] |= Word{1} << (t % 64);
    gains.ask(t, tails.data(), cancel);
    for_each_bit(tails.data(), tails.size(), [&](std::size_t v) {
      const auto s = static_cast<Vertex>(v);
      if (!(gains.gain(s, t) > gains.threshold())) return;
      if (!limit || network.propose(s, t).block_width <= *limit) heads[s].push_back(t);
    });
  }
  Contamination contamination(network.cover(), gains.parents(), order, network.settings().rule);
  for (Vertex s = 0; s < n; ++s) {
    if (heads[s].empty()) continue;
    cancel.check();
    contamination.leave(s);
    for (const Vertex t : heads[s]) found.push_back({s, t, gains.gain(s, t), contamination.reach(t)});
  }
  std::ranges::sort(found, {}, [](const Candidate& one) { return std::pair(one.t, one.s); });
  return found;
}

AppliedChain apply_chain(BoundedNetwork& network, std::span<const Arc> chain, std::int64_t limit,
                         Cancel& cancel) {
  AppliedChain result;
  for (const auto& [s, t] : chain) {
    cancel.check();
    std::vector<Word> tail(words_for(network.size()), 0);
    tail[s / 64] |= Word{1} << (s % 64);
    network.gains().ask(t, tail.data(), cancel);
    const bool added = network.admit(s, t, limit, true, cancel).admitted;
    (added ? result.added : result.skipped).emplace_back(s, t);
  }
  return result;
}

GreedyArcs::GreedyArcs(BoundedNetwork& network, std::int64_t limit, Triangulation triangulation)
    : network_(network),
      limit_(limit),
      triangulation_(triangulation),
      best_(network.size()),
      refused_(network.size()) {}

std::optional<Arc> GreedyArcs::step(Cancel& cancel) {
  do {
    while (const auto arc = best_arc(cancel)) {
      const Admission admission = admit(*arc, cancel);
      best_[arc->second].fresh = false;
      if (admission.admitted) {
        set_aside(admission);
        return arc;
      }
      refuse(*arc, admission);
    }
  } while (ask_again());
  return std::nullopt;
}

Admission GreedyArcs::admit(const Arc& arc, Cancel& cancel) {
  const auto [s, t] = arc;
  switch (triangulation_) {
    case Triangulation::none:
      return network_.admit_free(s, t, limit_, cancel);
    case Triangulation::own:
      return network_.admit_own(s, t, limit_, cancel);
    case Triangulation::own_first:
      return network_.admit(s, t, limit_, false, cancel);
    default:
      return network_.admit_narrowest(s, t, limit_, cancel);
  }
}

std::optional<Arc> GreedyArcs::best_arc(Cancel& cancel) {
  Vertex head = 0;
  bool any = false;
  for (Vertex t = 0; t < best_.size(); ++t) {
    // arcs are only added, so a tail that became a descendant is out for good
    if (!best_[t].fresh || (best_[t].any && !network_.may_add(best_[t].tail, t))) refresh(t, cancel);
    if (best_[t].any && (!any || best_[t].gain > best_[head].gain)) head = t, any = true;
  }
  if (!any) return std::nullopt;
  return Arc{best_[head].tail, head};
}

void GreedyArcs::refresh(Vertex t, Cancel& cancel) {
  FamilyGains& gains = network_.gains();
  Best best{gains.threshold(), 0, true, false};
  // the family itself must fit
  if (static_cast<std::int64_t>(gains.parents()[t].size()) < limit_) {
    std::vector<Word> tails = network_.possible_tails(t);
    for (std::size_t w = 0; w < tails.size(); ++w) tails[w] &= ~refused_.row(t)[w];
    gains.ask(t, tails.data(), cancel);
    for_each_bit(tails.data(), tails.size(), [&](std::size_t s) {
      const double gain = gains.gain(static_cast<Vertex>(s), t);
      if (gain > best.gain) best.gain = gain, best.tail = static_cast<Vertex>(s), best.any = true;
    });
  }
  best_[t] = best;
}

/// The moral graph only grows, so what no triangulation can hold is out for good.
void GreedyArcs::refuse(const Arc& arc, const Admission& admission) {
  ++n_refused_;
  refused_.set(arc.second, arc.first);
  if (admission.hopeless) return;
  refused_over_.resize(network_.cover().n_ids());
  for (const BlockId id : admission.blocks) refused_over_[id].push_back(arc);
}

/// Arcs that were refused over a block that is no more may be asked for again, later.
void GreedyArcs::set_aside(const Admission& admission) {
  const auto move_all = [&](std::vector<Arc>& arcs) {
    set_aside_.insert(set_aside_.end(), arcs.begin(), arcs.end());
    arcs.clear();
  };
  if (admission.rebuilt) {
    std::ranges::for_each(refused_over_, move_all);
    return;
  }
  for (const BlockId id : admission.blocks)
    if (id < refused_over_.size() && !network_.cover().alive(id)) move_all(refused_over_[id]);
}

/// Whether there is anything to ask for again.
bool GreedyArcs::ask_again() {
  for (const auto& [s, t] : set_aside_) refused_.reset(t, s), best_[t].fresh = false;
  return !std::exchange(set_aside_, {}).empty();
}

}  // namespace treewright
