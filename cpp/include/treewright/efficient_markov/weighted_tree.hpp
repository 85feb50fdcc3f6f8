// Chow-Liu trees from weighted counts of pairs, and their log-likelihoods on sparse rows.
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "treewright/counting/pair_counts.hpp"
#include "treewright/counting/sparse_rows.hpp"
#include "treewright/inference/feature_graph.hpp"
#include "treewright/parallel/cancel.hpp"

namespace treewright {

using ColumnEdge = std::pair<std::uint32_t, std::uint32_t>;

/// total * I(i; j) in nats of all pairs, symmetric, at i * n + j, where every cell of a pair table has been
/// given `alpha` divided by the number of its cells; `out` has n * n numbers and is added to.
void add_information(const PairCounts& counts, double alpha, std::vector<double>& out);

/// The edges of the tree of largest total weight; among equal weights the smaller columns win.
std::vector<ColumnEdge> best_tree(const std::vector<double>& weights, std::size_t n, Cancel& cancel);

/// A tree of variables with its conditional tables, in ranks of states.
class WeightedTree {
 public:
  WeightedTree(const PairCounts& counts, const std::vector<ColumnEdge>& edges, double alpha);

  /// `ranks[column]` are the ranks of the row, of which only those on `planes` are not 0.
  double log_likelihood(std::span<const std::uint32_t> planes, const std::vector<std::uint32_t>& column_of,
                        const RowSet::Code* ranks) const {
    double sum = usual_;
    for (const std::uint32_t plane : planes) {
      const std::uint32_t column = column_of[plane];
      sum += alone_[plane];
      const std::uint32_t parent = parents_[column];
      if (parent != features::kNoParent && ranks[parent])
        sum += both_[both_first_[column] + std::size_t(ranks[parent] - 1) * (cardinalities_[column] - 1) +
                     ranks[column] - 1];
    }
    return sum;
  }

  /// As a leaf of a feature graph; `variables` are those behind the columns.
  features::Id add_to(features::ArenaBuilder& builder, const StateRanks& ranks,
                      const std::vector<std::uint32_t>& variables) const;

 private:
  void compile(const PairCounts& counts);
  const double* table(std::size_t column) const { return logs_.data() + first_[column]; }

  std::vector<std::uint32_t> cardinalities_, order_, parents_;  // order: topological
  std::vector<std::size_t> first_;                              // of each column's table
  std::vector<double> logs_;                                    // [rank of the parent][rank]
  double usual_ = 0;                                            // of the row in which all is usual
  std::vector<double> alone_, both_;                            // what a plane changes, and two joined ones
  std::vector<std::size_t> both_first_;
};

}  // namespace treewright
