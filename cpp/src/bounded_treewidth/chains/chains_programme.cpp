// The best chain: weighted interval scheduling, linear but for the joins.
//
// Elidan & Gould fill a table C[i, j] over all pairs of positions in O(N^3). Whether two arcs may follow one
// another depends on where the first ends alone, so one value for every arc and every position is enough.
#include <algorithm>
#include <numeric>

#include "treewright/bounded_treewidth/chains.hpp"

namespace treewright {

namespace {

bool share(const Ports& a, const Ports& b) {
  for (const BlockId x : a)
    for (const BlockId y : b)
      if (x != kNoBlock && x == y) return true;
  return false;
}

/// Two arcs that meet in one vertex may be joined there if their block paths have no block in common; of
/// paths through one vertex that share a block, both hold a shared one beside it.
bool may_join(const Reach& before, const Reach& after) {
  return before.inside_component && after.inside_component && !share(before.last_ports, after.first_ports);
}

}  // namespace

std::vector<std::size_t> best_chain(std::span<const Candidate> candidates, std::size_t n_positions) {
  std::vector<std::vector<std::size_t>> ending(n_positions);
  for (std::size_t e = 0; e < candidates.size(); ++e) ending[candidates[e].reach.range.last].push_back(e);
  std::vector<double> value(candidates.size());
  std::vector<std::size_t> previous(candidates.size(), kNone);
  std::vector<double> best(n_positions + 1, 0.0);             // of the chains that end before a position
  std::vector<std::size_t> best_end(n_positions + 1, kNone);  // and the last arc of such a chain
  for (std::size_t j = 0; j < n_positions; ++j) {
    best[j + 1] = best[j], best_end[j + 1] = best_end[j];
    for (const std::size_t e : ending[j]) {
      const std::size_t first = candidates[e].reach.range.first;
      double before = best[first];
      previous[e] = best_end[first];
      for (const std::size_t q : ending[first]) {  // best first
        if (value[q] <= before) break;
        if (!may_join(candidates[q].reach, candidates[e].reach)) continue;
        before = value[q], previous[e] = q;
        break;
      }
      value[e] = candidates[e].gain + before;
      if (value[e] > best[j + 1]) best[j + 1] = value[e], best_end[j + 1] = e;
    }
    std::ranges::stable_sort(ending[j], [&](std::size_t a, std::size_t b) { return value[a] > value[b]; });
  }
  std::vector<std::size_t> chain;
  for (std::size_t e = best_end[n_positions]; e != kNone; e = previous[e]) chain.push_back(e);
  std::ranges::reverse(chain);
  return chain;
}

}  // namespace treewright
