// All marginals of a feature graph at once: how much of every row flows through each node.
//
// The flow of a node is the probability, given the evidence, that the row went through it: one at the root,
// shared among the children of splits, features and mixtures in proportion to what they say of the evidence,
// passed on whole by products. It is a plain number in [0, 1], so nothing is subtracted and nothing
// overflows. What arrives at a state is its marginal; what arrives at a parameter is its expected count.
#pragma once

#include "treewright/inference/feature_eval.hpp"

namespace treewright::features {

/// After `pass_up`: send `weights[row]` (null: one each) down from the root. Rows of probability zero send
/// nothing. Marginals are [state][row]; counts are in the layout of the arena's numbers. Either may be null.
void pass_down(const Program& program, Workspace& space, const double* weights, double* marginals,
               double* counts);

/// The distributions of the wanted variables given each row, side by side in `out` (rows x states), and the
/// logarithm of each row's probability. Impossible rows get not-a-number, and minus infinity. Equal rows are
/// asked once.
void marginals_many(const Program& program, const Evidence& evidence, std::span<const std::uint32_t> wanted,
                    std::span<double> out, std::span<double> log_mass, Cancel& cancel);

/// Add the expected counts of all parameters, rows counted by `weights` (null: once), and return the weighted
/// log-likelihood: the E-step of expectation maximisation.
double add_expected_counts(const Program& program, const Evidence& evidence, const double* weights,
                           std::span<double> counts, Cancel& cancel);

}  // namespace treewright::features
