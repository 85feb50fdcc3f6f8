// Where the answers of a batch go: one row of distributions per row of evidence.
#pragma once

#include <algorithm>
#include <limits>

#include "inference/forest/evidence_reader.hpp"
#include "treewright/inference/forest.hpp"

namespace treewright::forests {

struct BatchOutput {
  std::span<const Var> wanted;
  std::vector<std::uint64_t> begin;  // within a row
  std::size_t width;
  double* cells;
  double* log_mass;

  void write_impossible(std::size_t row) const {
    std::fill_n(cells + row * width, width, std::numeric_limits<double>::quiet_NaN());
    log_mass[row] = kImpossible;
  }
};

/// Rows that leave few variables open, answered part by part. The others, and those whose parts are dear, are
/// returned.
std::vector<std::size_t> ask_in_parts(Forest& forest, const EvidenceReader& reader,
                                      std::span<const std::size_t> rows, const BatchOutput& out, double limit,
                                      Cancel& cancel);

}  // namespace treewright::forests
