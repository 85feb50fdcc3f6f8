// Skeletons inside the nodes of a tree of clusters, all nodes at a time.
//
// Xie, Geng & Zhao (2006): over a d-separation tree two variables that some set separates either share no
// node, or share one that also holds such a set. So separators are looked for inside nodes only. Nodes do not
// influence each other; the pairs of all of them are settled in common rounds.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "treewright/graphs/bits.hpp"
#include "treewright/independence/separator_rounds.hpp"
#include "treewright/independence/triples.hpp"

namespace treewright {

/// Which sets may separate a pair of a node: those around one of its ends (PC), or all others of the node.
enum class LocalSearch { neighbours, everybody };

class NodeSkeletons {
 public:
  using Variables = std::vector<std::uint32_t>;

  /// `rank`: the place of each variable among the sorted names. Pairs that share no node or are not
  /// `possible` are never joined and never tested; `certain` ones are never removed.
  NodeSkeletons(Variables rank, const std::vector<Variables>& nodes, const BitMatrix& possible,
                BitMatrix certain, LocalSearch local);

  /// Settle one level in every node; level 0 comes first and measures how strongly pairs depend.
  LevelReport settle(std::size_t level, TestAnswers& answers, Cancel& cancel);
  bool has_candidates(std::size_t level) const;

  /// The separators of the ends of every unshielded triple of the joined skeleton: those that took the edge
  /// away, and with `around` also every set of size up to `depth` around an end, inside a node of both.
  std::vector<TripleEvidence> weigh_triples(bool around, std::optional<std::size_t> depth,
                                            TestAnswers& answers, Cancel& cancel,
                                            std::int64_t& n_tests) const;

  /// Part two joined variables by a set that need not lie inside a node; its node is then none of them.
  void part(std::uint32_t u, std::uint32_t v, Variables given);

  std::size_t size() const { return rank_.size(); }
  /// Pairs that share a node and that no node separates.
  const BitMatrix& adjacency() const { return joined_; }
  /// Every separator of every node: u before v by name; by level, node and name.
  const std::vector<SeparatedPair>& separators() const { return separators_; }
  /// The pairs that a node did not separate, by name.
  std::vector<std::pair<std::uint32_t, std::uint32_t>> local_edges(std::size_t node) const;
  double strength(std::size_t u, std::size_t v) const { return strength_[u * size() + v]; }

 private:
  struct Node {
    Variables members;  // by name; positions in this list are the vertices of `adjacent`
    BitMatrix adjacent;
  };

  LevelReport settle_pairs(TestAnswers& answers, Cancel& cancel);
  SeparatorWalk walk(const Node& node, std::size_t i, std::size_t j, std::size_t size) const;
  SeparatorWalk walk_around(const Node& node, std::uint32_t u, std::uint32_t v) const;
  /// Variables that depend most on both come first, ties by name.
  void sort_candidates(Variables& candidates, std::uint32_t u, std::uint32_t v) const;
  /// Call `f(node, i, j)` for every pair of a node that is joined there and not certain.
  template <class F>
  void for_each_open(F&& f) const;
  void separate(std::uint32_t node, std::size_t i, std::size_t j, Variables given);

  Variables rank_, by_name_;
  std::vector<Node> nodes_;
  std::vector<Variables> nodes_of_;  // rising
  BitMatrix tested_, certain_, joined_;
  LocalSearch local_;
  std::vector<double> strength_;
  std::vector<SeparatedPair> separators_;
};

}  // namespace treewright
