#include "treewright/counting/sparse_rows.hpp"

#include <algorithm>

namespace treewright {

StateRanks::StateRanks(const RowSet& rows) : cardinalities(rows.cardinalities()) {
  std::vector<std::vector<double>> counts;
  for (const std::uint32_t r : cardinalities) counts.emplace_back(r, 0.0);
  for (std::size_t i = 0; i < rows.n_rows(); ++i)
    for (std::size_t column = 0; column < n_columns(); ++column)
      counts[column][rows.row(i)[column]] += rows.weights()[i];
  for (std::size_t column = 0; column < n_columns(); ++column) {
    const auto& found = counts[column];
    const auto usual =
        static_cast<RowSet::Code>(std::max_element(found.begin(), found.end()) - found.begin());
    auto& codes = code_of.emplace_back(1, usual);
    for (std::uint32_t code = 0; code < cardinalities[column]; ++code)
      if (code != usual) codes.push_back(static_cast<RowSet::Code>(code));
    auto& ranks = rank_of.emplace_back(cardinalities[column]);
    for (std::size_t rank = 0; rank < codes.size(); ++rank)
      ranks[codes[rank]] = static_cast<RowSet::Code>(rank);
    first_plane.push_back(static_cast<std::uint32_t>(column_of.size()));
    column_of.insert(column_of.end(), codes.size() - 1, static_cast<std::uint32_t>(column));
  }
}

SparseRows::SparseRows(const RowSet& rows, const StateRanks& ranks) {
  begin.reserve(rows.n_rows() + 1);
  for (std::size_t i = 0; i < rows.n_rows(); ++i) {
    const RowSet::Code* row = rows.row(i);
    for (std::size_t column = 0; column < ranks.n_columns(); ++column)
      if (const RowSet::Code rank = ranks.rank_of[column][row[column]])
        planes.push_back(ranks.first_plane[column] + rank - 1);
    begin.push_back(planes.size());
  }
}

double SparseRows::n_pairs() const {
  double sum = 0;
  for (std::size_t i = 0; i < n_rows(); ++i) {
    const auto set = static_cast<double>(row(i).size());
    sum += set * (set + 1) / 2;
  }
  return sum;
}

}  // namespace treewright
