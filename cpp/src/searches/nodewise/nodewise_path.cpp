#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <stdexcept>

#include "searches/nodewise/nodewise_regression.hpp"
#include "searches/nodewise/nodewise_tables.hpp"

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
template <class Model>
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
  const Model& regression() const { return regression_; }
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

  Fit fit_of(const Model& regression, double penalty) const {
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
  Model regression_;
  double tolerance_, price_ = 0;
  std::vector<double> slopes_;
  std::size_t n_penalties_ = 0;
};

double extended_bic(const Design& design, std::size_t classes, const Members& support, double gamma,
                    double log_likelihood) {
  std::size_t parameters = 0;
  for (const std::uint32_t v : support) parameters += design.width(v) * classes;
  const double others = static_cast<double>(std::max<std::size_t>(design.n_variables(), 2) - 1);
  return -2 * log_likelihood + static_cast<double>(parameters) * std::log(std::max(design.total(), 1.0)) +
         2 * gamma * static_cast<double>(support.size()) * std::log(others);
}

// Variables that differ among the rows: whatever can join.
std::size_t n_varying(const Design& design, std::uint32_t target) {
  std::size_t count = 0;
  for (std::uint32_t v = 0; v < design.n_variables(); ++v) {
    const std::uint32_t *const begin = design.codes(v), *const end = begin + design.n_rows();
    count += v != target && std::adjacent_find(begin, end, std::not_equal_to<>()) != end;
  }
  return count;
}

template <class Model>
Fit best_on_path(Path<Model>& path, const Design& design, std::uint32_t target, const PathSettings& settings,
                 Cancel& cancel) {
  const double first = path.first_penalty();
  const auto criterion_of = [&](const Members& support, double log_likelihood) {
    return extended_bic(design, path.regression().n_classes(), support, settings.gamma, log_likelihood);
  };
  Fit best = path.fit(first);
  best.criterion = criterion_of({}, path.regression().log_likelihood());
  Members last;
  std::size_t worse = 0;
  const std::size_t most = first > 0 ? n_varying(design, target) : 0;
  const auto goes_on = [&] { return worse < settings.patience && last.size() < most; };
  for (std::size_t step = 1; step < settings.n_penalties && goes_on(); ++step) {
    const double share = static_cast<double>(step) / static_cast<double>(settings.n_penalties - 1);
    const double penalty = first * std::pow(settings.ratio, share);
    path.go_to(penalty);
    const Members support = path.regression().support();
    if (support == last) continue;
    last = support;
    ++worse;
    if (criterion_of(support, 0) >= best.criterion) break;  // not even if it explained every row
    Model refitted = path.regression();
    refitted.descend(support, 0, cancel);
    const double criterion = criterion_of(support, refitted.log_likelihood());
    if (criterion < best.criterion) {
      best = path.fit_of(refitted, penalty);
      best.support = support;
      best.criterion = criterion;
      worse = 0;
    }
  }
  best.n_penalties = path.n_penalties();
  return best;
}

constexpr std::size_t kFewClasses = 4, kManyWeights = 200, kManyStates = 40;

/// Whether the matrix of second derivatives of a regression on all others would cost more than it saves.
bool has_many_states(const Design& design, std::uint32_t target) {
  const std::size_t classes = design.width(target);
  std::size_t widest = 0;
  for (std::uint32_t v = 0; v < design.n_variables(); ++v) widest = std::max(widest, design.width(v));
  return (classes > kFewClasses && classes * (design.width() - classes) > kManyWeights) ||
         (classes > 0 && widest >= kManyStates);
}

/// `use` with a path of the regression that suits the target.
template <class Use>
auto with_path(const Design& design, std::uint32_t target, const PathSettings& settings, Cancel& cancel,
               Use&& use) {
  if (has_many_states(design, target)) {
    Path<TableRegression> path(design, target, settings, cancel);
    return use(path);
  }
  Path<Regression> path(design, target, settings, cancel);
  return use(path);
}

}  // namespace

double largest_penalty(const Design& design, std::uint32_t target, const PathSettings& settings,
                       Cancel& cancel) {
  return with_path(design, target, settings, cancel, [](auto& path) { return path.first_penalty(); });
}

Fit fit_at(const Design& design, std::uint32_t target, double penalty, const PathSettings& settings,
           Cancel& cancel) {
  return with_path(design, target, settings, cancel, [&](auto& path) {
    for (double on_the_way = path.first_penalty() / 2; on_the_way > penalty; on_the_way /= 2)
      path.go_to(on_the_way);
    path.go_to(penalty);
    return path.fit(penalty);
  });
}

Fit fit_by_ebic(const Design& design, std::uint32_t target, const PathSettings& settings, Cancel& cancel) {
  return with_path(design, target, settings, cancel,
                   [&](auto& path) { return best_on_path(path, design, target, settings, cancel); });
}

std::vector<double> held_out(const Design& design, const Design& valid, std::uint32_t target,
                             std::span<const double> penalties, const PathSettings& settings,
                             Cancel& cancel) {
  if (!std::is_sorted(penalties.rbegin(), penalties.rend()))
    throw std::invalid_argument("penalties along a path fall");
  return with_path(design, target, settings, cancel, [&](auto& path) {
    std::vector<double> out;
    for (const double penalty : penalties) {
      if (penalty < path.first_penalty() || path.n_penalties() > 0) path.go_to(penalty);
      out.push_back(path.regression().log_likelihood(valid));
    }
    return out;
  });
}

}  // namespace treewright::nodewise
