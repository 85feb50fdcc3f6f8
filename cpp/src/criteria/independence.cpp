#include "treewright/criteria/independence.hpp"

#include <cmath>
#include <numbers>
#include <stdexcept>

#include "treewright/parallel/threads.hpp"

namespace treewright {
namespace {

constexpr double kMostSlices = 1e300;
constexpr double kNanosecondsPerTestedCell = 3;

// Factors of at most two multiplied before their logarithm is taken: 2^1000 is still a double.
constexpr std::size_t kFactors = 1000;

double log_sum_exp(const std::vector<double>& terms) {
  const double largest = std::ranges::max(terms);
  double sum = 0;
  for (const double t : terms) sum += std::exp(t - largest);
  return largest + std::log(sum);
}

// A cell of a Dirichlet term is at most n ln(a + n); the smallest parameter bounds it from below.
FixedPoint dirichlet_scale(const PosteriorSettings& s, double n, double cells) {
  const double largest = std::max({s.alpha, s.beta, s.gamma}) * cells;
  const double smallest = std::min({s.alpha, s.beta, s.gamma});
  return FixedPoint(4 * n * (std::log(n + largest + 2) + std::abs(std::log(smallest)) + 1));
}

void check(const PosteriorSettings& s) {
  if (!(s.prior > 0 && s.prior < 1))
    throw std::invalid_argument("the prior of independence lies between 0 and 1");
  for (const double a : {s.alpha, s.beta, s.gamma})
    if (!(a > 0) || !std::isfinite(a))
      throw std::invalid_argument("Dirichlet parameters are finite and above 0");
}

template <class Count>
void check(const TestTable<Count>& table) {
  if (table.r_u == 0 || table.r_v == 0) throw std::invalid_argument("a variable has at least one state");
  const bool whole = table.counts.size() % (table.r_u * table.r_v) == 0;
  if (table.codes.empty() ? !whole : table.codes.size() != table.counts.size())
    throw std::invalid_argument("a table has whole strata, or one code for each count");
}

template <class Count>
std::int64_t largest_stratum(const TestTable<Count>& table) {
  Count largest = 0;
  for_each_stratum(table, [&](const Count* cells, std::size_t r_u, std::size_t r_v) {
    Count total = 0;
    for (std::size_t i = 0; i < r_u * r_v; ++i) total += cells[i];
    largest = std::max(largest, total);
  });
  return static_cast<std::int64_t>(largest);
}

// Real weights may occupy more cells than they sum to; the scale then follows the cells.
template <class Count>
double room_for(double n_rows, const TestTable<Count>& table) {
  return std::is_floating_point_v<Count> ? std::max(n_rows, static_cast<double>(table.counts.size()))
                                         : n_rows;
}

template <class Accumulator, class Count>
auto accumulate(Accumulator&& accumulator, const TestTable<Count>& table) {
  for_each_stratum(table, [&](const Count* cells, std::size_t r_u, std::size_t r_v) {
    accumulator.stratum(cells, r_u, r_v);
  });
  return accumulator.finish();
}

template <class Count>
double work(std::span<const TestTable<Count>> tables) {
  std::size_t cells = 0;
  for (const auto& table : tables) cells += table.counts.size();
  return kNanosecondsPerTestedCell * static_cast<double>(cells);
}

}  // namespace

template <class Sum>
PosteriorAccumulator<Sum>::PosteriorAccumulator(const PosteriorSettings& settings, double n_rows,
                                                std::size_t r_u, std::size_t r_v, double slices,
                                                std::int64_t largest)
    : settings_(settings),
      slices_(std::min(slices, kMostSlices)),
      log_prior_(-std::log(settings.prior)),
      scale_((check(settings), dirichlet_scale(settings, n_rows, static_cast<double>(r_u * r_v)))),
      cell_(CellTerm::log_rising(settings.gamma, scale_, largest)),
      row_(CellTerm::log_rising(settings.alpha, scale_, largest)),
      column_(CellTerm::log_rising(settings.beta, scale_, largest)),
      joint_(CellTerm::log_rising(settings.gamma * static_cast<double>(r_u * r_v), scale_, largest)),
      independent_u_(CellTerm::log_rising(settings.alpha * static_cast<double>(r_u), scale_, largest)),
      independent_v_(CellTerm::log_rising(settings.beta * static_cast<double>(r_v), scale_, largest)) {}

template <class Sum>
Posterior PosteriorAccumulator<Sum>::finish_as_given() {
  const auto observed = static_cast<double>(log_odds_.size());
  const double slices = std::max(1.0, settings_.all_slices ? slices_ : observed);
  const double ell = log_prior_ / slices;
  const double logit = ell < 1e-300 ? std::log(ell) : std::log(std::expm1(ell));
  // sum of softplus(t) = sum of max(t, 0) + ln of the product of 1 + exp(-|t|): one logarithm for all slices
  double above = 0, product_less_one = 0, s = 0;
  std::size_t factors = 0;
  for (double& t : log_odds_) {
    t += logit;
    if (t > 0) above += t;
    const double e = std::exp(-std::abs(t));
    product_less_one += e + product_less_one * e;
    if (++factors == kFactors) s += std::log1p(product_less_one), product_less_one = 0, factors = 0;
  }
  s += above + std::log1p(product_less_one);
  s += std::max(0.0, slices - observed) * ell;
  if (s == 0 && !log_odds_.empty()) return {0, std::min(0.0, log_sum_exp(log_odds_))};
  return {-s, s < std::numbers::ln2 ? std::log(-std::expm1(-s)) : std::log1p(-std::exp(-s))};
}

double full_degrees(std::size_t r_u, std::size_t r_v, double slices) {
  return static_cast<double>(r_u - 1) * static_cast<double>(r_v - 1) * std::min(slices, kMostSlices);
}

template <class Count>
Deviation test_table(const TestSettings& settings, double n_rows, const TestTable<Count>& table) {
  check(table);
  Deviation found =
      settings.statistic == Statistic::g2
          ? accumulate(G2Accumulator<Count>(x_log_x_scale(room_for(n_rows, table)), largest_stratum(table)),
                       table)
          : accumulate(X2Accumulator<Count>(n_rows, table.r_u, table.r_v), table);
  if (settings.degrees == Degrees::full) found.degrees = full_degrees(table.r_u, table.r_v, table.slices);
  return found;
}

template <class Count>
Posterior test_table(const PosteriorSettings& settings, double n_rows, const TestTable<Count>& table) {
  check(table);
  return accumulate(PosteriorAccumulator<Count>(settings, room_for(n_rows, table), table.r_u, table.r_v,
                                                table.slices, largest_stratum(table)),
                    table);
}

template <class Count>
void test_tables(const TestSettings& settings, double n_rows, std::span<const TestTable<Count>> tables,
                 std::span<double> statistic, std::span<double> degrees, Cancel& cancel) {
  parallel_for(tables.size(), work(tables), cancel, [&](std::size_t i) {
    const Deviation found = test_table(settings, n_rows, tables[i]);
    statistic[i] = found.statistic, degrees[i] = found.degrees;
  });
}

template <class Count>
void test_tables(const PosteriorSettings& settings, double n_rows, std::span<const TestTable<Count>> tables,
                 std::span<double> log_independent, std::span<double> log_dependent, Cancel& cancel) {
  parallel_for(tables.size(), work(tables), cancel, [&](std::size_t i) {
    const Posterior found = test_table(settings, n_rows, tables[i]);
    log_independent[i] = found.log_independent, log_dependent[i] = found.log_dependent;
  });
}

#define TREEWRIGHT_FOR(Count)                                                                    \
  template class PosteriorAccumulator<Count>;                                                    \
  template Deviation test_table(const TestSettings&, double, const TestTable<Count>&);           \
  template Posterior test_table(const PosteriorSettings&, double, const TestTable<Count>&);      \
  template void test_tables(const TestSettings&, double, std::span<const TestTable<Count>>,      \
                            std::span<double>, std::span<double>, Cancel&);                      \
  template void test_tables(const PosteriorSettings&, double, std::span<const TestTable<Count>>, \
                            std::span<double>, std::span<double>, Cancel&);
TREEWRIGHT_FOR(std::int64_t)
TREEWRIGHT_FOR(double)
#undef TREEWRIGHT_FOR

}  // namespace treewright
