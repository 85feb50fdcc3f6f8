// LEM: Learning Efficient Markov networks (Gogate, Webb & Domingos 2010).
//
// Condition on the feature whose two sides fall apart best into blocks that tell little about each other,
// and go on inside each block. The result is a feature graph: inference takes time linear in its size.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>

#include "treewright/counting/row_set.hpp"
#include "treewright/efficient_markov/partition.hpp"
#include "treewright/inference/feature_graph.hpp"
#include "treewright/parallel/cancel.hpp"

namespace treewright {

/// The score of a partition: one over the sum of the squared block sizes, or of two to their power.
enum class PartitionScore : std::uint8_t { kInverseSquare, kInverseExponential };
/// What stands where the rows are too few to go on.
enum class MarkovLeaf : std::uint8_t { kIndependent, kTree };
/// How conjunctions are found: literal by literal, or among all of them.
enum class FeatureSearch : std::uint8_t { kGreedy, kExhaustive };

struct MarkovOptions {
  PartitionOptions partition;
  std::size_t feature_length = 1;  // k
  FeatureSearch search = FeatureSearch::kGreedy;
  std::size_t candidates = std::numeric_limits<std::size_t>::max();  // variables tried, by what they tell
  std::size_t min_variables = 5;                                     // blocks of fewer are tables
  double alpha = 1;
  MarkovLeaf leaf = MarkovLeaf::kTree;
  PartitionScore score = PartitionScore::kInverseSquare;
  double balance_tolerance = 0.05;
  std::size_t max_depth = std::numeric_limits<std::size_t>::max();
  double seconds = std::numeric_limits<double>::infinity();  // then contexts become leaves
};

struct LearnedMarkov {
  features::Arena graph;
  std::uint64_t features_tried = 0, partitions = 0;
  bool out_of_time = false;
};

/// Tables of blocks have at most this many cells; larger blocks are split on.
inline constexpr double kMostTableCells = 4096;

LearnedMarkov learn_efficient_markov(const RowSet& rows, const MarkovOptions& options, Cancel& cancel);

/// The score of a partition by its block sizes.
double partition_score(const Blocks& blocks, PartitionScore score);

}  // namespace treewright
