// Families whose child follows a sigmoid of its parents: t = th0 + th1 sigma(b + w . x) + noise.
//
// For fixed (b, w) the levels th0 and th1 are a least-squares line through sigma, so only (b, w) is searched
// (variable projection), by Levenberg-Marquardt on standardised columns. A fit is a function of its family
// and of nothing else: the warm start comes from a smaller family that the data choose, never from what was
// asked before. The memo therefore changes the time of a fit and not its bits.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <span>
#include <vector>

#include "treewright/gaussian/gaussian.hpp"
#include "treewright/gaussian/moments.hpp"
#include "treewright/parallel/cancel.hpp"
#include "treewright/parallel/fork_mutex.hpp"

namespace treewright::gaussian {

/// One regression on standardised columns, all of one length that is a multiple of four. `root` holds the
/// root of each row's weight, and 0 in rows that only pad. A slope is (b, w).
class SigmoidProblem {
 public:
  /// `child` is multiplied by `root`, has mean 0 and total square `n_rows`; parents are as they are.
  SigmoidProblem(const double* child, std::vector<const double*> parents, std::span<const double> root,
                 double n_rows);

  struct Fit {
    double square = 0;  // residual sum of squares
    double low = 0, height = 0;
    std::vector<double> slope;
  };

  /// The best levels for a slope.
  Fit at(std::span<const double> slope);
  /// Half the gradient and the Gauss-Newton matrix of the residual square, at the last call of `at`.
  void linearise(const Fit& fit, std::vector<double>& gradient, std::vector<double>& matrix);
  /// Levenberg-Marquardt from a start.
  Fit descend(std::span<const double> start, Cancel& cancel);

  std::size_t n_slopes() const { return parents_.size() + 1; }

 private:
  const double* child_;
  std::vector<const double*> parents_;
  std::span<const double> root_;
  double n_rows_;
  // all but sigma are multiplied by root
  std::vector<double> sigma_, centred_, residual_, columns_;
  double spread_ = 0;  // total square of the centred sigma
};

/// The fit of one family, in the units of the data.
struct SigmoidFit {
  double th0 = 0, th1 = 0, b = 0;
  std::vector<double> w;  // in the order in which the parents were given
  double variance = 0, log_likelihood = 0;
};

/// Fits of families over one table; columns, and their moments, are in name order.
class SigmoidFamilies {
 public:
  SigmoidFamilies(std::span<const double* const> columns, std::size_t n_rows, std::span<const double> weights,
                  const MomentSums& moments);

  std::size_t size() const { return correlations_.size(); }
  double n_rows() const { return total_; }

  std::vector<SigmoidFit> fit_many(std::span<const Family> families, Cancel& cancel);
  /// Places of the `keep` candidates that a linear model with these parents would gain most from, rising.
  std::vector<std::size_t> screen(const Family& family, std::span<const Rank> candidates,
                                  std::size_t keep) const;
  std::vector<double> log_likelihoods(std::span<const Family> families, Cancel& cancel);

 private:
  using Fit = SigmoidProblem::Fit;
  using Stored = std::shared_ptr<const Fit>;

  const double* column(Rank v) const { return standard_.data() + v * root_.size(); }
  Stored standardised_fit(Rank child, const std::vector<Rank>& rising, Cancel& cancel);
  Fit search(Rank child, const std::vector<Rank>& rising, Cancel& cancel);
  double log_likelihood(Rank child, double square) const;
  SigmoidFit in_units(const Family& family, const std::vector<Rank>& rising, const Fit& fit) const;
  std::size_t least_useful(Rank child, const std::vector<Rank>& rising, std::vector<double>& direction) const;

  std::size_t rows_;
  double total_ = 0;
  std::vector<double> root_, standard_, mean_, deviation_;
  Correlations correlations_;
  ForkMutex mutex_;
  std::map<std::vector<Rank>, Stored> memo_;  // child, then its parents
};

}  // namespace treewright::gaussian
