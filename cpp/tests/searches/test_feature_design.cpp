#include <cmath>
#include <stdexcept>
#include <vector>

#include "check.hpp"
#include "treewright/searches/feature_design.hpp"

namespace tw = treewright;

namespace {

// two variables, 3 1 / 1 3
tw::FeatureDesign paired() {
  return {std::vector<std::uint32_t>{0, 0, 1, 1, 0, 1, 0, 1}, std::vector<double>{3, 1, 1, 3}, {2, 2}};
}

}  // namespace

TEST(gains_have_the_best_weight_of_their_own) {
  tw::FeatureDesign design = paired();
  tw::Cancel cancel;
  design.add({0});
  design.add({1});
  std::vector<double> gradient(2);
  const double value = design.evaluate(std::vector<double>{0, 0}, gradient, cancel);
  CHECK(std::abs(value - 16 * std::log(0.5)) < 1e-12);
  CHECK(std::abs(gradient[0]) < 1e-12);
  const auto candidates = design.candidates(2, cancel);
  CHECK((candidates == std::vector<std::vector<std::uint32_t>>{{0, 1}}));
  const auto gain = design.gains(candidates, 1e9, cancel)[0];
  CHECK(std::abs(gain.weight - std::log(3.0)) < 1e-6);  // 3 of 4 rows in which the other literal holds
  const double wanted = 2 * (3 * std::log(0.75) + std::log(0.25) - 4 * std::log(0.5));
  CHECK(std::abs(gain.gain - wanted) < 1e-6);
}

TEST(literals_of_one_variable_are_refused) {
  tw::FeatureDesign design(std::vector<std::uint32_t>{0}, std::vector<double>{1}, {3});
  int refused = 0;
  for (const std::vector<std::uint32_t>& feature : {std::vector<std::uint32_t>{0, 1}, {}, {2}}) {
    try {
      design.add(feature);
    } catch (const std::logic_error&) {
      ++refused;
    }
  }
  CHECK(refused == 3);
}
