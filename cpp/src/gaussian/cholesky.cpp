#include "treewright/gaussian/cholesky.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>

namespace treewright::gaussian {

Correlations::Correlations(std::span<const double> scatter, std::size_t n)
    : n_(n), values_(n * n), constant_(n) {
  if (scatter.size() != n * n) throw std::invalid_argument("a scatter matrix is square");
  std::vector<double> deviation(n);
  for (std::size_t i = 0; i < n; ++i) {
    deviation[i] = std::sqrt(scatter[i * n + i]);
    constant_[i] = !(deviation[i] > 0);
  }
  for (std::size_t i = 0; i < n; ++i) {
    values_[i * n + i] = 1;
    for (std::size_t j = 0; j < i; ++j) {
      const bool moves = !constant_[i] && !constant_[j];
      const double r = moves ? scatter[i * n + j] / (deviation[i] * deviation[j]) : 0;
      values_[i * n + j] = values_[j * n + i] = std::clamp(r, -1.0, 1.0);
    }
  }
}

double Factor::project(Rank v, std::vector<double>& out) const {
  out.resize(size());
  double variance = 1;
  for (std::size_t j = 0; j < size(); ++j) {
    const double* const other = row(j);
    double rest = (*correlations_)(v, members_[j]);
    for (std::size_t l = 0; l < j; ++l) rest -= out[l] * other[l];
    out[j] = rest * other[j];
    variance -= out[j] * out[j];
  }
  return variance;
}

void Factor::append(Rank v, double variance) {
  rows_.insert(rows_.end(), scratch_.begin(), scratch_.end());
  variance_.push_back(std::max(variance, kSingular));
  rows_.push_back(1 / std::sqrt(variance_.back()));
  members_.push_back(v);
}

void Factor::push(Rank v) { append(v, project(v, scratch_)); }

bool Factor::push_unless_singular(Rank v) {
  const double variance = project(v, scratch_);
  if (variance < kSingular) return false;
  append(v, variance);
  return true;
}

void Factor::truncate(std::size_t size) {
  members_.resize(size);
  variance_.resize(size);
  rows_.resize(size * (size + 1) / 2);
}

void Factor::assign(std::span<const Rank> members) {
  truncate(0);
  scratch_members_.assign(members.begin(), members.end());
  std::sort(scratch_members_.begin(), scratch_members_.end());
  for (const Rank v : scratch_members_) push(v);
}

void Factor::assign(const Factor& base, Rank extra) {
  const std::size_t place =
      std::lower_bound(base.members_.begin(), base.members_.end(), extra) - base.members_.begin();
  members_.assign(base.members_.begin(), base.members_.begin() + place);
  variance_.assign(base.variance_.begin(), base.variance_.begin() + place);
  rows_.assign(base.rows_.begin(), base.rows_.begin() + place * (place + 1) / 2);
  push(extra);
  for (std::size_t i = place; i < base.size(); ++i) push(base.members_[i]);
}

double Factor::log_determinant() const {
  // one logarithm for every few variances: their product cannot underflow
  constexpr std::size_t group = 16;
  double total = 0;
  for (std::size_t start = 0; start < size(); start += group) {
    double product = 1;
    for (std::size_t i = start; i < std::min(start + group, size()); ++i) product *= variance_[i];
    total += std::log(product);
  }
  return total;
}

std::size_t Factor::n_floored() const {
  return static_cast<std::size_t>(std::count(variance_.begin(), variance_.end(), kSingular));
}

void Factor::solve(std::span<double> b) const {
  for (std::size_t i = 0; i < size(); ++i) {
    for (std::size_t l = 0; l < i; ++l) b[i] -= row(i)[l] * b[l];
    b[i] *= row(i)[i];
  }
  for (std::size_t i = size(); i-- > 0;) {
    b[i] *= row(i)[i];
    for (std::size_t l = 0; l < i; ++l) b[l] -= row(i)[l] * b[i];
  }
}

}  // namespace treewright::gaussian
