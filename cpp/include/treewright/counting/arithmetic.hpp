// Sums over cells that do not depend on their order.
//
// Every score and statistic of discrete data is a sum of f(count) over cells. Here f is rounded once, to a
// 64-bit fixed-point number; from there on everything is integer addition. So a score is the same to the last
// bit for any order of rows, columns, threads, shards and vector lanes, and score-equivalent structures tie
// exactly. With 10,000 rows the unit is about 1e-12 nats.
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <vector>

namespace treewright {

/// A scale for sums whose magnitude never exceeds `bound`.
class FixedPoint {
 public:
  explicit FixedPoint(double bound = 1)
      : bits_(62 - static_cast<int>(std::ceil(std::log2(bound + 2)))),
        up_(std::ldexp(1.0, bits_)),
        down_(std::ldexp(1.0, -bits_)) {}
  int bits() const { return bits_; }
  std::int64_t quantise(double x) const { return std::llrint(x * up_); }
  double value(std::int64_t sum) const { return static_cast<double>(sum) * down_; }
  bool operator==(const FixedPoint&) const = default;

 private:
  int bits_;
  double up_, down_;  // powers of two: multiplying is exact
};

/// Numbers k * 2^-bits, fine enough for sums up to `bound`: plain doubles, but adding and subtracting them
/// never rounds. What is rounded to a grid *before* it is subtracted therefore cancels exactly afterwards.
class Grid {
 public:
  explicit Grid(double bound = 1)
      : bits_(52 - static_cast<int>(std::ceil(std::log2(bound + 1)))),
        up_(std::ldexp(1.0, bits_)),
        down_(std::ldexp(1.0, -bits_)) {}
  int bits() const { return bits_; }
  double round(double x) const { return nearest(x * up_) * down_; }
  double round(std::int64_t sum, FixedPoint scale) const { return nearest(scale.value(sum) * up_) * down_; }

 private:
  // adding and taking away 1.5 * 2^52 leaves the nearest integer (magnitudes stay below 2^51); larger ones
  // are whole already
  static double nearest(double x) {
    constexpr double kWhole = 0x1.8p52;
    return std::abs(x) < 0x1p51 ? (x + kWhole) - kWhole : std::nearbyint(x);
  }

  int bits_;
  double up_, down_;  // powers of two: multiplying is exact
};

/// Counts below this are looked up, larger ones computed; the boundary is fixed, so no result depends on how
/// far a table has grown.
inline constexpr std::int64_t kTabulated = std::int64_t{1} << 17;

/// One function of a count, f(0) = 0, in fixed point: a table for small counts, a formula beyond.
class CellTerm {
 public:
  using Table = std::shared_ptr<const std::vector<std::int64_t>>;

  /// n ln n.
  static CellTerm x_log_x(FixedPoint scale, std::int64_t largest);
  /// ln Gamma(alpha + n) - ln Gamma(alpha).
  static CellTerm log_rising(double alpha, FixedPoint scale, std::int64_t largest);

  std::int64_t operator()(std::int64_t n) const {
    return n < kTabulated ? table_[static_cast<std::size_t>(n)]
                          : scale_.quantise(formula(static_cast<double>(n)));
  }
  /// Real-weighted counts have no table.
  std::int64_t operator()(double n) const { return n == 0 ? 0 : scale_.quantise(formula(n)); }

  /// Valid for counts up to min(largest, kTabulated - 1) of the factory call.
  const std::int64_t* table() const { return table_; }

 private:
  CellTerm(double alpha, FixedPoint scale, Table table)
      : alpha_(alpha), scale_(scale), owner_(std::move(table)), table_(owner_->data()) {}
  double formula(double n) const;

  double alpha_;  // 0: n ln n
  FixedPoint scale_;
  Table owner_;
  const std::int64_t* table_;
};

/// Scale for sums of n ln n over tables of `n_rows` rows.
FixedPoint x_log_x_scale(double n_rows);

}  // namespace treewright
