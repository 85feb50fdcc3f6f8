#include <cmath>
#include <stdexcept>
#include <vector>

#include "check.hpp"
#include "treewright/gaussian/graphical_lasso.hpp"

namespace tw = treewright;

TEST(two_columns_have_a_closed_form) {
  const std::vector<double> sample{1, 0.6, 0.6, 1}, prices{0, 0.2, 0.2, 0};
  tw::Cancel cancel;
  const auto found = tw::graphical_lasso(sample, prices, 2, {}, 1e-12, 100, cancel);
  CHECK(std::abs(found.covariance[1] - 0.4) < 1e-9);  // the correlation less the price
  CHECK(std::abs(found.precision[0] - 1 / 0.84) < 1e-9);
  CHECK(std::abs(found.precision[1] + 0.4 / 0.84) < 1e-9);
  CHECK(std::abs(found.log_determinant + std::log(0.84)) < 1e-9);
}

TEST(a_large_price_parts_everything) {
  const std::vector<double> sample{1, 0.6, 0.6, 1}, prices{0, 0.7, 0.7, 0};
  tw::Cancel cancel;
  CHECK(tw::graphical_lasso(sample, prices, 2, {}, 1e-9, 100, cancel).precision[1] == 0);
}

TEST(constant_columns_are_refused) {
  tw::Cancel cancel;
  int refused = 0;
  try {
    tw::graphical_lasso(std::vector<double>{0}, std::vector<double>{0}, 1, {}, 1e-9, 100, cancel);
  } catch (const std::invalid_argument&) {
    ++refused;
  }
  CHECK(refused == 1);
}
