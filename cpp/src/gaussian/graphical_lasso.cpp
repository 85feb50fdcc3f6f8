#include "treewright/gaussian/graphical_lasso.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "treewright/gaussian/cholesky.hpp"

namespace treewright {
namespace {

constexpr int kLassoSweeps = 1000;

class Lasso {
 public:
  Lasso(std::span<const double> sample, std::span<const double> prices, std::size_t n,
        std::span<const double> start, double tolerance)
      : s_(sample), prices_(prices), n_(n), accuracy_(1e-3 * tolerance), beta_(n * n), slope_(n) {
    covariance_.assign(start.empty() ? sample.begin() : start.begin(),
                       start.empty() ? sample.end() : start.end());
    for (std::size_t i = 0; i < n; ++i) {
      covariance_[i * n + i] = sample[i * n + i] + prices[i * n + i];
      for (std::size_t j = 0; start.empty() && j < i; ++j)  // a start well inside the prices
        covariance_[i * n + j] = covariance_[j * n + i] = 0.95 * sample[i * n + j];
    }
  }

  void sweep(Cancel& cancel) {
    for (std::size_t j = 0; j < n_; ++j) {
      cancel.check();
      regress(j);
      for (std::size_t i = 0; i < n_; ++i)
        if (i != j) covariance_[i * n_ + j] = covariance_[j * n_ + i] = slope_[i];
    }
  }

  std::vector<double> precision() const {
    std::vector<double> out(n_ * n_);
    for (std::size_t j = 0; j < n_; ++j) {
      const double* const beta = beta_.data() + j * n_;
      double left = covariance_[j * n_ + j];
      for (std::size_t i = 0; i < n_; ++i)
        if (i != j) left -= covariance_[i * n_ + j] * beta[i];
      out[j * n_ + j] = 1 / left;
      for (std::size_t i = 0; i < n_; ++i)
        if (i != j) out[i * n_ + j] = -beta[i] / left;
    }
    for (std::size_t i = 0; i < n_; ++i)  // both halves agree up to the tolerance; a zero in one is a zero
      for (std::size_t j = 0; j < i; ++j) {
        const double a = out[i * n_ + j], b = out[j * n_ + i];
        out[i * n_ + j] = out[j * n_ + i] = a == 0 || b == 0 ? 0 : (a + b) / 2;
      }
    return out;
  }

  /// Primal less dual objective without their log-determinants.
  double linear_gap(const std::vector<double>& precision) const {
    double sum = -static_cast<double>(n_);
    for (std::size_t k = 0; k < n_ * n_; ++k)
      sum += s_[k] * precision[k] + prices_[k] * std::abs(precision[k]);
    return sum;
  }

  std::vector<double> covariance_;

 private:
  // min 1/2 b' W b - s' b + prices |b| over all but j; leaves W b in `slope_`
  void regress(std::size_t j) {
    double* const beta = beta_.data() + j * n_;
    std::fill(slope_.begin(), slope_.end(), 0.0);
    for (std::size_t i = 0; i < n_; ++i)
      if (i != j && beta[i] != 0) add(i, beta[i]);
    for (int sweep = 0; sweep < kLassoSweeps; ++sweep) {
      double largest = 0;
      for (std::size_t i = 0; i < n_; ++i) {
        if (i == j) continue;
        const double diagonal = covariance_[i * n_ + i];
        const double pull = s_[i * n_ + j] - slope_[i] + diagonal * beta[i], price = prices_[i * n_ + j];
        const double fresh = (pull > price ? pull - price : pull < -price ? pull + price : 0) / diagonal;
        if (fresh == beta[i]) continue;
        largest = std::max(largest, std::abs(fresh - beta[i]) * diagonal);
        add(i, fresh - beta[i]);
        beta[i] = fresh;
      }
      if (largest <= accuracy_) return;
    }
  }

  void add(std::size_t i, double change) {
    const double* const row = covariance_.data() + i * n_;
    for (std::size_t k = 0; k < n_; ++k) slope_[k] += change * row[k];
  }

  std::span<const double> s_, prices_;
  std::size_t n_;
  double accuracy_;
  std::vector<double> beta_, slope_;  // regressions of each variable, lines
};

double log_determinant(const std::vector<double>& matrix, std::size_t n) {
  const gaussian::Correlations correlations(matrix, n);
  gaussian::Factor factor(correlations);
  double sum = 0;
  for (gaussian::Rank i = 0; i < n; ++i) {
    factor.push(i);
    sum += std::log(matrix[i * n + i]);
  }
  return sum + factor.log_determinant();
}

}  // namespace

Precision graphical_lasso(std::span<const double> sample, std::span<const double> prices, std::size_t n,
                          std::span<const double> start, double tolerance, std::size_t most_sweeps,
                          Cancel& cancel) {
  if (sample.size() != n * n || prices.size() != n * n || (!start.empty() && start.size() != n * n))
    throw std::invalid_argument("covariances and prices are square matrices of one size");
  for (std::size_t i = 0; i < n; ++i)
    if (!(sample[i * n + i] > 0)) throw std::invalid_argument("a column without variance has no regression");
  Lasso lasso(sample, prices, n, start, tolerance);
  Precision out;
  do {
    lasso.sweep(cancel);
    out.precision = lasso.precision();
    out.log_determinant = log_determinant(out.precision, n);
    out.gap = lasso.linear_gap(out.precision) - out.log_determinant - log_determinant(lasso.covariance_, n);
    ++out.sweeps;
  } while (std::abs(out.gap) > tolerance && out.sweeps < most_sweeps);
  out.covariance = std::move(lasso.covariance_);
  return out;
}

}  // namespace treewright
