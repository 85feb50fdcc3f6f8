#include "treewright/sigmoid.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <numbers>
#include <numeric>
#include <stdexcept>

#include "lanes.hpp"
#include "treewright/threads.hpp"

namespace treewright::gaussian {
namespace {

constexpr int kSteps = 60;        // of Levenberg-Marquardt, accepted ones
constexpr double kEnough = 1e-5;  // nats: a step that gains less ends a descent
constexpr double kLeastDamping = 1e-9, kMostDamping = 1e9;
constexpr double kNearlyLinear = 0.01;  // spread of b + w.x at which a sigmoid is a line to 1e-10
// Where else along the linear direction a descent may start: how steep, and how far the bend is off the
// centre in deviations. The best bend of each steepness is descended from; bends to both sides stand for both
// signs.
constexpr double kSteepness[] = {1.5, 6};
constexpr double kBends[] = {-2, -1.5, -1, -0.5, 0.5, 1, 1.5, 2};
constexpr std::size_t kRemembered = std::size_t{1} << 18;

TREEWRIGHT_CLONES double dot(const double* x, const double* y, std::size_t n) {
  Lanes sum = {}, a, b;
  for (std::size_t i = 0; i < n; i += kLanes) {
    std::memcpy(&a, x + i, sizeof a);
    std::memcpy(&b, y + i, sizeof b);
    sum += a * b;
  }
  return joined(sum);
}

TREEWRIGHT_CLONES void add_multiple(double* __restrict out, double factor, const double* __restrict x,
                                    std::size_t n) {
  for (std::size_t i = 0; i < n; ++i) out[i] += factor * x[i];
}

TREEWRIGHT_CLONES void multiply(double* __restrict out, const double* __restrict x,
                                const double* __restrict y, std::size_t n) {
  for (std::size_t i = 0; i < n; ++i) out[i] = x[i] * y[i];
}

// z becomes 1 / (1 + exp(-z)). The exponential is 2^k exp(r), |r| <= ln 2 / 2: k is read off the low bits of
// a number too large to have a fraction, exp(r) is its Taylor sum up to rounding.
TREEWRIGHT_CLONES void to_sigmoid(double* z, std::size_t n) {
  constexpr double no_fraction = 0x1.8p52, per_ln2 = 0x1.71547652b82fep0;
  constexpr double ln2_head = 0x1.62e42feep-1, ln2_tail = 0x1.a39ef35793c76p-33;
  for (std::size_t i = 0; i < n; ++i) {
    double x = -z[i];
    x = x < -700 ? -700 : x;
    x = x > 700 ? 700 : x;
    const double shifted = x * per_ln2 + no_fraction;
    const double k = shifted - no_fraction;
    const double r = (x - k * ln2_head) - k * ln2_tail;
    double sum = 1.0 / 479001600;
    sum = sum * r + 1.0 / 39916800;
    sum = sum * r + 1.0 / 3628800;
    sum = sum * r + 1.0 / 362880;
    sum = sum * r + 1.0 / 40320;
    sum = sum * r + 1.0 / 5040;
    sum = sum * r + 1.0 / 720;
    sum = sum * r + 1.0 / 120;
    sum = sum * r + 1.0 / 24;
    sum = sum * r + 1.0 / 6;
    sum = sum * r + 0.5;
    sum = sum * r + 1;
    sum = sum * r + 1;
    const auto scale = std::bit_cast<std::uint64_t>(shifted) << 52;
    z[i] = 1 / (1 + std::bit_cast<double>(std::bit_cast<std::uint64_t>(sum) + scale));
  }
}

// Solve a x = b for a positive definite matrix (both overwritten); false when it is not.
bool solve_positive(std::vector<double>& a, std::vector<double>& b) {
  const std::size_t n = b.size();
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t j = 0; j <= i; ++j) {
      double rest = a[i * n + j];
      for (std::size_t l = 0; l < j; ++l) rest -= a[i * n + l] * a[j * n + l];
      if (i != j) {
        a[i * n + j] = rest / a[j * n + j];
      } else if (rest > 0) {
        a[i * n + i] = std::sqrt(rest);
      } else {
        return false;
      }
    }
    for (std::size_t l = 0; l < i; ++l) b[i] -= a[i * n + l] * b[l];
    b[i] /= a[i * n + i];
  }
  for (std::size_t i = n; i-- > 0;) {
    for (std::size_t l = i + 1; l < n; ++l) b[i] -= a[l * n + i] * b[l];
    b[i] /= a[i * n + i];
  }
  return true;
}

