#include "treewright/criteria/chance_prices.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <utility>

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

double n_log_n(double n) { return n > 0 ? n * std::log(n) : 0; }

double log_binomial(double n, double k) {
  return std::lgamma(n + 1) - std::lgamma(k + 1) - std::lgamma(n - k + 1);
}

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

std::vector<double> chance_prices(std::span<const std::vector<std::int64_t>> margins, double edge_price,
                                  double level, double dense_rows, double step, Cancel& cancel) {
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
        const double price = multinomial_regret(rows, r * q * strata) - multinomial_regret(rows, r * strata) -
                             multinomial_regret(rows, q * strata) + multinomial_regret(rows, strata) +
                             edge_price;
        more = std::max(more, chance_bound(chance_gain(x, margins[j], strata), level) - price);
      }
      if (more > 0) prices[i * n + j] = prices[j * n + i] = std::ceil(more / step) * step;
    }
  });
  return prices;
}

}  // namespace treewright
