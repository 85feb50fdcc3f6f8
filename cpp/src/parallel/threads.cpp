#include "treewright/parallel/threads.hpp"

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <cstdlib>
#include <exception>
#include <memory>
#include <mutex>
#include <new>
#include <thread>
#include <vector>

#include "treewright/parallel/fork_mutex.hpp"

#if __has_include(<pthread.h>)
#include <pthread.h>
#endif

namespace treewright {
namespace {

#ifdef TREEWRIGHT_EAGER_THREADS  // of a build that looks for races
constexpr double kWorthThreads = 0;
constexpr std::size_t kFewestThreads = 4;
#else
// Starting and joining a thread costs 50-100 microseconds; below this much work one thread is faster.
constexpr double kWorthThreads = 0.5e6;
constexpr std::size_t kFewestThreads = 1;
#endif

constexpr std::size_t kRoomOfThread = std::size_t{1} << 20;
constexpr std::size_t kRoomToThrow = std::size_t{1} << 14;
constexpr std::chrono::milliseconds kUntilThereIsRoom{20};

std::atomic<std::size_t> requested_threads{0};

struct Job {
  Job(std::size_t n, Cancel& cancel, const std::function<void(std::size_t)>& body)
      : n(n), cancel(cancel), body(body) {}

  // Take indices until none is left; the first failure stops everybody.
  void work() {
    for (;;) {
      const std::size_t i = next.fetch_add(1, std::memory_order_relaxed);
      if (i >= n || failed.load(std::memory_order_relaxed)) return;
      try {
        cancel.check();
        body(i);
      } catch (...) {
        const std::lock_guard lock(mutex);
        if (!error || i < error_index) {
          error = std::current_exception();
          error_index = i;
        }
        failed.store(true, std::memory_order_relaxed);
        return;
      }
    }
  }

  const std::size_t n;
  Cancel& cancel;
  const std::function<void(std::size_t)>& body;
  std::atomic<std::size_t> next{0};
  std::atomic<bool> failed{false};
  std::mutex mutex;
  std::condition_variable done;
  std::size_t helpers = 0;  // still running
  std::size_t invited = 0;  // not begun yet; the pool's to count
  Job* next_job = nullptr;  // in the pool's queue
  std::exception_ptr error;
  std::size_t error_index = 0;
};

class Pool {
 public:
  ~Pool() {
    {
      const std::lock_guard lock(mutex_);
      closing_ = true;
    }
    wake_.notify_all();
    for (auto& thread : threads_) thread.join();
  }

  /// Ask for helpers. Nothing here fails: a thread that cannot start, for want of memory, is done without.
  void submit(Job& job, std::size_t helpers) noexcept {
    const std::lock_guard lock(mutex_);
    grow(helpers);
    job.helpers = job.invited = std::min(helpers, threads_.size());
    if (job.invited == 0) return;
    *last_ = &job;
    last_ = &job.next_job;
    wake_.notify_all();
  }

  // Helpers that have not begun yet are taken back, so that nobody waits for a busy pool.
  void withdraw(Job& job) noexcept {
    const std::lock_guard lock(mutex_);
    if (job.invited == 0) return;
    unlink(job);
    const std::lock_guard job_lock(job.mutex);
    job.helpers -= job.invited;
  }

 private:
  void grow(std::size_t wanted) noexcept try {
    threads_.reserve(wanted);
    while (threads_.size() < wanted) {
      // What the C library keeps for each thread it allocates late, and aborts if it cannot: ask first.
      const std::unique_ptr<char[]> room(new char[kRoomOfThread]);
      threads_.emplace_back([this] { serve(); });
    }
  } catch (const std::exception&) {  // bad_alloc, or system_error of a thread without a stack
  }

  void unlink(Job& job) {
    Job** link = &first_;
    while (*link != &job) link = &(*link)->next_job;
    *link = job.next_job;
    if (last_ == &job.next_job) last_ = link;
  }

