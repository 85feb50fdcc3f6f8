// Three-phase dependency analysis: a skeleton from conditional mutual information.
//
// Cheng et al. (2002): draft a tree-like graph from the strongest pairs, thicken it by the pairs that no set
// near them separates, thin it by the edges that some set does. A set is looked for on the paths between the
// two ends, as a whole first and then one variable less at a time, so that few tests settle a pair.
#pragma once

#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "treewright/criteria/test_answers.hpp"
#include "treewright/graphs/bits.hpp"
#include "treewright/independence/skeleton.hpp"

namespace treewright {

struct TpdaSettings {
  std::optional<double> threshold;  // nats below which information is none; without it the test decides
  std::size_t largest_given = 8;    // of larger sets the strongest members are taken
  double tolerance = 0.001;         // nats that a variable left out may add when a set shrinks
};

struct TpdaReport {
  std::int64_t pairs = 0, tests = 0, changed = 0;  // looked at, questions asked, edges added or removed
};

class TpdaSearch {
 public:
  /// `rank`: the place of each variable among the sorted names. Pairs that are not `possible` are never
  /// joined; `certain` ones are joined from the start and never removed.
  TpdaSearch(std::vector<std::uint32_t> rank, const BitMatrix& possible, const BitMatrix& certain,
             TpdaSettings settings);

  TpdaReport draft(TestAnswers& answers, Cancel& cancel);
  TpdaReport thicken(TestAnswers& answers, Cancel& cancel);
  TpdaReport thin(TestAnswers& answers, Cancel& cancel);
  /// Thinning with the thorough test, for edges with an end that has at least three other neighbours.
  TpdaReport thin_again(TestAnswers& answers, Cancel& cancel);

  std::size_t size() const { return rank_.size(); }
  /// Edges in the order they were found.
  std::vector<std::pair<std::uint32_t, std::uint32_t>> edges() const;
  /// Cut sets of the pairs that were looked at and are not joined, members by name.
  std::vector<Separator> cutsets() const;
  double information(std::size_t u, std::size_t v) const { return weight(rank_[u], rank_[v]); }

 private:
  // Vertices in here are ranks: a smaller number is a smaller name.
  using Set = std::vector<std::uint32_t>;
  using Pair = std::pair<std::uint32_t, std::uint32_t>;
  struct Judged {
    double information;
    bool small;
  };
  struct Asking {
    TestAnswers& answers;
    Cancel& cancel;
    TpdaReport& report;
  };
  using Needed = std::optional<Set> (TpdaSearch::*)(Pair, Asking&);

  double weight(std::uint32_t x, std::uint32_t y) const { return weight_[x * size() + y]; }
  std::vector<Judged> judge(const std::vector<Pair>& pairs, const std::vector<Set>& given, Asking& asking);
  std::vector<Judged> judge_subsets(Pair pair, const Set& set, Asking& asking);
  Judged judge_set(Pair pair, const Set& set, Asking& asking);
  void join(Pair pair);
  void part(Pair pair);
  TpdaReport thin_by(Needed needed, bool crowded_only, TestAnswers& answers, Cancel& cancel);
  /// A set that makes the edge superfluous, if one is found: the quick test and the thorough one.
  std::optional<Set> cut_quickly(Pair pair, Asking& asking);
  std::optional<Set> cut_thoroughly(Pair pair, Asking& asking);
  std::optional<Set> shrink_to_cut(Pair pair, Set set, Asking& asking);
  void find_paths(Pair pair);
  Set near_on_paths(std::uint32_t x, std::uint32_t y, bool two_steps) const;
  Set strongest(Pair pair, Set set) const;

  std::vector<std::uint32_t> rank_, by_name_;
  BitMatrix possible_, certain_;
  TpdaSettings settings_;
  std::vector<double> weight_;
  std::vector<Set> near_;      // neighbours, rising
  std::vector<Pair> edges_;    // in the order they were added
  std::vector<Pair> waiting_;  // dependent pairs that drafting left out, strongest first
  std::vector<std::pair<Pair, Set>> cutsets_;
  std::vector<std::uint8_t> on_path_;
  std::vector<std::uint32_t> seen_, low_;
};

}  // namespace treewright
