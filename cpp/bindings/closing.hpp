// What happens to native calls when Python ends: a thread that comes back to an interpreter that is gone is
// unwound through code that must not throw, which ends the process with a crash. So the calls of other
// threads are stopped, and waited for, while the interpreter is still there.
#pragma once

#include <atomic>
#include <chrono>
#include <thread>

#include "treewright/parallel/fork_mutex.hpp"

namespace closing {

inline std::atomic<std::size_t> calls_under_way{0};
inline std::atomic<bool> has_begun{false};
inline std::thread::id closer;  // written before `has_begun`

/// Of the thread that asks: whoever closes may still work, in what else runs at the end.
inline bool concerns_me() { return has_begun.load() && std::this_thread::get_id() != closer; }

/// A fork has none of the calls that other threads were in: it counts from none.
inline void begin_in_a_fork() { calls_under_way = 0; }

struct UnderWay {
  UnderWay() { ++calls_under_way; }
  ~UnderWay() {
    if (born == treewright::forks()) --calls_under_way;
  }
  const std::uint32_t born = treewright::forks();
  UnderWay(const UnderWay&) = delete;
  UnderWay& operator=(const UnderWay&) = delete;
};

/// Stop what other threads do, without the GIL; calls look every 50 ms whether they should stop.
inline void stop_calls() {
  constexpr auto step = std::chrono::milliseconds(5);
  constexpr int most_steps = 2000;
  closer = std::this_thread::get_id();
  has_begun = true;
  for (int i = 0; i < most_steps && calls_under_way.load() > 0; ++i) std::this_thread::sleep_for(step);
}

}  // namespace closing
