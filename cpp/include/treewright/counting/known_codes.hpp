// Which codes occur, and the number of each among them in rising order: without an entry for every row.
#pragma once

#include <bit>
#include <cstdint>
#include <span>
#include <vector>

#include "treewright/graphs/bits.hpp"

namespace treewright {

class KnownCodes {
 public:
  /// Up to so many codes each has a bit; of more those that occur are hashed.
  static constexpr std::uint64_t kMostMarked = std::uint64_t{1} << 28;

  /// Codes below `bound`, which is at most 2^63.
  explicit KnownCodes(std::uint64_t bound, std::uint64_t most_marked = kMostMarked);
  /// Numbers that are known already, one for each code.
  KnownCodes(std::vector<std::uint32_t> number, std::size_t size);

  void see(std::span<const std::uint64_t> codes);
  /// Number what was seen: from here on `of` may be asked, of these codes only.
  void number();

  std::size_t size() const { return size_; }
  /// The number of every code, where that is how they are kept.
  const std::vector<std::uint32_t>& numbers() const { return number_; }
  std::uint32_t of(std::uint64_t code) const {
    if (!number_.empty()) return number_[code];
    if (is_marked_) {
      const Word below = marks_[code / 64] & ((Word{1} << code % 64) - 1);
      return ranks_[code / 64] + static_cast<std::uint32_t>(std::popcount(below));
    }
    std::size_t at = place(code, slots_.size());
    while (codes_[slots_[at] - 1] != code) at = (at + 1) & (slots_.size() - 1);
    return slots_[at] - 1;
  }

 private:
  static std::size_t place(std::uint64_t code, std::size_t capacity) {
    const std::uint64_t h = (code ^ code >> 32) * 0xd6e8feb86659fd93ull;
    return (h ^ h >> 32) & (capacity - 1);
  }
  void insert(std::uint64_t code);

  bool is_marked_ = true;
  std::size_t size_ = 0;
  std::vector<std::uint32_t> number_;
  std::vector<Word> marks_;
  std::vector<std::uint32_t> ranks_;  // marks before each word
  std::vector<std::uint64_t> codes_;  // while codes are seen, hashed, 1 + code; then sorted
  std::vector<std::uint32_t> slots_;  // 1 + the number of a code, hashed
};

}  // namespace treewright
