#include <cmath>
#include <vector>

#include "check.hpp"
#include "treewright/inference/loopy.hpp"

namespace tw = treewright;

TEST(chains_are_exact) {
  const std::vector<double> agree{3, 1, 1, 3}, bias{1, 2};
  const tw::ScopedTables product{{2, 2, 2}, {{0, 1}, {1, 2}, {0}}, {agree, agree, bias}};
  tw::Cancel cancel;
  const auto found = tw::propagate_loopily(product, std::vector<std::uint32_t>{0, 1, 2}, {}, cancel);
  CHECK(std::abs(found.log_partition - std::log(48.0)) < 1e-6);
  CHECK(std::abs(found.marginals[0] - 1.0 / 3) < 1e-6);
}

TEST(rows_are_predicted_from_their_neighbours) {
  const std::vector<double> agree{3, 1, 1, 3};
  const tw::ScopedTables product{{2, 2}, {{0, 1}}, {agree}};
  const std::vector<std::uint8_t> a{0, 1}, b{0, 0};
  const std::vector<tw::ConstColumn> columns{{a.data(), 1}, {b.data(), 1}};
  std::vector<double> logs(2);
  tw::Cancel cancel;
  tw::pseudo_log_rows(product, columns, logs, cancel);
  CHECK(std::abs(logs[0] - 2 * std::log(0.75)) < 1e-12);
  CHECK(std::abs(logs[1] - 2 * std::log(0.25)) < 1e-12);
}
