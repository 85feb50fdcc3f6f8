// Loaded before everything else, this library refuses the n-th allocation that the core asks for: the core
// itself knows nothing of it, and a release is what is tried.
#include <atomic>
#include <cstdint>
#include <cstdlib>
#include <new>

namespace {

std::atomic<long> left{0};
std::atomic<bool> once{true}, is_armed{false};
std::uintptr_t core_begin = 0, core_end = 0;

bool is_refused(const void* caller) {
  if (!is_armed.load()) return false;
  const auto place = reinterpret_cast<std::uintptr_t>(caller);
  if (place < core_begin || place >= core_end) return false;
  long now = left.load();
  while (now > 0 && !left.compare_exchange_weak(now, now - 1)) {
  }
  return now == 1 || (now == 0 && !once.load());
}

// Handles of shared pointers are made by nanobind, which ends the process when it cannot have one.
constexpr std::size_t kHandle = 48;

void* allocated(std::size_t size, const void* caller) {
  void* memory = size > kHandle && is_refused(caller) ? nullptr : std::malloc(size + (size == 0));
  if (memory == nullptr) throw std::bad_alloc();
  return memory;
}

}  // namespace

extern "C" void refuse_allocation(long n, int only_once, std::uintptr_t begin, std::uintptr_t end) {
  left = n, once = only_once != 0, core_begin = begin, core_end = end, is_armed = true;
}
/// How many allocations could still be made before it.
extern "C" long allocations_left() { return left; }
/// Whether it came.
extern "C" int stop_refusing() {
  is_armed = false;
  return left == 0;
}

void* operator new(std::size_t size) { return allocated(size, __builtin_return_address(0)); }
void* operator new[](std::size_t size) { return allocated(size, __builtin_return_address(0)); }
void operator delete(void* memory) noexcept { std::free(memory); }
void operator delete[](void* memory) noexcept { std::free(memory); }
void operator delete(void* memory, std::size_t) noexcept { std::free(memory); }
void operator delete[](void* memory, std::size_t) noexcept { std::free(memory); }
