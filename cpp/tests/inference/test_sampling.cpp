#include <cmath>
#include <stdexcept>
#include <vector>

#include "check.hpp"
#include "treewright/inference/sampling.hpp"
#include "treewright/parallel/philox.hpp"
#include "treewright/parallel/threads.hpp"

namespace tw = treewright;

namespace {

const std::vector<double> kFirstTable{0.0, 0.25, 0.75, 0.0};
const std::vector<double> kSecondTable{1.0, 0.0, 0.5, 0.5, 0.0, 1.0, 0.0, 1.0};

tw::NetworkTables pair() { return {{4, 2}, {{}, {0}}, {kFirstTable, kSecondTable}}; }

struct Rows {
  explicit Rows(std::size_t n) : first(n), second(n) {}
  std::vector<std::uint8_t> first;
  std::vector<std::uint16_t> second;
  std::vector<tw::Column> columns() { return {{first.data(), 1}, {second.data(), 2}}; }
  std::vector<tw::ConstColumn> read() const { return {{first.data(), 1}, {second.data(), 2}}; }
};

Rows draw(std::uint64_t seed, std::uint64_t first_row, std::size_t n) {
  Rows rows(n);
  tw::Cancel cancel;
  tw::sample_rows(pair(), std::vector<std::uint32_t>{0, 1}, seed, first_row, n, rows.columns(), cancel);
  return rows;
}

}  // namespace

// The known answers published with the generator.
TEST(philox_gives_the_published_numbers) {
  CHECK((tw::philox({0, 0, 0, 0}, 0) == tw::PhiloxBlock{0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8}));
  CHECK((tw::philox({~0u, ~0u, ~0u, ~0u}, ~std::uint64_t{0}) ==
         tw::PhiloxBlock{0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd}));
  CHECK((tw::philox({0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344}, 0x299f31d0a4093822) ==
         tw::PhiloxBlock{0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1}));
}

TEST(impossible_states_are_never_drawn) {
  const Rows rows = draw(7, 0, 100'000);
  std::size_t twos = 0;
  for (std::size_t i = 0; i < rows.first.size(); ++i) {
    CHECK(rows.first[i] == 1 || rows.first[i] == 2);
    CHECK(rows.first[i] != 2 || rows.second[i] == 1);
    twos += rows.first[i] == 2;
  }
  CHECK(std::abs(static_cast<double>(twos) - 75'000) < 5 * std::sqrt(100'000 * 0.75 * 0.25));
}

TEST(rows_do_not_depend_on_threads_or_blocks) {
  tw::set_threads(1);
  const Rows whole = draw(3, 0, 20'001);
  tw::set_threads(4);
  CHECK(draw(3, 0, 20'001).second == whole.second);
  tw::set_threads(0);
  for (const std::size_t cut : {1, 2, 777, 4096}) {
    const Rows tail = draw(3, cut, 20'001 - cut);
    CHECK(std::equal(tail.first.begin(), tail.first.end(), whole.first.begin() + static_cast<long>(cut)));
    CHECK(std::equal(tail.second.begin(), tail.second.end(), whole.second.begin() + static_cast<long>(cut)));
  }
}

TEST(log_probabilities_are_sums_of_logs) {
  Rows rows(3);
  rows.first = {1, 2, 0};
  rows.second = {0, 1, 0};
  std::vector<double> out(3);
  tw::Cancel cancel;
  tw::log_probability_rows(pair(), rows.read(), out, cancel);
  CHECK(out[0] == std::log(0.25) + std::log(0.5));
  CHECK(out[1] == std::log(0.75));
  CHECK(std::isinf(out[2]) && out[2] < 0);
  rows.second[1] = 2;
  CHECK(
      check::throws<std::out_of_range>([&] { tw::log_probability_rows(pair(), rows.read(), out, cancel); }));
}

TEST(networks_that_do_not_fit_together_are_refused) {
  tw::Cancel cancel;
  Rows rows(1);
  const auto sample = [&](const tw::NetworkTables& network, std::vector<std::uint32_t> order) {
    tw::sample_rows(network, order, 0, 0, 1, rows.columns(), cancel);
  };
  CHECK(check::throws<std::invalid_argument>([&] { sample(pair(), {1, 0}); }));
  CHECK(check::throws<std::invalid_argument>([&] { sample(pair(), {0}); }));
  CHECK(check::throws<std::invalid_argument>(
      [&] { sample({{4, 2}, {{}, {0}}, {kFirstTable, kFirstTable}}, {0, 1}); }));
  CHECK(check::throws<std::invalid_argument>(
      [&] { sample({{4, 2}, {{}, {9}}, {kFirstTable, kSecondTable}}, {0, 1}); }));
  const std::vector<double> wrong{0.5, std::nan(""), 0.5, 0};
  CHECK(check::throws<std::invalid_argument>(
      [&] { sample({{4, 2}, {{}, {0}}, {wrong, kSecondTable}}, {0, 1}); }));
}
