// Random numbers for a search, one after the other, all of them from one seed.
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "treewright/parallel/philox.hpp"

namespace treewright {

class Draws {
 public:
  explicit Draws(std::uint64_t seed) : seed_(seed) {}

  /// In [0, 1).
  double uniform() {
    const auto low = static_cast<std::uint32_t>(count_), high = static_cast<std::uint32_t>(count_ >> 32);
    const PhiloxBlock block = philox({low, high, 1, 0}, seed_);
    ++count_;
    const std::uint64_t bits = std::uint64_t{block[0]} << 32 | block[1];
    return std::ldexp(static_cast<double>(bits >> 11), -53);
  }
  std::size_t below(std::size_t bound) {
    return static_cast<std::size_t>(uniform() * static_cast<double>(bound));
  }
  bool happens(double probability) { return uniform() < probability; }
  /// Of mean one.
  double exponential() { return -std::log1p(-uniform()); }

  template <class T>
  void shuffle(std::vector<T>& items) {
    for (std::size_t i = items.size(); i > 1; --i) std::swap(items[i - 1], items[below(i)]);
  }

 private:
  std::uint64_t seed_, count_ = 0;
};

/// The same at a fourth of the price, and of the digits: for a loop that draws all the time.
class QuickDraws {
 public:
  explicit QuickDraws(std::uint64_t seed) : seed_(seed) {}

  /// In [0, 1).
  double uniform() { return word() * 0x1p-32; }
  std::size_t below(std::size_t bound) { return std::uint64_t{word()} * bound >> 32; }

  template <class T>
  void shuffle(std::vector<T>& items) {
    for (std::size_t i = items.size(); i > 1; --i) std::swap(items[i - 1], items[below(i)]);
  }

 private:
  std::uint32_t word() {
    if (left_ == 0) {
      const auto low = static_cast<std::uint32_t>(count_), high = static_cast<std::uint32_t>(count_ >> 32);
      block_ = philox({low, high, 2, 0}, seed_);
      ++count_;
      left_ = block_.size();
    }
    return block_[--left_];
  }

  std::uint64_t seed_, count_ = 0;
  PhiloxBlock block_{};
  std::size_t left_ = 0;
};

}  // namespace treewright
