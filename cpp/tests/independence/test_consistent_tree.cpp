#include <algorithm>
#include <vector>

#include "check.hpp"
#include "treewright/independence/consistent_tree.hpp"

namespace tw = treewright;

TEST(partitions_are_what_pairs_above_the_threshold_join) {
  std::vector<double> information(16);
  information[1 * 4 + 2] = information[2 * 4 + 1] = 0.5;
  CHECK((tw::partition_above(1, information, 4, 0.4) == std::vector<tw::Mask>{6, 8}));
  CHECK((tw::partition_above(1, information, 4, 0.5) == std::vector<tw::Mask>{2, 4, 8}));
}

TEST(a_chain_is_put_together_from_its_separators) {
  // 0 - 1 - 2 - 3
  const std::vector<tw::Mask> separators{1, 2, 4, 8};
  const std::vector<std::vector<tw::Mask>> partitions{{14}, {1, 12}, {3, 8}, {7}};
  tw::Cancel cancel;
  auto cliques = tw::consistent_tree(separators, partitions, cancel);
  CHECK(cliques.has_value());
  std::ranges::sort(*cliques);
  CHECK((*cliques == std::vector<tw::Mask>{3, 6, 12}));
}

TEST(separators_that_part_nothing_have_no_tree) {
  const std::vector<tw::Mask> separators{1, 2, 4};
  tw::Cancel cancel;
  CHECK(!tw::consistent_tree(separators, {{6}, {5}, {3}}, cancel));
}
