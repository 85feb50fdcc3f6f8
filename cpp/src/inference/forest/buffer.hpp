// Room for the tables of a propagation.
#pragma once

#include <algorithm>
#include <cstdlib>
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
      const std::size_t bytes = (std::max<std::size_t>(n, 8) * sizeof(T) + 63) / 64 * 64;
      memory_.reset(static_cast<T*>(std::aligned_alloc(64, bytes)));
      if (!memory_) {
        capacity_ = 0;
        throw std::bad_alloc();
      }
      capacity_ = n;
    }
    return memory_.get();
  }
  T* data() const { return memory_.get(); }
  std::size_t bytes() const { return capacity_ * sizeof(T); }

 private:
  struct Free {
    void operator()(T* p) const { std::free(p); }
  };

  std::unique_ptr<T, Free> memory_;
  std::size_t capacity_ = 0;
};

}  // namespace treewright::forests
