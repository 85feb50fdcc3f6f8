// Sum-product messages on a factor graph with cycles, and the Bethe free energy that they end at.
//
// On a graph without cycles the messages settle and all numbers are exact. With cycles the estimate of the
// partition function is neither an upper nor a lower bound (Yedidia, Freeman & Weiss 2005).
#pragma once

#include "treewright/inference/sampling.hpp"

namespace treewright {

struct LoopySettings {
  double damping = 0.5;  // share of the old message that stays
  double tolerance = 1e-8;
  std::size_t most_sweeps = 1000;
};

struct LoopyBeliefs {
  std::vector<double> marginals;  // of every variable, side by side
  double log_partition = 0;       // Bethe
  double residual = 0;            // largest change of a message in the last sweep
  std::size_t sweeps = 0;
};

/// `order`: the tables in the order in which their messages are renewed. Tables hold nothing negative.
LoopyBeliefs propagate_loopily(const ScopedTables& product, std::span<const std::uint32_t> order,
                               const LoopySettings& settings, Cancel& cancel);

/// For every row the sum over variables of the log-probability of its state given all others.
void pseudo_log_rows(const ScopedTables& product, std::span<const ConstColumn> columns, std::span<double> out,
                     Cancel& cancel);

}  // namespace treewright
