// Many rows of evidence at once: equal rows are asked once, the rest four at a time or by observed set.
#pragma once

#include "treewright/inference/forest.hpp"

namespace treewright::forests {

/// Columns of codes with masks of missing cells (1: not observed). A variable without a column is never
/// observed.
struct EvidenceRows {
  std::size_t n_rows = 0;
  std::vector<ConstColumn> columns;          // per variable; codes null: never observed
  std::vector<const std::uint8_t*> missing;  // per variable; null: nothing is missing
};

/// The distributions of the wanted variables given each row, side by side in `out` (rows x states), and the
/// logarithm of each row's mass. Impossible rows get not-a-number, and minus infinity.
void marginals_many(Forest& forest, const EvidenceRows& rows, std::span<const Var> wanted,
                    std::span<double> out, std::span<double> log_mass, double limit, Cancel& cancel);

/// For every row the first row that is equal to it.
std::vector<std::size_t> first_equal_rows(const EvidenceRows& rows);

}  // namespace treewright::forests
