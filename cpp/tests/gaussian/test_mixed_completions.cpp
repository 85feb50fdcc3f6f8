#include <cmath>
#include <limits>
#include <numbers>
#include <stdexcept>

#include "check.hpp"
#include "treewright/gaussian/mixed_completions.hpp"

using namespace treewright;
using namespace treewright::mixed;

namespace {

constexpr double kGone = std::numeric_limits<double>::quiet_NaN();

bool is_near(double a, double b) { return std::abs(a - b) <= 1e-12 * (1 + std::abs(b)); }

double normal(double x, double mean, double variance) {
  return std::exp(-0.5 * (x - mean) * (x - mean) / variance) / std::sqrt(2 * std::numbers::pi * variance);
}

// a state; x around 0 or 4 by it; y around x
mixed::Network small() {
  return {{2}, 2, {{{0}, {0.25, 0.75}}}, {{0, {0}, {}, {0, 4}, {}, {1, 1}}, {1, {}, {0}, {0}, {1}, {2}}}};
}

struct Held {
  std::vector<std::int32_t> states;
  std::vector<double> x, y, weights;
  Rows rows() const { return {states.size(), {states.data()}, {x.data(), y.data()}, {weights.data()}}; }
};

const Held kRows{{-1, -1, 1, 0}, {1, kGone, kGone, 2}, {1, 3, kGone, kGone}, {1, 2, 1, 0}};

TEST(gaps_of_a_row_are_summed_out) {
  Cancel cancel;
  const Completions every(small(), kRows.rows(), 1e6, cancel);
  const auto logs = every.log_densities();
  const double zero = 0.25 * normal(1, 0, 1), one = 0.75 * normal(1, 4, 1);
  CHECK(is_near(logs[0], std::log((zero + one) * normal(1, 1, 2))));
  CHECK(is_near(logs[1], std::log(0.25 * normal(3, 0, 3) + 0.75 * normal(3, 4, 3))));
  CHECK(is_near(logs[2], std::log(0.75)));
  const auto shares = every.state_shares(0, cancel);
  CHECK(is_near(shares[0], zero / (zero + one)) && shares[5] == 1 && shares[6] == 1);
  const auto x = every.number_moments(0, cancel);
  CHECK(x[0] == 1 && x[1] == 0 && x[4] == 4 && x[5] == 1);
}

TEST(moments_add_up_to_the_rows) {
  Cancel cancel;
  const Completions every(small(), kRows.rows(), 1e6, cancel);
  const std::vector<Var> states{0}, numbers{0, 1};
  const StateMoments found = every.in_states(states, numbers, cancel);
  CHECK(found.cells.size() == 2 && found.cells[0] == 0 && found.cells[1] == 1);
  CHECK(is_near(found.n[0] + found.n[1], 4));
  const StateMoments whole = every.in_states({}, numbers, cancel);
  for (std::size_t i = 0; i < 2; ++i)
    CHECK(is_near(found.n[0] * found.mean[i] + found.n[1] * found.mean[2 + i], 4 * whole.mean[i]));
  CHECK(whole.scatter[1] == whole.scatter[2] && whole.scatter[0] > 0);
}

TEST(what_cannot_be_is_refused) {
  Cancel cancel;
  mixed::Network never = small();
  never.tables[0].cells = {0, 0};
  bool refused = false;
  try {
    const Completions every(never, kRows.rows(), 1e6, cancel);
  } catch (const std::domain_error&) {
    refused = true;
  }
  CHECK(refused);
  refused = false;
  try {
    const Completions every(small(), kRows.rows(), 100, cancel);
  } catch (const forests::TooLarge&) {
    refused = true;
  }
  CHECK(refused);
}

}  // namespace
