// What all samplers share: random bits by address, and columns of codes of any width.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "treewright/parallel/philox.hpp"

namespace treewright {

inline constexpr std::uint64_t kOne = std::uint64_t{1} << 53;

template <class F>
inline void with_codes(void* codes, std::size_t width, F&& f) {
  if (width == 1) return f(static_cast<std::uint8_t*>(codes));
  if (width == 2) return f(static_cast<std::uint16_t*>(codes));
  f(static_cast<std::uint32_t*>(codes));
}

template <class F>
inline void with_codes(const void* codes, std::size_t width, F&& f) {
  if (width == 1) return f(static_cast<const std::uint8_t*>(codes));
  if (width == 2) return f(static_cast<const std::uint16_t*>(codes));
  f(static_cast<const std::uint32_t*>(codes));
}

// 53 random bits for each row of one variable; one Philox block serves two neighbouring rows.
inline void draw_bits(std::uint64_t seed, std::uint32_t variable, std::uint64_t first_row, std::size_t n,
                      std::uint64_t* __restrict out) {
  const auto numbers = [&](std::uint64_t row) {
    const std::uint64_t pair = row / 2;
    const PhiloxBlock block =
        philox({static_cast<std::uint32_t>(pair), static_cast<std::uint32_t>(pair >> 32), variable, 0}, seed);
    return std::array<std::uint64_t, 2>{(std::uint64_t{block[1]} << 32 | block[0]) >> 11,
                                        (std::uint64_t{block[3]} << 32 | block[2]) >> 11};
  };
  std::size_t i = 0;
  if (n > 0 && first_row % 2 == 1) out[i++] = numbers(first_row)[1];
  for (; i + 1 < n; i += 2) {
    const auto both = numbers(first_row + i);
    out[i] = both[0];
    out[i + 1] = both[1];
  }
  if (i < n) out[i] = numbers(first_row + i)[0];
}

}  // namespace treewright
