// Contingency tables of any scope: by masks and popcounts (A) or by histograms of codes (C), whichever is
// cheaper. Every function adds into its output, so blocks and shards add up by construction.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "treewright/counting/packed.hpp"

namespace treewright {

using ScopeView = std::span<const std::uint32_t>;

/// How to count; `automatic` asks the cost model, the others force a kernel (tests and benchmarks).
enum class CountKernel { automatic, masks, grouped, histogram };

/// Product of the cardinalities, as a double: it may exceed every integer.
double cells_of(const PackedTable& table, ScopeView scope);

/// Add the table of `scope`, in C order, to `out`; for tables without real weights.
void add_counts(const PackedTable& table, ScopeView scope, std::span<std::int64_t> out, Cancel& cancel,
                CountKernel kernel = CountKernel::automatic);
/// The same for real weights; rows are added in their order, so the sums do not depend on threads.
void add_counts(const PackedTable& table, ScopeView scope, std::span<double> out, Cancel& cancel);

/// Add many tables, in threads; the outputs must not overlap.
template <class Count>
void add_counts_many(const PackedTable& table, const std::vector<std::vector<std::uint32_t>>& scopes,
                     const std::vector<std::span<Count>>& outs, Cancel& cancel);

/// Mutual information of all pairs in nats, n x n, zero on the diagonal; without storing cells.
std::vector<double> pairwise_information(const PackedTable& table, ScopeView vars, Cancel& cancel);

/// Sum of n ln n over the pairs' cells, for scores: matrix n x n of H(x, y), with H(x) on the diagonal, in
/// fixed point of `x_log_x_scale(total)`.
std::vector<std::int64_t> pairwise_terms(const PackedTable& table, ScopeView vars, Cancel& cancel);

}  // namespace treewright
