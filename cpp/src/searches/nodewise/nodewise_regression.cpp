#include "searches/nodewise/nodewise_regression.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "parallel/dense.hpp"
#include "treewright/gaussian/cholesky.hpp"

namespace treewright::nodewise {
namespace {

constexpr int kSteps = 60, kHalvings = 40, kSweeps = 3000;
constexpr double kRidge = 1e-8;  // relative; keeps an unpriced step finite where columns depend on each other

double norm(const double* x, std::size_t n) {
  double sum = 0;
  for (std::size_t i = 0; i < n; ++i) sum += x[i] * x[i];
  return std::sqrt(sum);
}

}  // namespace

Regression::Regression(const Design& design, std::uint32_t target, double tolerance)
    : design_(design), target_(target), tolerance_(tolerance) {
  if (target >= design.n_variables()) throw std::out_of_range("there is no such target");
  const std::uint32_t n_states = design.n_states(target);
  basis_ = contrasts(n_states);
  classes_ = n_states - 1;
  weights_.resize(design.width() * classes_);
  intercept_.resize(classes_);
  std::vector<double> counts(n_states, 0.5);  // half a row more, so that a state never seen has a logarithm
  for (std::size_t i = 0; i < design.n_rows(); ++i) counts[design.codes(target)[i]] += design.weights()[i];
  for (std::size_t c = 0; c < classes_; ++c)
    for (std::uint32_t s = 0; s < n_states; ++s)
      intercept_[c] += basis_[s * classes_ + c] * std::log(counts[s]);
  energy_.resize(classes_ * design.length());
  for (std::size_t c = 0; c < classes_; ++c)
    std::fill_n(energy_.begin() + static_cast<std::ptrdiff_t>(c * design.length()), design.length(),
                intercept_[c]);
  residual_.resize(classes_ * design.length());
  curvature_.resize(classes_ * (classes_ + 1) / 2 * design.length());
  evaluate();
}

void Regression::evaluate() {
  if (classes_ == 0 || design_.total() == 0) return;
  classes_ == 1 ? evaluate_two() : evaluate_many();
}

void Regression::evaluate_two() {
  const std::size_t n = design_.n_rows();
  const double span = basis_[0] - basis_[1];  // log-odds of the first state, per unit of energy
  const std::uint32_t* const codes = design_.codes(target_);
  scratch_.resize(design_.length());
  for (std::size_t i = 0; i < n; ++i) scratch_[i] = codes[i] == 0 ? span * energy_[i] : -span * energy_[i];
  to_sigmoid(scratch_.data(), design_.length());  // the probability of the state seen
  double loss = 0;
  const double per_row = 1 / design_.total();
  for (std::size_t i = 0; i < n; ++i) {
    const double weight = design_.weights()[i] * per_row, missed = 1 - scratch_[i];
    loss -= weight * std::log(scratch_[i]);
    residual_[i] = (codes[i] == 0 ? -span : span) * weight * missed;
    curvature_[i] = span * span * weight * scratch_[i] * missed;
  }
  loss_ = loss;
}

void Regression::evaluate_many() {
  const std::size_t n = design_.n_rows(), length = design_.length(), n_states = classes_ + 1;
  const double per_row = 1 / design_.total();
  std::vector<double> p(n_states), mean(classes_);
  double loss = 0;
  for (std::size_t i = 0; i < n; ++i) {
    double largest = -std::numeric_limits<double>::infinity(), sum = 0;
    for (std::size_t s = 0; s < n_states; ++s) {
      p[s] = 0;
      for (std::size_t c = 0; c < classes_; ++c) p[s] += basis_[s * classes_ + c] * energy_[c * length + i];
      largest = std::max(largest, p[s]);
    }
    const std::uint32_t seen = design_.codes(target_)[i];
    const double weight = design_.weights()[i] * per_row, energy = p[seen] - largest;
    for (double& share : p) sum += share = std::exp(share - largest);
    loss -= weight * (energy - std::log(sum));
    for (double& share : p) share /= sum;
    for (std::size_t c = 0; c < classes_; ++c) {
      mean[c] = 0;
      for (std::size_t s = 0; s < n_states; ++s) mean[c] += p[s] * basis_[s * classes_ + c];
      residual_[c * length + i] = weight * (mean[c] - basis_[seen * classes_ + c]);
    }
    for (std::size_t c = 0, pair = 0; c < classes_; ++c)
      for (std::size_t d = 0; d <= c; ++d, ++pair) {
        double square = 0;
        for (std::size_t s = 0; s < n_states; ++s)
          square += p[s] * basis_[s * classes_ + c] * basis_[s * classes_ + d];
        curvature_[pair * length + i] = weight * (square - mean[c] * mean[d]);
      }
  }
  loss_ = loss;
}

void Regression::choose(std::span<const std::uint32_t> members) {
  columns_.assign(1, design_.ones());
  sources_.assign(1, 0);
  blocks_.assign(1, {0, classes_});
  for (const std::uint32_t v : members) {
    for (std::size_t k = design_.offset(v); k < design_.offset(v) + design_.width(v); ++k) {
      columns_.push_back(design_.column(k));
      sources_.push_back(k);
    }
    blocks_.push_back({blocks_.back().end, columns_.size() * classes_});
  }
}

double* Regression::chosen_weight(std::size_t a) {
  return a == 0 ? intercept_.data() : weights_.data() + sources_[a] * classes_;
}

void Regression::differentiate() {
  const std::size_t length = design_.length(), d = columns_.size(), n = d * classes_;
  gradient_.resize(n);
  now_.resize(n);
  for (std::size_t a = 0; a < d; ++a)
    for (std::size_t c = 0; c < classes_; ++c) {
      gradient_[a * classes_ + c] = dot(columns_[a], residual_.data() + c * length, length);
      now_[a * classes_ + c] = chosen_weight(a)[c];
    }
}

double Regression::violation(double price) const {
  double worst = 0;
  for (std::size_t b = 0; b < blocks_.size(); ++b) {
    const auto [begin, end] = blocks_[b];
    const double size = b == 0 ? 0 : norm(now_.data() + begin, end - begin);
    if (b > 0 && price > 0 && size == 0) {
      worst = std::max(worst, norm(gradient_.data() + begin, end - begin) - price);
      continue;
    }
    double sum = 0;
    for (std::size_t i = begin; i < end; ++i) {
      const double pull = gradient_[i] + (size > 0 ? price * now_[i] / size : 0);
      sum += pull * pull;
    }
    worst = std::max(worst, std::sqrt(sum));
  }
  return worst;
}

void Regression::solve_exactly() {
  const std::size_t n = gradient_.size();
  const gaussian::Correlations correlations(hessian_, n);
  gaussian::Factor factor(correlations);
  std::vector<gaussian::Rank> members;
  std::vector<double> b;
  for (gaussian::Rank i = 0; i < n; ++i)
    if (!correlations.is_constant(i)) {
      members.push_back(i);
      b.push_back(-gradient_[i] / std::sqrt(hessian_[i * n + i]));
    }
  factor.assign(members);
  factor.solve(b);
  change_.assign(n, 0.0);
  for (std::size_t i = 0; i < members.size(); ++i)
    change_[members[i]] = b[i] / std::sqrt(hessian_[members[i] * n + members[i]]);
}

// The quadratic model of the loss plus the price of the norms, block by block.
void Regression::solve_priced(double price, double accuracy) {
  const std::size_t n = gradient_.size();
  change_.assign(n, 0.0);
  std::vector<double> slope = gradient_, fresh(n);
  std::vector<double> bound(blocks_.size());
  for (std::size_t b = 0; b < blocks_.size(); ++b)
    for (std::size_t i = blocks_[b].begin; i < blocks_[b].end; ++i) {
      double sum = 0;
      for (std::size_t j = blocks_[b].begin; j < blocks_[b].end; ++j) sum += std::abs(hessian_[i * n + j]);
      bound[b] = std::max(bound[b], sum);
    }
  for (int sweep = 0; sweep < kSweeps; ++sweep) {
    double largest = 0;
    for (std::size_t b = 0; b < blocks_.size(); ++b) {
      if (!(bound[b] > 0)) continue;  // a constant column changes nothing
      const auto [begin, end] = blocks_[b];
      for (std::size_t i = begin; i < end; ++i) fresh[i] = now_[i] + change_[i] - slope[i] / bound[b];
      if (b > 0) {
        const double size = norm(fresh.data() + begin, end - begin);
        const double kept = size * bound[b] > price ? 1 - price / (size * bound[b]) : 0;
        for (std::size_t i = begin; i < end; ++i) fresh[i] *= kept;
      }
      for (std::size_t i = begin; i < end; ++i) {
        const double step = fresh[i] - now_[i] - change_[i];
        if (step == 0) continue;
        change_[i] = fresh[i] - now_[i];  // minus `now` exactly where the block becomes zero
        largest = std::max(largest, std::abs(step) * bound[b]);
        for (std::size_t j = 0; j < n; ++j) slope[j] += step * hessian_[i * n + j];
      }
    }
    if (largest <= accuracy) return;
  }
}

double Regression::norms(double price, double step) const {
  double sum = 0;
  for (std::size_t b = 1; b < blocks_.size(); ++b) {
    double square = 0;
    for (std::size_t i = blocks_[b].begin; i < blocks_[b].end; ++i) {
      const double x = now_[i] + step * change_[i];
      square += x * x;
    }
    sum += std::sqrt(square);
  }
  return price * sum;
}

// Weights and energies at `now + step * change`; `direction_` holds what a whole step does to the energies.
void Regression::move(double step) {
  for (std::size_t a = 0; a < columns_.size(); ++a)
    for (std::size_t c = 0; c < classes_; ++c) {
      const std::size_t i = a * classes_ + c;
      // a whole step of a priced block ends at zero exactly
      chosen_weight(a)[c] = step == 1 && change_[i] == -now_[i] ? 0.0 : now_[i] + step * change_[i];
    }
}

void Regression::newton_step(double price) {
  const std::size_t length = design_.length(), d = columns_.size(), n = d * classes_;
  hessian_.assign(n * n, 0.0);
  scratch_.resize(length);
  for (std::size_t c = 0, pair = 0; c < classes_; ++c)
    for (std::size_t e = 0; e <= c; ++e, ++pair)
      for (std::size_t a = 0; a < d; ++a) {
        multiply(scratch_.data(), columns_[a], curvature_.data() + pair * length, length);
        for (std::size_t b = 0; b <= a; ++b) {
          const double value = dot(scratch_.data(), columns_[b], length);
          for (const auto& [p, q] :
               {std::pair{a * classes_ + c, b * classes_ + e}, std::pair{a * classes_ + e, b * classes_ + c}})
            hessian_[p * n + q] = hessian_[q * n + p] = value;
        }
      }
  for (std::size_t i = 0; i < n; ++i) hessian_[i * n + i] *= 1 + kRidge;
  price > 0 ? solve_priced(price, 0.01 * std::max(violation(price), tolerance_)) : solve_exactly();

  direction_.assign(classes_ * length, 0.0);
  for (std::size_t a = 0; a < d; ++a)
    for (std::size_t c = 0; c < classes_; ++c)
      if (change_[a * classes_ + c] != 0)
        add_multiple(direction_.data() + c * length, change_[a * classes_ + c], columns_[a], length);
  double promised = norms(price, 1) - norms(price, 0);
  for (std::size_t i = 0; i < n; ++i) promised += gradient_[i] * change_[i];
  const double before = loss_ + norms(price, 0);
  const std::vector<double> start = energy_;
  double step = 1;
  for (int halving = 0; halving < kHalvings; ++halving, step /= 2) {
    energy_ = start;
    add_multiple(energy_.data(), step, direction_.data(), energy_.size());
    evaluate();
    // near the optimum both sides differ by rounding alone
    if (loss_ + norms(price, step) <= before + 1e-4 * step * promised + 1e-14 * (1 + before)) break;
  }
  move(step);
}

void Regression::descend(std::span<const std::uint32_t> members, double price, Cancel& cancel) {
  if (classes_ == 0 || design_.total() == 0) return;
  choose(members);
  for (int step = 0; step < kSteps; ++step) {
    cancel.check();
    differentiate();
    if (violation(price) <= tolerance_) return;
    newton_step(price);
  }
}

std::vector<double> Regression::slopes() const {
  const std::size_t length = design_.length();
  std::vector<double> out(design_.n_variables());
  for (std::uint32_t v = 0; v < out.size(); ++v) {
    if (v == target_) continue;
    double sum = 0;
    for (std::size_t k = design_.offset(v); k < design_.offset(v) + design_.width(v); ++k)
      for (std::size_t c = 0; c < classes_; ++c) {
        const double slope = dot(design_.column(k), residual_.data() + c * length, length);
        sum += slope * slope;
      }
    out[v] = std::sqrt(sum);
  }
  return out;
}

std::vector<std::uint32_t> Regression::support() const {
  std::vector<std::uint32_t> out;
  for (std::uint32_t v = 0; v < design_.n_variables(); ++v) {
    const double* const begin = weights_.data() + design_.offset(v) * classes_;
    if (std::any_of(begin, begin + design_.width(v) * classes_, [](double w) { return w != 0; }))
      out.push_back(v);
  }
  return out;
}

double Regression::log_likelihood(const Design& rows) const {
  Regression there(rows, target_, tolerance_);
  if (classes_ == 0 || rows.total() == 0) return 0;
  const std::size_t length = rows.length();
  for (std::size_t c = 0; c < classes_; ++c) {
    double* const energy = there.energy_.data() + c * length;
    std::fill_n(energy, length, intercept_[c]);
    for (std::size_t k = 0; k < rows.width(); ++k)
      if (weights_[k * classes_ + c] != 0)
        add_multiple(energy, weights_[k * classes_ + c], rows.column(k), length);
  }
  there.evaluate();
  return there.log_likelihood();
}

}  // namespace treewright::nodewise
