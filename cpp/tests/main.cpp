// `test_room file` runs the cases of a file; `test_room file exhausted` runs each of them again and again,
// with the first, the second, the third allocation refused, and so on until none is left to refuse.
#include <atomic>
#include <cstdlib>
#include <ctime>
#include <new>

#include "check.hpp"

namespace {

std::atomic<long> left{0};          // allocations until one is refused; 0 once it was
std::atomic<bool> is_armed{false};  // somebody counts
std::atomic<bool> once{true};       // else all that follow are refused too

bool is_refused() {
  if (!is_armed.load()) return false;
  long now = left.load();
  while (now > 0 && !left.compare_exchange_weak(now, now - 1)) {
  }
  return now == 1 || (now == 0 && !once.load());
}

void* checked(void* memory) {
  if (memory == nullptr) throw std::bad_alloc();
  return memory;
}

// Whether the n-th allocation came and was refused; the case may end with bad_alloc, or do without.
bool survives_refusal(const check::Case& one, long n, bool only_once) {
  left = n;
  once = only_once;
  is_armed = true;
  try {
    one.body();
  } catch (const std::bad_alloc&) {
  } catch (const std::exception& error) {
    is_armed = false;
    ++check::failures();
    std::printf("%s: allocation %ld was refused, threw %s\n", one.name, n, error.what());
  }
  is_armed = false;
  return left == 0;
}

// All of the first ones, then fewer and fewer, for a while; when one does not come, the case has run through.
void exhaust(const check::Case& one) {
  constexpr double most_seconds = 0.25;
  const std::clock_t began = std::clock();
  long refusals = 0;
  for (long n = 1; static_cast<double>(std::clock() - began) < most_seconds * CLOCKS_PER_SEC;
       n += 1 + n / 4) {
    const int before = check::failures();
    const bool came = survives_refusal(one, n, true);
    if (came) survives_refusal(one, n, false);
    if (check::failures() != before) {
      std::printf("%s: failed with allocation %ld refused\n", one.name, n);
      return;
    }
    if (!came) break;
    refusals += 2;
  }
  one.body();  // whatever the refusals left behind
  std::printf("%s: %ld refusals\n", one.name, refusals);
}

}  // namespace

void* operator new(std::size_t size) {
  if (is_refused()) throw std::bad_alloc();
  return checked(std::malloc(size + (size == 0)));
}
void* operator new(std::size_t size, std::align_val_t alignment) {
  if (is_refused()) throw std::bad_alloc();
  const auto step = static_cast<std::size_t>(alignment);
  return checked(std::aligned_alloc(step, (size + step) / step * step));
}
// what std::stable_sort asks for: none is an answer too
void* operator new(std::size_t size, const std::nothrow_t&) noexcept {
  return is_refused() ? nullptr : std::malloc(size + (size == 0));
}
void operator delete(void* memory) noexcept { std::free(memory); }
void operator delete(void* memory, std::size_t) noexcept { std::free(memory); }
void operator delete(void* memory, std::align_val_t) noexcept { std::free(memory); }
void operator delete(void* memory, std::size_t, std::align_val_t) noexcept { std::free(memory); }

int main(int n, char** arguments) {
  const std::string_view file = n > 1 ? arguments[1] : "";
  if (n > 2) return check::run_all(file, exhaust);
  return check::run_all(file, [](const check::Case& one) { one.body(); });
}
