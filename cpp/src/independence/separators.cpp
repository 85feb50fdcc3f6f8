#include "treewright/independence/separators.hpp"

#include <algorithm>
#include <numeric>

namespace treewright {

SeparatorWalk::SeparatorWalk(Variables first, Variables second, std::vector<std::uint8_t> in_first,
                             std::size_t size)
    : lists_{std::move(first), std::move(second)}, in_first_(std::move(in_first)) {
  restart(size);
}

void SeparatorWalk::restart(std::size_t size) {
  size_ = size, side_ = 0, started_ = false;
  chosen_.resize(size);
}

bool SeparatorWalk::next(Variables& out) {
  for (; side_ < 2; ++side_, started_ = false)
    while (advance(lists_[side_].size()))
      if (is_new()) {
        out.resize(size_);
        for (std::size_t i = 0; i < size_; ++i) out[i] = lists_[side_][chosen_[i]];
        return true;
      }
  return false;
}

// The next combination of positions below n, in lexicographic order.
bool SeparatorWalk::advance(std::size_t n) {
  if (size_ > n) return false;
  if (!started_) {
    std::iota(chosen_.begin(), chosen_.end(), 0u);
    return started_ = true;
  }
  for (std::size_t i = size_; i-- > 0;)
    if (chosen_[i] < n - size_ + i) {
      std::iota(chosen_.begin() + static_cast<std::ptrdiff_t>(i), chosen_.end(), chosen_[i] + 1);
      return true;
    }
  return false;
}

bool SeparatorWalk::is_new() const {
  return side_ == 0 || std::ranges::any_of(chosen_, [&](std::uint32_t i) { return !in_first_[i]; });
}

}  // namespace treewright
