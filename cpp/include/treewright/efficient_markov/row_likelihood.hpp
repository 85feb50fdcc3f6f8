// How probable a feature graph makes the rows of a set.
#pragma once

#include <vector>

#include "treewright/counting/row_set.hpp"
#include "treewright/inference/feature_graph.hpp"
#include "treewright/parallel/cancel.hpp"

namespace treewright {

/// Natural logarithm of the probability of each distinct row. The columns of the set are the variables of the
/// graph.
std::vector<double> log_probabilities(const features::Arena& graph, const RowSet& rows, Cancel& cancel);

/// Weighted mean over the rows, in nats; 0 for a set without rows.
double mean_log_likelihood(const features::Arena& graph, const RowSet& rows, Cancel& cancel);

}  // namespace treewright
