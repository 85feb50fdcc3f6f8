// Pseudo-likelihood of weighted features over rows, and what one more feature would gain.
//
// A feature is a conjunction of literals "variable v is in state s", s > 0: the first state is what the
// others are compared with. Moving variable v to state s in a row makes the feature hold iff its other
// literals hold there; those rows are listed once, when the feature comes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "treewright/parallel/cancel.hpp"

namespace treewright {

class FeatureDesign {
 public:
  /// Literals of a conjunction, rising; no two of one variable.
  using Conjunction = std::vector<std::uint32_t>;
  struct Gain {
    double gain = 0, weight = 0;
  };

  /// `codes`: column by column. Literals are numbered by variable, then state.
  FeatureDesign(std::span<const std::uint32_t> codes, std::span<const double> weights,
                std::vector<std::uint32_t> cardinalities);

  std::size_t n_literals() const { return variables_.size(); }
  std::size_t n_features() const { return features_.size(); }
  double total() const { return total_; }

  /// Says how many rows (by weight) the feature holds in.
  double add(Conjunction feature);
  /// Pseudo-log-likelihood, summed over rows and variables; its gradient.
  double evaluate(std::span<const double> weights, std::span<double> gradient, Cancel& cancel);
  /// Every conjunction of a feature with one more literal that holds in some row and is no feature yet,
  /// in rising order.
  std::vector<Conjunction> candidates(std::size_t most_literals, Cancel& cancel) const;
  /// At the weights of the last evaluation: the best weight of each conjunction alone, and what it gains,
  /// weight^2 / (2 variance) taken off.
  std::vector<Gain> gains(const std::vector<Conjunction>& conjunctions, double variance,
                          Cancel& cancel) const;

 private:
  using Words = std::vector<std::uint64_t>;
  Words holding(const Conjunction& feature, std::uint32_t except) const;
  void check(const Conjunction& feature) const;
  Gain gain(const Conjunction& conjunction, double variance) const;

  std::size_t rows_, words_;
  double total_ = 0;
  std::vector<double> row_weights_;
  std::vector<std::uint32_t> variables_,
      offsets_;                      // variable of each literal; first literal of each variable
  std::vector<std::uint64_t> bits_;  // literals x words: the rows in which one holds
  std::vector<Conjunction> features_;
  struct Use {
    std::uint32_t literal;
    std::vector<std::uint32_t> rows;  // where the feature's other literals hold
  };
  std::vector<std::vector<Use>> uses_;  // per feature; atomic ones hold everywhere and list nothing
  std::vector<double> shares_;          // literals x rows: P(variable in that state | the others)
};

}  // namespace treewright
