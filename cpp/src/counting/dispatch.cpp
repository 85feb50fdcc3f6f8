#include "treewright/counting/dispatch.hpp"

#include <atomic>
#include <cstdlib>
#include <stdexcept>

#ifdef TREEWRIGHT_X86
#include "counting/processor.hpp"
#endif

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
  const Processor found = processor();
  if (found.has_avx2) levels.push_back(&avx2::table);
  if (found.has_avx512) levels.push_back(&avx512::table);
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
