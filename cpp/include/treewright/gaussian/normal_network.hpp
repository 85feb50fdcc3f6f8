// Networks in which every variable is Normal around a function of its parents: a line, or a sigmoid of one.
//
// Rows are walked in blocks, variable by variable, and the normal number behind row r of a variable depends
// on (seed, r, rank of its name) alone: the same rows for any number of threads, any order of columns and any
// length of the sample.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "treewright/parallel/cancel.hpp"

namespace treewright::normal {

using Var = std::uint32_t;

/// Where a value that has no variance differs from its mean by less than this share of the numbers it was
/// made from, it agrees with the mean.
inline constexpr double kAgrees = 1e-9;

/// A variable is Normal around z = offset + weights . parents, or, when it bends, around
/// low + height sigma(z); a variance of zero makes it a function of its parents.
struct Family {
  std::vector<Var> parents;
  std::vector<double> weights;
  double offset = 0, variance = 0;
  bool bends = false;
  double low = 0, height = 0;
};

struct Network {
  std::vector<Family> families;
  std::vector<Var> order;  // parents before children
  std::vector<Var> rank;   // of each variable's name: the address of its random numbers

  std::size_t size() const { return families.size(); }
  /// Throws std::invalid_argument unless the parts fit together.
  void validate() const;
};

/// Natural logarithm of the density of each row; a variable without variance contributes 0 where it agrees
/// with its mean and minus infinity elsewhere.
void log_density_rows(const Network& network, std::span<const double* const> columns, std::span<double> out,
                      Cancel& cancel);

/// Draw rows 0 ... n_rows - 1. Variables that are `fixed` keep what their columns hold.
void sample_rows(const Network& network, std::uint64_t seed, std::size_t n_rows,
                 const std::vector<bool>& fixed, std::span<double* const> columns, Cancel& cancel);

/// Standard normal numbers of one variable for rows first_row ... first_row + n - 1; `first_row` and the
/// room in `out` are even.
void draw_normals(std::uint64_t seed, Var rank, std::uint64_t first_row, std::size_t n, double* out);

/// The mean of a family for `n` rows from `begin` on.
void family_mean(const Family& family, std::span<const double* const> columns, std::size_t begin,
                 std::size_t n, double* out);

}  // namespace treewright::normal
