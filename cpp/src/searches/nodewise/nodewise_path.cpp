#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>

#include "searches/nodewise/nodewise_regression.hpp"

namespace treewright::nodewise {
namespace {

using Members = std::vector<std::uint32_t>;

// A penalty counts for a 0/1-coded weight of two binary variables, which is twice that of their contrasts.
double price_of(const Design& design, double penalty) { return 2 * penalty / design.total(); }

double largest(const std::vector<double>& slopes) {
  return slopes.empty() ? 0 : *std::max_element(slopes.begin(), slopes.end());
}

/// Falling penalties with warm starts. Variables that the gradient at the last penalty rules out are left
/// out (Tibshirani et al. 2012), and taken in again if the optimum without them says so.
class Path {
 public:
  Path(const Design& design, std::uint32_t target, const PathSettings& settings, Cancel& cancel)
      : design_(design),
        cancel_(cancel),
        regression_(design, target, settings.tolerance),
        tolerance_(settings.tolerance) {
    regression_.descend({}, 0, cancel);
    slopes_ = regression_.slopes();
    price_ = largest(slopes_);
  }

  double first_penalty() const { return price_ * design_.total() / 2; }
  const Regression& regression() const { return regression_; }
  std::size_t n_penalties() const { return n_penalties_; }

  void go_to(double penalty) {
    const double price = price_of(design_, penalty);
    std::vector<bool> inside(design_.n_variables());
    for (const std::uint32_t v : regression_.support()) inside[v] = true;
    for (std::uint32_t v = 0; v < inside.size(); ++v)
      if (slopes_[v] > 0 && slopes_[v] >= 2 * price - price_) inside[v] = true;
    for (bool complete = false; !complete;) {
      regression_.descend(listed(inside), price, cancel_);
      slopes_ = regression_.slopes();
      complete = true;
      for (std::uint32_t v = 0; v < inside.size(); ++v)
        if (!inside[v] && slopes_[v] > price + tolerance_) inside[v] = true, complete = false;
    }
    price_ = price;
    ++n_penalties_;
  }

  Fit fit(double penalty) const { return fit_of(regression_, penalty); }

  Fit fit_of(const Regression& regression, double penalty) const {
    Fit fit;
    fit.penalty = penalty;
    fit.log_likelihood = regression.log_likelihood();
    fit.n_penalties = n_penalties_;
    fit.intercept = regression.intercept();
    fit.weights = regression.weights();
    fit.support = regression.support();
    return fit;
  }

 private:
  static Members listed(const std::vector<bool>& inside) {
    Members out;
    for (std::uint32_t v = 0; v < inside.size(); ++v)
      if (inside[v]) out.push_back(v);
    return out;
  }

  const Design& design_;
  Cancel& cancel_;
  Regression regression_;
  double tolerance_, price_ = 0;
  std::vector<double> slopes_;
  std::size_t n_penalties_ = 0;
};

double extended_bic(const Design& design, const Regression& regression, const Members& support,
                    double gamma) {
  std::size_t parameters = 0;
  for (const std::uint32_t v : support) parameters += design.width(v) * regression.n_classes();
  const double others = static_cast<double>(std::max<std::size_t>(design.n_variables(), 2) - 1);
  return -2 * regression.log_likelihood() +
         static_cast<double>(parameters) * std::log(std::max(design.total(), 1.0)) +
         2 * gamma * static_cast<double>(support.size()) * std::log(others);
}

}  // namespace

double largest_penalty(const Design& design, std::uint32_t target, const PathSettings& settings,
                       Cancel& cancel) {
  return Path(design, target, settings, cancel).first_penalty();
}

Fit fit_at(const Design& design, std::uint32_t target, double penalty, const PathSettings& settings,
           Cancel& cancel) {
  Path path(design, target, settings, cancel);
  for (double on_the_way = path.first_penalty() / 2; on_the_way > penalty; on_the_way /= 2)
    path.go_to(on_the_way);
  path.go_to(penalty);
  return path.fit(penalty);
}

Fit fit_by_ebic(const Design& design, std::uint32_t target, const PathSettings& settings, Cancel& cancel) {
  Path path(design, target, settings, cancel);
  const double first = path.first_penalty();
  Fit best = path.fit(first);
  best.criterion = extended_bic(design, path.regression(), {}, settings.gamma);
  Members last;
  std::size_t worse = 0;
  for (std::size_t step = 1; step < settings.n_penalties && first > 0 && worse < settings.patience; ++step) {
    const double share = static_cast<double>(step) / static_cast<double>(settings.n_penalties - 1);
    const double penalty = first * std::pow(settings.ratio, share);
    path.go_to(penalty);
    const Members support = path.regression().support();
    if (support == last) continue;
    last = support;
    Regression refitted = path.regression();
    refitted.descend(support, 0, cancel);
    const double criterion = extended_bic(design, refitted, support, settings.gamma);
    if (criterion < best.criterion) {
      best = path.fit_of(refitted, penalty);
      best.support = support;
      best.criterion = criterion;
      worse = 0;
    } else {
      ++worse;
    }
  }
  best.n_penalties = path.n_penalties();
  return best;
}

std::vector<double> held_out(const Design& design, const Design& valid, std::uint32_t target,
                             std::span<const double> penalties, const PathSettings& settings,
                             Cancel& cancel) {
  if (!std::is_sorted(penalties.rbegin(), penalties.rend()))
    throw std::invalid_argument("penalties along a path fall");
  Path path(design, target, settings, cancel);
  std::vector<double> out;
  for (const double penalty : penalties) {
    if (penalty < path.first_penalty() || path.n_penalties() > 0) path.go_to(penalty);
    out.push_back(path.regression().log_likelihood(valid));
  }
  return out;
}

}  // namespace treewright::nodewise
