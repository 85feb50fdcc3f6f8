// A second start: the network that another search found without the bound, narrowed.
//
// A tree is a poor guide where the bound is wide. A network that was learned without a bound has better arcs,
// only too many of them to be narrow. So they are let in one by one, the most useful first, as long as the
// width allows it, and from there the search goes to a local optimum as it did from the tree.
#include <algorithm>

#include "treewright/bounded_treewidth/bounded_search.hpp"

namespace treewright {

/// The gain of an arc changes with the arcs let in before it; one that is too wide now will always be.
void BoundedSearch::let_in(std::vector<Arc> arcs, Cancel& cancel) {
  std::ranges::sort(arcs, {}, [](const Arc& arc) { return std::pair{arc.second, arc.first}; });
  while (!expired()) {
    cancel.check();
    auto best = arcs.end();
    double most = columns_.threshold();
    for (auto arc = arcs.begin(); arc != arcs.end(); ++arc) {
      const double gain = state_.column(arc->second, cancel).with[arc->first];
      if (gain > most && state_.dag().can_add(arc->first, arc->second)) best = arc, most = gain;
    }
    if (best == arcs.end()) return;
    const auto [from, to] = *best;
    arcs.erase(best);
    state_.change({{to, with_parent(state_.parents(to), from)}}, cancel);
  }
}

bool BoundedSearch::begin_again(const std::vector<Arc>& arcs, std::size_t patience, Cancel& cancel) {
  const std::size_t n = state_.size();
  const double before = best_;
  for (Vertex v = 0; v < n; ++v) clear(v, cancel);
  let_in(arcs, cancel);
  climb(false, false, cancel);
  while (redraw(patience, cancel)) climb(false, false, cancel);
  if (settle(0, n, cancel)) settle(0, n, cancel);
  return_to_best(cancel);
  highest_ = current_;
  idle_ = 0;
  strays_ = false;
  return best_ > before;
}

}  // namespace treewright
