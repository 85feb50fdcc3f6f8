// Permutation test of conditional independence, from counts alone.
//
// Shuffling u within the strata of the conditioning set is the same as drawing random tables with the margins
// of each stratum, so no row is needed. With fixed margins G2 and mutual information move with the sum of n
// ln n over cells; that sum is an integer here, so "at least as large" has no rounding in it.
#pragma once

#include <cstdint>
#include <span>

#include "treewright/criteria/independence.hpp"
#include "treewright/parallel/cancel.hpp"

namespace treewright {

struct PermutationSettings {
  std::int64_t permutations = 200;
  double alpha = 0.05;
  bool stop_early =
      true;  // once the decision at `alpha` is certain; p is then a bound on its own side of alpha
};

/// p = (1 + permutations at least as extreme) / (permutations + 1). `key` seeds the draws of this test.
double permutation_p(const PermutationSettings& settings, const TestTable<std::int64_t>& table,
                     std::uint64_t key, Cancel& cancel);

/// Many tests, each with its own key: the answers do not depend on the batch or on the number of threads.
void permutation_p(const PermutationSettings& settings, std::span<const TestTable<std::int64_t>> tables,
                   std::span<const std::uint64_t> keys, std::span<double> p, Cancel& cancel);

}  // namespace treewright
