// Locks that a fork does not leave locked for ever.
//
// A fork has one thread, that which forked. What another thread had locked at that moment nobody would ever
// unlock in the child; and what it was changing may be half changed. So a lock knows in which process it was
// taken last: the child takes it over, and makes anew what it guards.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>

namespace treewright {

/// How many forks lie between this process and the one that loaded the core.
std::uint32_t forks();

class ForkMutex {
 public:
  ForkMutex() = default;
  ForkMutex(const ForkMutex&) = delete;
  ForkMutex& operator=(const ForkMutex&) = delete;

  /// `restore()` is called when the thread that held the lock did not come along in a fork.
  template <class Restore>
  void lock(Restore&& restore) {
    if (generation_.load(std::memory_order_acquire) != forks()) take_over();
    mutex_.lock();
    if (!is_orphan_) return;
    try {
      restore();
    } catch (...) {  // no memory: whoever comes next tries again
      mutex_.unlock();
      throw;
    }
    is_orphan_ = false;
  }
  void unlock() { mutex_.unlock(); }

 private:
  void take_over();

  std::mutex mutex_;
  std::atomic<std::uint32_t> generation_{forks()};
  bool is_orphan_ = false;  // guarded by the mutex
};

/// Holds a `ForkMutex` while it lives.
class ForkLock {
 public:
  template <class Restore>
  ForkLock(ForkMutex& mutex, Restore&& restore) : mutex_(mutex) {
    mutex.lock(restore);
  }
  ~ForkLock() { mutex_.unlock(); }
  ForkLock(const ForkLock&) = delete;
  ForkLock& operator=(const ForkLock&) = delete;

 private:
  ForkMutex& mutex_;
};

/// As it was first, without a look at what it is: that may be half changed. Its memory is given up.
template <class... T>
void begin_anew(T&... values) {
  (std::construct_at(&values), ...);
}

}  // namespace treewright
