#include "treewright/independence/skeleton.hpp"

#include <algorithm>
#include <numeric>

namespace treewright {

SkeletonSearch::SkeletonSearch(std::vector<std::uint32_t> rank, const BitMatrix& possible, BitMatrix certain,
                               CandidateOrder order, bool early_exit)
    : rank_(std::move(rank)),
      by_name_(rank_.size()),
      possible_(possible),
      certain_(std::move(certain)),
      adjacent_(possible),
      order_(order),
      early_exit_(early_exit),
      strength_(rank_.size() * rank_.size(), 0) {
  for (std::uint32_t v = 0; v < rank_.size(); ++v) by_name_[rank_[v]] = v;
}

LevelReport SkeletonSearch::settle(std::size_t level, TestAnswers& answers, Cancel& cancel) {
  if (level == 0) return settle_pairs(answers, cancel);
  PairQueue queue(early_exit_, answers, cancel);
  for (const auto& [u, v] : open_pairs()) queue.add({u, v, walk(u, v, level)});
  for (SeparatedPair& one : queue.finish()) {  // only now: all of a level see the same surroundings
    adjacent_.reset(one.u, one.v), adjacent_.reset(one.v, one.u);
    separators_.push_back({one.u, one.v, std::move(one.given)});
  }
  return queue.report();
}

LevelReport SkeletonSearch::settle_pairs(TestAnswers& answers, Cancel& cancel) {
  LevelReport report;
  const std::size_t n = size();
  std::vector<Query> queries;
  for (const std::uint32_t u : by_name_)
    for (std::size_t r = rank_[u] + 1; r < n; ++r)
      if (possible_.test(u, by_name_[r])) queries.push_back({u, by_name_[r], {}});
  const PairAnswers found = answers.pairs(queries, cancel);
  for (std::size_t i = 0; i < queries.size(); ++i) {
    const auto [u, v] = std::pair(queries[i].x, queries[i].y);
    strength_[u * n + v] = strength_[v * n + u] = found.strength[i];
    if (!found.independent[i] || certain_.test(u, v)) continue;
    adjacent_.reset(u, v), adjacent_.reset(v, u);
    separators_.push_back({u, v, {}});
    ++report.removed;
  }
  report.pairs = report.tests = static_cast<std::int64_t>(queries.size());
  return report;
}

bool SkeletonSearch::has_candidates(std::size_t level) const {
  for (const auto& [u, v] : open_pairs())
    for (const std::uint32_t end : {u, v})
      if (count_bits(adjacent_.row(end), adjacent_.words()) > level) return true;
  return false;
}

SkeletonSearch::Pairs SkeletonSearch::open_pairs() const {
  Pairs pairs;
  for (const std::uint32_t u : by_name_)
    for_each_bit(adjacent_.row(u), adjacent_.words(), [&](std::size_t v) {
      if (rank_[u] < rank_[v] && !certain_.test(u, v)) pairs.emplace_back(u, static_cast<std::uint32_t>(v));
    });
  return pairs;
}

SeparatorWalk SkeletonSearch::walk(std::uint32_t u, std::uint32_t v, std::size_t size) const {
  std::vector<std::uint32_t> second = candidates(v, u);
  std::vector<std::uint8_t> in_first;
  for (const std::uint32_t w : second) in_first.push_back(adjacent_.test(u, w));
  return {candidates(u, v), std::move(second), std::move(in_first), size};
}

// What surrounds one end: first what depends most on both, ties by name.
std::vector<std::uint32_t> SkeletonSearch::candidates(std::uint32_t around, std::uint32_t other) const {
  struct Candidate {
    double weight;
    std::uint32_t rank;
  };
  std::vector<Candidate> found;
  const double sign = order_ == CandidateOrder::strong ? 1 : order_ == CandidateOrder::weak ? -1 : 0;
  for_each_bit(adjacent_.row(around), adjacent_.words(), [&](std::size_t w) {
    if (w != other) found.push_back({sign * std::min(strength(around, w), strength(other, w)), rank_[w]});
  });
  std::ranges::sort(found, [](const Candidate& a, const Candidate& b) {
    return a.weight != b.weight ? a.weight > b.weight : a.rank < b.rank;
  });
  std::vector<std::uint32_t> out;
  for (const Candidate& one : found) out.push_back(by_name_[one.rank]);
  return out;
}

}  // namespace treewright
