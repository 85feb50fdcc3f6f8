// The most probable explanation: the best row that agrees with the evidence.
//
// Sums become maxima on the way up, and the choices are read off on the way down: exact for a deterministic
// graph. With mixtures or hidden states the maximum is over the row *and* the hidden choices, so the row is
// only a candidate: its probability is a lower bound, improved by changing one variable at a time, and the
// same pass with hidden choices summed out gives an upper bound.
#pragma once

#include "treewright/inference/feature_eval.hpp"

namespace treewright::features {

struct BestRow {
  std::vector<std::uint32_t> codes;
  double log_mass;   // of this row under the evidence's likelihoods
  double log_bound;  // no row has more
};

/// `common`: likelihoods of all states, at most one. Ties go to the lower states. Codes mean nothing where
/// `log_mass` is minus infinity.
BestRow most_probable(const Program& program, std::vector<double> common, Cancel& cancel);

}  // namespace treewright::features
