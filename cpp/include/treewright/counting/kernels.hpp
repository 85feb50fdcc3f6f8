// The loops that touch every row, compiled once per vector unit and chosen when the library is loaded.
//
// All levels give the same bits. Calls go through a table of pointers, so each one does a whole batch of
// work. The kernel sources include nothing but <cstddef>, <cstdint> and intrinsics: an inline function of the
// standard library compiled for a wide unit could otherwise be picked by the linker for everybody.
#pragma once

#include <cstddef>
#include <cstdint>

#include "treewright/counting/block_kernels.hpp"

namespace treewright {

struct Kernels {
  const char* level;

  /// Bit planes of a byte column: bit i of plane s says codes[i] == s, for s < n_planes; tail bits are 0.
  void (*build_planes)(const std::uint8_t* codes, std::size_t n_rows, std::size_t n_planes,
                       std::uint64_t* planes, std::size_t stride);

  /// Kernel A: out[i * out_stride + j] += popcount(a_i & b_j) for every plane of a against every plane of b.
  void (*and_popcounts)(const std::uint64_t* a, std::size_t n_a, std::size_t a_stride, const std::uint64_t* b,
                        std::size_t n_b, std::size_t b_stride, std::size_t words, std::int64_t* out,
                        std::size_t out_stride);

  /// Kernel B: for every group g != skip, out[g * out_stride + plane] += weight * (rows of the group with the
  /// bit). `order` lists row numbers group by group, `starts` has n_groups + 1 offsets; a group has at most
  /// 65,535 rows. out rows hold 64 * row_words counters. Loads may overrun the last row by 3 words.
  void (*add_grouped)(const std::uint64_t* rows, std::size_t row_words, const std::uint16_t* order,
                      const std::uint32_t* starts, std::size_t n_groups, std::size_t skip,
                      std::uint32_t shift, std::uint32_t* out, std::size_t out_stride);
  void (*add_grouped_wide)(const std::uint64_t* rows, std::size_t row_words, const std::uint16_t* order,
                           const std::uint32_t* starts, std::size_t n_groups, std::size_t skip,
                           std::uint32_t shift, std::uint64_t* out, std::size_t out_stride);

  /// Split a mask by the states of a variable: masks[s] = mask & planes[s], and what no plane has in the last
  /// one; counts[s] is the number of set bits. masks has n_planes + 1 rows of `mask_stride` words.
  void (*split)(const std::uint64_t* mask, const std::uint64_t* planes, std::size_t n_planes,
                std::size_t stride, std::size_t words, std::uint64_t* masks, std::size_t mask_stride,
                std::int64_t* counts);

  /// codes = first * radix + second.
  void (*pair16_8)(std::uint16_t* codes, const std::uint8_t* first, const std::uint8_t* second, std::size_t n,
                   std::uint32_t radix);
  /// codes = codes * radix + column, the passes of kernel C and of every context.
  void (*extend16_8)(std::uint16_t* codes, const std::uint8_t* column, std::size_t n, std::uint32_t radix);
  void (*extend32_8)(std::uint32_t* codes, const std::uint8_t* column, std::size_t n, std::uint32_t radix);
  void (*extend32_16)(std::uint32_t* codes, const std::uint16_t* column, std::size_t n, std::uint32_t radix);
  void (*extend32_32)(std::uint32_t* codes, const std::uint32_t* column, std::size_t n, std::uint32_t radix);

  /// 16 bytes (`rest`) whose CRC-32 is that of the first of `n` bytes, continued from the state `before`; how
  /// many these are, a level without such instructions takes none.
  std::size_t (*fold)(const std::uint8_t* bytes, std::size_t n, std::uint32_t before, std::uint8_t* rest);

  BlockKernels blocks;
};

}  // namespace treewright
