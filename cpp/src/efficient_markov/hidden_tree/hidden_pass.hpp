// Messages of a hidden tree over one block of rows: up, and down with statistics.
#pragma once

#include "counting/row_block.hpp"
#include "treewright/efficient_markov/hidden_tree.hpp"

namespace treewright {

class HiddenPass {
 public:
  explicit HiddenPass(const HiddenTree& tree);

  RowBlock rows;
  double logs[kRowBlock];  // log-likelihoods, after `up`

  /// Children first: beliefs b_i = emission * messages of the children, scaled; messages T_i b_i.
  void up();
  /// The root first: posteriors, and into `sums` (laid out as the parameters) what the rows say of every
  /// distribution. Transitions still lack the factor T. Spoils the beliefs.
  void down(float* sums);

 private:
  float* belief(std::size_t i) { return beliefs_.data() + i * block_; }
  float* message(std::size_t i) { return messages_.data() + i * block_; }
  void symbols_of(std::size_t i, std::uint32_t* out) const;
  void take_logs();

  const HiddenTree& tree_;
  std::size_t block_;  // floats of one node
  AlignedVector<float> beliefs_, messages_, quotient_, product_;
  std::vector<std::uint32_t> seen_;  // children whose message has arrived
  double scale_[kRowBlock];
};

}  // namespace treewright
