// Columns that say the same in other words.
#pragma once

#include <vector>

#include "treewright/counting/packed.hpp"

namespace treewright {

/// Groups of columns that are one-to-one relabellings of each other in every row that counts; each rises, and
/// groups are sorted. Constant columns, of which all are copies of each other, are left out.
std::vector<std::vector<std::uint32_t>> find_copies(const PackedTable& table, Cancel& cancel);

}  // namespace treewright
