// Room for the tables of a propagation.
#pragma once

#include <algorithm>
#include <cstddef>
#include <memory>
#include <new>

namespace treewright::forests {

/// Memory that grows, is kept from question to question and is never filled.
template <class T>
class Buffer {
 public:
  T* reserve(std::size_t n) {
    if (n > capacity_) {
      memory_.reset();
      capacity_ = 0;
      const std::size_t bytes = (std::max<std::size_t>(n, 8) * sizeof(T) + 63) / 64 * 64;
      memory_.reset(static_cast<T*>(::operator new(bytes, kLine)));
      capacity_ = n;
    }
    return memory_.get();
  }
  T* data() const { return memory_.get(); }
  std::size_t bytes() const { return capacity_ * sizeof(T); }

 private:
  static constexpr std::align_val_t kLine{64};
  struct Free {
    void operator()(T* p) const { ::operator delete(p, kLine); }
  };

  std::unique_ptr<T, Free> memory_;
  std::size_t capacity_ = 0;
};

}  // namespace treewright::forests
