#include "treewright/counting/dispatch.hpp"

#include <atomic>
#include <cstdlib>
#include <stdexcept>

namespace treewright {
namespace baseline {
extern const Kernels table;
}
#ifdef TREEWRIGHT_X86
namespace avx2 {
extern const Kernels table;
}
namespace avx512 {
extern const Kernels table;
}
#endif

namespace {

std::vector<const Kernels*> available() {
  std::vector<const Kernels*> levels{&baseline::table};
#ifdef TREEWRIGHT_X86
  __builtin_cpu_init();
  const bool has_avx2 = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("popcnt") &&
                        __builtin_cpu_supports("bmi") && __builtin_cpu_supports("bmi2");
  const bool has_avx512 = has_avx2 && __builtin_cpu_supports("avx512f") &&
                          __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512vl") &&
                          __builtin_cpu_supports("avx512vpopcntdq");
  if (has_avx2) levels.push_back(&avx2::table);
  if (has_avx512) levels.push_back(&avx512::table);
#endif
  return levels;
}

const Kernels* find(const std::string& level) {
  for (const Kernels* one : available())
    if (level == one->level) return one;
  return nullptr;
}

// A level that is asked for but not there is ignored here: a library must load; `set_simd_level` complains.
const Kernels* choose() {
  const char* wanted = std::getenv("TREEWRIGHT_SIMD");
  const Kernels* named = wanted ? find(wanted) : nullptr;
  return named ? named : available().back();
}

std::atomic<const Kernels*> current{nullptr};

}  // namespace

const Kernels& kernels() {
  const Kernels* now = current.load(std::memory_order_acquire);
  if (!now) current.store(now = choose(), std::memory_order_release);
  return *now;
}

std::vector<std::string> simd_levels() {
  std::vector<std::string> names;
  for (const Kernels* one : available()) names.emplace_back(one->level);
  return names;
}

void set_simd_level(const std::string& level) {
  const Kernels* wanted = find(level);
  if (!wanted) throw std::invalid_argument("this processor or build has no vector level '" + level + "'");
  current.store(wanted, std::memory_order_release);
}

}  // namespace treewright
