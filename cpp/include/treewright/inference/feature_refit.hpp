// Parameters of a feature graph from counts, in closed form.
//
// The numbers of an arena fall into distributions, each contiguous. With counts N and a Dirichlet prior of
// total weight alpha per node, of which each parameter has a share, p = (N + alpha share) / sum. A cell that
// a feature known to be false forbids has no share and stays at zero.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "treewright/inference/feature_graph.hpp"

namespace treewright::features {

struct Parameters {
  std::vector<std::uint64_t> begin;  // of each distribution, in the numbers; one more than there are
  std::vector<double> share;         // of the prior's weight, per number; zero: forbidden
};

Parameters parameters_of(const Arena& arena);

/// The numbers that maximise the posterior mean's likelihood; a distribution without a row follows its
/// shares.
std::vector<double> estimate(const Parameters& parameters, std::span<const double> counts, double alpha);

/// Sum of alpha * share * number: what the prior adds to the log-likelihood.
double log_prior(const Parameters& parameters, std::span<const double> numbers, double alpha);

}  // namespace treewright::features
