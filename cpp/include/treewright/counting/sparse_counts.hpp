// Contingency tables too large to lay out: a hash of the cells that occur (kernel D).
#pragma once

#include <cstdint>
#include <vector>

#include "treewright/counting/counts.hpp"

namespace treewright {

/// Occupied cells only: radix codes (C order, rising) and their counts. Fewer than 2^63 cells.
template <class Count>
struct SparseTable {
  std::vector<std::int64_t> codes;
  std::vector<Count> counts;
};
SparseTable<std::int64_t> sparse_counts(const PackedTable& table, ScopeView scope, Cancel& cancel);
SparseTable<double> sparse_real_counts(const PackedTable& table, ScopeView scope, Cancel& cancel);

}  // namespace treewright
