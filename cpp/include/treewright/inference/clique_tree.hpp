// A junction tree that is visited many times with other numbers: what fitting needs.
//
// The forest engine plans for a question and forgets; a fit asks the same question hundreds of times, about
// the joint distribution of every scope that carries a parameter. Here the tree is given, every clique keeps
// its table, and each scope has a home: a clique that holds it.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "treewright/inference/factors.hpp"
#include "treewright/inference/nest.hpp"
#include "treewright/parallel/cancel.hpp"

namespace treewright::forests {

inline constexpr std::uint32_t kRoot = 0xFFFFFFFF;

struct CliqueTreeShape {
  std::vector<std::uint32_t> cardinalities;
  std::vector<std::vector<Var>> cliques;
  std::vector<std::uint32_t> parents;  // kRoot, or a clique; subtrees stand together, their root first
  std::vector<std::vector<Var>> scopes;
  std::vector<std::uint32_t> homes;  // per scope
};

class CliqueTree {
 public:
  /// Throws std::invalid_argument unless cliques stand in depth-first order and scopes lie in their homes.
  /// That the cliques of a variable hang together is the caller's promise.
  explicit CliqueTree(CliqueTreeShape shape);

  /// A table over a clique's variables beside one over some of them.
  struct Walk {
    std::vector<Axis> axes;
    std::uint64_t cells;  // of the smaller one
    Nest nest() const { return axes; }
  };

  std::size_t n_cliques() const { return shape_.cliques.size(); }
  std::size_t n_scopes() const { return shape_.scopes.size(); }
  std::uint32_t parent(std::size_t clique) const { return shape_.parents[clique]; }
  std::uint64_t cells(std::size_t clique) const { return cells_[clique]; }
  /// The scopes at home in a clique.
  const std::vector<std::uint32_t>& at_home(std::size_t clique) const { return at_home_[clique]; }
  const Walk& scope_walk(std::size_t scope) const { return scope_walks_[scope]; }
  /// The clique beside what it shares with its parent, and the parent beside the same.
  const Walk& separator_walk(std::size_t clique) const { return below_[clique]; }
  const Walk& parent_walk(std::size_t clique) const { return above_[clique]; }
  /// Where the cells of each scope begin when all are laid side by side; one more entry for the end.
  std::span<const std::uint64_t> offsets() const { return offsets_; }

  /// The joint distribution of every scope under the product of tables exp(logs), one table per scope, side
  /// by side; returns the logarithm of the sum of the product, minus infinity when there is nothing.
  double marginals(std::span<const double> logs, std::span<double> out, Cancel& cancel) const;

 private:
  void check_order() const;
  Walk walk(const std::vector<Var>& outer, const std::vector<Var>& inner) const;
  template <class Cell>
  double calibrate(std::span<const double> logs, std::span<double> out, bool& weak, Cancel& cancel) const;

  CliqueTreeShape shape_;
  std::vector<std::uint64_t> cells_, offsets_;
  std::vector<std::vector<std::uint32_t>> at_home_;
  std::vector<Walk> scope_walks_, below_, above_;
};

}  // namespace treewright::forests
