#include "treewright/criteria/chi_square.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

#include "parallel/log_gamma.hpp"

namespace treewright {
namespace {

constexpr double kEpsilon = std::numeric_limits<double>::epsilon();
// From this shape on the uniform expansion is exact to 1e-10, below it the fraction is fast enough.
constexpr double kLargeShape = 1e6;
constexpr int kMaxTerms = 200'000;

ForkMutex critical_mutex;
std::map<double, std::shared_ptr<CriticalValues>> critical_levels;

// ln(1 + x) - x without cancellation.
double log1p_minus(double x) {
  if (std::abs(x) > 0.4) return std::log1p(x) - x;
  const double r = x / (2 + x), y = r * r;
  double sum = 0, power = y;
  for (int k = 3; power > kEpsilon * y / 16; k += 2, power *= y) sum += power / k;
  return r * (2 * sum - x);
}

// x^a exp(-x) / Gamma(a + 1).
double front(double a, double x) {
  if (a < 10) return std::exp(a * std::log(x) - x - log_gamma(a + 1));
  const double inverse = 1 / a, square = inverse * inverse;
  const double stirling =
      inverse * (1. / 12 - square * (1. / 360 - square * (1. / 1260 - square * (1. / 1680 - square / 1188))));
  return std::exp(a * log1p_minus((x - a) / a) - stirling) / std::sqrt(2 * std::numbers::pi * a);
}

// Lower tail by its power series.
double lower_series(double a, double x) {
  double sum = 1, term = 1;
  for (int k = 1; k < kMaxTerms && term > kEpsilon * sum; ++k) {
    term *= x / (a + k);
    sum += term;
  }
  return front(a, x) * sum;
}

// Upper tail by its continued fraction, evaluated forwards.
double upper_fraction(double a, double x) {
  constexpr double tiny = 1e-300;
  double b = x + 1 - a;
  double c = 1 / tiny, d = 1 / b, value = d;
  for (int k = 1; k < kMaxTerms; ++k) {
    const double numerator = -k * (k - a);
    b += 2;
    d = numerator * d + b;
    if (std::abs(d) < tiny) d = tiny;
    c = b + numerator / c;
    if (std::abs(c) < tiny) c = tiny;
    d = 1 / d;
    const double step = c * d;
    value *= step;
    if (std::abs(step - 1) < kEpsilon) break;
  }
  return front(a, x) * a * value;
}

// Upper tail for a large shape: a normal tail and its first correction (Temme 1979).
double upper_large_shape(double a, double x) {
  const double mu = (x - a) / a;
  const double half_square = -log1p_minus(mu);
  const double eta = std::copysign(std::sqrt(2 * half_square), mu);
  const double correction =
      -1. / 3 +
      eta * (1. / 12 + eta * (-2. / 135 + eta * (1. / 864 + eta * (1. / 2835 - eta * 139. / 777600))));
  const double normal = 0.5 * std::erfc(eta * std::sqrt(a / 2));
  return normal + std::exp(-a * half_square) / std::sqrt(2 * std::numbers::pi * a) * correction;
}

double upper_gamma(double a, double x) {
  if (a >= kLargeShape) {
    // farther out the tails are 0 and 1 in double precision
    const double distance = (x - a) / std::sqrt(a);
    if (distance > 60) return 0;
    return distance < -40 ? 1 : std::min(1.0, upper_large_shape(a, x));
  }
  return x < a + 1 ? 1 - lower_series(a, x) : upper_fraction(a, x);
}

}  // namespace

double chi_square_sf(double x, double df) {
  if (std::isnan(x) || std::isnan(df)) return std::numeric_limits<double>::quiet_NaN();
  if (x <= 0) return 1;
  if (df <= 0 || std::isinf(x)) return 0;
  if (std::isinf(df)) return 1;
  return upper_gamma(df / 2, x / 2);
}

double chi_square_quantile(double alpha, double df) {
  if (!(df > 0) || alpha >= 1) return 0;
  if (alpha <= 0 || df > 1e290) return std::numeric_limits<double>::infinity();
  const double target = std::log(alpha);
  // ln of the upper tail is concave: after one step Newton approaches from the right; the bracket is for
  // tails that leave the doubles
  double x = df, left = 0, right = std::numeric_limits<double>::infinity();
  for (int step = 0; step < 200; ++step) {
    const double upper = chi_square_sf(x, df);
    (upper > alpha ? left : right) = x;
    const double density = front(df / 2, x / 2) * (df / 2) / x;
    double next = x + upper / density * (std::log(upper) - target);
    if (std::abs(next - x) <= 4 * kEpsilon * x) return next;
    if (!(next > left && next < right)) next = std::isinf(right) ? 2 * x : 0.5 * (left + right);
    x = next;
  }
  return x;
}

std::shared_ptr<CriticalValues> CriticalValues::of(double alpha) {
  const ForkLock lock(critical_mutex, [] { begin_anew(critical_levels); });
  auto& level = critical_levels[alpha];
  if (!level) level = std::make_shared<CriticalValues>(alpha);
  return level;
}

double CriticalValues::operator()(double df) {
  const ForkLock lock(mutex_, [&] { begin_anew(values_); });
  const auto found = values_.find(df);
  if (found != values_.end()) return found->second;
  return values_.emplace(df, chi_square_quantile(alpha_, df)).first->second;
}

}  // namespace treewright
