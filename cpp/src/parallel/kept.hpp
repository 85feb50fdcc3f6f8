// Buffers that are kept from one call to the next, for calls that come by the thousand.
//
// Not thread_local: the C library aborts when a thread cannot allocate such a variable, and when it cannot
// note its destructor; here an allocation that fails throws like any other.
#pragma once

#include <array>
#include <atomic>
#include <memory>

namespace treewright {

/// A `T` that nobody else has while this lives, in the state in which its last user left it.
template <class T>
class Kept {
 public:
  Kept() {
    for (auto& shelf : shelves_) {
      if (shelf.load(std::memory_order_relaxed) == nullptr) continue;
      item_.reset(shelf.exchange(nullptr, std::memory_order_acquire));
      if (item_) return;
    }
    item_ = std::make_unique<T>();
  }
  ~Kept() {
    for (auto& shelf : shelves_) {
      T* empty = nullptr;
      if (shelf.compare_exchange_strong(empty, item_.get(), std::memory_order_release,
                                        std::memory_order_relaxed)) {
        item_.release();
        return;
      }
    }
  }
  Kept(const Kept&) = delete;
  Kept& operator=(const Kept&) = delete;

  T& operator*() const { return *item_; }
  T* operator->() const { return item_.get(); }

 private:
  static inline std::array<std::atomic<T*>, 16> shelves_{};  // as many as threads that are busy at once
  std::unique_ptr<T> item_;
};

}  // namespace treewright
