#include <cmath>
#include <vector>

#include "check.hpp"
#include "treewright/criteria/chi_square.hpp"
#include "treewright/criteria/independence.hpp"
#include "treewright/criteria/permutation.hpp"

namespace tw = treewright;

namespace {

bool within(double a, double b, double tolerance) { return std::abs(a - b) <= tolerance; }

const std::vector<std::int64_t> kTwoStrata{20, 10, 10, 20, 30, 15, 5, 10};

}  // namespace

TEST(worked_statistics) {
  const tw::TestTable<std::int64_t> table{{}, kTwoStrata, 2, 2, 2};
  const auto g2 = tw::test_table(tw::TestSettings{}, 120, table);
  CHECK(within(g2.statistic, 11.917453, 1e-6));
  CHECK(g2.degrees == 2);
  const auto x2 = tw::test_table(tw::TestSettings{tw::Statistic::x2, tw::Degrees::full}, 120, table);
  CHECK(within(x2.statistic, 11.809524, 1e-6));
  CHECK(x2.degrees == 2);
}

TEST(strata_may_come_one_by_one_in_any_order_and_type) {
  const std::vector<std::uint32_t> narrow(kTwoStrata.begin(), kTwoStrata.end());
  tw::G2Accumulator<> g2(tw::x_log_x_scale(120), 120);
  g2.stratum(narrow.data() + 4, 2, 2);
  g2.stratum(narrow.data(), 2, 2);
  const tw::TestTable<std::int64_t> table{{}, kTwoStrata, 2, 2, 2};
  CHECK(g2.finish().statistic == tw::test_table(tw::TestSettings{}, 120, table).statistic);
  const std::vector<double> real(kTwoStrata.begin(), kTwoStrata.end());
  const tw::TestTable<double> weighted{{}, real, 2, 2, 2};
  CHECK(within(g2.finish().statistic, tw::test_table(tw::TestSettings{}, 120, weighted).statistic, 1e-9));
}

TEST(occupied_cells_are_enough) {
  const std::vector<std::int64_t> dense{0, 5, 0, 0, 0, 0, 1, 0, 2, 3, 0, 4, 0, 0, 0, 0, 0, 0};
  std::vector<std::int64_t> codes, counts;
  for (std::size_t i = 0; i < dense.size(); ++i)
    if (dense[i]) codes.push_back(static_cast<std::int64_t>(i)), counts.push_back(dense[i]);
  const tw::TestTable<std::int64_t> one{{}, dense, 3, 3, 2}, other{codes, counts, 3, 3, 2};
  for (const auto statistic : {tw::Statistic::g2, tw::Statistic::x2}) {
    const tw::TestSettings settings{statistic, tw::Degrees::adjusted};
    CHECK(tw::test_table(settings, 15, one).statistic == tw::test_table(settings, 15, other).statistic);
    CHECK(tw::test_table(settings, 15, one).degrees == tw::test_table(settings, 15, other).degrees);
  }
  const tw::PosteriorSettings posterior;
  CHECK(tw::test_table(posterior, 15, one).log_independent ==
        tw::test_table(posterior, 15, other).log_independent);
}

TEST(worked_posterior) {
  const std::vector<std::int64_t> counts{48, 16, 16, 48};
  const auto found =
      tw::test_table(tw::PosteriorSettings{}, 128, tw::TestTable<std::int64_t>{{}, counts, 2, 2, 1});
  CHECK(within(found.log_independent, -15.333088384457826, 1e-9));
  CHECK(within(found.log_dependent, -2.1924231122531536e-07, 1e-15));
}

TEST(chi_square_values) {
  CHECK(within(tw::chi_square_sf(3.841458820694124, 1), 0.05, 1e-13));
  CHECK(within(tw::chi_square_quantile(0.05, 1), 3.841458820694124, 1e-12));
  CHECK(within(tw::chi_square_quantile(0.01, 100), 135.80672317102676, 1e-9));
  const auto level = tw::CriticalValues::of(0.01);
  CHECK((*level)(100) == tw::chi_square_quantile(0.01, 100));
  CHECK(tw::CriticalValues::of(0.01) == level);
  for (const double df : {1., 9., 500., 1e6, 1e9, 1e15, 1e18}) {
    const double x = tw::chi_square_quantile(0.05, df);
    CHECK(within(tw::chi_square_sf(x, df), 0.05, df < 1e10 ? 1e-9 : 1e-3));
  }
}

TEST(permutations) {
  tw::Cancel cancel;
  const tw::TestTable<std::int64_t> dependent{{}, kTwoStrata, 2, 2, 2};
  const double p = tw::permutation_p({2000, 0.05, false}, dependent, 7, cancel);
  CHECK(p < 0.02);
  CHECK(p == tw::permutation_p({2000, 0.05, false}, dependent, 7, cancel));
  CHECK(tw::permutation_p({2000, 0.05, true}, dependent, 7, cancel) <= 0.05);
  const std::vector<std::int64_t> fixed{3, 0, 4, 0, 0, 2, 0, 0};
  CHECK(tw::permutation_p({100, 0.05, true}, {{}, fixed, 2, 2, 2}, 7, cancel) == 1);
}
