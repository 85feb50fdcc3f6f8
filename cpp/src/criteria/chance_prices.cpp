#include "treewright/criteria/chance_prices.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <map>
#include <numeric>
#include <utility>

#include "parallel/log_gamma.hpp"
#include "treewright/criteria/chi_square.hpp"
#include "treewright/criteria/scores.hpp"
#include "treewright/parallel/threads.hpp"

namespace treewright {
namespace {

// Cells that expect more rows than this are as good as normal.
constexpr double kManyRows = 400;
// Terms of a hypergeometric sum, in standard deviations on either side of its mean.
constexpr double kTails = 9;
// Rows of a state in a stratum beyond which it hardly matters how they were dealt out.
constexpr double kFewRows = 12;
// With fewer rows than this for each cell, chance also pays beside other parents of a few configurations.
constexpr double kThinRows = 3.5;
constexpr double kNanosecondsPerPair = 2000;
// Rows that the second states of two columns share by chance, below which their gain is not that of chi
// square.
constexpr double kFewExpected = 3;
// Rows in a cell for which a Dirichlet score is looked up.
constexpr double kMostKnown = 4096;
// What is less likely does not happen.
constexpr double kNoChance = 1e-12;

double n_log_n(double n) { return n > 0 ? n * std::log(n) : 0; }

double log_binomial(double n, double k) { return log_gamma(n + 1) - log_gamma(k + 1) - log_gamma(n - k + 1); }

// Of n ln n, where a of the rows are in one state and b in the other: its mean, and the variance that is left
// when what is linear in n is taken off, since margins are fixed.
ChanceGain cell_of(double rows, double a, double b) {
  const double expected = a * b / rows, free = (1 - a / rows) * (1 - b / rows);
  if (expected > kManyRows) return {n_log_n(expected) + 0.5 * free, 0.5 * free * free};
  const double lowest = std::max(0.0, a + b - rows), highest = std::min(a, b);
  const double reach = kTails * std::sqrt(expected) + kTails;
  const double first = std::max(lowest, std::floor(expected - reach));
  const double last = std::min(highest, std::ceil(expected + reach));
  double chance =
      std::exp(log_binomial(a, first) + log_binomial(rows - a, b - first) - log_binomial(rows, b));
  double f1 = 0, f2 = 0, fk = 0, k1 = 0, k2 = 0;
  for (double k = first; k <= last; ++k) {
    const double f = n_log_n(k) - n_log_n(expected), off = k - expected;  // small numbers round less
    f1 += chance * f, f2 += chance * f * f, fk += chance * f * off;
    k1 += chance * off, k2 += chance * off * off;
    chance *= (a - k) * (b - k) / ((k + 1) * (rows - a - b + k + 1));
  }
  const double spread = k2 - k1 * k1, along = fk - f1 * k1;
  const double left = f2 - f1 * f1 - (spread > 1e-12 ? along * along / spread : 0);
  return {f1 + n_log_n(expected), std::max(left, 0.0)};
}

// How many states occur so often; fractions of states where that is an expectation.
using CountTally = std::map<std::int64_t, double>;

// The counts of one of `strata` equal parts of the rows: small ones are split by chance, large ones evenly.
CountTally tallied(std::span<const std::int64_t> counts, double strata) {
  CountTally whole, part;
  for (const std::int64_t count : counts)
    if (count > 0) ++whole[count];
  if (strata == 1) return whole;
  for (const auto& [count, states] : whole) {
    const auto n = static_cast<double>(count);
    if (n > kFewRows * strata) {
      part[std::llrint(n / strata)] += states;
      continue;
    }
    double chance = std::pow(1 - 1 / strata, n);
    for (std::int64_t k = 0; k <= count; ++k) {
      if (k > 0 && chance > 1e-9) part[k] += states * chance;
      chance *= (n - static_cast<double>(k)) / (static_cast<double>(k) + 1) / (strata - 1);
    }
  }
  return part;
}

// ln of the rising factorial: what n rows in a cell add to a Dirichlet score with `alpha` imaginary ones.
class Rising {
 public:
  Rising(double alpha, double most) : alpha_(alpha), own_(log_gamma(alpha)) {
    for (double n = 0; n <= most; ++n) known_.push_back(of(n));
  }
  double operator()(double n) const {
    const auto i = static_cast<std::size_t>(n);
    return i < known_.size() && static_cast<double>(i) == n ? known_[i] : of(n);
  }

