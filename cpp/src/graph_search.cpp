#include "treewright/graph_search.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "treewright/elimination.hpp"
#include "treewright/seeded_draws.hpp"
#include "treewright/treewidth.hpp"

namespace treewright {
namespace {

// Totals that differ by less are the same: roundings of logarithms.
constexpr double kGain = 1e-12;
constexpr double kBetter = 1e-9;
constexpr double kSameBest = 1e-10;
constexpr double kDecimals = 1e9;

// The width that an elimination order gives a graph.
bool order_keeps(BitMatrix graph, std::span<const Vertex> order, std::int64_t width) {
  const BitMatrix upward = filled_upward(graph, order);
  for (std::size_t i = 0; i < upward.size(); ++i)
    if (static_cast<std::int64_t>(count_bits(upward.row(i), upward.words())) > width) return false;
  return true;
}

BitMatrix joined(const BitMatrix& graph, Vertex x, Vertex y) {
  BitMatrix out = graph;
  out.join(x, y);
  return out;
}

}  // namespace

FlipSearch::FlipSearch(GraphScore& score, const FlipRules& rules, const BitMatrix& start, Cancel& cancel)
    : score_(score), rules_(rules), cancel_(cancel) {
  if (rules_.movable.size() != score.size())
    throw std::invalid_argument("one row of rules for each variable");
  if (rules_.max_width) {
    const std::optional<Order> found = fits(start, *rules_.max_width, cancel);
    if (!found) throw std::invalid_argument("the start is wider than the bound");
    order_ = *found;
  }
  score_.start(start, cancel);
}

std::int64_t FlipSearch::rounded(double standing) {
  const double scaled = standing * kDecimals;
  if (std::abs(scaled) >= 9e18) return scaled < 0 ? -9'000'000'000'000'000'000 : 9'000'000'000'000'000'000;
  return std::llround(scaled);
}

bool FlipSearch::is_free(Vertex x, Vertex y) const {
  if (score_.graph().test(x, y)) return true;
  return rules_.max_blanket == kNone ||
         (score_.degree(x) < rules_.max_blanket && score_.degree(y) < rules_.max_blanket);
}

// The order so far proves the width of every subgraph; an addition may need another one.
bool FlipSearch::fits_with(Vertex x, Vertex y) {
  next_order_ = order_;
  if (!rules_.max_width || score_.graph().test(x, y)) return true;
  const BitMatrix wider = joined(score_.graph(), x, y);
  if (order_keeps(wider, order_, *rules_.max_width)) return true;
  std::optional<Order> found = fits(wider, *rules_.max_width, cancel_);
  if (!found) return false;
  next_order_ = std::move(*found);
  return true;
}

// A heap whose top is the pair of least standing.
std::vector<FlipSearch::Pair> FlipSearch::candidates(const std::vector<std::size_t>& barred,
                                                     std::size_t step) const {
  std::vector<Pair> out;
  const std::size_t n = score_.size();
  for (Vertex x = 0; x < n; ++x)
    for_each_bit(rules_.movable.row(x), rules_.movable.words(), [&](std::size_t to) {
      const auto y = static_cast<Vertex>(to);
      if (y > x && (barred.empty() || barred[x * n + y] <= step) && is_free(x, y))
        out.push_back({rounded(score_.standing(x, y)), x, y});
    });
  std::ranges::make_heap(out, std::greater<>());
  return out;
}

std::optional<FlipSearch::Pair> FlipSearch::worst(std::vector<Pair>& heap) {
  while (!heap.empty()) {
    std::ranges::pop_heap(heap, std::greater<>());
    const Pair pair = heap.back();
    heap.pop_back();
    if (fits_with(pair.x, pair.y)) return pair;
  }
  return std::nullopt;
}

void FlipSearch::flip(const Pair& pair) {
  cancel_.check();
  score_.flip(pair.x, pair.y, cancel_);
  order_ = next_order_;
}

FoundGraph FlipSearch::here() const { return {score_.graph(), score_.total(), flips_, proposals_, order_}; }

FoundGraph FlipSearch::climb(std::size_t patience, std::size_t max_steps) {
  bool raised = true;
  while (raised && flips_.size() < max_steps) {
    raised = false;
    std::vector<Pair> heap = candidates({}, 0);
    const double before = score_.total();
    for (std::size_t tried = 0; tried < patience && !raised; ++tried) {
      const std::optional<Pair> pair = worst(heap);
      if (!pair) break;
      ++proposals_;
      const Order known = order_;
      flip(*pair);
      raised = score_.total() > before + kGain;
      if (raised) {
        flips_.push_back({pair->x, pair->y, score_.total()});
      } else {
        score_.flip(pair->x, pair->y, cancel_);
        order_ = known;
      }
    }
  }
  return here();
}

FoundGraph FlipSearch::walk(std::size_t stall, std::size_t tenure, std::size_t max_steps) {
  const std::size_t n = score_.size();
  std::vector<std::size_t> barred(n * n, 0);
  FoundGraph best = here();
  for (std::size_t step = 1, last = 0; step <= max_steps && step - last <= stall; ++step) {
    std::vector<Pair> heap = candidates(barred, step);
    const std::optional<Pair> pair = worst(heap);
    if (!pair) break;
    ++proposals_;
    flip(*pair);
    flips_.push_back({pair->x, pair->y, score_.total()});
    barred[pair->x * n + pair->y] = step + tenure;
    if (score_.total() > best.total + kBetter) {
      best = here();
      last = step;
    }
  }
  best.proposals = proposals_;
  return best;
}

FoundGraph FlipSearch::tabu(std::size_t breadth, std::size_t stall, std::size_t tenure,
                            std::size_t max_steps) {
  const std::size_t n = score_.size();
  std::vector<std::size_t> barred(n * n, 0);
  tenure = std::min(tenure, candidates({}, 0).size() / 3);  // never all pairs of a small graph
  FoundGraph best = here();
  for (std::size_t step = 1, last = 0; step <= max_steps && step - last <= stall; ++step) {
    std::vector<Pair> heap = candidates(barred, step);
    std::optional<Pair> chosen;
    Order chosen_order;
    double highest = 0;
    for (std::size_t tried = 0; tried < breadth; ++tried) {
      const std::optional<Pair> pair = worst(heap);
      if (!pair) break;
      ++proposals_;
      cancel_.check();
      score_.flip(pair->x, pair->y, cancel_);
      if (!chosen || score_.total() > highest + kGain)
        chosen = pair, highest = score_.total(), chosen_order = next_order_;
      score_.flip(pair->x, pair->y, cancel_);
    }
    if (!chosen) break;
    next_order_ = std::move(chosen_order);
    flip(*chosen);
    flips_.push_back({chosen->x, chosen->y, score_.total()});
    barred[chosen->x * n + chosen->y] = step + tenure;
    if (score_.total() > best.total + kBetter) {
      best = here();
      last = step;
    }
  }
  best.proposals = proposals_;
  return best;
}

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

BitMatrix blankets_apart(LocalScores& scores, const FlipRules& rules, Cancel& cancel) {
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
    if (!was_joined && rules.max_width && !fits(joined(score.graph(), x, y), *rules.max_width, cancel))
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
    if (score.total() > out.total + kBetter) out.best = score.graph(), out.total = score.total();
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
