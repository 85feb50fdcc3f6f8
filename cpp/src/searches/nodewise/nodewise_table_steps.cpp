// The steps of a `TableRegression`: where to, and how far.
#include <algorithm>
#include <cmath>

#include "parallel/dense.hpp"
#include "searches/nodewise/nodewise_tables.hpp"

namespace treewright::nodewise {
namespace {

constexpr int kTableHalvings = 40, kProductsOfStep = 600, kSweepsOfStep = 20;
constexpr double kTableRidge = 1e-8;
// Where rows are separated weights run away: at first so far in one smooth step, then by multiples.
constexpr double kFarthest = 20, kGrowth = 5;

}  // namespace

// Slopes of the price of the norms: of `x` itself, or of a change of it at `now_` (second derivatives).
void TableRegression::add_price(const Numbers& x, double price, bool of_change, Numbers& out) const {
  for (std::size_t b = 1; b < chosen_.size(); ++b) {
    const std::size_t n = chosen_[b].n_lines * stride_;
    const double* const weights = now_.data() + chosen_[b].begin;
    const double* const change = x.data() + chosen_[b].begin;
    const double size = line_norm(weights, n);
    if (size == 0) continue;
    add_multiple(out.data() + chosen_[b].begin, price / size, change, n);
    if (of_change)
      add_multiple(out.data() + chosen_[b].begin, -price * dot(weights, change, n) / (size * size * size),
                   weights, n);
  }
}

// A Newton step among the tables that are not zero (all, without a price), where the price is smooth too; by
// conjugate gradients. Tables that are not centred have a diagonal that says what each cell weighs, and the
// slopes lie in the range of the second derivatives.
void TableRegression::solve_smooth(double price, double accuracy, Cancel& cancel) {
  Numbers diagonal = curvature();
  const std::size_t n = diagonal.size();
  for (std::size_t b = 1; b < chosen_.size() && price > 0; ++b) {
    const std::size_t begin = chosen_[b].begin, end = begin + chosen_[b].n_lines * stride_;
    const double size = line_norm(now_.data() + begin, end - begin);
    for (std::size_t i = begin; i < end; ++i) diagonal[i] = size > 0 ? diagonal[i] + price / size : 0;
  }
  Numbers change(n), left = raw_gradient_, scaled(n), direction(n), centred, curved;
  const auto precondition = [&] {
    for (std::size_t i = 0; i < n; ++i) {
      if (!(diagonal[i] > 0)) left[i] = 0;
      scaled[i] = diagonal[i] > 0 ? left[i] / diagonal[i] : 0;
    }
    return dot(left.data(), scaled.data(), n);
  };
  if (price > 0) add_price(now_, price, false, left);
  for (double& value : left) value = -value;
  double product = precondition();
  direction = scaled;
  for (int sweep = 0; sweep < kProductsOfStep && product > 0; ++sweep) {
    cancel.check();
    curve(direction, curved);
    if (price > 0) {
      centred = direction;
      centre_weights(centred);
      add_price(centred, price, true, curved);
    }
    double weighed = 0;
    for (std::size_t i = 0; i < n; ++i) {
      curved[i] += kTableRidge * diagonal[i] * direction[i];
      weighed += diagonal[i] * direction[i] * direction[i];
    }
    const double bend = dot(direction.data(), curved.data(), n);
    if (!(bend > 0.5 * kTableRidge * weighed)) break;  // rounding alone
    add_multiple(change.data(), product / bend, direction.data(), n);
    add_multiple(left.data(), -product / bend, curved.data(), n);
    const double before = product;
    product = precondition();
    if (line_norm(left.data(), n) <= accuracy) break;
    for (std::size_t i = 0; i < n; ++i) direction[i] = scaled[i] + product / before * direction[i];
  }
  centre_weights(change);
  double allowed = kFarthest, farthest = 0;
  for (const double value : now_) allowed = std::max(allowed, kGrowth * std::abs(value));
  for (const double value : change) farthest = std::max(farthest, std::abs(value));
  goal_ = now_;
  add_multiple(goal_.data(), std::min(1.0, allowed / farthest), change.data(), n);
}

// Every table nearer to zero by the price over its steepness; a whole table may become zero.
void TableRegression::shrink(Numbers& x, double price) const {
  for (std::size_t b = 1; b < chosen_.size(); ++b) {
    double* const table = x.data() + chosen_[b].begin;
    const std::size_t n = chosen_[b].n_lines * stride_;
    const double size = line_norm(table, n) * steepness_ * chosen_[b].scale;
    const double kept = size > price ? 1 - price / size : 0;
    for (std::size_t i = 0; i < n; ++i) table[i] *= kept;
  }
}

// Towards the best of the quadratic model of the loss plus the price of the norms: accelerated proximal
// gradients (Beck & Teboulle 2009), which start anew whenever they run uphill (O'Donoghue & Candes 2015).
void TableRegression::solve_priced(double price, double accuracy, Cancel& cancel) {
  const std::size_t n = now_.size();
  Numbers old = now_, at = now_, fresh(n), difference(n), curved(n), old_slope = gradient_,
          at_slope = gradient_;
  Numbers slope(n), scale(n);
  for (const Table& table : chosen_)
    std::fill_n(scale.begin() + static_cast<std::ptrdiff_t>(table.begin), table.n_lines * stride_,
                std::max(table.scale, 1e-12));
  double momentum = 1;
  steepness_ *= 0.7;
  for (int sweep = 0; sweep < kSweepsOfStep; ++sweep) {
    cancel.check();
    for (std::size_t i = 0; i < n; ++i) fresh[i] = at[i] - at_slope[i] / (steepness_ * scale[i]);
    shrink(fresh, price);
    for (std::size_t i = 0; i < n; ++i) difference[i] = fresh[i] - now_[i];
    curve(difference, curved);
    centre(curved);
    double bend = 0, allowed = 0, uphill = 0;
    for (std::size_t i = 0; i < n; ++i) {
      slope[i] = gradient_[i] + curved[i];
      const double step = fresh[i] - at[i];
      bend += step * (slope[i] - at_slope[i]);
      allowed += step * step * scale[i];
      uphill -= step * (fresh[i] - old[i]) * scale[i];
    }
    if (bend > steepness_ * allowed * (1 + 1e-9) + 1e-300 && steepness_ < 4) {
      steepness_ *= 1.4;
      continue;
    }
    goal_ = fresh;
    if (violation(fresh, slope, price) <= accuracy) return;
    const double next = uphill > 0 ? 1 : (1 + std::sqrt(1 + 4 * momentum * momentum)) / 2;
    const double carried = uphill > 0 ? 0 : (momentum - 1) / next;
    momentum = next;
    for (std::size_t i = 0; i < n; ++i) {
      at[i] = fresh[i] + carried * (fresh[i] - old[i]);
      at_slope[i] = slope[i] + carried * (slope[i] - old_slope[i]);
    }
    old = fresh;
    old_slope = slope;
  }
}

double TableRegression::norms(const Numbers& x, double price) const {
  double sum = 0;
  for (std::size_t b = 1; b < chosen_.size(); ++b)
    sum += line_norm(x.data() + chosen_[b].begin, chosen_[b].n_lines * stride_);
  return price * sum;
}

// From `now_` towards `goal_`, by half as often as it takes; stays where no part of the way is better.
bool TableRegression::go(double price) {
  const Numbers start = now_;
  const double before = loss_ + norms(start, price);
  double promised = norms(goal_, price) - norms(start, price), step = 1;
  for (std::size_t i = 0; i < start.size(); ++i) promised += gradient_[i] * (goal_[i] - start[i]);
  promised = std::min(promised, 0.0);
  now_ = goal_;
  for (int halving = 0; halving < kTableHalvings; ++halving, step /= 2) {
    if (step < 1)
      for (std::size_t i = 0; i < start.size(); ++i) now_[i] = start[i] + step * (goal_[i] - start[i]);
    evaluate(now_);
    // near the optimum both sides differ by rounding alone
    if (loss_ + norms(now_, price) <= before + 1e-4 * step * promised + 1e-14 * (1 + before)) return true;
  }
  now_ = start;
  evaluate(now_);
  return false;
}

}  // namespace treewright::nodewise
