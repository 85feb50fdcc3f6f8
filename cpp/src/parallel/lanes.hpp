// Sums in a fixed order that vector units of any width follow: four partial sums, joined at the end.
//
// One source, several vector units, chosen when the library is loaded. Lanes are spelled out and contraction
// to fused multiply-add is off, so every clone of a function gives the same bits. Lengths are multiples of
// four.
#pragma once

#include <cstddef>

#if defined(__x86_64__) && defined(__linux__) && defined(__GNUC__) && !defined(__SANITIZE_ADDRESS__) && \
    !defined(__SANITIZE_THREAD__)
#define TREEWRIGHT_CLONES __attribute__((target_clones("avx2", "default")))
#else
#define TREEWRIGHT_CLONES
#endif

// Helpers that must become part of the clone that calls them.
#define TREEWRIGHT_INLINE inline __attribute__((always_inline))

namespace treewright {

inline constexpr std::size_t kLanes = 4;

inline constexpr std::size_t whole_lanes(std::size_t n) { return (n + kLanes - 1) / kLanes * kLanes; }

typedef double Lanes __attribute__((vector_size(kLanes * sizeof(double))));

inline double joined(const Lanes& sum) { return (sum[0] + sum[2]) + (sum[1] + sum[3]); }

}  // namespace treewright