  Job& next() {
    Job& job = *first_;
    if (--job.invited == 0) unlink(job);
    return job;
  }

  // What a thread needs to throw is allocated late, and the C library aborts where it cannot be: a thread
  // that has no room for it helps nobody until there is some. What is asked for and given back is there for
  // it.
  static bool has_room_to_throw() {
    void* const room = std::malloc(kRoomToThrow);
    std::free(room);
    return room != nullptr;
  }

  void serve() {
    while (!has_room_to_throw()) {
      std::unique_lock lock(mutex_);
      if (wake_.wait_for(lock, kUntilThereIsRoom, [this] { return closing_; })) return;
    }
    try {
      throw 0;  // now, while there is room for what a thread needs to throw
    } catch (int) {
    }
    for (;;) {
      Job* job = nullptr;
      {
        std::unique_lock lock(mutex_);
        wake_.wait(lock, [this] { return closing_ || first_ != nullptr; });
        if (closing_) return;
        job = &next();
      }
      job->work();
      const std::lock_guard lock(job->mutex);
      if (--job->helpers == 0) job->done.notify_all();
    }
  }

  std::mutex mutex_;
  std::condition_variable wake_;
  // a queue in the jobs themselves, so that asking for help takes no memory
  Job* first_ = nullptr;
  Job** last_ = &first_;
  std::vector<std::thread> threads_;
  bool closing_ = false;
};

// Leaked on purpose: joining threads while the interpreter unloads its modules may deadlock.
std::atomic<Pool*> shared_pool{nullptr};

Pool* pool() noexcept {
  Pool* found = shared_pool.load();
  if (found != nullptr) return found;
  Pool* const made = new (std::nothrow) Pool;
  if (shared_pool.compare_exchange_strong(found, made)) return made;
  delete made;
  return found;
}

std::atomic<std::uint32_t> n_forks{0};
std::mutex taking_over;

#if __has_include(<pthread.h>)
// A fork has the pool but none of its threads: the child makes a pool of its own.
[[maybe_unused]] const int watches_forks = pthread_atfork(nullptr, nullptr, [] {
  shared_pool.store(nullptr);
  begin_anew(taking_over);
  ++n_forks;
});
#endif

}  // namespace

std::uint32_t forks() { return n_forks.load(std::memory_order_acquire); }

void ForkMutex::take_over() {
  const std::lock_guard lock(taking_over);
  if (generation_.load(std::memory_order_relaxed) == forks()) return;
  if (mutex_.try_lock()) {
    mutex_.unlock();
  } else {  // nobody in this process has taken it yet
    begin_anew(mutex_);
    is_orphan_ = true;
  }
  generation_.store(forks(), std::memory_order_release);
}

void set_threads(std::size_t n) { requested_threads.store(n); }

std::size_t threads() {
  const std::size_t n = requested_threads.load();
  return n ? n : std::max<std::size_t>(kFewestThreads, std::thread::hardware_concurrency());
}

void parallel_for(std::size_t n, double expected_nanoseconds, Cancel& cancel,
                  const std::function<void(std::size_t)>& body) {
  Job job(n, cancel, body);
  const std::size_t wanted = expected_nanoseconds < kWorthThreads ? 1 : std::min(threads(), n);
  Pool* const helping = wanted > 1 ? pool() : nullptr;
  if (helping != nullptr) helping->submit(job, wanted - 1);
  job.work();
  if (helping != nullptr) {
    helping->withdraw(job);
    std::unique_lock lock(job.mutex);
    while (job.helpers > 0) {
      job.done.wait_for(lock, Cancel::interval);
      lock.unlock();
      try {
        cancel.check();  // lets the owner's signals through; the helpers see the request themselves
      } catch (const Cancelled&) {
      }
      lock.lock();
    }
  }
  if (job.error) std::rethrow_exception(job.error);
  if (n > 0) cancel.check();
}

}  // namespace treewright
