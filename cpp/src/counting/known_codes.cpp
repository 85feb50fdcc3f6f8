#include "treewright/counting/known_codes.hpp"

#include <algorithm>

namespace treewright {
namespace {

constexpr std::size_t kFirstCapacity = 1024;

}  // namespace

KnownCodes::KnownCodes(std::uint64_t bound, std::uint64_t most_marked) : is_marked_(bound <= most_marked) {
  if (is_marked_)
    marks_.assign((bound + 63) / 64, 0);
  else
    codes_.assign(kFirstCapacity, 0);
}

KnownCodes::KnownCodes(std::vector<std::uint32_t> number, std::size_t size)
    : size_(size), number_(std::move(number)) {}

void KnownCodes::see(std::span<const std::uint64_t> codes) {
  if (is_marked_) {
    for (const std::uint64_t code : codes) marks_[code / 64] |= Word{1} << code % 64;
    return;
  }
  for (const std::uint64_t code : codes) {
    if (2 * size_ >= codes_.size()) {
      std::vector<std::uint64_t> before(2 * codes_.size(), 0);
      before.swap(codes_);
      size_ = 0;
      for (const std::uint64_t kept : before)
        if (kept) insert(kept - 1);
    }
    insert(code);
  }
}

void KnownCodes::insert(std::uint64_t code) {
  std::size_t at = place(code, codes_.size());
  while (codes_[at] && codes_[at] != code + 1) at = (at + 1) & (codes_.size() - 1);
  size_ += codes_[at] == 0;
  codes_[at] = code + 1;
}

void KnownCodes::number() {
  if (is_marked_) {
    ranks_.reserve(marks_.size());
    for (const Word word : marks_) {
      ranks_.push_back(static_cast<std::uint32_t>(size_));
      size_ += static_cast<std::size_t>(std::popcount(word));
    }
    return;
  }
  std::erase(codes_, 0);
  codes_.shrink_to_fit();
  for (std::uint64_t& code : codes_) --code;
  std::sort(codes_.begin(), codes_.end());
  slots_.assign(std::bit_ceil(2 * size_ + 1), 0);
  for (std::size_t i = 0; i < codes_.size(); ++i) {
    std::size_t at = place(codes_[i], slots_.size());
    while (slots_[at]) at = (at + 1) & (slots_.size() - 1);
    slots_[at] = static_cast<std::uint32_t>(i + 1);
  }
}

}  // namespace treewright
