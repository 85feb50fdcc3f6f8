// What every change of one parent would gain, remembered by family.
//
// A search that destroys and rebuilds meets the same families again and again. So the column of a family, its
// score with each further parent and without each present one, is kept by (child, parents), with the useful
// additions sorted; meeting a family again costs a look-up and counts nothing.
#pragma once

#include <algorithm>
#include <memory>
#include <vector>

#include "treewright/graphs/undirected.hpp"
#include "treewright/searches/dag_moves.hpp"

namespace treewright {

struct FamilyColumn {
  struct Useful {
    double gain;
    Vertex parent;
  };

  double own = 0;
  std::vector<double> with;     // by vertex: gain of adding it; minus infinity where that is not allowed
  std::vector<double> without;  // by place among the parents: gain of removing it
  std::vector<Useful> useful;   // additions that gain, most first
};

using ColumnPointer = std::shared_ptr<const FamilyColumn>;

/// A set of parents and the score of the family.
struct BestFamily {
  double score = 0;
  Order parents;  // rising
};

using BestPointer = std::shared_ptr<const BestFamily>;

/// Parents, rising, with one more or one less.
inline Order with_parent(Order parents, Vertex v) {
  parents.insert(std::ranges::lower_bound(parents, v), v);
  return parents;
}
inline Order without_parent(Order parents, Vertex v) {
  std::erase(parents, v);
  return parents;
}

class FamilyColumns {
 public:
  /// `rules` are rows of tails and columns of heads; no family gets more than their `max_parents`.
  FamilyColumns(LocalScores& scores, ArcRules rules, Cancel& cancel);
  /// With the rules and the pairs of another, for which these scores are the same.
  FamilyColumns(const FamilyColumns& other, LocalScores& scores);
  /// Families of another size from now on; what is remembered of others stays true.
  void allow_parents(std::size_t most);

  std::size_t size() const { return rules_.allowed.size(); }
  const ArcRules& rules() const { return rules_; }
  /// A gain is more than this.
  double threshold() const { return threshold_; }
  /// What `parent` as only parent adds to `child`.
  double pair_gain(Vertex parent, Vertex child) const { return pairs_[child * size() + parent]; }

  /// `parents` rise.
  double local(Vertex child, VertexSet parents, Cancel& cancel);
  ColumnPointer column(Vertex child, const Order& parents, Cancel& cancel);

  /// Good parents among the candidates (rising): forward selection, then backward deletion. Required parents
  /// stay in; nothing if one of them is no candidate. Remembered too: bags come again and again.
  BestPointer best_within(Vertex child, const Order& candidates, Cancel& cancel);

  /// Families scored so far.
  std::uint64_t n_scored() const { return scores_.tally().families; }

 private:
  Fingerprint key(Vertex child, VertexSet parents) const { return prints_.of(parents) ^ prints_(child, 1); }
  ColumnPointer make_column(Vertex child, const Order& parents, Cancel& cancel);
  BestPointer choose_within(Vertex child, const Order& candidates, Cancel& cancel);
  void select_forward(Vertex child, const Order& candidates, BestFamily& found, Cancel& cancel);
  void delete_backward(Vertex child, BestFamily& found, Cancel& cancel);

  LocalScores& scores_;
  ArcRules rules_;
  double threshold_;
  std::vector<double> pairs_;  // by child, then by parent: what is asked of one child lies together
  Fingerprints prints_;
  FingerprintMap<double> locals_;
  FingerprintMap<ColumnPointer> columns_;
  FingerprintMap<BestPointer> bests_;
  std::size_t bytes_ = 0;
};

}  // namespace treewright
