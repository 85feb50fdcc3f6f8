#include <cmath>
#include <stdexcept>
#include <vector>

#include "check.hpp"
#include "treewright/searches/nodewise.hpp"

namespace tw = treewright;
using tw::nodewise::Design;
using tw::nodewise::PathSettings;

namespace {

// Two variables: 48 16 / 16 48, and a third that knows nothing of them.
Design paired_design() {
  std::vector<std::uint32_t> codes;
  std::vector<double> weights;
  for (int column = 0; column < 3; ++column)
    for (std::uint32_t a : {0u, 1u})
      for (std::uint32_t b : {0u, 1u})
        for (std::uint32_t c : {0u, 1u}) codes.push_back(column == 0 ? a : column == 1 ? b : c);
  for (std::uint32_t a : {0u, 1u})
    for (std::uint32_t b : {0u, 1u})
      for (int c = 0; c < 2; ++c) weights.push_back(a == b ? 24 : 8);
  return {codes, weights, {2, 2, 2}};
}

}  // namespace

TEST(the_best_support_is_fitted_without_penalty) {
  const Design design = paired_design();
  tw::Cancel cancel;
  const auto fit = tw::nodewise::fit_by_ebic(design, 0, {}, cancel);
  CHECK((fit.support == std::vector<std::uint32_t>{1}));
  CHECK(std::abs(2 * fit.weights[1] - 2 * std::log(3.0)) < 1e-5);  // the log-odds ratio is ln 9
  CHECK(std::abs(fit.log_likelihood - (96 * std::log(0.75) + 32 * std::log(0.25))) < 1e-9);
}

TEST(nothing_is_joined_at_the_largest_penalty) {
  const Design design = paired_design();
  tw::Cancel cancel;
  const double first = tw::nodewise::largest_penalty(design, 0, {}, cancel);
  CHECK(tw::nodewise::fit_at(design, 0, first * 1.001, {}, cancel).support.empty());
  CHECK(tw::nodewise::fit_at(design, 0, first * 0.999, {}, cancel).support.size() == 1);
  CHECK(std::abs(first - 16) < 1e-6);  // sum over rows with b = 1 of (a - 1/2): 32 (3/4 - 1/4)
}

TEST(penalties_along_a_path_fall) {
  const Design design = paired_design();
  tw::Cancel cancel;
  int refused = 0;
  try {
    tw::nodewise::held_out(design, design, 0, std::vector<double>{1, 2}, {}, cancel);
  } catch (const std::invalid_argument&) {
    ++refused;
  }
  try {
    Design(std::vector<std::uint32_t>{2}, std::vector<double>{1}, {2});
  } catch (const std::out_of_range&) {
    ++refused;
  }
  CHECK(refused == 2);
  const auto logs = tw::nodewise::held_out(design, design, 0, std::vector<double>{100, 1}, {}, cancel);
  CHECK(std::abs(logs[0] - 128 * std::log(0.5)) < 1e-9);
  CHECK(logs[1] > logs[0]);
}
