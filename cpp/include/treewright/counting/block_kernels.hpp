// The arithmetic of hidden states over a block of 64 rows, compiled once per vector unit like all kernels.
//
// A block holds one float per state and row, laid out [state][row]. Sums over states run in the order of the
// states, each row in a lane of its own; sums over rows run over eight lanes that are joined in a fixed tree.
// Nothing is fused or reordered, so every level gives the same bits.
#pragma once

#include <cstddef>
#include <cstdint>

namespace treewright {

inline constexpr std::size_t kRowBlock = 64;

struct BlockKernels {
  /// out[i][row] = sum over j of matrix[i * n + j] * in[j][row].
  void (*multiply)(const float* matrix, std::size_t n, const float* in, float* out);

  /// sums[i * n + j] = sum over rows of a[i][row] * b[j][row].
  void (*outer)(const float* a, const float* b, std::size_t n, float* sums);

  /// out[h][row] = table[symbols[row] * n + h].
  void (*look_up)(const std::uint32_t* symbols, std::size_t n_symbols, const float* table, std::size_t n,
                  float* out);

  /// sums[s * n + h] = sum over the rows of symbol s of block[h][row].
  void (*tally)(const std::uint32_t* symbols, std::size_t n_symbols, const float* block, std::size_t n,
                float* sums);

  /// block[h][row] *= factor[h][row].
  void (*times)(float* block, const float* factor, std::size_t n);

  /// out[h][row] = a[h][row] / b[h][row].
  void (*divide)(const float* a, const float* b, std::size_t n, float* out);

  /// Each row scaled so that its states sum to n; scale[row] is multiplied by what was taken out.
  void (*rescale)(float* block, std::size_t n, double* scale);
};

}  // namespace treewright
