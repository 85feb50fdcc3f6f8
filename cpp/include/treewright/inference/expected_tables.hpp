// Expected counts of any set of variables, given rows with missing cells and one model: what a search asks.
//
// Given what a row shows, its missing cells fall into parts that know nothing of each other
// (forest_parts.hpp), so the share of a row in a table is a product over the parts that the scope touches. A
// part of few joint states is multiplied out once; of a larger one the distributions that are asked for are
// propagated and kept. Shares are added as fixed-point numbers: the same bits for every order of rows and
// number of threads.
#pragma once

#include <array>

#include "treewright/counting/arithmetic.hpp"
#include "treewright/inference/forest_parts.hpp"

namespace treewright::forests {

struct SpacePool;

class ExpectedTables {
 public:
  /// `scopes` are the families of the model and `tables` their cells, one table after another; `weights` may
  /// be empty. Rows are read here and not again. `limit` is in bytes; throws TooLarge.
  ExpectedTables(std::vector<std::uint32_t> cardinalities, std::vector<std::vector<Var>> scopes,
                 std::vector<double> tables, const EvidenceRows& rows, std::span<const double> weights,
                 double limit, Cancel& cancel);
  ~ExpectedTables();
  ExpectedTables(const ExpectedTables&) = delete;
  ExpectedTables& operator=(const ExpectedTables&) = delete;

  /// Expected counts of a scope of rising variables, in C order. Several threads may ask at once. Throws
  /// std::domain_error for rows that the model forbids.
  std::vector<double> counts(std::span<const Var> scope, Cancel& cancel);
  std::vector<std::vector<double>> counts_many(const std::vector<std::vector<Var>>& scopes, Cancel& cancel);

  std::size_t size() const { return set_.size(); }
  std::span<const std::uint32_t> cardinalities() const { return set_.cardinalities; }
  /// Different parts with different surroundings, and those of them that are too large to multiply out.
  std::size_t n_runs() const { return runs_.size(); }
  std::size_t n_large() const { return n_large_; }

 private:
  // A missing cell: of which variable, in which run and as which of the run's variables.
  struct Gap {
    Var variable;
    std::uint32_t run, local;
  };
  struct Run {
    PartLink link;
    std::uint64_t joint = kLarge, singles = 0;  // where its distributions begin
  };
  struct Share {
    std::uint64_t cell;
    double weight;
  };
  struct Asked;
  struct Kept {
    ForkMutex mutex;
    std::unordered_map<std::string, std::shared_ptr<const std::vector<double>>> tables;
    std::size_t bytes = 0;
  };
  static constexpr std::uint64_t kLarge = ~std::uint64_t{0};

  void read_rows(const EvidenceRows& rows, std::span<const double> weights, Cancel& cancel);
  void lay_out_runs(Cancel& cancel);
  void multiply_out_runs(Cancel& cancel);
  bool multiply_out_run(const Run& run);
  std::uint64_t joint_states(std::uint32_t part) const;
  void add_open_row(std::size_t row, std::uint64_t cell, std::span<const Var> scope, Asked& asked,
                    Cancel& cancel);
  void multiply_shares(Asked& asked, Cancel& cancel);
  const double* distribution(Asked& asked, Cancel& cancel);
  std::shared_ptr<const std::vector<double>> kept_distribution(const Asked& asked, Cancel& cancel);
  std::vector<double> propagate(const Run& run, std::span<const std::uint32_t> locals, Cancel& cancel);

  std::vector<double> tables_;
  FactorSet set_;
  Parts parts_;
  double limit_;
  double shrink_ = 1;  // a power of two that brings the weights of all rows to about one
  std::size_t n_rows_ = 0, n_large_ = 0;
  std::vector<std::vector<std::uint32_t>> codes_;  // per variable; 0 where it is missing
  std::vector<std::vector<std::uint64_t>> open_;   // per variable: a bit for each row that misses it
  std::vector<double> weights_;
  std::vector<std::int64_t> quantised_;
  std::vector<std::size_t> first_gap_;
  std::vector<Gap> gaps_;
  std::vector<Run> runs_;
  std::vector<std::vector<std::uint64_t>> single_offsets_;  // per part: of each free variable
  std::vector<double> joints_, singles_;
  static constexpr std::size_t kShelves = 16;
  std::array<Kept, kShelves> kept_;
  std::unique_ptr<SpacePool> spaces_;
};

}  // namespace treewright::forests
