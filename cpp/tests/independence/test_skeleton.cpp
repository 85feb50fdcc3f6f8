#include <set>
#include <vector>

#include "chain_answers.hpp"
#include "check.hpp"
#include "treewright/independence/skeleton.hpp"

namespace tw = treewright;

namespace {

using Set = std::vector<std::uint32_t>;

std::vector<Set> all(tw::SeparatorWalk walk) {
  std::vector<Set> found;
  for (Set set; walk.next(set);) found.push_back(set);
  return found;
}

tw::SkeletonSearch search_of(std::uint32_t n) {
  tw::BitMatrix possible(n);
  std::vector<std::uint32_t> rank;
  for (std::uint32_t u = 0; u < n; ++u) {
    rank.push_back(u);
    for (std::uint32_t v = u + 1; v < n; ++v) possible.join(u, v);
  }
  return {rank, possible, tw::BitMatrix(n)};
}

}  // namespace

TEST(subsets_come_in_lexicographic_order_and_once) {
  const tw::SeparatorWalk walk({7, 3, 5}, {3, 9}, {1, 0}, 1);
  CHECK((all(walk) == std::vector<Set>{{7}, {3}, {5}, {9}}));
  tw::SeparatorWalk pairs = walk;
  pairs.restart(2);
  CHECK((all(pairs) == std::vector<Set>{{7, 3}, {7, 5}, {3, 5}, {3, 9}}));
  pairs.restart(0);
  CHECK((all(pairs) == std::vector<Set>{{}}));
  pairs.restart(4);
  CHECK(all(pairs).empty());
}

TEST(what_is_found_does_not_depend_on_how_many_candidates_are_asked_at_once) {
  tw::Cancel cancel;
  std::vector<Set> first;
  for (const std::size_t share : {1, 3, 100}) {
    ChainAnswers answers(share);
    tw::SkeletonSearch search = search_of(7);
    CHECK(search.settle(0, answers, cancel).removed == 0);
    const tw::LevelReport report = search.settle(1, answers, cancel);
    CHECK(report.pairs == 21 && report.removed == 15);
    CHECK(static_cast<std::size_t>(report.tests) + 21 == answers.n_asked);
    std::vector<Set> found;
    for (const tw::Separator& one : search.separators()) {
      found.push_back({one.u, one.v});
      found.back().insert(found.back().end(), one.given.begin(), one.given.end());
    }
    if (first.empty()) first = found;
    CHECK(found == first);
    for (std::uint32_t v = 0; v + 1 < 7; ++v) CHECK(search.adjacency().test(v, v + 1));
    CHECK(!search.has_candidates(2));
  }
}

TEST(middles_of_a_chain_are_in_every_separator) {
  tw::Cancel cancel;
  ChainAnswers answers(1);
  tw::SkeletonSearch search = search_of(5);
  search.settle(0, answers, cancel);
  search.settle(1, answers, cancel);
  std::int64_t n_tests = 0;
  const auto triples = search.weigh_triples(std::nullopt, answers, cancel, n_tests);
  CHECK(triples.size() == 3);
  for (const tw::TripleEvidence& one : triples)
    CHECK(one.n_without == 0 && one.n_with > 0 && one.p_with == ChainAnswers::kSeparated &&
          one.p_without == 0);
  CHECK(n_tests > 0);
}
