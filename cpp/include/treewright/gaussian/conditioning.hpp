// A linear network given some of its variables, exactly and without forming a covariance.
//
// Write every variable as its mean plus a row of influences times independent standard normal numbers, one
// per variable. Observing variables fixes their rows' products; an orthonormal basis of those rows (built in
// topological order, twice projected) splits the numbers into a known part and a free part. Means come from
// the known part, variances are the squared length of a row's free part: never a difference of two large
// numbers. A row inside the span of earlier ones belongs to a variable that those determine.
//
// What is observed first cuts the arcs that leave it; the network falls apart into blocks that are solved on
// their own, so the price depends on the blocks and not on the network.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "treewright/gaussian/normal_network.hpp"
#include "treewright/parallel/cancel.hpp"

namespace treewright::normal {

/// A row whose free part is shorter than this share of the row counts as determined.
inline constexpr double kDetermined = 1e-10;

/// Variables that what is observed has not made independent, in topological order.
struct Block {
  std::vector<Var> members;
  std::vector<Var> observed;  // a part of the members
};

/// The blocks that matter for what is wanted and for the density of what is observed.
std::vector<Block> blocks_given(const Network& network, std::span<const Var> observed,
                                std::span<const Var> wanted);

/// What is known once values are observed.
struct Posterior {
  std::vector<double> mean;         // of every wanted variable; NaN for those that do not matter
  double log_density = 0;           // of what is observed; determined variables add nothing
  std::optional<Var> contradicted;  // a determined variable whose value is another one
};

class Conditioning {
 public:
  Conditioning(const Network& network, std::span<const Var> observed, std::span<const Var> wanted,
               Cancel& cancel);

  /// `values` in the order in which the observed variables were given.
  Posterior at(std::span<const double> values) const;
  std::vector<double> variances(std::span<const Var> targets, Cancel& cancel) const;
  /// The covariance of targets, row after row.
  std::vector<double> covariance(std::span<const Var> targets, Cancel& cancel) const;
  /// The mean of one target for every row of observed columns; NaN where a row contradicts the network.
  void predict(std::span<const double* const> columns, Var target, std::span<double> out,
               Cancel& cancel) const;
  /// Draw rows; one column per variable, all of them wanted.
  void sample(std::span<const double> values, std::uint64_t seed, std::size_t n_rows,
              std::span<double* const> columns, Cancel& cancel) const;

 private:
  struct Solved {
    Block block;
    std::size_t stride = 0;          // members, rounded up to whole lanes
    std::vector<double> basis;       // one padded row per independent observation
    std::vector<double> triangle;    // per observation: its products with the basis so far
    std::vector<std::size_t> start;  // where each observation's products begin
    std::vector<double> own;         // length of its free part; 0 when determined
    std::size_t rank() const { return stride == 0 ? 0 : basis.size() / stride; }
  };

  void solve(Solved& solved, Cancel& cancel) const;
  void influence(const Solved& solved, Var v, std::vector<double>& row) const;
  void project(const Solved& solved, std::vector<double>& row, std::vector<double>& products) const;
  std::vector<double> free_part(Var target) const;
  void forward(std::span<const double> values, std::vector<double>& mean, std::vector<double>& made_of) const;
  bool whiten(const Solved& solved, std::span<const double> values, std::span<const double> mean,
              std::span<const double> made_of, std::vector<double>& known, double& log_density,
              std::optional<Var>& contradicted) const;
  std::vector<double> known_noise(std::span<const double> values, Posterior& posterior) const;

  const Network* network_;
  std::vector<int> place_;             // among the observed, or -1
  std::vector<std::size_t> home_;      // block of each variable that matters
  std::vector<std::size_t> position_;  // inside its block
  std::vector<Var> order_;             // the variables that matter
  std::vector<Solved> blocks_;
};

}  // namespace treewright::normal
