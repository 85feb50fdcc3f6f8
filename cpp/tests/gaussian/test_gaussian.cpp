#include <cmath>
#include <random>

#include "check.hpp"
#include "treewright/gaussian/gaussian.hpp"
#include "treewright/gaussian/moments.hpp"
#include "treewright/gaussian/partial_correlations.hpp"
#include "treewright/parallel/threads.hpp"

namespace tw = treewright;
namespace twg = treewright::gaussian;

namespace {

using Columns = std::vector<std::vector<double>>;

Columns noise(std::size_t columns, std::size_t rows, double offset = 0) {
  std::mt19937_64 engine(columns * 1000 + rows);
  Columns out(columns, std::vector<double>(rows));
  for (auto& column : out)
    for (auto& x : column) x = static_cast<double>(engine() >> 11) * 0x1p-53 + offset;
  return out;
}

tw::MomentSums moments(const Columns& columns, std::size_t begin, std::size_t end) {
  std::vector<const double*> data;
  for (const auto& column : columns) data.push_back(column.data() + begin);
  tw::Cancel cancel;
  return tw::moments_of(data, end - begin, {}, cancel);
}

bool same(const tw::MomentSums& a, const tw::MomentSums& b) {
  return a.n == b.n && a.mean == b.mean && a.mean_tail == b.mean_tail && a.scatter == b.scatter;
}

}  // namespace

TEST(whole_blocks_merge_to_the_last_bit) {
  const std::size_t rows = 7 * tw::kMomentRows + 3;
  const auto data = noise(3, rows, 1e6);
  const auto whole = moments(data, 0, rows);
  for (const std::size_t blocks : {1, 2, 4}) {
    std::vector<tw::MomentSums> parts;
    for (std::size_t at = 0; at < rows; at += blocks * tw::kMomentRows)
      parts.push_back(moments(data, at, std::min(rows, at + blocks * tw::kMomentRows)));
    CHECK(same(tw::merge(parts), whole));
  }
  for (const std::size_t threads : {1, 3}) {
    tw::set_threads(threads);
    CHECK(same(moments(data, 0, rows), whole));
  }
  tw::set_threads(0);
}

TEST(no_rows_change_nothing) {
  const auto some = moments(noise(2, 10), 0, 10), none = tw::MomentSums::empty(2);
  CHECK(same(tw::merge(some, none), some));
  CHECK(same(tw::merge(none, some), some));
}

TEST(a_factor_solves_and_measures) {
  const auto sums = moments(noise(4, 50), 0, 50);
  const twg::Correlations r(sums.scatter, 4);
  twg::Factor factor(r);
  factor.assign(std::vector<twg::Rank>{3, 0, 2});
  CHECK(factor.members()[0] == 0 && factor.members()[2] == 3);
  const double a = r(0, 2), b = r(0, 3), c = r(2, 3);
  const double determinant = 1 + 2 * a * b * c - a * a - b * b - c * c;
  CHECK(std::abs(factor.log_determinant() - std::log(determinant)) < 1e-14);
  std::vector<double> x{1, 2, 3};
  factor.solve(x);
  CHECK(std::abs(x[0] + a * x[1] + b * x[2] - 1) < 1e-14);
  CHECK(std::abs(b * x[0] + c * x[1] + x[2] - 3) < 1e-14);
}

TEST(a_factor_grown_in_place_is_the_factor_from_scratch) {
  const auto sums = moments(noise(6, 50), 0, 50);
  const twg::Correlations r(sums.scatter, 6);
  twg::Factor base(r), grown(r), scratch(r);
  base.assign(std::vector<twg::Rank>{1, 3, 5});
  for (const twg::Rank extra : {0, 2, 4}) {
    grown.assign(base, extra);
    scratch.assign(std::vector<twg::Rank>{1, 3, 5, extra});
    CHECK(grown.log_determinant() == scratch.log_determinant());
  }
}

TEST(a_linear_function_is_floored_or_left_out) {
  auto data = noise(3, 40);
  for (std::size_t i = 0; i < 40; ++i) data[2][i] = data[0][i] - 2 * data[1][i];
  const auto sums = moments(data, 0, 40);
  const twg::Correlations r(sums.scatter, 3);
  twg::Factor factor(r);
  factor.assign(std::vector<twg::Rank>{0, 1});
  CHECK(factor.n_floored() == 0);
  CHECK(!factor.push_unless_singular(2));
  factor.push(2);
  CHECK(factor.n_floored() == 1);
}

TEST(what_is_not_there_is_refused) {
  const auto sums = moments(noise(3, 40), 0, 40);
  const twg::GaussianScore score(sums.scatter, 3, 40);
  const twg::PartialCorrelations test(sums.scatter, 3, 40);
  tw::Cancel cancel;
  const auto refused = [&](const auto& ask) {
    try {
      ask();
    } catch (const std::logic_error&) {
      return true;
    }
    return false;
  };
  CHECK(refused([&] { score.local_many(std::vector<twg::Family>{{0, {3}}}, cancel); }));
  CHECK(refused([&] { score.local_many(std::vector<twg::Family>{{0, {1, 0}}}, cancel); }));
  CHECK(refused([&] { score.local_additions({0, {1}}, std::vector<twg::Rank>{1}, cancel); }));
  CHECK(refused([&] { test.ask(std::vector<twg::Question>{{0, 0, {}}}, cancel); }));
  CHECK(refused([&] { test.ask(std::vector<twg::Question>{{0, 1, {1}}}, cancel); }));
  CHECK(refused(
      [&] { test.ask_partners(0, std::vector<twg::Rank>{2, 2}, std::vector<twg::Rank>{1}, cancel); }));
}

TEST(long_work_can_be_stopped) {
  const auto sums = moments(noise(3, 40), 0, 40);
  const twg::GaussianScore score(sums.scatter, 3, 40);
  tw::Cancel cancel;
  cancel.request();
  bool stopped = false;
  try {
    score.local_many(std::vector<twg::Family>(1000, {0, {1, 2}}), cancel);
  } catch (const tw::Cancelled&) {
    stopped = true;
  }
  CHECK(stopped);
}
