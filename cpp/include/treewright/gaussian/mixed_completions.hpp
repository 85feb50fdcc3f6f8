// Rows of states and numbers with gaps, completed in every way that a conditional Gaussian network allows.
//
// Given what a row shows, its gaps fall into groups that know nothing of each other. In each joint state of
// the states of a group its numbers are jointly Normal, and what is shown says how probable that state is. So
// the moments of any numbers in any joint states are a sum of products over the groups that they touch:
// exact, and the same for any number of threads, since rows are added in runs of a fixed length.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "treewright/inference/forest_plan.hpp"
#include "treewright/parallel/cancel.hpp"

namespace treewright::mixed {

using Var = std::uint32_t;

struct Table {
  std::vector<Var> states;    // parents, then the child
  std::vector<double> cells;  // in C order
};

/// The lines of one number: one for each joint state of its discrete parents, in C order.
struct Lines {
  Var child;
  std::vector<Var> states, numbers;
  std::vector<double> intercepts, slopes, variances;
};

struct Network {
  std::vector<std::uint32_t> cardinalities;  // of the states
  std::size_t n_numbers = 0;
  std::vector<Table> tables;
  std::vector<Lines> lines;  // parents before children

  void validate() const;
};

/// Columns of codes, -1 where a cell is missing, and of numbers, NaN where one is.
struct Rows {
  std::size_t n_rows = 0;
  std::vector<const std::int32_t*> states;
  std::vector<const double*> numbers;
  std::vector<const double*> weights;  // one column, or none
};

/// Some numbers of a group, jointly Normal in each of its joint states.
struct Normals {
  std::vector<Var> numbers;
  std::vector<std::uint32_t> which;      // of each joint state that is kept
  std::vector<double> mean, covariance;  // a vector and a matrix each
};

/// Gaps of one row that hang together.
struct Group {
  std::vector<Var> states;
  std::vector<std::uint32_t> codes;  // of these, in each joint state that is kept
  std::vector<double> shares;        // of each
  std::vector<Normals> normals;

  std::size_t bytes() const;
};

/// What is known of numbers in the joint states that occur, those in rising order.
struct StateMoments {
  std::vector<std::int64_t> cells;
  std::vector<double> n, mean, scatter;
};

/// The groups of one row; `log_density` becomes that of what the row shows. Throws TooLarge beyond
/// `most_states` joint states of a group.
std::vector<Group> groups_of(const Network& network, const Rows& rows, std::size_t row, double most_states,
                             double& log_density);

class Completions {
 public:
  /// Throws TooLarge where what is kept of the rows would exceed `limit` bytes, and std::domain_error for
  /// rows that the network forbids.
  Completions(Network network, Rows rows, double limit, Cancel& cancel);

  /// Of what each row shows.
  std::span<const double> log_densities() const { return log_densities_; }
  StateMoments in_states(std::span<const Var> states, std::span<const Var> numbers, Cancel& cancel) const;
  /// Probabilities of every state of one variable, row after row.
  std::vector<double> state_shares(Var variable, Cancel& cancel) const;
  /// Mean and variance of one number, row after row.
  std::vector<double> number_moments(Var number, Cancel& cancel) const;

 private:
  friend class RowMoments;
  Network network_;
  Rows rows_;
  std::vector<std::vector<Group>> groups_;
  std::vector<double> log_densities_;
};

}  // namespace treewright::mixed
