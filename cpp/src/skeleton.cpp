#include "treewright/skeleton.hpp"

#include <algorithm>
#include <numeric>

namespace treewright {
namespace {

// Lists of candidates held at once, and questions of one round: what bounds the memory of a level.
constexpr std::size_t kListEntries = std::size_t{1} << 22;
constexpr std::size_t kQueriesPerBatch = std::size_t{1} << 16;

}  // namespace

struct SkeletonSearch::PairSearch {
  std::uint32_t u, v;
  SeparatorWalk walk;
  std::optional<std::vector<std::uint32_t>> separator = std::nullopt;
  bool done = false;
};

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
  LevelReport report;
  const Pairs pairs = open_pairs();
  std::vector<Separator> found;
  std::vector<PairSearch> open;
  std::size_t held = 0;
  const auto finish = [&] {
    settle_together(open, answers, cancel, report);
    for (PairSearch& pair : open)
      if (pair.separator) found.push_back({pair.u, pair.v, std::move(*pair.separator)});
    open.clear(), held = 0;
  };
  for (const auto& [u, v] : pairs) {
    open.push_back({u, v, walk(u, v, level)});
    held += open.back().walk.length();
    if (held > kListEntries || open.size() >= kQueriesPerBatch) finish();
  }
  finish();
  for (const Separator& one : found)  // only now: all of a level see the same surroundings
    adjacent_.reset(one.u, one.v), adjacent_.reset(one.v, one.u);
  report.removed = static_cast<std::int64_t>(found.size());
  std::ranges::move(found, std::back_inserter(separators_));
  return report;
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

// Rounds: the next candidates of every pair that is still open, in one batch.
void SkeletonSearch::settle_together(std::vector<PairSearch>& open, TestAnswers& answers, Cancel& cancel,
                                     LevelReport& report) {
  std::vector<Query> queries;
  std::vector<PairSearch*> askers;
  std::vector<std::uint32_t> subset;
  std::vector<PairSearch*> waiting;
  for (PairSearch& pair : open) waiting.push_back(&pair);
  for (std::size_t round = 0; !waiting.empty(); ++round) {
    cancel.check();
    queries.clear(), askers.clear();
    const std::size_t share =
        std::min(answers.candidates_per_pair(round), 1 + kQueriesPerBatch / waiting.size());
    for (PairSearch* pair : waiting)
      for (std::size_t i = 0; i < share && !pair->done; ++i) {
        pair->done = !pair->walk.next(subset);
        if (pair->done) continue;
        if (round == 0 && i == 0) ++report.pairs;
        queries.push_back({pair->u, pair->v, subset});
        askers.push_back(pair);
      }
    if (!queries.empty()) {
      const Answers found = answers.independent(queries, cancel);
      for (std::size_t i = 0; i < queries.size(); ++i)
        if (found[i] && !askers[i]->separator) {
          askers[i]->separator = std::move(queries[i].given);
          askers[i]->done = askers[i]->done || early_exit_;
        }
    }
    report.tests += static_cast<std::int64_t>(queries.size());
    std::erase_if(waiting, [](const PairSearch* pair) { return pair->done; });
  }
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