// The step of damped normal equations; damping is relative to the diagonal, so units do not matter.
bool damped_step(const std::vector<double>& matrix, const std::vector<double>& gradient, double damping,
                 std::vector<double>& step) {
  const std::size_t n = gradient.size();
  std::vector<double> damped = matrix;
  double largest = 0;
  for (std::size_t j = 0; j < n; ++j) largest = std::max(largest, matrix[j * n + j]);
  if (!(largest > 0)) return false;
  for (std::size_t j = 0; j < n; ++j)
    damped[j * n + j] += damping * std::max(matrix[j * n + j], 1e-12 * largest);
  step.resize(n);
  std::transform(gradient.begin(), gradient.end(), step.begin(), [](double g) { return -g; });
  return solve_positive(damped, step);
}

std::vector<double> scaled(std::span<const double> direction, double factor, double offset) {
  std::vector<double> slope{offset};
  for (const double d : direction) slope.push_back(d * factor);
  return slope;
}

}  // namespace

SigmoidProblem::SigmoidProblem(const double* child, std::vector<const double*> parents,
                               std::span<const double> root, double n_rows)
    : child_(child),
      parents_(std::move(parents)),
      root_(root),
      n_rows_(n_rows),
      sigma_(root.size()),
      centred_(root.size()),
      residual_(root.size()),
      columns_(root.size() * n_slopes()) {}

SigmoidProblem::Fit SigmoidProblem::at(std::span<const double> slope) {
  const std::size_t n = root_.size();
  std::fill(sigma_.begin(), sigma_.end(), slope[0]);
  for (std::size_t k = 0; k < parents_.size(); ++k) add_multiple(sigma_.data(), slope[k + 1], parents_[k], n);
  to_sigmoid(sigma_.data(), n);
  multiply(centred_.data(), sigma_.data(), root_.data(), n);
  const double middle = dot(centred_.data(), root_.data(), n) / n_rows_;
  add_multiple(centred_.data(), -middle, root_.data(), n);
  spread_ = dot(centred_.data(), centred_.data(), n);
  // a sigmoid that is flat over the data is the constant model
  const double height = spread_ > 1e-24 * n_rows_ ? dot(centred_.data(), child_, n) / spread_ : 0;
  std::copy_n(child_, n, residual_.begin());
  add_multiple(residual_.data(), -height, centred_.data(), n);
  return {dot(residual_.data(), residual_.data(), n), -height * middle, height, {slope.begin(), slope.end()}};
}

void SigmoidProblem::linearise(const Fit& fit, std::vector<double>& gradient, std::vector<double>& matrix) {
  const std::size_t n = root_.size(), m = n_slopes();
  gradient.assign(m, 0);
  matrix.assign(m * m, 0);
  // columns of th1 sigma' x, without their part in the span of (1, sigma): Kaufman's Jacobian, sign turned
  double* const rise = columns_.data();
  for (std::size_t i = 0; i < n; ++i) rise[i] = fit.height * sigma_[i] * (1 - sigma_[i]) * root_[i];
  for (std::size_t k = m; k-- > 0;) {
    double* const column = rise + k * n;
    if (k > 0) multiply(column, rise, parents_[k - 1], n);  // the column of b, the last one, is `rise` itself
    const double middle = dot(column, root_.data(), n) / n_rows_;
    const double tilt = spread_ > 0 ? dot(column, centred_.data(), n) / spread_ : 0;
    add_multiple(column, -middle, root_.data(), n);
    add_multiple(column, -tilt, centred_.data(), n);
  }
  for (std::size_t k = 0; k < m; ++k) {
    gradient[k] = -dot(rise + k * n, residual_.data(), n);
    for (std::size_t l = 0; l <= k; ++l)
      matrix[k * m + l] = matrix[l * m + k] = dot(rise + k * n, rise + l * n, n);
  }
}

