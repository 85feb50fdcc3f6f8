// Tables of many scopes in few passes over the rows.
//
// Scopes that share all variables but one are counted together by kernel B; most pairs at once by the kernel
// of pairs; the rest one by one. However they are counted, the integers are the same.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "treewright/counting/packed.hpp"

namespace treewright {

struct CountPlan {
  struct Pass {  // one context, and for each scope the variable that it has beside it
    std::vector<std::uint32_t> context, partners;
    std::vector<std::size_t> scopes;
  };
  std::vector<std::size_t> pairs;  // scopes that are answered by counts of all pairs
  std::vector<Pass> passes;
  std::vector<std::size_t> alone;

  /// How often the rows are read.
  std::size_t n_passes() const { return (pairs.empty() ? 0 : 1) + passes.size() + alone.size(); }
};

CountPlan plan_counts(const PackedTable& table, const std::vector<std::vector<std::uint32_t>>& scopes);

/// Add the tables of all scopes to `outs`, as planned, in threads; for tables without real weights.
void add_planned(const PackedTable& table, const std::vector<std::vector<std::uint32_t>>& scopes,
                 const std::vector<std::span<std::int64_t>>& outs, const CountPlan& plan, Cancel& cancel);

}  // namespace treewright
