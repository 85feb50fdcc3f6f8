#include "treewright/sigmoid.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <numeric>
#include <stdexcept>

#include "treewright/moments.hpp"
#include "treewright/threads.hpp"

namespace treewright::gaussian {
namespace {

constexpr int kSteps = 60;        // of Levenberg-Marquardt, accepted ones
constexpr double kEnough = 1e-9;  // relative gain of a step below which a descent ends
constexpr double kLeastDamping = 1e-9, kMostDamping = 1e9;
constexpr double kNearlyLinear = 0.01;  // spread of b + w.x at which a sigmoid is a line to 1e-10
constexpr std::size_t kRemembered = std::size_t{1} << 18;

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

SigmoidProblem::SigmoidProblem(std::span<const double> child, std::vector<const double*> parents,
                               std::span<const double> weights, double n_rows)
    : child_(child),
      parents_(std::move(parents)),
      weights_(weights),
      n_rows_(n_rows),
      sigma_(child.size()),
      centred_(child.size()),
      residual_(child.size()),
      columns_(child.size() * n_slopes()) {}

SigmoidProblem::Fit SigmoidProblem::at(std::span<const double> slope) {
  const std::size_t n = child_.size();
  std::fill(sigma_.begin(), sigma_.end(), slope[0]);
  for (std::size_t k = 0; k < parents_.size(); ++k)
    for (std::size_t i = 0; i < n; ++i) sigma_[i] += slope[k + 1] * parents_[k][i];
  double total = 0;
  for (std::size_t i = 0; i < n; ++i) {
    sigma_[i] = 1 / (1 + std::exp(-sigma_[i]));
    total += weight(i) * sigma_[i];
  }
  const double middle = total / n_rows_;
  double spread = 0, shared = 0;
  for (std::size_t i = 0; i < n; ++i) {
    centred_[i] = sigma_[i] - middle;
    spread += weight(i) * centred_[i] * centred_[i];
    shared += weight(i) * centred_[i] * child_[i];
  }
  spread_ = spread;
  // a sigmoid that is flat over the data is the constant model
  const double height = spread > 1e-24 * n_rows_ ? shared / spread : 0;
  Fit fit{0, -height * middle, height, {slope.begin(), slope.end()}};
  for (std::size_t i = 0; i < n; ++i) {
    residual_[i] = child_[i] - height * centred_[i];
    fit.square += weight(i) * residual_[i] * residual_[i];
  }
  return fit;
}

void SigmoidProblem::linearise(const Fit& fit, std::vector<double>& gradient, std::vector<double>& matrix) {
  const std::size_t n = child_.size(), m = n_slopes();
  gradient.assign(m, 0);
  matrix.assign(m * m, 0);
  // columns of th1 sigma' x, without their part in the span of (1, sigma): Kaufman's Jacobian, sign turned
  for (std::size_t k = 0; k < m; ++k) {
    double* const column = columns_.data() + k * n;
    double total = 0, along = 0;
    for (std::size_t i = 0; i < n; ++i) {
      column[i] = fit.height * sigma_[i] * (1 - sigma_[i]) * (k == 0 ? 1 : parents_[k - 1][i]);
      total += weight(i) * column[i];
      along += weight(i) * column[i] * centred_[i];
    }
    const double middle = total / n_rows_, tilt = spread_ > 0 ? along / spread_ : 0;
    for (std::size_t i = 0; i < n; ++i) column[i] -= middle + tilt * centred_[i];
  }
  for (std::size_t k = 0; k < m; ++k) {
    const double* const column = columns_.data() + k * n;
    for (std::size_t i = 0; i < n; ++i) gradient[k] -= weight(i) * column[i] * residual_[i];
    for (std::size_t l = 0; l <= k; ++l) {
      const double* const other = columns_.data() + l * n;
      double sum = 0;
      for (std::size_t i = 0; i < n; ++i) sum += weight(i) * column[i] * other[i];
      matrix[k * m + l] = matrix[l * m + k] = sum;
    }
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
    if (!moved || gain < kEnough) break;
  }
  return best;
}

SigmoidFamilies::SigmoidFamilies(std::span<const double* const> columns, std::size_t n_rows,
                                 std::span<const double> weights, Cancel& cancel)
    : rows_(n_rows), weights_(weights.begin(), weights.end()), standard_(n_rows * columns.size()) {
  const MomentSums sums = moments_of(columns, n_rows, weights, cancel);
  const std::size_t n = columns.size();
  total_ = sums.n;
  mean_ = sums.mean;
  correlations_.emplace(sums.scatter, n);
  for (std::size_t j = 0; j < n; ++j) {
    deviation_.push_back(std::sqrt(sums.scatter[j * n + j] / total_));
    if (correlations_->is_constant(static_cast<Rank>(j))) continue;  // stays zero: no weight can move it
    for (std::size_t i = 0; i < n_rows; ++i)
      standard_[j * n_rows + i] = ((columns[j][i] - sums.mean[j]) - sums.mean_tail[j]) / deviation_[j];
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
  const auto& r = *correlations_;
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
  if (rising.empty() || correlations_->is_constant(child)) return best;
  const auto keep = [&best](Fit&& fit) {
    if (fit.square < best.square) best = std::move(fit);
  };
  std::vector<const double*> parents;
  for (const Rank v : rising) parents.push_back(column(v).data());
  SigmoidProblem problem(column(child), std::move(parents), weights_, total_);

  std::vector<double> direction;
  const std::size_t least = least_useful(child, rising, direction);
  for (const double offset : {0.0, 1.0, -1.0}) keep(problem.descend(scaled(direction, 1, offset), cancel));
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
  const bool constant = correlations_->is_constant(child);
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
    if (correlations_->is_constant(rising[k])) continue;
    const double w = fit.slope[k + 1] / deviation_[rising[k]];
    out.w[std::find(parents.begin(), parents.end(), rising[k]) - parents.begin()] = w;
    out.b -= w * mean_[rising[k]];
  }
  const double variance = deviation_[child] * deviation_[child];
  out.variance =
      correlations_->is_constant(child) ? kSingular : std::max(fit.square / total_, kSingular) * variance;
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
  Factor factor(*correlations_);
  for (const Rank v : rising) factor.push_unless_singular(v);
  std::vector<double> child, other, gain;
  factor.project(family.first, child);
  for (const Rank candidate : candidates) {
    const double variance = factor.project(candidate, other);
    double shared = (*correlations_)(family.first, candidate);
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
