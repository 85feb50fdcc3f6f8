// Three phases on chains and rings, and answers that parts of the variables share.
#include <algorithm>
#include <numeric>

#include "check.hpp"
#include "treewright/criteria/shared_answers.hpp"
#include "treewright/independence/tpda.hpp"

namespace tw = treewright;

namespace {

/// Answers of a graph: two vertices depend on each other, less the farther they are, unless the given cut
/// every path.
class Paths final : public tw::TestAnswers {
 public:
  explicit Paths(std::vector<std::vector<std::uint32_t>> near) : near_(std::move(near)) {}

  std::vector<tw::Dependence> dependence(const std::vector<tw::Query>& queries, tw::Cancel&) override {
    std::vector<tw::Dependence> out;
    for (const tw::Query& query : queries) {
      const double steps = distance(query);
      out.push_back({steps == 0, steps == 0 ? 0 : 1 / steps});
    }
    n_asked += queries.size();
    return out;
  }
  tw::Answers independent(const std::vector<tw::Query>& queries, tw::Cancel& cancel) override {
    tw::Answers out;
    for (const auto& found : dependence(queries, cancel)) out.push_back(found.independent);
    return out;
  }
  std::vector<double> separation(const std::vector<tw::Query>& queries, tw::Cancel& cancel) override {
    std::vector<double> out;
    for (const auto& found : dependence(queries, cancel)) out.push_back(found.independent ? 1 : -1);
    return out;
  }
  tw::PairAnswers pairs(const std::vector<tw::Query>& queries, tw::Cancel& cancel) override {
    return {independent(queries, cancel), std::vector<double>(queries.size(), 0)};
  }
  std::size_t candidates_per_pair(std::size_t) const override { return 1; }

  std::size_t n_asked = 0;

 private:
  double distance(const tw::Query& query) const {
    std::vector<double> steps(near_.size(), 0);
    std::vector<std::uint32_t> frontier{query.x};
    for (std::size_t i = 0; i < frontier.size(); ++i)
      for (const std::uint32_t v : near_[frontier[i]])
        if (v != query.x && steps[v] == 0 && std::ranges::find(query.given, v) == query.given.end()) {
          steps[v] = steps[frontier[i]] + 1;
          frontier.push_back(v);
        }
    return steps[query.y];
  }

  std::vector<std::vector<std::uint32_t>> near_;
};

/// A ring; an open one is a chain.
Paths ring(std::uint32_t n, bool closed) {
  std::vector<std::vector<std::uint32_t>> near(n);
  for (std::uint32_t v = 0; v + (closed ? 0 : 1) < n; ++v)
    near[v].push_back((v + 1) % n), near[(v + 1) % n].push_back(v);
  return Paths(std::move(near));
}

tw::TpdaSearch tpda_search(std::uint32_t n, tw::TpdaSettings settings = {}) {
  tw::BitMatrix possible(n);
  std::vector<std::uint32_t> rank(n);
  std::iota(rank.begin(), rank.end(), 0);
  for (std::uint32_t u = 0; u < n; ++u)
    for (std::uint32_t v = u + 1; v < n; ++v) possible.join(u, v);
  return {rank, possible, tw::BitMatrix(n), settings};
}

std::size_t run(tw::TpdaSearch& search, tw::TestAnswers& answers) {
  tw::Cancel cancel;
  std::int64_t tests = 0;
  for (const auto& report : {search.draft(answers, cancel), search.thicken(answers, cancel),
                             search.thin(answers, cancel), search.thin_again(answers, cancel)})
    tests += report.tests;
  return static_cast<std::size_t>(tests);
}

}  // namespace

TEST(a_chain_and_a_ring_are_found) {
  for (const bool closed : {false, true})
    for (const std::uint32_t n : {2u, 5u, 12u}) {
      if (closed && n == 2) continue;
      Paths answers = ring(n, closed);
      tw::TpdaSearch search = tpda_search(n);
      CHECK(run(search, answers) == answers.n_asked);
      CHECK(search.edges().size() == n - (closed ? 0 : 1));
      for (const auto& [u, v] : search.edges()) CHECK(v - u == 1 || v - u == n - 1);
      CHECK(search.cutsets().size() + search.edges().size() == n * (n - 1) / 2);
      for (const tw::Separator& one : search.cutsets()) CHECK(one.given.size() == (closed ? 2 : 1));
    }
}

TEST(a_threshold_decides_instead_of_the_test) {
  Paths answers = ring(6, false);
  tw::TpdaSearch search = tpda_search(6, {.threshold = 2.0});
  run(search, answers);
  CHECK(search.edges().empty() && search.cutsets().empty());
}

TEST(a_question_is_evaluated_once_whoever_asks) {
  Paths answers = ring(6, false);
  tw::AnswerMemory memory(answers, 6);
  tw::PartAnswers first(memory, {0, 1, 2}), second(memory, {2, 1, 0, 5});
  tw::Cancel cancel;
  CHECK(first.independent({{0, 2, {1}}}, cancel).front() == 1);
  CHECK(second.independent({{0, 2, {1}}, {2, 0, {1}}}, cancel) == tw::Answers({1, 1}));
  CHECK(answers.n_asked == 1);
  CHECK(second.dependence({{0, 1, {}}}, cancel).front().information == 1);
  CHECK(memory.tally().asked == 4 && memory.tally().conditional == 1 && memory.tally().marginal == 1);
}

TEST(threads_share_a_memory) {
  Paths answers = ring(2, false);
  // each thread asks through its own part; the answers come from a test that is asked one at a time
  tw::AnswerMemory memory(answers, 2);
  std::vector<int> wrong(4, 0);
  {
    tw::Cancel cancel;
    tw::PartAnswers warm(memory, {0, 1});
    warm.independent({{0, 1, {}}}, cancel);
  }
  check::side_by_side(wrong.size(), [&](std::size_t t) {
    tw::Cancel cancel;
    tw::PartAnswers part(memory, {1, 0});
    for (int i = 0; i < 1000; ++i) wrong[t] += part.independent({{0, 1, {}}}, cancel).front() != 0;
  });
  CHECK(std::ranges::all_of(wrong, [](int n) { return n == 0; }));
  CHECK(memory.tally().asked == 4001 && answers.n_asked == 1);
}
