// Rows of a Bayesian network: drawing them, and weighing rows that exist.
//
// Both walk over blocks of rows, variable by variable: a family's table is hot while its columns are read.
// The number behind row r of variable v depends on (seed, r, v) alone, so the rows are the same for any
// number of threads and any split into calls.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "treewright/parallel/cancel.hpp"

namespace treewright {

/// One column of codes, 1, 2 or 4 bytes each.
struct Column {
  void* codes;
  std::size_t width;
};
struct ConstColumn {
  const void* codes;
  std::size_t width;
};

/// Tables of every variable given its parents, rows in C order over the parents, the child's states
/// innermost.
struct NetworkTables {
  std::vector<std::uint32_t> cardinalities;
  std::vector<std::vector<std::uint32_t>> parents;
  std::vector<std::span<const double>> tables;

  std::size_t size() const { return cardinalities.size(); }
  /// Throws std::invalid_argument unless scopes, table sizes and (for drawing) rows fit together.
  void validate() const;
};

/// Tables over scopes in C order, the last variable innermost; any number of them, over any scopes.
struct ScopedTables {
  std::vector<std::uint32_t> cardinalities;
  std::vector<std::vector<std::uint32_t>> scopes;
  std::vector<std::span<const double>> tables;

  /// Throws std::invalid_argument unless scopes and table sizes fit together.
  void validate() const;
};

/// Bytes of one code of a variable with so many states.
inline std::size_t code_width(std::uint64_t cardinality) {
  return cardinality <= 0x100 ? 1 : cardinality <= 0x10000 ? 2 : 4;
}

/// Draw rows first_row ... first_row + n_rows - 1, parents before children along `order`. A state of
/// probability zero is never drawn.
void sample_rows(const NetworkTables& network, std::span<const std::uint32_t> order, std::uint64_t seed,
                 std::uint64_t first_row, std::size_t n_rows, std::span<const Column> columns,
                 Cancel& cancel);

/// Natural logarithm of the probability of each row: the sum over variables of log table[parents, state].
void log_probability_rows(const NetworkTables& network, std::span<const ConstColumn> columns,
                          std::span<double> out, Cancel& cancel);

/// The same for any product of tables: the sum over tables of log table[scope].
void log_product_rows(const ScopedTables& product, std::span<const ConstColumn> columns,
                      std::span<double> out, Cancel& cancel);

}  // namespace treewright
