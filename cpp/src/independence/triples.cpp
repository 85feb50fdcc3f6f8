#include "treewright/independence/triples.hpp"

#include <algorithm>
#include <tuple>

#include "treewright/independence/skeleton.hpp"

namespace treewright {
namespace {

constexpr std::size_t kTripleQueriesPerBatch = std::size_t{1} << 14;

}  // namespace

std::vector<TripleEvidence> unshielded_triples(const std::vector<std::uint32_t>& rank,
                                               const BitMatrix& adjacent, const BitMatrix& tested) {
  std::vector<TripleEvidence> triples;
  std::vector<std::uint32_t> around;
  for (std::uint32_t w = 0; w < rank.size(); ++w) {
    around.clear();
    for_each_bit(adjacent.row(w), adjacent.words(),
                 [&](std::size_t v) { around.push_back(static_cast<std::uint32_t>(v)); });
    std::ranges::sort(around, {}, [&](std::uint32_t v) { return rank[v]; });
    for (std::size_t i = 0; i < around.size(); ++i)
      for (std::size_t j = i + 1; j < around.size(); ++j)
        if (!adjacent.test(around[i], around[j]) && tested.test(around[i], around[j]))
          triples.push_back({around[i], w, around[j]});
  }
  std::ranges::sort(triples, {},
                    [&](const TripleEvidence& t) { return std::tuple(rank[t.u], rank[t.v], rank[t.w]); });
  return triples;
}

TripleScale::TripleScale(std::vector<TripleEvidence> triples, TestAnswers& answers, Cancel& cancel)
    : triples_(std::move(triples)), answers_(answers), cancel_(cancel) {
  for (std::size_t begin = 0, end = 0; begin < triples_.size(); begin = end) {
    const std::uint32_t u = triples_[begin].u, v = triples_[begin].v;
    while (end < triples_.size() && triples_[end].u == u && triples_[end].v == v) ++end;
    pairs_.emplace_back(u, v);
    range_[{u, v}] = {begin, end};
  }
}

void TripleScale::weigh(std::uint32_t u, std::uint32_t v, const std::vector<std::uint32_t>& given) {
  queries_.push_back({u, v, given});
  owners_.push_back(range_.at({u, v}));
  if (queries_.size() >= kTripleQueriesPerBatch) ask();
}

void TripleScale::ask() {
  const std::vector<double> p = answers_.separation(queries_, cancel_);
  for (std::size_t i = 0; i < queries_.size(); ++i) {
    if (p[i] < 0) continue;
    for (std::size_t t = owners_[i].first; t < owners_[i].second; ++t) {
      TripleEvidence& triple = triples_[t];
      const bool with = std::ranges::find(queries_[i].given, triple.w) != queries_[i].given.end();
      ++(with ? triple.n_with : triple.n_without);
      double& largest = with ? triple.p_with : triple.p_without;
      largest = std::max(largest, p[i]);
    }
  }
  n_tests_ += static_cast<std::int64_t>(queries_.size());
  queries_.clear(), owners_.clear();
}

std::vector<TripleEvidence> TripleScale::finish(std::int64_t& n_tests) {
  if (!queries_.empty()) ask();
  n_tests = n_tests_;
  return std::move(triples_);
}

bool SkeletonSearch::surrounds(std::uint32_t v, const std::vector<std::uint32_t>& set) const {
  return std::ranges::all_of(set, [&](std::uint32_t w) { return adjacent_.test(v, w); });
}

std::vector<TripleEvidence> SkeletonSearch::weigh_triples(std::optional<std::size_t> depth,
                                                          TestAnswers& answers, Cancel& cancel,
                                                          std::int64_t& n_tests) const {
  std::map<std::pair<std::uint32_t, std::uint32_t>, const Separator*> known;
  for (const Separator& one : separators_) known[{one.u, one.v}] = &one;
  TripleScale scale(unshielded_triples(rank_, adjacent_, possible_), answers, cancel);
  std::vector<std::uint32_t> subset;
  scale.for_each_pair([&](std::uint32_t u, std::uint32_t v) {
    SeparatorWalk sets = walk(u, v, 0);
    const std::size_t most = std::max(count_bits(adjacent_.row(u), adjacent_.words()),
                                      count_bits(adjacent_.row(v), adjacent_.words()));
    for (std::size_t size = 0; size <= std::min(most, depth.value_or(most)); ++size)
      for (sets.restart(size); sets.next(subset);) scale.weigh(u, v, subset);
    // the set that took the edge away may hold variables that have left the surroundings since
    const auto found = known.find({u, v});
    if (found != known.end() && !surrounds(u, found->second->given) && !surrounds(v, found->second->given))
      scale.weigh(u, v, found->second->given);
  });
  return scale.finish(n_tests);
}

}  // namespace treewright
