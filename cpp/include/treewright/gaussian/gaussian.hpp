// Gaussian BIC from a scatter matrix: a family's likelihood is a difference of log-determinants.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "treewright/counting/arithmetic.hpp"
#include "treewright/gaussian/cholesky.hpp"
#include "treewright/parallel/cancel.hpp"

namespace treewright::gaussian {

/// A child and its parents, in any order.
using Family = std::pair<Rank, std::vector<Rank>>;

/// Refuse families that name a variable twice, or one that is not among `n_variables`.
void check_family(const Family& family, std::size_t n_variables);

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

  Correlations correlations_;
  double n_rows_;
  FixedPoint scale_;
  std::vector<std::int64_t> variable_term_;  // -(m/2) (ln(2 pi variance) + 1)
  std::int64_t penalty_ = 0;                 // (ln m) / 2
};

}  // namespace treewright::gaussian
