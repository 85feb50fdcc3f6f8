// Which of the compiled kernels this process uses.
#pragma once

#include <string>
#include <vector>

#include "treewright/counting/kernels.hpp"

namespace treewright {

/// The kernels in use: the widest level that this processor has, or the one that the environment variable
/// TREEWRIGHT_SIMD names (baseline, avx2, avx512).
const Kernels& kernels();

/// Levels that this build and this processor have, narrowest first.
std::vector<std::string> simd_levels();

/// Switch to another level, for tests; throws std::invalid_argument for one that is not there.
void set_simd_level(const std::string& level);

}  // namespace treewright
