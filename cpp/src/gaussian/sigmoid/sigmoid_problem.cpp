#include <algorithm>
#include <cmath>

#include "parallel/dense.hpp"
#include "parallel/lanes.hpp"
#include "treewright/gaussian/sigmoid.hpp"

namespace treewright::gaussian {
namespace {

constexpr int kSteps = 60;        // of Levenberg-Marquardt, accepted ones
constexpr double kEnough = 1e-5;  // nats: a step that gains less ends a descent
constexpr double kLeastDamping = 1e-9, kMostDamping = 1e9;

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

}  // namespace treewright::gaussian
