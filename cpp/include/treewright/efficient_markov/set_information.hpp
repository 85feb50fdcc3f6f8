// How much the parts of a set of variables tell about each other: the least information over all cuts.
//
// For a fixed set A, I(X; A \ X) is a symmetric submodular function of X, so its minimum over the proper
// non-empty X is found by Queyranne's algorithm (1998) with a cubic number of evaluations.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <unordered_map>
#include <vector>

#include "treewright/efficient_markov/row_context.hpp"

namespace treewright {

/// A cut of a set of at most 32 members: the bits of one side, and its value.
struct Cut {
  std::uint32_t side;
  double value;
};

/// The least value of a symmetric submodular function over the proper non-empty parts of n >= 2 members.
Cut least_cut(std::size_t n, const std::function<double(std::uint32_t)>& value);

/// Entropies of the parts of a set of variables in a context.
class SetInformation {
 public:
  /// `scope`: local positions. Throws std::invalid_argument when the states of the set do not fit 64 bits.
  SetInformation(const RowContext& context, std::span<const std::uint32_t> scope);

  /// In nats.
  double entropy(std::uint32_t part);
  /// I(part; rest), never negative.
  double across(std::uint32_t part);
  Cut least() {
    return least_cut(size_, [this](std::uint32_t part) { return across(part); });
  }

 private:
  std::size_t size_;
  std::vector<std::uint64_t> fields_;                             // the bits of each variable
  std::vector<std::pair<std::uint64_t, double>> configurations_;  // those that occur, with their rows
  double total_;
  std::unordered_map<std::uint32_t, double> known_;
};

}  // namespace treewright
