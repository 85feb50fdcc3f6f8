// Rows of bits: the adjacency of every graph in the core.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace treewright {

using Word = std::uint64_t;

inline constexpr std::size_t words_for(std::size_t bits) { return (bits + 63) / 64; }

/// A square matrix of bits, one row of words per vertex.
class BitMatrix {
 public:
  explicit BitMatrix(std::size_t n = 0) : n_(n), words_(words_for(n)), bits_(n * words_, 0) {}

  std::size_t size() const { return n_; }
  std::size_t words() const { return words_; }
  Word* row(std::size_t v) { return bits_.data() + v * words_; }
  const Word* row(std::size_t v) const { return bits_.data() + v * words_; }

  bool test(std::size_t u, std::size_t v) const { return row(u)[v / 64] >> (v % 64) & 1; }
  void set(std::size_t u, std::size_t v) { row(u)[v / 64] |= Word{1} << (v % 64); }
  void reset(std::size_t u, std::size_t v) { row(u)[v / 64] &= ~(Word{1} << (v % 64)); }
  void join(std::size_t u, std::size_t v) { set(u, v), set(v, u); }

  bool operator==(const BitMatrix&) const = default;

 private:
  std::size_t n_, words_;
  std::vector<Word> bits_;
};

inline std::size_t count_bits(const Word* row, std::size_t words) {
  std::size_t total = 0;
  for (std::size_t i = 0; i < words; ++i) total += std::popcount(row[i]);
  return total;
}

/// Call `f(index)` for every set bit, in rising order.
template <class F>
void for_each_bit(const Word* row, std::size_t words, F&& f) {
  for (std::size_t i = 0; i < words; ++i)
    for (Word rest = row[i]; rest; rest &= rest - 1) f(i * 64 + std::countr_zero(rest));
}

}  // namespace treewright
