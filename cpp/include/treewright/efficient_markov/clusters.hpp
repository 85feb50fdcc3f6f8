// A mixture of products of independent variables: the start of everything that has hidden states.
//
// Components begin as single rows, drawn by weight and blended with the marginals, and are improved by a few
// steps of EM. Sums over rows are made chunk by chunk in a fixed order.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "treewright/counting/row_set.hpp"
#include "treewright/parallel/cancel.hpp"

namespace treewright {

/// Frequencies of the states of every column, never zero: one pseudo-row is spread over the states.
std::vector<std::vector<double>> smoothed_marginals(const RowSet& rows);

struct Clusters {
  std::size_t size = 0;
  std::vector<double> weights;                 // of the clusters; they sum to one
  std::vector<std::vector<double>> emissions;  // per column: [state * size + cluster], sums over states one

  double work = 0;  // nominal nanoseconds that finding them took

  /// Throws std::invalid_argument unless the rows have the columns that were clustered.
  void check_columns(const RowSet& rows) const;
  /// Posterior of the clusters, [row * size + cluster].
  std::vector<double> responsibilities(const RowSet& rows, Cancel& cancel) const;
};

struct ClusterOptions {
  std::size_t clusters = 16;
  std::size_t steps = 12;
  std::uint64_t seed = 0;
  double pull = 1;  // pseudo-rows, distributed as the marginals, in each cluster
};

Clusters find_clusters(const RowSet& rows, const ClusterOptions& options, Cancel& cancel);

}  // namespace treewright
