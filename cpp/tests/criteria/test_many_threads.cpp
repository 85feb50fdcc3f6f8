#include <cmath>
#include <memory>

#include "../counting/some_data.hpp"
#include "check.hpp"
#include "treewright/blanket_scores/blanket_tests.hpp"
#include "treewright/criteria/chance_prices.hpp"
#include "treewright/criteria/test_answers.hpp"
#include "treewright/parallel/threads.hpp"

namespace {

std::shared_ptr<const tw::PackedTable> drawn() {
  static const Data data = some_data(3000, {2, 3, 4, 2, 3, 2, 5, 2}, false, 5);
  return std::shared_ptr<const tw::PackedTable>(new tw::PackedTable(data.packed()));
}

/// The same with one thread and with four, where the smallest work is shared out.
template <class F>
void check_threads(F&& answer) {
  tw::set_threads(1);
  const auto alone = answer();
  tw::set_threads(4);
  CHECK(alone == answer());
  tw::set_threads(0);
}

std::vector<tw::Query> all_queries() {
  std::vector<tw::Query> out;
  for (std::uint32_t x = 0; x < 8; ++x)
    for (std::uint32_t y = 0; y < x; ++y) {
      out.push_back({x, y, {}});
      for (std::uint32_t z = 0; z < 8; ++z)
        if (z != x && z != y) out.push_back({x, y, {z}});
    }
  return out;
}

}  // namespace

TEST(tests_of_packed_rows) {
  tw::PackedAnswers answers(drawn(), tw::TestSettings{}, 0.05, {});
  tw::Cancel cancel;
  const auto queries = all_queries();
  check_threads([&] { return answers.independent(queries, cancel); });
  check_threads([&] { return answers.separation(queries, cancel); });
  std::vector<tw::PartnerTask> tasks;
  for (std::uint32_t x = 0; x < 7; ++x) tasks.push_back({x, {7}, {(x + 1) % 7, (x + 2) % 7, (x + 3) % 7}});
  check_threads([&] {
    std::vector<std::pair<std::size_t, double>> out;
    for (const auto& one : answers.strongest(tasks, cancel)) out.emplace_back(one.position, one.p_value);
    return out;
  });
}

TEST(prices_of_chance) {
  std::vector<std::vector<std::int64_t>> margins;
  for (std::int64_t v = 0; v < 12; ++v) margins.push_back({20 + v, 15, 25 - v, 5 + v % 2, 5 - v % 2});
  tw::Cancel cancel;
  check_threads([&] { return tw::chance_prices(margins, 0, 1, 0.01, 5, 1e-6, cancel); });
  check_threads([&] { return tw::chance_prices(margins, 1, 1, 0.01, 5, 1e-6, cancel); });
  check_threads([&] { return tw::bdeu_asked(margins, 1, 5, cancel); });
}

TEST(tests_of_blankets) {
  tw::PackedBlanketTests tests(drawn(), {}, {0, 1, 2, 3, 4, 5, 6, 7});
  tw::Cancel cancel;
  check_threads([&] {
    std::vector<tw::OwnerQuestions> asked;
    for (tw::Vertex v = 0; v < 8; ++v) {
      tw::OwnerQuestions one{v, {}, {}, {}, {}, {}};
      for (tw::Vertex u = 0; u < 8; ++u) {
        if (u == v) continue;
        if ((u + v) % 3 == 0)
          one.blanket.push_back(u), one.members.push_back(u);
        else
          one.outsiders.push_back(u);
      }
      asked.push_back(one);
    }
    tests.answer(asked, cancel);
    std::vector<double> out;
    for (const auto& one : asked)
      for (const auto* found : {&one.outside, &one.inside})
        for (const auto& posterior : *found)
          out.push_back(posterior.log_independent), out.push_back(posterior.log_dependent);
    CHECK(out.size() == 2 * 56);
    return out;
  });
}
