// What each further parent would add to each family of a network that only grows.
#pragma once

#include <vector>

#include "treewright/criteria/local_scores.hpp"
#include "treewright/graphs/undirected.hpp"

namespace treewright {

/// Gains are asked for when they are needed, as many of a child at once as are wanted, and remembered until
/// the child gets another parent.
class FamilyGains {
 public:
  FamilyGains(LocalScores& scores, std::vector<Order> parents, Cancel& cancel);

  std::size_t size() const { return parents_.size(); }
  const std::vector<Order>& parents() const { return parents_; }  // rising
  double total() const;
  /// What counts as a gain at all.
  double threshold() const { return threshold_; }

  /// Make sure that the gains of these further parents of t (a row of bits) are known.
  void ask(Vertex t, const Word* wanted, Cancel& cancel);
  double gain(Vertex s, Vertex t) const { return gains_[t * size() + s]; }  // must have been asked for

  /// t gets the parent s, whose gain is known.
  void add(Vertex s, Vertex t);

 private:
  LocalScores& scores_;
  std::vector<Order> parents_;
  std::vector<double> own_, gains_;  // not a number: not asked for yet
  double threshold_;
};

}  // namespace treewright
