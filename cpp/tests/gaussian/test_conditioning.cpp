#include <cmath>
#include <limits>
#include <numbers>

#include "check.hpp"
#include "treewright/gaussian/conditioning.hpp"

using namespace treewright;
using namespace treewright::normal;

namespace {

Family line(std::vector<Var> parents, std::vector<double> weights, double offset, double variance) {
  return {std::move(parents), std::move(weights), offset, variance};
}

bool near(double a, double b, double tolerance = 1e-12) {
  return std::abs(a - b) <= tolerance * (1 + std::abs(b));
}

// 0 -> 1 -> 2 with unit weights, and 3 apart
Network chain() {
  return {{line({}, {}, 0, 1), line({0}, {1}, 0, 1), line({1}, {1}, 0, 1), line({}, {}, 5, 2)},
          {0, 1, 2, 3},
          {0, 1, 2, 3}};
}

const std::vector<Var> kAll{0, 1, 2, 3};

TEST(worked_numbers_of_a_chain) {
  Cancel cancel;
  const Network network = chain();
  const Conditioning given(network, std::vector<Var>{2}, kAll, cancel);
  const Posterior found = given.at(std::vector<double>{3.0});
  CHECK(near(found.mean[0], 1) && near(found.mean[1], 2));
  CHECK(found.mean[2] == 3 && found.mean[3] == 5);
  CHECK(near(found.log_density, -0.5 * std::log(2 * std::numbers::pi * 3) - 1.5));
  const auto variances = given.variances(kAll, cancel);
  CHECK(near(variances[0], 2.0 / 3) && near(variances[1], 2.0 / 3));
  CHECK(variances[2] == 0 && near(variances[3], 2));
  const auto covariance = given.covariance(std::vector<Var>{0, 1}, cancel);
  CHECK(near(covariance[1], 1.0 / 3) && covariance[1] == covariance[2]);
}

TEST(observations_cut_the_network_into_blocks) {
  const Network network = chain();
  const auto blocks = blocks_given(network, std::vector<Var>{1}, kAll);
  CHECK(blocks.size() == 3);
  CHECK((blocks[0].members == std::vector<Var>{0, 1}) && (blocks[0].observed == std::vector<Var>{1}));
  CHECK((blocks[1].members == std::vector<Var>{2}) && blocks[1].observed.empty());
  // descendants of nothing that was asked or observed stay out
  CHECK(blocks_given(network, {}, std::vector<Var>{0}).size() == 1);
}

TEST(determined_variables_add_nothing_or_contradict) {
  Cancel cancel;
  Network network = chain();
  network.families[2].variance = 0;
  const Conditioning given(network, std::vector<Var>{1, 2}, kAll, cancel);
  const Posterior agrees = given.at(std::vector<double>{0.5, 0.5});
  CHECK(!agrees.contradicted);
  CHECK(near(
      agrees.log_density,
      Conditioning(network, std::vector<Var>{1}, kAll, cancel).at(std::vector<double>{0.5}).log_density));
  CHECK(given.at(std::vector<double>{0.5, 0.6}).contradicted == Var{2});
}

TEST(predictions_are_the_means_of_their_rows) {
  Cancel cancel;
  const Network network = chain();
  const Conditioning given(network, std::vector<Var>{2, 3}, std::vector<Var>{0}, cancel);
  const std::vector<double> two{3, -6}, three{0, 1};
  const std::vector<const double*> columns{two.data(), three.data()};
  std::vector<double> out(2);
  given.predict(columns, 0, out, cancel);
  CHECK(near(out[0], 1) && near(out[1], -2));
}

TEST(draws_follow_the_posterior_and_the_first_rows_stay) {
  Cancel cancel;
  const Network network = chain();
  const Conditioning given(network, std::vector<Var>{2}, kAll, cancel);
  const std::size_t n = 20001;
  std::vector<std::vector<double>> rows(4, std::vector<double>(n)), few(4, std::vector<double>(301));
  std::vector<double*> all, some;
  for (auto& column : rows) all.push_back(column.data());
  for (auto& column : few) some.push_back(column.data());
  given.sample(std::vector<double>{3.0}, 7, n, all, cancel);
  given.sample(std::vector<double>{3.0}, 7, 301, some, cancel);
  double mean = 0, square = 0;
  for (const double x : rows[0]) mean += x / n;
  for (const double x : rows[0]) square += (x - mean) * (x - mean) / n;
  CHECK(std::abs(mean - 1) < 0.03 && std::abs(square - 2.0 / 3) < 0.03);
  for (std::size_t v = 0; v < 4; ++v)
    for (std::size_t i = 0; i < 301; ++i) CHECK(few[v][i] == rows[v][i]);
}

TEST(rows_are_weighed_along_lines_and_bends) {
  Cancel cancel;
  Network network{{line({}, {}, 1, 4), line({0}, {2}, 0, 0.25)}, {0, 1}, {0, 1}};
  network.families[1].bends = true;
  network.families[1].low = -1, network.families[1].height = 3;
  const std::vector<double> x{0.5, 1e9}, y{1.0, 2.0};
  const std::vector<const double*> columns{x.data(), y.data()};
  std::vector<double> out(2);
  log_density_rows(network, columns, out, cancel);
  const double mean = -1 + 3 / (1 + std::exp(-1.0));
  const double expected =
      -std::log(2 * std::numbers::pi) - 0.5 * std::log(4 * 0.25) - 0.25 / 8 - (1 - mean) * (1 - mean) / 0.5;
  CHECK(near(out[0], expected));
  CHECK(std::isfinite(out[1]));
}

TEST(parts_that_do_not_fit_are_refused) {
  Network network = chain();
  network.order = {1, 0, 2, 3};
  bool refused = false;
  try {
    network.validate();
  } catch (const std::invalid_argument&) {
    refused = true;
  }
  CHECK(refused);
}

}  // namespace
