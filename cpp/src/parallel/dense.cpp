#include "parallel/dense.hpp"

#include <bit>
#include <cstdint>
#include <cstring>

#include "parallel/lanes.hpp"

namespace treewright {

TREEWRIGHT_CLONES double dot(const double* x, const double* y, std::size_t n) {
  Lanes sum = {}, a, b;
  for (std::size_t i = 0; i < n; i += kLanes) {
    std::memcpy(&a, x + i, sizeof a);
    std::memcpy(&b, y + i, sizeof b);
    sum += a * b;
  }
  return joined(sum);
}

TREEWRIGHT_CLONES void add_multiple(double* __restrict out, double factor, const double* __restrict x,
                                    std::size_t n) {
  for (std::size_t i = 0; i < n; ++i) out[i] += factor * x[i];
}

TREEWRIGHT_CLONES void multiply(double* __restrict out, const double* __restrict x,
                                const double* __restrict y, std::size_t n) {
  for (std::size_t i = 0; i < n; ++i) out[i] = x[i] * y[i];
}

// The exponential is 2^k exp(r), |r| <= ln 2 / 2: k is read off the low bits of
// a number too large to have a fraction, exp(r) is its Taylor sum up to rounding.
TREEWRIGHT_CLONES void to_sigmoid(double* z, std::size_t n) {
  constexpr double no_fraction = 0x1.8p52, per_ln2 = 0x1.71547652b82fep0;
  constexpr double ln2_head = 0x1.62e42feep-1, ln2_tail = 0x1.a39ef35793c76p-33;
  for (std::size_t i = 0; i < n; ++i) {
    double x = -z[i];
    x = x < -700 ? -700 : x;
    x = x > 700 ? 700 : x;
    const double shifted = x * per_ln2 + no_fraction;
    const double k = shifted - no_fraction;
    const double r = (x - k * ln2_head) - k * ln2_tail;
    double sum = 1.0 / 479001600;
    sum = sum * r + 1.0 / 39916800;
    sum = sum * r + 1.0 / 3628800;
    sum = sum * r + 1.0 / 362880;
    sum = sum * r + 1.0 / 40320;
    sum = sum * r + 1.0 / 5040;
    sum = sum * r + 1.0 / 720;
    sum = sum * r + 1.0 / 120;
    sum = sum * r + 1.0 / 24;
    sum = sum * r + 1.0 / 6;
    sum = sum * r + 0.5;
    sum = sum * r + 1;
    sum = sum * r + 1;
    const auto scale = std::bit_cast<std::uint64_t>(shifted) << 52;
    z[i] = 1 / (1 + std::bit_cast<double>(std::bit_cast<std::uint64_t>(sum) + scale));
  }
}

}  // namespace treewright
