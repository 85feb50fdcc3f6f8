#include <array>
#include <atomic>
#include <numeric>
#include <thread>
#include <vector>

#include "../../src/parallel/kept.hpp"
#include "check.hpp"
#include "treewright/parallel/fork_mutex.hpp"
#include "treewright/parallel/threads.hpp"

#if __has_include(<sys/wait.h>)
#include <sys/wait.h>
#include <unistd.h>
#endif

namespace tw = treewright;

TEST(every_index_is_visited_once) {
  for (std::size_t threads : {1, 2, 4}) {
    tw::set_threads(threads);
    tw::Cancel cancel;
    std::vector<std::atomic<int>> seen(1000);
    tw::parallel_for(seen.size(), 1e9, cancel, [&](std::size_t i) { ++seen[i]; });
    for (const auto& n : seen) CHECK(n == 1);
  }
  tw::set_threads(0);
}

TEST(an_exception_of_a_body_arrives) {
  tw::set_threads(4);
  tw::Cancel cancel;
  bool caught = false;
  try {
    tw::parallel_for(100, 1e9, cancel, [](std::size_t i) {
      if (i == 7) throw std::out_of_range("seven");
    });
  } catch (const std::out_of_range&) {
    caught = true;
  }
  CHECK(caught);
  tw::set_threads(0);
}

TEST(a_request_to_stop_is_obeyed) {
  tw::Cancel cancel;
  cancel.request();
  bool caught = false;
  try {
    tw::parallel_for(10, 0, cancel, [](std::size_t) {});
  } catch (const tw::Cancelled&) {
    caught = true;
  }
  CHECK(caught);
}

TEST(threads_share_a_pool) {
  tw::set_threads(4);
  std::array<std::size_t, 8> sums{};
  check::side_by_side(sums.size(), [&](std::size_t t) {
    tw::Cancel cancel;
    for (std::size_t round = 0; round < 50; ++round) {
      std::vector<std::size_t> squares(40);
      tw::parallel_for(squares.size(), 1e9, cancel, [&](std::size_t i) { squares[i] = i * i; });
      sums[t] += std::accumulate(squares.begin(), squares.end(), std::size_t{0});
    }
  });
  for (const std::size_t sum : sums) CHECK(sum == 50 * 20540);
  tw::set_threads(0);
}

TEST(bodies_that_throw_beside_others) {
  tw::set_threads(4);
  std::array<int, 8> caught{};
  check::side_by_side(caught.size(), [&](std::size_t t) {
    tw::Cancel cancel;
    for (int round = 0; round < 50; ++round) {
      const auto work = [&] {
        tw::parallel_for(20, 1e9, cancel, [&](std::size_t i) {
          if (i == t) throw std::out_of_range("mine");
        });
      };
      caught[t] += check::throws<std::out_of_range>(work);
    }
  });
  for (const int n : caught) CHECK(n == 50);
  tw::set_threads(0);
}

TEST(work_inside_work) {
  tw::set_threads(4);
  tw::Cancel cancel;
  std::vector<std::atomic<int>> seen(400);
  tw::parallel_for(20, 1e9, cancel, [&](std::size_t i) {
    tw::Cancel inner;
    tw::parallel_for(20, 1e9, inner, [&](std::size_t j) { ++seen[20 * i + j]; });
  });
  for (const auto& n : seen) CHECK(n == 1);
  tw::set_threads(0);
}

TEST(what_is_kept_has_one_user) {
  tw::set_threads(4);
  tw::Cancel cancel;
  std::atomic<int> shared{0};
  tw::parallel_for(2000, 1e9, cancel, [&](std::size_t i) {
    const tw::Kept<std::vector<std::size_t>> mine, other;
    mine->assign(10, i);
    other->assign(10, i + 1);
    for (std::size_t k = 0; k < 10; ++k) shared += (*mine)[k] != i || (*other)[k] != i + 1;
  });
  CHECK(shared == 0);
  tw::set_threads(0);
}

#if __has_include(<sys/wait.h>) && !defined(__SANITIZE_THREAD__)
TEST(a_fork_has_a_pool_of_its_own) {
  tw::set_threads(4);
  tw::Cancel cancel;
  std::atomic<int> seen{0};
  const auto visit = [&] { tw::parallel_for(100, 1e9, cancel, [&](std::size_t) { ++seen; }); };
  visit();
  const pid_t child = fork();
  if (child == 0) {
    try {
      visit();
      _exit(seen == 200 ? 0 : 1);
    } catch (const std::bad_alloc&) {
      _exit(0);
    }
  }
  int status = -1;
  CHECK(waitpid(child, &status, 0) == child);
  CHECK(status == 0);
  visit();
  CHECK(seen == 200);
  tw::set_threads(0);
}

// A lock that another thread holds while the process forks, once and in a fork of the fork.
TEST(a_fork_takes_over_what_was_locked) {
  tw::ForkMutex held, free;
  int values[2] = {7, 7};
  int restored = 0;
  const auto restore = [&] {
    ++restored;
    tw::begin_anew(values[0]);
  };
  const auto take_both = [&] {
    {
      const tw::ForkLock lock(held, restore);
    }
    const tw::ForkLock lock(free, [&] { tw::begin_anew(values[1]); });
  };
  std::atomic<int> phase{0};
  check::side_by_side(2, [&](std::size_t t) {
    if (t == 1) {
      const tw::ForkLock lock(held, restore);
      phase = 1;
      while (phase < 2) std::this_thread::yield();
      return;
    }
    while (phase < 1) std::this_thread::yield();
    const pid_t child = fork();
    if (child == 0) {
      take_both();
      take_both();  // as any other lock from now on
      const bool is_right = restored == 1 && values[0] == 0 && values[1] == 7 && tw::forks() == 1;
      const pid_t grandchild = fork();
      if (grandchild == 0) {
        take_both();  // nobody held them
        _exit(restored == 1 && tw::forks() == 2 ? 0 : 1);
      }
      int status = -1;
      waitpid(grandchild, &status, 0);
      _exit(is_right && status == 0 ? 0 : 1);
    }
    int status = -1;
    CHECK(waitpid(child, &status, 0) == child);
    CHECK(status == 0);
    phase = 2;
  });
  take_both();
  CHECK(restored == 0 && values[0] == 7 && tw::forks() == 0);
}

TEST(what_cannot_be_restored_for_want_of_memory_is_restored_by_the_next) {
  tw::ForkMutex held;
  const tw::ForkLock lock(held, [] {});
  const pid_t child = fork();
  if (child == 0) {
    const bool threw =
        check::throws<std::bad_alloc>([&] { tw::ForkLock(held, [] { throw std::bad_alloc(); }); });
    int restored = 0;
    {
      const tw::ForkLock again(held, [&] { ++restored; });
    }
    _exit(threw && restored == 1 ? 0 : 1);
  }
  int status = -1;
  CHECK(waitpid(child, &status, 0) == child);
  CHECK(status == 0);
}
#endif
