#include <vector>

#include "chain_answers.hpp"
#include "check.hpp"
#include "treewright/criteria/shared_answers.hpp"
#include "treewright/independence/blanket_rounds.hpp"
#include "treewright/independence/node_skeletons.hpp"

namespace tw = treewright;

namespace {

using Set = std::vector<std::uint32_t>;

tw::BitMatrix complete(std::uint32_t n) {
  tw::BitMatrix all(n);
  for (std::uint32_t u = 0; u < n; ++u)
    for (std::uint32_t v = u + 1; v < n; ++v) all.join(u, v);
  return all;
}

const std::vector<Set> kNodes = {{0, 1, 2, 3}, {3, 2, 4}, {4, 5}};

}  // namespace

TEST(nodes_are_searched_on_their_own_and_joined) {
  for (const auto local : {tw::LocalSearch::neighbours, tw::LocalSearch::everybody}) {
    tw::Cancel cancel;
    ChainAnswers chain;
    tw::AnswerMemory memory(chain, 6);
    tw::PartAnswers answers(memory, {0, 1, 2, 3, 4, 5});
    tw::NodeSkeletons search({0, 1, 2, 3, 4, 5}, kNodes, complete(6), tw::BitMatrix(6), local);
    CHECK(search.settle(0, answers, cancel).pairs == 6 + 3 + 1);
    CHECK(search.settle(1, answers, cancel).removed == 3 + 1);
    for (std::uint32_t v = 0; v + 1 < 6; ++v) CHECK(search.adjacency().test(v, v + 1));
    CHECK(!search.adjacency().test(2, 4) && !search.adjacency().test(0, 5));
    CHECK((search.local_edges(1) == std::vector<std::pair<std::uint32_t, std::uint32_t>>{{2, 3}, {3, 4}}));
    for (const tw::SeparatedPair& one : search.separators()) CHECK(one.u < one.v && one.given.size() == 1);
    std::int64_t n_tests = 0;
    const auto triples = search.weigh_triples(true, std::nullopt, answers, cancel, n_tests);
    CHECK(triples.size() == 3);  // 3 - 4 - 5 shares no node
    for (const tw::TripleEvidence& one : triples)
      CHECK(one.n_without == 0 && one.p_with == ChainAnswers::kSeparated);
    search.part(1, 0, {5});
    CHECK(!search.adjacency().test(0, 1) && search.separators().back().node == 3);
  }
}

TEST(a_question_is_evaluated_once) {
  tw::Cancel cancel;
  ChainAnswers chain;
  tw::AnswerMemory memory(chain, 6);
  tw::PartAnswers answers(memory, {0, 1, 2, 3, 4, 5});
  const std::vector<tw::Query> queries = {{0, 2, {1, 4}}, {2, 0, {4, 1}}, {0, 2, {}}, {0, 2, {}}};
  CHECK((answers.separation(queries, cancel) == std::vector<double>{0.5, 0.5, -1, -1}));
  CHECK((answers.independent(queries, cancel) == tw::Answers{1, 1, 0, 0}));
  CHECK(memory.tally().asked == 8 && memory.tally().distinct() == 2 && chain.n_asked == 2);
}

TEST(blankets_of_a_chain) {
  tw::Cancel cancel;
  ChainAnswers chain;
  std::vector<tw::BlanketTask> tasks;
  for (std::uint32_t x = 0; x < 5; ++x) {
    tasks.push_back({x, {}});
    for (std::uint32_t y = 0; y < 5; ++y)
      if (y != x) tasks.back().candidates.push_back(y);
  }
  std::int64_t n_tests = 0;
  const auto grown = tw::grow_blankets(tasks, 100, chain, cancel, n_tests);
  CHECK((grown[4].members == Set{0, 1, 2, 3}) && n_tests > 0);
  CHECK(tw::grow_blankets(tasks, 2, chain, cancel, n_tests)[4].members.size() == 2);
  for (std::uint32_t x = 0; x < 5; ++x) tasks[x].candidates = grown[x].members;
  const auto blankets = tw::shrink_blankets(tasks, chain, cancel, n_tests);
  CHECK((blankets[0] == Set{1}) && (blankets[4] == Set{3}) && (blankets[2] == Set{1, 3}));
}