SigmoidProblem::Fit SigmoidProblem::descend(std::span<const double> start, Cancel& cancel) {
  Fit best = at(start);
  std::vector<double> gradient, matrix, step, next(n_slopes());
  double damping = 1e-3;
  for (int steps = 0; steps < kSteps; ++steps) {
    cancel.check();
    linearise(best, gradient, matrix);
    bool moved = false;
    double gain = 0;
    while (!moved && damping <= kMostDamping) {
      if (!damped_step(matrix, gradient, damping, step)) return best;
      for (std::size_t k = 0; k < next.size(); ++k) next[k] = best.slope[k] + step[k];
      Fit tried = at(next);
      if (tried.square < best.square) {
        gain = (best.square - tried.square) / best.square;
        best = std::move(tried);
        moved = true;
        damping = std::max(damping / 10, kLeastDamping);
      } else {
        damping *= 10;
      }
    }
    if (!moved || gain * n_rows_ / 2 < kEnough) break;
  }
  return best;
}

SigmoidFamilies::SigmoidFamilies(std::span<const double* const> columns, std::size_t n_rows,
                                 std::span<const double> weights, const MomentSums& moments)
    : rows_(n_rows),
      total_(moments.n),
      root_(whole_lanes(n_rows)),
      standard_(root_.size() * columns.size()),
      mean_(moments.mean),
      correlations_(moments.scatter, columns.size()) {
  for (std::size_t i = 0; i < n_rows; ++i) root_[i] = weights.empty() ? 1 : std::sqrt(weights[i]);
  for (std::size_t j = 0; j < columns.size(); ++j) {
    deviation_.push_back(std::sqrt(moments.scatter[j * columns.size() + j] / total_));
    if (correlations_.is_constant(static_cast<Rank>(j))) continue;  // stays zero: no weight can move it
    double* const out = standard_.data() + j * root_.size();
    for (std::size_t i = 0; i < n_rows; ++i)
      out[i] = ((columns[j][i] - moments.mean[j]) - moments.mean_tail[j]) / deviation_[j];
  }
}

void SigmoidFamilies::check(const Family& family) const {
  auto members = family.second;
  members.push_back(family.first);
  std::sort(members.begin(), members.end());
  if (members.back() >= size()) throw std::out_of_range("a family names a variable that is not there");
  if (std::adjacent_find(members.begin(), members.end()) != members.end())
    throw std::invalid_argument("a family names each variable once");
}

// The parent whose loss costs a linear model least (the first of equals), and the direction of that model,
// scaled to unit spread.
std::size_t SigmoidFamilies::least_useful(Rank child, const std::vector<Rank>& rising,
                                          std::vector<double>& direction) const {
  const auto& r = correlations_;
  Factor factor(r);
  for (const Rank v : rising) factor.push(v);
  direction.clear();
  for (const Rank v : rising) direction.push_back(r(v, child));
  const std::vector<double> with_child = direction;
  factor.solve(direction);
  std::size_t least = 0;
  double least_loss = 0, spread = 0;
  for (std::size_t k = 0; k < rising.size(); ++k) {
    std::vector<double> unit(rising.size());
    unit[k] = 1;
    factor.solve(unit);
    const double loss = direction[k] * direction[k] / unit[k];
    if (k == 0 || loss < least_loss) least = k, least_loss = loss;
    spread += direction[k] * with_child[k];  // beta' R beta = beta' r
  }
  const double scale = spread > 1e-24 ? 1 / std::sqrt(spread) : 0;
  for (double& d : direction) d *= scale;
  if (scale == 0)
    std::fill(direction.begin(), direction.end(), 1.0);  // no linear trend: any direction will do
  return least;
}

SigmoidProblem::Fit SigmoidFamilies::search(Rank child, const std::vector<Rank>& rising, Cancel& cancel) {
  Fit best{total_, 0, 0, std::vector<double>(rising.size() + 1)};  // the constant model
  if (rising.empty() || correlations_.is_constant(child)) return best;
  const auto keep = [&best](Fit&& fit) {
    if (fit.square < best.square) best = std::move(fit);
  };
  std::vector<const double*> parents;
  for (const Rank v : rising) parents.push_back(column(v));
  std::vector<double> weighted(root_.size());
  multiply(weighted.data(), column(child), root_.data(), root_.size());
  SigmoidProblem problem(weighted.data(), std::move(parents), root_, total_);

  std::vector<double> direction;
  const std::size_t least = least_useful(child, rising, direction);
  keep(problem.descend(scaled(direction, 1, 0), cancel));
  for (const double steepness : kSteepness) {
    Fit start = problem.at(scaled(direction, steepness, 0));
    for (const double bend : kBends) {
      Fit other = problem.at(scaled(direction, steepness, bend * steepness));
      if (other.square < start.square) start = std::move(other);
    }
    keep(problem.descend(start.slope, cancel));
  }
  if (rising.size() > 1) {
    auto fewer = rising;
    fewer.erase(fewer.begin() + least);
    auto warm = standardised_fit(child, fewer, cancel)->slope;
    warm.insert(warm.begin() + 1 + least, 0.0);
    keep(problem.descend(warm, cancel));
  }
  keep(problem.at(scaled(direction, kNearlyLinear, 0)));
  return best;
}

