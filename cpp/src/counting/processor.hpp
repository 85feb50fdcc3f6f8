// What the processor at hand can do, asked of itself: the answers of compilers need a library that is not
// linked everywhere.
#pragma once

#include <cpuid.h>

#include <cstdint>

namespace treewright {

/// Vector units that the processor has and the operating system keeps the registers of.
struct Processor {
  bool has_avx2 = false;    // with the counting, shuffling and multiplying of bits that came along
  bool has_avx512 = false;  // with bytes, shorter vectors and the counting of bits
};

/// The registers that the operating system keeps when it changes threads, a bit for each kind.
inline std::uint64_t kept_registers() {
  std::uint32_t low = 0, high = 0;
  asm("xgetbv" : "=a"(low), "=d"(high) : "c"(0));
  return std::uint64_t{high} << 32 | low;
}

inline Processor processor() {
  std::uint32_t a = 0, b = 0, c = 0, d = 0;
  const auto all = [](std::uint64_t found, std::uint64_t bits) { return (found & bits) == bits; };
  if (!__get_cpuid(1, &a, &b, &c, &d)) return {};
  if (!all(c, 1u << 1 | 1u << 23 | 1u << 27 | 1u << 28)) return {};  // pclmul, popcnt, xgetbv, avx
  const std::uint64_t kept = kept_registers();
  if (!__get_cpuid_count(7, 0, &a, &b, &c, &d)) return {};
  Processor found;
  found.has_avx2 = all(kept, 0x6) && all(b, 1u << 3 | 1u << 5 | 1u << 8);  // bmi, avx2, bmi2
  found.has_avx512 = found.has_avx2 && all(kept, 0xe6) && all(b, 1u << 16 | 1u << 30 | 1u << 31) &&
                     all(c, 1u << 14);  // f, bw, vl, vpopcntdq
  return found;
}

}  // namespace treewright
