#include "check.hpp"
#include "treewright/counting/dispatch.hpp"

namespace tw = treewright;

#if defined(__x86_64__) && defined(__linux__) && defined(__GNUC__)
TEST(the_compiler_finds_the_same_vector_units) {
  __builtin_cpu_init();
  const bool has_avx2 = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("popcnt") &&
                        __builtin_cpu_supports("bmi") && __builtin_cpu_supports("bmi2");
  const bool has_avx512 = has_avx2 && __builtin_cpu_supports("avx512f") &&
                          __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512vl") &&
                          __builtin_cpu_supports("avx512vpopcntdq");
  CHECK(tw::simd_levels().size() == 1u + has_avx2 + has_avx512);
}
#endif

TEST(a_level_that_is_not_there_is_refused) {
  bool refused = false;
  try {
    tw::set_simd_level("abacus");
  } catch (const std::invalid_argument&) {
    refused = true;
  }
  CHECK(refused);
  for (const std::string& level : tw::simd_levels()) tw::set_simd_level(level);
}