 private:
  double of(double n) const { return log_gamma(n + alpha_) - own_; }
  double alpha_, own_;
  std::vector<double> known_;
};

// The mean of it over the rows that chance puts into the cell of two states.
double rising_cell(double rows, double a, double b, const Rising& rising) {
  const double expected = a * b / rows, free = (1 - a / rows) * (1 - b / rows);
  if (expected > kManyRows) return rising(expected) + 0.5 * free;
  const double lowest = std::max(0.0, a + b - rows), highest = std::min(a, b);
  const double reach = kTails * std::sqrt(expected) + kTails;
  const double first = std::max(lowest, std::floor(expected - reach));
  const double last = std::min(highest, std::ceil(expected + reach));
  double chance =
      std::exp(log_binomial(a, first) + log_binomial(rows - a, b - first) - log_binomial(rows, b));
  double mean = 0, whole = 0;
  for (double k = first; k <= last; ++k) {
    mean += chance * rising(k), whole += chance;
    chance *= (a - k) * (b - k) / ((k + 1) * (rows - a - b + k + 1));
  }
  return whole > 0 ? mean / whole : rising(expected);
}

ChanceGain gain_of(const CountTally& of_x, const CountTally& of_y, double rows) {
  ChanceGain gain{n_log_n(rows), 0};
  for (const auto& [a, states] : of_x) gain.mean -= states * n_log_n(static_cast<double>(a));
  for (const auto& [b, states] : of_y) gain.mean -= states * n_log_n(static_cast<double>(b));
  double variance = 0;
  for (const auto& [count_x, n_a] : of_x)
    for (const auto& [count_y, n_b] : of_y) {
      const auto a = static_cast<double>(count_x), b = static_cast<double>(count_y);
      const ChanceGain cell = cell_of(std::max(rows, std::max(a, b)), a, b);
      gain.mean += n_a * n_b * cell.mean;
      // cells of a line share its rows: with many rows the sum of these is the variance of chi square / 2
      const double free = (1 - a / rows) * (1 - b / rows);
      if (free > 0) variance += n_a * n_b * cell.deviation / free;
    }
  gain.deviation = std::sqrt(variance);
  return gain;
}

}  // namespace

ChanceGain chance_gain(std::span<const std::int64_t> x, std::span<const std::int64_t> y, double strata) {
  const auto total = static_cast<double>(std::accumulate(x.begin(), x.end(), std::int64_t{0}));
  const ChanceGain part = gain_of(tallied(x, strata), tallied(y, strata), std::nearbyint(total / strata));
  return {strata * part.mean, std::sqrt(strata) * part.deviation};
}

double chance_bound(const ChanceGain& gain, double level) {
  const double variance = gain.deviation * gain.deviation;
  if (!(gain.mean > 0) || !(variance > 1e-12)) return gain.mean;  // shuffling changes nothing
  const double degrees = 2 * gain.mean * gain.mean / variance;
  return chi_square_quantile(level, degrees) * variance / (2 * gain.mean);
}

double bdeu_gain(std::span<const std::int64_t> x, std::span<const std::int64_t> y, double ess,
                 double strata) {
  const auto total = static_cast<double>(std::accumulate(x.begin(), x.end(), std::int64_t{0}));
  const double rows = std::nearbyint(total / strata);
  const auto r = static_cast<double>(x.size()), q = static_cast<double>(y.size());
  const CountTally of_x = tallied(x, strata), of_y = tallied(y, strata);
  const double most = of_x.empty() || of_y.empty()
                          ? 0.0
                          : static_cast<double>(std::min(of_x.rbegin()->first, of_y.rbegin()->first));
  const Rising cell(ess / (r * q * strata), std::min(most, kMostKnown));
  const Rising whole(ess / strata, 0), side_x(ess / (r * strata), 0), side_y(ess / (q * strata), 0);
  double gain = whole(rows);
  for (const auto& [a, states] : of_x) gain -= states * side_x(static_cast<double>(a));
  for (const auto& [b, states] : of_y) gain -= states * side_y(static_cast<double>(b));
  for (const auto& [count_x, n_a] : of_x)
    for (const auto& [count_y, n_b] : of_y) {
      const auto a = static_cast<double>(count_x), b = static_cast<double>(count_y);
      gain += n_a * n_b * rising_cell(std::max(rows, std::max(a, b)), a, b, cell);
    }
  return strata * gain;
}

namespace {

double second_largest(const std::vector<std::int64_t>& counts) {
  if (counts.size() < 2) return 0;
  std::vector<std::int64_t> sorted = counts;
  std::ranges::nth_element(sorted, sorted.begin() + 1, std::greater<>());
  return static_cast<double>(sorted[1]);
}

}  // namespace

std::vector<double> bdeu_asked(std::span<const std::vector<std::int64_t>> margins, double ess,
                               double dense_rows, Cancel& cancel) {
  const std::size_t n = margins.size();
  std::vector<double> asked(n * n, -1.0), second(n);
  std::transform(margins.begin(), margins.end(), second.begin(), second_largest);
  parallel_for(n, kNanosecondsPerPair * static_cast<double>(n * n) / 2, cancel, [&](std::size_t i) {
    const auto& x = margins[i];
    const auto rows = static_cast<double>(std::accumulate(x.begin(), x.end(), std::int64_t{0}));
    const auto r = static_cast<double>(x.size());
    const Rising whole(ess, 0), side_x(ess / r, 0);
    for (std::size_t j = 0; j < i; ++j) {
      const auto& y = margins[j];
      const auto q = static_cast<double>(y.size());
      if (rows < dense_rows * r * q || second[i] * second[j] < kFewExpected * rows) continue;
      const Rising cell(ess / (r * q), 0), side_y(ess / q, 0);
      double loss = -whole(rows);
      for (const std::int64_t a : x) loss += side_x(static_cast<double>(a));
      for (const std::int64_t b : y) loss += side_y(static_cast<double>(b));
      for (const std::int64_t a : x)
        for (const std::int64_t b : y) loss -= cell(static_cast<double>(a) * static_cast<double>(b) / rows);
      asked[i * n + j] = std::max(loss, 0.0);
    }
  });
  return asked;
}

namespace {

struct PairOfMargins {
  std::span<const std::int64_t> x, y;
  double rows;
};

// Nats that a score asks for an edge between two columns: those that chance gains in likelihood and not in
// it.
double asked_for(const PairOfMargins& pair, const ChanceGain& gain, double ess, double strata) {
  if (ess > 0) return gain.mean - bdeu_gain(pair.x, pair.y, ess, strata);
  const auto r = static_cast<double>(pair.x.size()), q = static_cast<double>(pair.y.size());
  return multinomial_regret(pair.rows, r * q * strata) - multinomial_regret(pair.rows, r * strata) -
         multinomial_regret(pair.rows, q * strata) + multinomial_regret(pair.rows, strata);
}

}  // namespace

std::vector<double> chance_prices(std::span<const std::vector<std::int64_t>> margins, double ess,
                                  double edge_price, double level, double dense_rows, double step,
                                  Cancel& cancel) {
  const std::size_t n = margins.size();
  std::vector<double> prices(n * n, 0.0);
  parallel_for(n, kNanosecondsPerPair * static_cast<double>(n * n) / 2, cancel, [&](std::size_t i) {
    const auto& x = margins[i];
    const double rows = static_cast<double>(std::accumulate(x.begin(), x.end(), std::int64_t{0}));
    for (std::size_t j = 0; j < i; ++j) {
      const auto r = static_cast<double>(x.size()), q = static_cast<double>(margins[j].size());
      if (rows >= dense_rows * r * q) continue;
      double more = 0;
      for (const double strata : {1.0, 2.0, 4.0, 8.0, 16.0}) {
        if (strata > 1 && rows >= kThinRows * r * q) continue;
        const ChanceGain gain = chance_gain(x, margins[j], strata);
        const double price = asked_for({x, margins[j], rows}, gain, ess, strata) + edge_price;
        more = std::max(more, chance_bound(gain, level) - price);
      }
      if (more > 0) prices[i * n + j] = prices[j * n + i] = std::ceil(more / step) * step;
    }
  });
  return prices;
}

namespace {

// What a pair gains when chance puts more rows into a cell than it expects, and how likely that is.
struct Coincidence {
  double gain, chance;
};

// Those of a state with `a` rows and one with `b`; the others of both columns are as one, but for what
// parting them costs on average.
void add_coincidences(double rows, double a, double b, std::array<double, 2> states, double ess,
                      std::vector<Coincidence>& found) {
  const auto [r, q] = states;
  const auto rising = [](double n, double alpha) { return log_gamma(n + alpha) - log_gamma(alpha); };
  const double one = ess / (r * q);
  const auto dirichlet = [&](double k) {
    return rising(k, one) + rising(a - k, one * (q - 1)) + rising(b - k, one * (r - 1)) +
           rising(rows - a - b + k, one * (r - 1) * (q - 1));
  };
  const double apart = rising(a, ess / r) + rising(rows - a, ess * (r - 1) / r) + rising(b, ess / q) +
                       rising(rows - b, ess * (q - 1) / q) - rising(rows, ess);
  const double first = std::max(0.0, a + b - rows), last = std::min(a, b);
  double chance =
      std::exp(log_binomial(a, first) + log_binomial(rows - a, b - first) - log_binomial(rows, b));
  for (double k = first; k <= last && (chance > kNoChance || k * rows < a * b); ++k) {
    if (k * rows > a * b) found.push_back({dirichlet(k) - apart, chance});
    chance *= (a - k) * (b - k) / ((k + 1) * (rows - a - b + k + 1));
  }
}

// The gain that two columns exceed with probability `level` only, where their second states hardly meet.
double rare_bound(std::span<const std::int64_t> x, std::span<const std::int64_t> y, double ess,
                  double level) {
  const auto rows = static_cast<double>(std::accumulate(x.begin(), x.end(), std::int64_t{0}));
  const std::array<double, 2> states{static_cast<double>(x.size()), static_cast<double>(y.size())};
  const auto first_x = std::ranges::max_element(x), first_y = std::ranges::max_element(y);
  std::vector<Coincidence> found;
  for (auto a = x.begin(); a != x.end(); ++a)
    for (auto b = y.begin(); b != y.end(); ++b)
      if (a != first_x && b != first_y && *a > 0 && *b > 0)
        add_coincidences(rows, static_cast<double>(*a), static_cast<double>(*b), states, ess, found);
  std::ranges::sort(found, std::ranges::greater{}, &Coincidence::gain);
  double exceeded = 0;
  for (const auto& [gain, chance] : found)
    if ((exceeded += chance) > level) return gain;
  return 0;
}

}  // namespace

std::vector<double> rare_prices(std::span<const std::vector<std::int64_t>> margins, double ess,
                                double edge_price, double level, double dense_rows, double step,
                                Cancel& cancel) {
  const std::size_t n = margins.size();
  std::map<std::vector<std::int64_t>, std::size_t> places;  // of columns with the same counts
  std::vector<std::size_t> kind(n);
  for (std::size_t i = 0; i < n; ++i) {
    std::vector<std::int64_t> sorted = margins[i];
    std::ranges::sort(sorted);
    kind[i] = places.emplace(std::move(sorted), places.size()).first->second;
  }
  const std::size_t n_kinds = places.size();
  std::vector<std::span<const std::int64_t>> counts(n_kinds);
  std::vector<double> second(n_kinds), of_kinds(n_kinds * n_kinds, 0.0), prices(n * n, 0.0);
  for (const auto& [margin, place] : places) counts[place] = margin, second[place] = second_largest(margin);
  parallel_for(n_kinds, kNanosecondsPerPair * static_cast<double>(n_kinds), cancel, [&](std::size_t i) {
    const auto x = counts[i];
    const auto rows = static_cast<double>(std::accumulate(x.begin(), x.end(), std::int64_t{0}));
    for (std::size_t j = 0; j <= i; ++j) {
      const auto cells = static_cast<double>(x.size() * counts[j].size());
      if (rows < dense_rows * cells || second[i] * second[j] >= kFewExpected * rows) continue;
      const double more = rare_bound(x, counts[j], ess, level) - edge_price;
      if (more > 0) of_kinds[i * n_kinds + j] = of_kinds[j * n_kinds + i] = std::ceil(more / step) * step;
    }
  });
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t j = 0; j < n; ++j)
      if (i != j) prices[i * n + j] = of_kinds[kind[i] * n_kinds + kind[j]];
  return prices;
}

}  // namespace treewright
