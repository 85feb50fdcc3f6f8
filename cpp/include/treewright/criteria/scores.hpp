// Decomposable scores of discrete families, from tables of counts.
//
// Every score here is a difference of set functions, S(parents + child) - S(parents): the sum of f(count)
// over the cells of a table, less a penalty that knows only the number of cells. Each S is rounded once, to a
// grid on which doubles add without error. Hence structures that the score cannot tell apart tie to the last
// bit, in whatever order a search adds and subtracts local scores (exact up to totals of 256 nats a row).
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "treewright/counting/arithmetic.hpp"
#include "treewright/parallel/cancel.hpp"

namespace treewright {

enum class ScoreKind { log_likelihood, aic, bic, bdeu, k2, qnml };

struct ScoreSettings {
  ScoreKind kind = ScoreKind::bic;
  double ess = 1;  // BDeu: equivalent sample size; K2: imaginary rows in every cell
};

/// How one family (child with r states, q declared parent configurations) is judged:
/// local = value(sum over cells of joint(N_jk)) - value(sum over configurations of parent(N_j)) - penalty.
struct FamilyTerms {
  CellTerm joint;
  CellTerm parent;
  double penalty;
};

class FamilyScore {
 public:
  /// The scale follows from the rows and the settings only. `n_cells` matters for real weights, where more
  /// cells than the sum of the weights may be occupied.
  FamilyScore(ScoreSettings settings, double n_rows, double n_cells = 0);

  /// q is a double since it may overflow; `largest_count` is the largest N_j that will be looked up.
  FamilyTerms terms(double r, double q, std::int64_t largest_count) const;
  double local(std::int64_t joint_sum, std::int64_t parent_sum, const FamilyTerms& terms) const {
    return grid_.round(joint_sum, scale_) - grid_.round(parent_sum, scale_) - terms.penalty;
  }
  double penalty(double r, double q) const;

  const ScoreSettings& settings() const { return settings_; }
  double n_rows() const { return n_rows_; }
  FixedPoint scale() const { return scale_; }
  Grid grid() const { return grid_; }

 private:
  ScoreSettings settings_;
  double n_rows_;
  FixedPoint scale_;
  Grid grid_;
};

/// ln of the normaliser of the multinomial NML distribution: n rows, k cells (Szpankowski & Weinberger 2012).
double multinomial_regret(double n, double k);

/// A table of configurations x r in C order; occupied configurations are enough, q is what was declared.
double score_table(const FamilyScore& score, std::span<const std::int64_t> table, std::size_t r, double q);
double score_table(const FamilyScore& score, std::span<const double> table, std::size_t r, double q);

/// The same from occupied cells: codes rise strictly, the child is the fastest digit.
double score_sparse(const FamilyScore& score, std::span<const std::int64_t> codes,
                    std::span<const std::int64_t> counts, std::size_t r, double q);
double score_sparse(const FamilyScore& score, std::span<const std::int64_t> codes,
                    std::span<const double> counts, std::size_t r, double q);

/// One family of a batch; `codes` is empty for a dense table.
template <class Count>
struct FamilyTable {
  std::span<const std::int64_t> codes;
  std::span<const Count> counts;
  std::size_t r;
  double q;
};

/// Judge many tables; outputs are independent of each other and of the number of threads.
template <class Count>
void score_tables(const FamilyScore& score, std::span<const FamilyTable<Count>> tables,
                  std::span<double> local, Cancel& cancel);

/// Dirichlet set function with a prior of its own for each cell: sum of ln Gamma(a + n) - ln Gamma(a), on the
/// grid. A cell that the prior excludes (a = 0) but the data hold makes it minus infinity.
double dirichlet_table(const FamilyScore& score, std::span<const double> counts,
                       std::span<const double> prior);

}  // namespace treewright
