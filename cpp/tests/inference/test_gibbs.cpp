#include <cmath>
#include <stdexcept>
#include <vector>

#include "check.hpp"
#include "treewright/inference/gibbs.hpp"

namespace tw = treewright;

namespace {

const std::vector<double> kAgree{3, 1, 1, 5}, kEqual{1, 0, 0, 1};

}  // namespace

TEST(estimates_approach_the_marginals) {
  const tw::GibbsSampler sampler({{2, 2}, {{0, 1}}, {kAgree}}, {0, 1});
  tw::Cancel cancel;
  std::vector<std::uint8_t> a(40'000), b(40'000);
  std::vector<tw::Column> columns{{a.data(), 1}, {b.data(), 1}};
  std::vector<double> estimates(8);
  sampler.run({2, 20'000, 50, 1, 9}, std::vector<std::uint32_t>{0, 0, 1, 1}, columns, estimates, cancel);
  for (std::size_t chain = 0; chain < 2; ++chain)
    for (std::size_t v = 0; v < 2; ++v) CHECK(std::abs(estimates[4 * chain + 2 * v] - 0.4) < 0.02);
  double both = 0;
  for (std::size_t i = 0; i < a.size(); ++i) both += a[i] == 1 && b[i] == 1;
  CHECK(std::abs(both / 40'000 - 0.5) < 0.02);
}

TEST(starts_avoid_zeros) {
  const tw::GibbsSampler sampler({{2, 2, 2}, {{0, 1}, {1, 2}}, {kEqual, kEqual}}, {1, 2});
  tw::Cancel cancel;
  for (std::uint32_t chain = 0; chain < 20; ++chain) {
    std::vector<std::uint32_t> states{1, 0, 0};
    CHECK(sampler.find_start(4, chain, states, cancel));
    CHECK((states == std::vector<std::uint32_t>{1, 1, 1}));
  }
  CHECK(sampler.violated(std::vector<std::uint32_t>{1, 0, 0}) == 0u);
  CHECK(!sampler.violated(std::vector<std::uint32_t>{1, 1, 1}));
}

TEST(orders_name_variables_once) {
  int refused = 0;
  for (const std::vector<std::uint32_t>& order : {std::vector<std::uint32_t>{0, 0}, {2}}) {
    try {
      tw::GibbsSampler({{2, 2}, {}, {}}, order);
    } catch (const std::invalid_argument&) {
      ++refused;
    }
  }
  CHECK(refused == 2);
}
