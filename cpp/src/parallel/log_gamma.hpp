// ln Gamma of a positive number, for any thread: the C library tells its sign in a global, which threads
// that call std::lgamma race for.
#pragma once

#include <cmath>

namespace treewright {

inline double log_gamma(double x) {
#ifdef __GLIBC__
  int sign = 0;
  return ::lgamma_r(x, &sign);
#else
  return std::lgamma(x);
#endif
}

}  // namespace treewright
