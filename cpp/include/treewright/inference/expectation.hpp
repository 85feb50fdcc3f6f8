// The expectation step of EM: how many rows each table cell is expected to have, given what the rows show.
//
// A family whose cells a row all shows is counted once and for all. The rest of the row falls into parts (see
// forest_parts.hpp), and each distinct part is propagated once per step, whatever the number of rows.
// Expected counts are added as fixed-point numbers: the same bits for every order of rows and number of
// threads.
#pragma once

#include "treewright/counting/arithmetic.hpp"
#include "treewright/inference/forest_parts.hpp"

namespace treewright::forests {

class Expectation {
 public:
  /// `scopes` are the families, one table each. Rows are read here and not again; `weights` may be empty.
  Expectation(std::vector<std::uint32_t> cardinalities, std::vector<std::vector<Var>> scopes,
              const EvidenceRows& rows, std::span<const double> weights, Cancel& cancel);
  ~Expectation();
  Expectation(const Expectation&) = delete;
  Expectation& operator=(const Expectation&) = delete;

  /// Cells of all tables, one after another.
  std::size_t n_cells() const { return tables_.size(); }
  std::size_t n_parts() const { return parts_.size(); }
  std::size_t n_runs() const { return order_.size(); }
  /// Counts from the rows that show the whole family.
  std::span<const double> observed() const { return observed_; }

  /// Expected counts under the tables, and the log-likelihood of what the rows show: minus infinity when
  /// the tables forbid some row. `limit` is in bytes; throws TooLarge.
  double step(std::span<const double> tables, std::span<double> counts, double limit, Cancel& cancel);

 private:
  struct Sums;
  void count_observed(const EvidenceRows& rows, std::span<const std::size_t> distinct,
                      std::span<const double> weights, Cancel& cancel);
  double add_run(PartLink link, const Plan& plan, Sums& sums, Cancel& cancel) const;
  bool add_small(PartLink link, Sums& sums, double& log_mass) const;
  double observed_log_likelihood() const;

  std::vector<double> tables_, observed_;
  std::vector<std::uint64_t> begin_;  // where each family's cells begin
  FactorSet set_;
  Parts parts_;
  std::vector<PartLink> order_;  // all runs, those of one part together
  double shrink_ = 1;            // a power of two that brings the weights of all rows to about one
  std::unique_ptr<SpacePool> spaces_;
};

}  // namespace treewright::forests
