#include "treewright/blanket_scores/graph_search.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "treewright/graphs/elimination.hpp"
#include "treewright/graphs/treewidth.hpp"

namespace treewright {
namespace {

// Totals that differ by less are the same: roundings of logarithms.
constexpr double kGain = 1e-12;
constexpr double kFoundBetter = 1e-9;
constexpr double kDecimals = 1e9;
constexpr std::chrono::milliseconds kBetweenNews{100};

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

FlipSearch::FlipSearch(GraphScore& score, const FlipRules& rules, const BitMatrix& start, Cancel& cancel,
                       Order proof)
    : score_(score), rules_(rules), cancel_(cancel), order_(std::move(proof)) {
  if (rules_.movable.size() != score.size())
    throw std::invalid_argument("one row of rules for each variable");
  if (rules_.max_width && (order_.empty() || !order_keeps(start, order_, *rules_.max_width))) {
    const std::optional<Order> found = fits(start, *rules_.max_width, cancel);
    if (!found) throw std::invalid_argument("the start is wider than the bound");
    order_ = *found;
  }
  score_.start(start, cancel);
  best_ = here();
}

void FlipSearch::tell() {
  if (!listener_ || std::chrono::steady_clock::now() - told_ < kBetweenNews) return;
  listener_(flips_.size(), best_.total);
  told_ = std::chrono::steady_clock::now();
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
      tell();
      const Order known = order_;
      flip(*pair);
      raised = score_.total() > before + kGain;
      if (raised) {
        flips_.push_back({pair->x, pair->y, score_.total()});
        best_ = here();
      } else {
        score_.flip(pair->x, pair->y, cancel_);
        order_ = known;
      }
    }
  }
  return here();
}

template <class Choose>
FoundGraph FlipSearch::wander(std::size_t stall, std::size_t tenure, std::size_t max_steps, Choose choose) {
  const std::size_t n = score_.size();
  std::vector<std::size_t> barred(n * n, 0);
  for (std::size_t step = 1, last = 0; step <= max_steps && step - last <= stall; ++step) {
    std::vector<Pair> heap = candidates(barred, step);
    const std::optional<Pair> pair = choose(heap);
    if (!pair) break;
    flip(*pair);
    flips_.push_back({pair->x, pair->y, score_.total()});
    barred[pair->x * n + pair->y] = step + tenure;
    if (score_.total() > best_.total + kFoundBetter) {
      best_ = here();
      last = step;
    }
    tell();
  }
  best_.proposals = proposals_;
  return best_;
}

FoundGraph FlipSearch::walk(std::size_t stall, std::size_t tenure, std::size_t max_steps) {
  return wander(stall, tenure, max_steps, [&](std::vector<Pair>& heap) {
    const std::optional<Pair> pair = worst(heap);
    if (pair) ++proposals_;
    return pair;
  });
}

FoundGraph FlipSearch::tabu(std::size_t breadth, std::size_t stall, std::size_t tenure,
                            std::size_t max_steps) {
  tenure = std::min(tenure, candidates({}, 0).size() / 3);  // never all pairs of a small graph
  return wander(stall, tenure, max_steps,
                [&](std::vector<Pair>& heap) { return best_of_worst(heap, breadth); });
}

// Each is flipped and flipped back: what that asks is remembered.
std::optional<FlipSearch::Pair> FlipSearch::best_of_worst(std::vector<Pair>& heap, std::size_t breadth) {
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
  next_order_ = std::move(chosen_order);
  return chosen;
}

}  // namespace treewright
