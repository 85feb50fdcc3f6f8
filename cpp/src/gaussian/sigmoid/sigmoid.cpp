#include "treewright/gaussian/sigmoid.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <numbers>
#include <numeric>

#include "parallel/lanes.hpp"
#include "treewright/parallel/threads.hpp"

namespace treewright::gaussian {
namespace {

constexpr double kNearlyLinear = 0.01;  // spread of b + w.x at which a sigmoid is a line to 1e-10
// Where else along the linear direction a descent may start: how steep, and how far the bend is off the
// centre in deviations. The best bend of each steepness is descended from; bends to both sides stand for both
// signs.
constexpr double kSteepness[] = {1.5, 6};
constexpr double kBends[] = {-2, -1.5, -1, -0.5, 0.5, 1, 1.5, 2};
constexpr std::size_t kRemembered = std::size_t{1} << 18;

std::vector<double> scaled(std::span<const double> direction, double factor, double offset) {
  std::vector<double> slope{offset};
  for (const double d : direction) slope.push_back(d * factor);
  return slope;
}

}  // namespace

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
  std::transform(root_.begin(), root_.end(), column(child), weighted.begin(), std::multiplies<>());
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
    const ForkLock lock(mutex_, [&] { begin_anew(memo_); });
    const auto found = memo_.find(key);
    if (found != memo_.end()) return found->second;
  }
  auto fit = std::make_shared<const Fit>(search(child, rising, cancel));
  const ForkLock lock(mutex_, [&] { begin_anew(memo_); });
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
  for (const auto& family : families) check_family(family, size());
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
