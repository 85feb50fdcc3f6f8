// What separators say about the middle of an unshielded triple.
#include <algorithm>
#include <map>

#include "treewright/skeleton.hpp"

namespace treewright {
namespace {

constexpr std::size_t kQueriesPerBatch = std::size_t{1} << 14;

}  // namespace

// Triples u - w - v whose ends are apart and were tested, sorted by the names of u, v, w.
std::vector<TripleEvidence> SkeletonSearch::unshielded_triples() const {
  std::vector<TripleEvidence> triples;
  for (const std::uint32_t w : by_name_) {
    std::vector<std::uint32_t> around;
    for_each_bit(adjacent_.row(w), adjacent_.words(), [&](std::size_t v) { around.push_back(rank_[v]); });
    std::ranges::sort(around);
    for (std::size_t i = 0; i < around.size(); ++i)
      for (std::size_t j = i + 1; j < around.size(); ++j) {
        const std::uint32_t u = by_name_[around[i]], v = by_name_[around[j]];
        if (!adjacent_.test(u, v) && possible_.test(u, v)) triples.push_back({u, w, v});
      }
  }
  std::ranges::sort(triples, {},
                    [&](const TripleEvidence& t) { return std::tuple(rank_[t.u], rank_[t.v], rank_[t.w]); });
  return triples;
}

bool SkeletonSearch::surrounds(std::uint32_t v, const std::vector<std::uint32_t>& set) const {
  return std::ranges::all_of(set, [&](std::uint32_t w) { return adjacent_.test(v, w); });
}

std::vector<TripleEvidence> SkeletonSearch::weigh_triples(std::optional<std::size_t> depth,
                                                          TestAnswers& answers, Cancel& cancel,
                                                          std::int64_t& n_tests) const {
  std::vector<TripleEvidence> triples = unshielded_triples();
  std::map<std::pair<std::uint32_t, std::uint32_t>, const Separator*> known;
  for (const Separator& one : separators_) known[{one.u, one.v}] = &one;

  std::vector<Query> queries;
  std::vector<std::pair<std::size_t, std::size_t>> owners;  // the triples [begin, end) of a question's pair
  n_tests = 0;
  const auto ask = [&] {
    const std::vector<double> p = answers.separation(queries, cancel);
    for (std::size_t i = 0; i < queries.size(); ++i) {
      if (p[i] < 0) continue;
      for (std::size_t t = owners[i].first; t < owners[i].second; ++t) {
        TripleEvidence& triple = triples[t];
        const bool with = std::ranges::find(queries[i].given, triple.w) != queries[i].given.end();
        ++(with ? triple.n_with : triple.n_without);
        double& largest = with ? triple.p_with : triple.p_without;
        largest = std::max(largest, p[i]);
      }
    }
    n_tests += static_cast<std::int64_t>(queries.size());
    queries.clear(), owners.clear();
  };

  std::vector<std::uint32_t> subset;
  for (std::size_t begin = 0, end = 0; begin < triples.size(); begin = end) {
    const std::uint32_t u = triples[begin].u, v = triples[begin].v;
    while (end < triples.size() && triples[end].u == u && triples[end].v == v) ++end;
    const auto add = [&](const std::vector<std::uint32_t>& given) {
      queries.push_back({u, v, given});
      owners.emplace_back(begin, end);
      if (queries.size() >= kQueriesPerBatch) ask();
    };
    SeparatorWalk sets = walk(u, v, 0);
    const std::size_t most = std::max(count_bits(adjacent_.row(u), adjacent_.words()),
                                      count_bits(adjacent_.row(v), adjacent_.words()));
    for (std::size_t size = 0; size <= std::min(most, depth.value_or(most)); ++size)
      for (sets.restart(size); sets.next(subset);) add(subset);
    // the set that took the edge away may hold variables that have left the surroundings since
    const auto found = known.find({u, v});
    if (found != known.end() && !surrounds(u, found->second->given) && !surrounds(v, found->second->given))
      add(found->second->given);
  }
  if (!queries.empty()) ask();
  return triples;
}

}  // namespace treewright
