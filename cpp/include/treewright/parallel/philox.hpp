// A random number for every address: Philox 4x32 with ten rounds (Salmon, Moraes, Dror & Shaw 2011).
//
// A counter-based generator has no state to hand around: the number of (seed, row, variable) is a pure
// function, so rows may be drawn in any order, by any number of threads, in blocks of any size.
#pragma once

#include <array>
#include <cstdint>

namespace treewright {

using PhiloxBlock = std::array<std::uint32_t, 4>;

inline PhiloxBlock philox(PhiloxBlock counter, std::uint64_t seed) {
  auto key0 = static_cast<std::uint32_t>(seed), key1 = static_cast<std::uint32_t>(seed >> 32);
  for (int round = 0; round < 10; ++round) {
    const std::uint64_t a = std::uint64_t{0xD2511F53} * counter[0];
    const std::uint64_t b = std::uint64_t{0xCD9E8D57} * counter[2];
    counter = {static_cast<std::uint32_t>(b >> 32) ^ counter[1] ^ key0, static_cast<std::uint32_t>(b),
               static_cast<std::uint32_t>(a >> 32) ^ counter[3] ^ key1, static_cast<std::uint32_t>(a)};
    key0 += 0x9E3779B9, key1 += 0xBB67AE85;
  }
  return counter;
}

}  // namespace treewright