SigmoidFamilies::Stored SigmoidFamilies::standardised_fit(Rank child, const std::vector<Rank>& rising,
                                                          Cancel& cancel) {
  std::vector<Rank> key{child};
  key.insert(key.end(), rising.begin(), rising.end());
  {
    const std::lock_guard lock(mutex_);
    const auto found = memo_.find(key);
    if (found != memo_.end()) return found->second;
  }
  auto fit = std::make_shared<const Fit>(search(child, rising, cancel));
  const std::lock_guard lock(mutex_);
  if (memo_.size() >= kRemembered) memo_.clear();
  memo_.emplace(std::move(key), fit);
  return fit;
}

double SigmoidFamilies::log_likelihood(Rank child, double square) const {
  const bool constant = correlations_.is_constant(child);
  const double variance =
      constant ? kSingular : std::max(square / total_, kSingular) * deviation_[child] * deviation_[child];
  return -0.5 * total_ * (std::log(2 * std::numbers::pi * variance) + 1);
}

SigmoidFit SigmoidFamilies::in_units(const Family& family, const std::vector<Rank>& rising,
                                     const Fit& fit) const {
  const auto& [child, parents] = family;
  SigmoidFit out;
  out.th0 = mean_[child] + deviation_[child] * fit.low;
  out.th1 = deviation_[child] * fit.height;
  out.b = fit.slope[0];
  out.w.resize(parents.size());
  for (std::size_t k = 0; k < rising.size(); ++k) {
    if (correlations_.is_constant(rising[k])) continue;
    const double w = fit.slope[k + 1] / deviation_[rising[k]];
    out.w[std::find(parents.begin(), parents.end(), rising[k]) - parents.begin()] = w;
    out.b -= w * mean_[rising[k]];
  }
  const double variance = deviation_[child] * deviation_[child];
  out.variance =
      correlations_.is_constant(child) ? kSingular : std::max(fit.square / total_, kSingular) * variance;
  out.log_likelihood = log_likelihood(child, fit.square);
  return out;
}

std::vector<SigmoidFit> SigmoidFamilies::fit_many(std::span<const Family> families, Cancel& cancel) {
  for (const auto& family : families) check(family);
  std::vector<SigmoidFit> fits(families.size());
  const double each = 2000 * static_cast<double>(rows_);
  parallel_for(families.size(), each * static_cast<double>(families.size()), cancel, [&](std::size_t i) {
    auto rising = families[i].second;
    std::sort(rising.begin(), rising.end());
    fits[i] = in_units(families[i], rising, *standardised_fit(families[i].first, rising, cancel));
  });
  return fits;
}

std::vector<std::size_t> SigmoidFamilies::screen(const Family& family, std::span<const Rank> candidates,
                                                 std::size_t keep) const {
  auto rising = family.second;
  std::sort(rising.begin(), rising.end());
  Factor factor(correlations_);
  for (const Rank v : rising) factor.push_unless_singular(v);
  std::vector<double> child, other, gain;
  factor.project(family.first, child);
  for (const Rank candidate : candidates) {
    const double variance = factor.project(candidate, other);
    double shared = correlations_(family.first, candidate);
    for (std::size_t k = 0; k < child.size(); ++k) shared -= child[k] * other[k];
    gain.push_back(variance < kSingular ? 0 : shared * shared / variance);
  }
  std::vector<std::size_t> places(candidates.size());
  std::iota(places.begin(), places.end(), std::size_t{0});
  std::sort(places.begin(), places.end(), [&](std::size_t a, std::size_t b) {
    return gain[a] != gain[b] ? gain[a] > gain[b] : candidates[a] < candidates[b];
  });
  places.resize(std::min(keep, places.size()));
  std::sort(places.begin(), places.end());
  return places;
}

std::vector<double> SigmoidFamilies::log_likelihoods(std::span<const Family> families, Cancel& cancel) {
  std::vector<double> values;
  for (const auto& fit : fit_many(families, cancel)) values.push_back(fit.log_likelihood);
  return values;
}

}  // namespace treewright::gaussian
