#include <cmath>
#include <random>
#include <vector>

#include "check.hpp"
#include "treewright/criteria/scores.hpp"

namespace tw = treewright;

namespace {

bool close(double a, double b, double tolerance = 1e-9) {
  return std::abs(a - b) <= tolerance * std::max(1.0, std::abs(b));
}

}  // namespace

TEST(worked_family) {
  // x2 given x1 in the rows 000 001 011 111 111 110 101 000
  const std::vector<std::int64_t> table{2, 2, 1, 3};
  CHECK(close(tw::score_table(tw::FamilyScore({tw::ScoreKind::bic, 1}, 8), table, 2, 2), -7.1013708424));
  CHECK(close(tw::score_table(tw::FamilyScore({tw::ScoreKind::bdeu, 1}, 8), table, 2, 2), -7.8275598302));
  CHECK(close(tw::score_table(tw::FamilyScore({tw::ScoreKind::bdeu, 10}, 8), table, 2, 2), -5.9255689150));
  CHECK(close(tw::score_table(tw::FamilyScore({tw::ScoreKind::k2, 1}, 8), table, 2, 2), -6.3969296552));
}

TEST(dense_sparse_and_real_agree) {
  std::mt19937 random(1);
  std::vector<std::int64_t> table(12 * 3);
  double n = 0;
  for (auto& cell : table) n += static_cast<double>(cell = random() % 3 ? 0 : random() % 50);
  std::vector<std::int64_t> codes, counts;
  for (std::size_t i = 0; i < table.size(); ++i)
    if (table[i]) codes.push_back(static_cast<std::int64_t>(i)), counts.push_back(table[i]);
  const std::vector<double> real(table.begin(), table.end());
  for (const auto kind : {tw::ScoreKind::log_likelihood, tw::ScoreKind::aic, tw::ScoreKind::bic,
                          tw::ScoreKind::bdeu, tw::ScoreKind::k2, tw::ScoreKind::qnml}) {
    const tw::FamilyScore score({kind, 1}, n);
    const double dense = tw::score_table(score, table, 3, 12);
    CHECK(tw::score_sparse(score, codes, counts, 3, 12) == dense);
    CHECK(close(tw::score_table(score, real, 3, 12), dense));
  }
}

TEST(a_covered_arc_may_be_reversed) {
  // locals of a -> b and b -> a, added in doubles
  const std::vector<std::int64_t> a_b{123, 4, 56, 7, 891, 2}, b_a{123, 7, 4, 891, 56, 2};
  const std::vector<std::int64_t> a{183, 900}, b{130, 895, 58};
  for (const auto kind : {tw::ScoreKind::log_likelihood, tw::ScoreKind::aic, tw::ScoreKind::bic,
                          tw::ScoreKind::bdeu, tw::ScoreKind::qnml}) {
    const tw::FamilyScore score({kind, 0.7}, 1083);
    CHECK(tw::score_table(score, a, 2, 1) + tw::score_table(score, a_b, 3, 2) ==
          tw::score_table(score, b, 3, 1) + tw::score_table(score, b_a, 2, 3));
  }
}

TEST(huge_families_stay_finite) {
  const std::vector<std::int64_t> table{1, 0, 0, 1};
  const double infinite = std::numeric_limits<double>::infinity();
  for (const auto kind : {tw::ScoreKind::aic, tw::ScoreKind::bic, tw::ScoreKind::bdeu, tw::ScoreKind::qnml})
    for (const double q : {1e18, 1e200, 1e308, infinite})
      CHECK(std::isfinite(tw::score_table(tw::FamilyScore({kind, 1}, 2), table, 2, q)));
}

TEST(counts_beyond_the_lookup_table) {
  const std::vector<std::int64_t> table{tw::kTabulated - 1, tw::kTabulated, tw::kTabulated + 1, 40'000'000};
  double n = 0, expected = 0;
  for (const auto cell : table) n += static_cast<double>(cell);
  for (const auto cell : table)
    expected += static_cast<double>(cell) * std::log(static_cast<double>(cell) / n);
  const tw::FamilyScore score({tw::ScoreKind::log_likelihood, 1}, n);
  CHECK(close(tw::score_table(score, table, 4, 1), expected, 1e-12));
}
