// The skeleton of a DAG by independence tests: the first half of PC, in its order-independent form.
//
// Colombo & Maathuis (2014): at level k every pair still joined is tested given subsets of size k of what
// surrounded either end when the level began. So pairs do not influence each other within a level, and a
// round can ask the next candidate of all of them in one batch; a pair leaves at its first separator, exactly
// as if the pairs had been settled one after the other.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "treewright/graphs/bits.hpp"
#include "treewright/independence/separator_rounds.hpp"
#include "treewright/independence/triples.hpp"

namespace treewright {

/// Which candidates come first: those that depend most on both ends, or least, or simply by name.
enum class CandidateOrder { strong, weak, names };

struct Separator {
  std::uint32_t u, v;  // u before v by name
  std::vector<std::uint32_t> given;
};

class SkeletonSearch {
 public:
  /// `rank`: the place of each variable among the sorted names. Pairs that are not `possible` are never
  /// joined and never tested; `certain` ones are never removed.
  SkeletonSearch(std::vector<std::uint32_t> rank, const BitMatrix& possible, BitMatrix certain,
                 CandidateOrder order = CandidateOrder::strong, bool early_exit = true);

  /// Settle one level; level 0 comes first and also measures how strongly pairs depend on each other.
  LevelReport settle(std::size_t level, TestAnswers& answers, Cancel& cancel);
  /// Whether any pair has candidates of this size.
  bool has_candidates(std::size_t level) const;

  /// Every separator of size up to `depth` (no limit: none given) of the ends of every unshielded triple.
  std::vector<TripleEvidence> weigh_triples(std::optional<std::size_t> depth, TestAnswers& answers,
                                            Cancel& cancel, std::int64_t& n_tests) const;

  std::size_t size() const { return rank_.size(); }
  const BitMatrix& adjacency() const { return adjacent_; }
  const std::vector<Separator>& separators() const { return separators_; }
  double strength(std::size_t u, std::size_t v) const { return strength_[u * size() + v]; }

 private:
  using Pairs = std::vector<std::pair<std::uint32_t, std::uint32_t>>;

  LevelReport settle_pairs(TestAnswers& answers, Cancel& cancel);
  /// Joined pairs, by name, that are not certain.
  Pairs open_pairs() const;
  SeparatorWalk walk(std::uint32_t u, std::uint32_t v, std::size_t size) const;
  std::vector<std::uint32_t> candidates(std::uint32_t around, std::uint32_t other) const;
  bool surrounds(std::uint32_t v, const std::vector<std::uint32_t>& set) const;

  std::vector<std::uint32_t> rank_, by_name_;
  BitMatrix possible_, certain_, adjacent_;
  CandidateOrder order_;
  bool early_exit_;
  std::vector<double> strength_;
  std::vector<Separator> separators_;
};

}  // namespace treewright
