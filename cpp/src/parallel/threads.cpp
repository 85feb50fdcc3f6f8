#include "treewright/parallel/threads.hpp"

#include <algorithm>
#include <condition_variable>
#include <deque>
#include <exception>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

namespace treewright {
namespace {

// Starting and joining a thread costs 50-100 microseconds; below this much work one thread is faster.
constexpr double kWorthThreads = 0.5e6;

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

  void submit(Job& job, std::size_t helpers) {
    const std::lock_guard lock(mutex_);
    job.helpers = helpers;
    for (std::size_t i = 0; i < helpers; ++i) queue_.push_back(&job);
    while (threads_.size() < helpers) threads_.emplace_back([this] { serve(); });
    wake_.notify_all();
  }

  // Helpers that have not begun yet are taken back, so that nobody waits for a busy pool.
  void withdraw(Job& job) {
    const std::lock_guard lock(mutex_);
    const auto gone = std::erase(queue_, &job);
    const std::lock_guard job_lock(job.mutex);
    job.helpers -= gone;
  }

 private:
  void serve() {
    for (;;) {
      Job* job = nullptr;
      {
        std::unique_lock lock(mutex_);
        wake_.wait(lock, [this] { return closing_ || !queue_.empty(); });
        if (closing_) return;
        job = queue_.front();
        queue_.pop_front();
      }
      job->work();
      const std::lock_guard lock(job->mutex);
      if (--job->helpers == 0) job->done.notify_all();
    }
  }

  std::mutex mutex_;
  std::condition_variable wake_;
  std::deque<Job*> queue_;
  std::vector<std::thread> threads_;
  bool closing_ = false;
};

// Leaked on purpose: joining threads while the interpreter unloads its modules may deadlock.
Pool& pool() {
  static Pool* const instance = new Pool;
  return *instance;
}

}  // namespace

void set_threads(std::size_t n) { requested_threads.store(n); }

std::size_t threads() {
  const std::size_t n = requested_threads.load();
  return n ? n : std::max<std::size_t>(1, std::thread::hardware_concurrency());
}

void parallel_for(std::size_t n, double expected_nanoseconds, Cancel& cancel,
                  const std::function<void(std::size_t)>& body) {
  Job job(n, cancel, body);
  const std::size_t wanted = expected_nanoseconds < kWorthThreads ? 1 : std::min(threads(), n);
  if (wanted > 1) pool().submit(job, wanted - 1);
  job.work();
  if (wanted > 1) {
    pool().withdraw(job);
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
