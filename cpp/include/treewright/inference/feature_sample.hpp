// Drawing rows of a feature graph given evidence: one pass upwards, then a walk from the root for each row.
#pragma once

#include "treewright/inference/feature_eval.hpp"

namespace treewright::features {

/// Draw rows first_row ... first_row + n_rows - 1; row r depends on the seed and r alone. Returns the log of
/// the evidence's mass; nothing is drawn where it is minus infinity. `common`: likelihoods of all states.
double sample_rows(const Program& program, std::vector<double> common, std::uint64_t seed,
                   std::uint64_t first_row, std::size_t n_rows, std::span<const Column> columns,
                   Cancel& cancel);

}  // namespace treewright::features
