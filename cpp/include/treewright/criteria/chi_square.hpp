// The chi-square distribution: tail probabilities and critical values.
#pragma once

#include <map>
#include <memory>

#include "treewright/parallel/fork_mutex.hpp"

namespace treewright {

/// P(X >= x) for X chi-square with df degrees of freedom; accurate in the far tail, for any df from 0 on.
double chi_square_sf(double x, double df);

/// The x with chi_square_sf(x, df) = alpha; 0 for df = 0.
double chi_square_quantile(double alpha, double df);

/// Critical values of one level, each computed once in the process: a test decides without computing p.
class CriticalValues {
 public:
  explicit CriticalValues(double alpha) : alpha_(alpha) {}
  /// The table of a level, shared by everybody who asks for it.
  static std::shared_ptr<CriticalValues> of(double alpha);
  double operator()(double df);

 private:
  const double alpha_;
  ForkMutex mutex_;
  std::map<double, double> values_;
};

}  // namespace treewright
