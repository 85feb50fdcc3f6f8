// A product of tables over scopes: what both directed and undirected networks are to the engine.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace treewright::forests {

using Var = std::uint32_t;

/// A table over a scope in C order, the last variable innermost. The cells belong to somebody else.
struct Factor {
  std::vector<Var> scope;
  std::span<const double> cells;
  bool has_zeros = false;
};

/// Factors whose product is the distribution, up to one constant. Tables hold nothing negative, and nothing
/// above one or so (potentials are scaled on the way in).
struct FactorSet {
  std::vector<std::uint32_t> cardinalities;
  std::vector<Factor> factors;
  /// Factor v is the table of variable v given the rest of its scope, with rows that sum to one. Then what is
  /// neither asked for nor an ancestor of something asked or observed can be left out.
  bool directed = false;
  bool tiny = false;  // some table holds a number with fewer digits than others, below 2^-1022
  /// The order in which variables and factors are worked on, so that their numbers do not show in an answer:
  /// all of them, each once. As they come when empty.
  std::vector<Var> order = {};
  std::vector<std::uint32_t> factor_order = {};

  std::size_t size() const { return cardinalities.size(); }
  /// Throws std::invalid_argument unless scopes and sizes fit together; notes where there are zeros and
  /// tiny numbers.
  void validate();
  Var variable_at(std::size_t i) const { return order.empty() ? static_cast<Var>(i) : order[i]; }
  std::uint32_t factor_at(std::size_t i) const {
    return factor_order.empty() ? static_cast<std::uint32_t>(i) : factor_order[i];
  }
};

/// What is known: states of some variables, likelihoods of the states of others.
struct Evidence {
  std::vector<Var> observed;
  std::vector<std::uint32_t> states;
  std::vector<Var> weighted;
  std::vector<std::vector<double>> likelihoods;

  bool empty() const { return observed.empty() && weighted.empty(); }
};

/// Ancestors of `wanted` (themselves included) in a directed set, as one flag per variable.
std::vector<char> ancestors(const FactorSet& set, std::span<const Var> wanted);

/// The sum of logarithms of many numbers, as a running product while that is safe.
class LogProduct {
 public:
  void multiply(double x);
  void add_log(double log) { log_ += log; }
  double log() const;

 private:
  double product_ = 1, log_ = 0;
};

}  // namespace treewright::forests
