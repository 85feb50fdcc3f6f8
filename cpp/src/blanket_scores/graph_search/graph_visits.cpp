// Looking at graphs without climbing: all of them, each variable's blanket alone, or a random walk.
#include <algorithm>
#include <cmath>

#include "treewright/blanket_scores/graph_search.hpp"
#include "treewright/graphs/treewidth.hpp"
#include "treewright/parallel/seeded_draws.hpp"

namespace treewright {
namespace {

constexpr double kVisitedBetter = 1e-9;
constexpr double kSameBest = 1e-10;

bool fits_joined(BitMatrix graph, Vertex x, Vertex y, std::int64_t width, Cancel& cancel) {
  graph.join(x, y);
  return fits(std::move(graph), width, cancel).has_value();
}

}  // namespace

BestGraphs search_all(GraphScore& score, const FlipRules& rules, const BitMatrix& required, Cancel& cancel) {
  const std::size_t n = score.size();
  score.tabulate(cancel);
  std::vector<std::pair<Vertex, Vertex>> open;
  for (Vertex x = 0; x < n; ++x)
    for (Vertex y = x + 1; y < n; ++y)
      if (rules.movable.test(x, y)) open.emplace_back(x, y);
  std::vector<Word> blankets(n);
  const auto graph_of = [&](std::uint64_t code) {
    for (std::size_t v = 0; v < n; ++v) blankets[v] = required.words() ? required.row(v)[0] : 0;
    for (std::size_t e = 0; e < open.size(); ++e)
      if (code >> e & 1) {
        blankets[open[e].first] |= Word{1} << open[e].second;
        blankets[open[e].second] |= Word{1} << open[e].first;
      }
  };
  const auto matrix = [&] {
    BitMatrix out(n);
    for (std::size_t v = 0; v < n; ++v) out.row(v)[0] = blankets[v];
    return out;
  };
  BestGraphs out;
  std::vector<std::pair<double, std::uint64_t>> best;
  for (std::uint64_t code = 0; code < std::uint64_t{1} << open.size(); ++code) {
    graph_of(code);
    if (rules.max_blanket != kNone && std::ranges::any_of(blankets, [&](Word row) {
          return static_cast<std::size_t>(std::popcount(row)) > rules.max_blanket;
        }))
      continue;
    ++out.judged;
    const double total = score.total_of(blankets.data());
    if (!best.empty() && total < out.total - kSameBest) continue;
    if (rules.max_width && !fits(matrix(), *rules.max_width, cancel)) continue;
    out.total = best.empty() ? total : std::max(out.total, total);
    best.emplace_back(total, code);
  }
  for (const auto& [total, code] : best)
    if (total >= out.total - kSameBest) {
      graph_of(code);
      out.graphs.push_back(matrix());
    }
  return out;
}

BitMatrix blankets_apart(LocalScores& scores, const FlipRules& rules, Cancel& cancel,
                         const std::function<void(std::size_t)>& listener) {
  const std::size_t n = scores.size();
  BitMatrix found(n);
  std::vector<Vertex> members, candidates;
  std::vector<double> scored;
  for (Vertex v = 0; v < n; ++v) {
    members.clear();
    double own = scores.local(v, members, cancel);
    while (rules.max_blanket == kNone || members.size() < rules.max_blanket) {
      cancel.check();
      candidates.clear();
      for_each_bit(rules.movable.row(v), rules.movable.words(), [&](std::size_t u) {
        if (std::ranges::find(members, u) == members.end()) candidates.push_back(static_cast<Vertex>(u));
      });
      if (candidates.empty()) break;
      scored.resize(candidates.size());
      scores.additions(v, members, candidates, scored, cancel);
      const auto top = std::ranges::max_element(scored);
      if (!(*top > own + scores.least_gain())) break;
      own = *top;
      const Vertex joins = candidates[static_cast<std::size_t>(top - scored.begin())];
      members.insert(std::ranges::upper_bound(members, joins), joins);
      while (members.size() > 2) {
        scored.resize(members.size());
        scores.deletions(v, members, scored, cancel);
        const auto without = std::ranges::max_element(scored);
        if (!(*without > own + scores.least_gain())) break;
        own = *without;
        members.erase(members.begin() + (without - scored.begin()));
      }
    }
    for (const Vertex u : members) found.set(v, u);
    if (listener) listener(v + 1);
  }
  return found;
}

FlipSample sample_flips(GraphScore& score, const FlipRules& rules, const BitMatrix& start,
                        std::uint64_t burn_in, std::uint64_t steps, double temperature, std::uint64_t seed,
                        Cancel& cancel) {
  const std::size_t n = score.size();
  std::vector<std::pair<Vertex, Vertex>> open;
  for (Vertex x = 0; x < n; ++x)
    for (Vertex y = x + 1; y < n; ++y)
      if (rules.movable.test(x, y)) open.emplace_back(x, y);
  score.start(start, cancel);
  FlipSample out{std::vector<double>(n * n, 0), 0, start, score.total()};
  std::vector<std::uint64_t> since(n * n, 0);  // the step from which on a joined pair is joined
  const auto count = [&](Vertex x, Vertex y, std::uint64_t now) {
    const std::uint64_t from = std::max(since[x * n + y], burn_in);
    if (now > from) out.shares[x * n + y] += static_cast<double>(now - from);
  };
  Draws draws(seed);
  for (std::uint64_t step = 0; step < burn_in + steps && !open.empty(); ++step) {
    cancel.check();
    const auto [x, y] = open[draws.below(open.size())];
    const bool was_joined = score.graph().test(x, y);
    if (!was_joined && rules.max_blanket != kNone &&
        (score.degree(x) >= rules.max_blanket || score.degree(y) >= rules.max_blanket))
      continue;
    if (!was_joined && rules.max_width && !fits_joined(score.graph(), x, y, *rules.max_width, cancel))
      continue;
    const double before = score.total();
    score.flip(x, y, cancel);
    const double gain = (score.total() - before) / temperature;
    if (gain < 0 && !draws.happens(std::exp(gain))) {
      score.flip(x, y, cancel);
      continue;
    }
    ++out.accepted;
    if (was_joined) count(x, y, step);
    since[x * n + y] = step;
    if (score.total() > out.total + kVisitedBetter) out.best = score.graph(), out.total = score.total();
  }
  for (const auto& [x, y] : open)
    if (score.graph().test(x, y)) count(x, y, burn_in + steps);
  for (Vertex x = 0; x < n; ++x)
    for (Vertex y = x + 1; y < n; ++y) {
      double& share = out.shares[x * n + y];
      share = rules.movable.test(x, y) ? (steps ? share / static_cast<double>(steps) : 0.0)
                                       : (score.graph().test(x, y) ? 1.0 : 0.0);
      out.shares[y * n + x] = share;
    }
  return out;
}

}  // namespace treewright
