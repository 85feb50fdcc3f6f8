// Gaussian scores and tests from a scatter matrix: Cholesky factors of small sub-correlation matrices.
//
// Variables are numbered by the rank of their name, and every factor takes its variables in rising order. So
// a number depends on the set of variables only, not on who asks, in which order, or in which batch. Rows of
// a factor depend on earlier rows only: a batch that shares a prefix shares its rows and still gives the same
// bits.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "treewright/arithmetic.hpp"
#include "treewright/cancel.hpp"

namespace treewright::gaussian {

using Rank = std::uint32_t;
using Family = std::pair<Rank, std::vector<Rank>>;

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

/// Gaussian BIC of families. The terms of each set are rounded once, to a multiple of a unit so small and so
/// bounded that doubles add a few of them exactly: score-equivalent changes of a graph tie to the last bit.
class GaussianScore {
 public:
  GaussianScore(std::span<const double> scatter, std::size_t n, double n_rows);

  struct Values {
    std::vector<double> scores;
    std::vector<std::uint8_t> floored;  // the child is a linear function of its parents
  };

  std::size_t size() const { return correlations_.size(); }
  /// The smallest difference of two scores.
  double unit() const { return scale_.value(1); }

  Values local_many(std::span<const Family> families, Cancel& cancel) const;
  /// The child with each candidate added to its parents.
  Values local_additions(const Family& family, std::span<const Rank> candidates, Cancel& cancel) const;

 private:
  std::int64_t set_term(const Factor& factor) const;
  double family_score(Rank child, std::size_t n_parents, std::int64_t with_child, std::int64_t parents) const;
  void check(const Family& family) const;

  Correlations correlations_;
  double n_rows_;
  FixedPoint scale_;
  std::vector<std::int64_t> variable_term_;  // -(m/2) (ln(2 pi variance) + 1)
  std::int64_t penalty_ = 0;                 // (ln m) / 2
};

/// A question of independence: x and y given a set.
struct Question {
  Rank x = 0, y = 0;
  std::vector<Rank> given;
};

/// Why an answer is not an ordinary one; the larger reason wins.
enum class Snag : std::uint8_t {
  none = 0,
  given_is_singular = 1,  // some of the given are linear functions of others: left out
  x_is_determined = 2,    // x is a linear function of the given: statistic 0
  y_is_determined = 3,
  too_few_rows = 4,  // no degree of freedom left: nothing computed
};

/// Partial correlations and their Fisher z statistics.
class PartialCorrelations {
 public:
  PartialCorrelations(std::span<const double> scatter, std::size_t n, double n_rows)
      : correlations_(scatter, n), n_rows_(n_rows) {}

  struct Answers {
    std::vector<double> correlation, statistic, freedom;
    std::vector<std::uint8_t> snag;
  };

  std::size_t size() const { return correlations_.size(); }
  Answers ask(std::span<const Question> questions, Cancel& cancel) const;
  /// x against each partner, given one set.
  Answers ask_partners(Rank x, std::span<const Rank> given, std::span<const Rank> partners,
                       Cancel& cancel) const;

 private:
  Correlations correlations_;
  double n_rows_;
};

}  // namespace treewright::gaussian
