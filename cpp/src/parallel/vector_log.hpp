// x ln x without a call, so that loops over pairs of variables run on vector units.
#pragma once

#include <bit>
#include <cstdint>

#include "parallel/lanes.hpp"

namespace treewright {

/// ln x of a positive, normal number, to about 1e-15 of its size: x = 2^e m with m around one, and
/// ln m = 2 artanh s with s = (m - 1) / (m + 1).
TREEWRIGHT_INLINE double plain_log(double x) {
  constexpr std::uint64_t kHalfRoot = 0x3fe6a09e667f3bcdull;  // the square root of 1/2
  constexpr std::uint64_t kBias = std::uint64_t{1023} << 52;
  const auto bits = std::bit_cast<std::uint64_t>(x);
  const std::uint64_t exponent = (bits - kHalfRoot + kBias) >> 52;
  const double m = std::bit_cast<double>(bits - (exponent << 52) + kBias);
  // small integers become doubles under the mantissa of 2^52
  const double e = std::bit_cast<double>(exponent | 0x4330000000000000ull) - (4503599627370496.0 + 1023.0);
  const double s = (m - 1) / (m + 1), z = s * s;
  const double tail =
      z * (1.0 / 3 +
           z * (1.0 / 5 +
                z * (1.0 / 7 +
                     z * (1.0 / 9 + z * (1.0 / 11 + z * (1.0 / 13 + z * (1.0 / 15 + z * (1.0 / 17))))))));
  return e * 0.69314718055994530942 + 2 * (s + s * tail);
}

/// x ln x, zero at zero; a negative number that rounding left counts as its size. No branch, so that loops
/// become vectors.
TREEWRIGHT_INLINE double x_log_x(double x) {
  const double size = __builtin_fabs(x) + 1e-300;
  return x * plain_log(size);
}

}  // namespace treewright
