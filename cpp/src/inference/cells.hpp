// What the cells of a table may be: one number, the same cell of four rows at once, or a wide number.
//
// Propagation is written once over `Cell`. Plain doubles answer one question; `Lanes` answer four, which
// hides the cost of the loops around small tables; `WideCell` is slower and has no smallest number, for the
// second try.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <numbers>

#include "parallel/lanes.hpp"

namespace treewright::forests {

/// A non-negative number without a smallest one: value * 2^(512 exponent), the value in [2^-256, 2^256).
struct WideCell {
  static constexpr double kHigh = 0x1p256, kLow = 0x1p-256, kDown = 0x1p-512, kUp = 0x1p512;
  static constexpr double kStepLog = 512 * std::numbers::ln2;
  static constexpr std::int64_t kNothing = std::numeric_limits<std::int64_t>::min() / 4;  // exponent of zero

  double value = 0;
  std::int64_t exponent = kNothing;

  static WideCell of(double p) {
    WideCell out{p, 0};
    while (out.value > 0 && out.value < kLow) out.value *= kUp, --out.exponent;
    out.settle();
    return out;
  }
  static WideCell of_log(double log) {
    if (std::isinf(log)) return {};
    const double steps = std::round(log / kStepLog);
    return {std::exp(log - steps * kStepLog), static_cast<std::int64_t>(steps)};
  }
  double log() const {
    return value > 0 ? std::log(value) + static_cast<double>(exponent) * kStepLog
                     : -std::numeric_limits<double>::infinity();
  }

  WideCell& operator*=(const WideCell& other) {
    value *= other.value;
    exponent += other.exponent;
    settle();
    return *this;
  }
  WideCell& operator+=(const WideCell& other) {
    // two steps apart, the smaller one is below the last digit of the larger one
    if (exponent == other.exponent) {
      value += other.value;
    } else if (exponent == other.exponent + 1) {
      value += other.value * kDown;
    } else if (exponent + 1 == other.exponent) {
      value = value * kDown + other.value;
      exponent = other.exponent;
    } else if (exponent < other.exponent) {
      *this = other;
    }
    settle();
    return *this;
  }
  bool operator<(const WideCell& other) const {
    return exponent != other.exponent ? exponent < other.exponent : value < other.value;
  }

  void settle() {
    if (value >= kHigh) {
      value *= kDown, ++exponent;
    } else if (value < kLow) {
      if (value > 0) {
        value *= kUp, --exponent;
      } else {
        exponent = kNothing;
      }
    }
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
  static void put(double& a, std::size_t, double x) { a = x; }
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
  static void put(Lanes& a, std::size_t row, double x) { a[row] = x; }
};

template <>
struct CellTraits<WideCell> {
  static constexpr std::size_t kRows = 1;
  static WideCell zero() { return {}; }
  static WideCell from(double p) { return WideCell::of(p); }
  static WideCell larger(const WideCell& a, const WideCell& b) { return a < b ? b : a; }
  static WideCell ratio(const WideCell& a, const WideCell& b) {
    if (!(b.value > 0)) return {};
    WideCell out{a.value / b.value, a.exponent - b.exponent};
    out.settle();
    return out;
  }
  static double value(const WideCell& a, std::size_t) {
    if (a.exponent < -4 || a.exponent > 4)
      return a.exponent < 0 ? 0 : std::numeric_limits<double>::infinity();
    return std::ldexp(a.value, static_cast<int>(512 * a.exponent));
  }
};

}  // namespace treewright::forests
