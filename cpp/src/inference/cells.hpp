// What the cells of a table may be: one number, the same cell of four rows at once, or a logarithm.
//
// Propagation is written once over `Cell`. Plain doubles answer one question; `Lanes` answer four, which
// hides the cost of the loops around small tables; `LogCell` is slow and has no smallest number, for the
// second try.
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>

#include "parallel/lanes.hpp"

namespace treewright::forests {

/// A non-negative number held as its natural logarithm.
struct LogCell {
  double log = -std::numeric_limits<double>::infinity();

  LogCell& operator*=(const LogCell& other) {
    log += other.log;  // no +infinity ever enters, so this is never nan
    return *this;
  }
  LogCell& operator+=(const LogCell& other) {
    const double high = std::max(log, other.log), low = std::min(log, other.log);
    log = low == -std::numeric_limits<double>::infinity() ? high : high + std::log1p(std::exp(low - high));
    return *this;
  }
};

template <class Cell>
struct CellTraits;

template <>
struct CellTraits<double> {
  static constexpr std::size_t kRows = 1;
  static double zero() { return 0; }
  static double from(double p) { return p; }
  static double larger(double a, double b) { return a < b ? b : a; }
  static double ratio(double a, double b) { return b > 0 ? a / b : 0; }
  static double value(double a, std::size_t) { return a; }
};

template <>
struct CellTraits<Lanes> {
  static constexpr std::size_t kRows = kLanes;
  static Lanes zero() { return from(0); }
  static Lanes from(double p) { return Lanes{p, p, p, p}; }
  static Lanes larger(const Lanes& a, const Lanes& b) {
    Lanes out = a;
    for (std::size_t l = 0; l < kLanes; ++l) out[l] = a[l] < b[l] ? b[l] : a[l];
    return out;
  }
  static Lanes ratio(const Lanes& a, const Lanes& b) {
    Lanes out = a;
    for (std::size_t l = 0; l < kLanes; ++l) out[l] = b[l] > 0 ? a[l] / b[l] : 0;
    return out;
  }
  static double value(const Lanes& a, std::size_t row) { return a[row]; }
};

template <>
struct CellTraits<LogCell> {
  static constexpr std::size_t kRows = 1;
  static LogCell zero() { return {}; }
  static LogCell from(double p) { return {std::log(p)}; }
  static LogCell larger(LogCell a, LogCell b) { return a.log < b.log ? b : a; }
  static LogCell ratio(LogCell a, LogCell b) {
    return std::isinf(b.log) ? LogCell{} : LogCell{a.log - b.log};
  }
  static double value(LogCell a, std::size_t) { return std::exp(a.log); }
};

}  // namespace treewright::forests
