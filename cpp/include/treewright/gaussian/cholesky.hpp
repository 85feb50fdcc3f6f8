// Cholesky factors of small sub-correlation matrices, grown one variable at a time.
//
// Variables are numbered by the rank of their name, and every factor takes its variables in rising order. So
// a number depends on the set of variables only, not on who asks, in which order, or in which batch. Rows of
// a factor depend on earlier rows only: a batch that shares a prefix shares its rows and still gives the same
// bits.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace treewright::gaussian {

using Rank = std::uint32_t;

/// A conditional variance below this share of the variance counts as zero.
inline constexpr double kSingular = 1e-12;

/// A correlation matrix; a constant column is uncorrelated with every other.
class Correlations {
 public:
  /// `scatter`: n x n, centred.
  Correlations(std::span<const double> scatter, std::size_t n);

  std::size_t size() const { return n_; }
  double operator()(Rank i, Rank j) const { return values_[i * n_ + j]; }
  bool is_constant(Rank i) const { return constant_[i]; }

 private:
  std::size_t n_;
  std::vector<double> values_;
  std::vector<bool> constant_;
};

/// The Cholesky factor of a sub-correlation matrix, grown one variable at a time.
class Factor {
 public:
  explicit Factor(const Correlations& correlations) : correlations_(&correlations) {}

  std::size_t size() const { return members_.size(); }
  std::span<const Rank> members() const { return members_; }

  /// The row of `v` against the members; returns the variance of `v` given them.
  double project(Rank v, std::vector<double>& row) const;
  /// Add `v`; a variance given the members below `kSingular` is raised to it.
  void push(Rank v);
  /// Add `v` unless it is a linear function of the members; says whether it was added.
  bool push_unless_singular(Rank v);
  void truncate(std::size_t size);
  /// Become the factor of these, in rising order.
  void assign(std::span<const Rank> members);
  /// Become the factor of another one's members and `extra`, in rising order; rows before `extra` are shared.
  void assign(const Factor& base, Rank extra);

  double log_determinant() const;
  /// Members whose variance given the earlier ones was raised.
  std::size_t n_floored() const;
  /// Solve R x = b in place, R the (floored) correlations of the members.
  void solve(std::span<double> b) const;

 private:
  void append(Rank v, double variance);
  const double* row(std::size_t i) const { return rows_.data() + i * (i + 1) / 2; }

  const Correlations* correlations_;
  std::vector<Rank> members_;
  std::vector<double> rows_;      // packed lower triangle, the diagonal inverted
  std::vector<double> variance_;  // squared diagonal, kSingular where raised
  std::vector<double> scratch_;
  std::vector<Rank> scratch_members_;
};

}  // namespace treewright::gaussian
