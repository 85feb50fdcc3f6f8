// What passes over the rows cost, in nanoseconds of one core of 2024; only ratios matter to results.
#pragma once

#include "treewright/efficient_markov/hidden_tree.hpp"

namespace treewright {

inline double up_nanoseconds(const HiddenTree& tree, std::size_t rows) {
  const double states = static_cast<double>(tree.states());
  return static_cast<double>(rows * tree.size()) * states * (0.06 * states + 0.5);
}

inline double pass_nanoseconds(const HiddenTree& tree, std::size_t rows) {
  return 3 * up_nanoseconds(tree, rows);
}

}  // namespace treewright
