// A token that long work looks at between blocks, so that Ctrl-C is obeyed within a fraction of a second.
#pragma once

#include <atomic>
#include <chrono>
#include <functional>
#include <stdexcept>
#include <thread>

namespace treewright {

struct Cancelled : std::runtime_error {
  Cancelled() : std::runtime_error("cancelled") {}
};

/// `check()` throws `Cancelled` once somebody asked to stop. The thread that made the token also polls its
/// owner (for Python: the signal handlers) at most every 50 ms; the clock is the only cost of a check.
class Cancel {
 public:
  Cancel() = default;
  explicit Cancel(std::function<bool()> poll) : poll_(std::move(poll)) {}
  Cancel(const Cancel&) = delete;
  Cancel& operator=(const Cancel&) = delete;

  void request() { stop_.store(true, std::memory_order_relaxed); }
  bool requested() const { return stop_.load(std::memory_order_relaxed); }

  void check() {
    if (poll_ && std::this_thread::get_id() == owner_) poll_now_and_then();
    if (requested()) throw Cancelled();
  }

  static constexpr std::chrono::milliseconds interval{50};

 private:
  void poll_now_and_then() {
    const auto now = std::chrono::steady_clock::now();
    if (now - last_ < interval) return;
    last_ = now;
    if (poll_()) request();
  }

  std::function<bool()> poll_;
  std::thread::id owner_ = std::this_thread::get_id();
  std::chrono::steady_clock::time_point last_ = std::chrono::steady_clock::now();
  std::atomic<bool> stop_{false};
};

}  // namespace treewright
