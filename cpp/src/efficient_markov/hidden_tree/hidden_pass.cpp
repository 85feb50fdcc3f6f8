#include "efficient_markov/hidden_tree/hidden_pass.hpp"

#include <cmath>

#include "treewright/counting/dispatch.hpp"

namespace treewright {
namespace {

// A product of so many messages stays within the range of floats.
constexpr std::size_t kMessagesBetweenScalings = 4;
// So many factors taken out stay within the range of doubles.
constexpr std::size_t kScalingsBetweenLogs = 8;

}  // namespace

HiddenPass::HiddenPass(const HiddenTree& tree)
    : tree_(tree),
      block_(tree.states() * kRowBlock),
      beliefs_(tree.size() * block_),
      messages_(tree.size() * block_),
      quotient_(block_),
      product_(block_),
      seen_(tree.size()) {}

void HiddenPass::symbols_of(std::size_t i, std::uint32_t* out) const {
  const auto& shape = tree_.shape();
  if (tree_.knows_parent(i))
    rows.paired_symbols(shape.columns[shape.parents[i]], shape.columns[i], tree_.cardinality(i), out);
  else
    rows.symbols(shape.columns[i], out);
}

void HiddenPass::take_logs() {
  for (std::size_t k = 0; k < kRowBlock; ++k) logs[k] += std::log(scale_[k]), scale_[k] = 1;
}

void HiddenPass::up() {
  const BlockKernels& run = kernels().blocks;
  const std::size_t states = tree_.states();
  const float* values = tree_.values.data();
  alignas(64) std::uint32_t symbols[kRowBlock];
  std::fill_n(logs, kRowBlock, 0.0);
  std::fill_n(scale_, kRowBlock, 1.0);
  std::fill(seen_.begin(), seen_.end(), 0u);
  std::size_t scalings = 0;
  const auto scale = [&](float* block) {
    run.rescale(block, states, scale_);
    if (++scalings % kScalingsBetweenLogs == 0) take_logs();
  };
  for (std::size_t i = 0; i < tree_.size(); ++i) {
    symbols_of(i, symbols);
    run.look_up(symbols, tree_.n_symbols(i), values + tree_.emission(i), states, belief(i));
  }
  for (std::size_t i = tree_.size(); i-- > 0;) {
    scale(belief(i));
    if (tree_.is_root(i)) {
      for (std::size_t h = 0; h < states; ++h)
        for (std::size_t k = 0; k < kRowBlock; ++k)
          belief(i)[h * kRowBlock + k] *= values[tree_.transition(i) + h];
      scale(belief(i));
      // the root's states now sum to H, but as posteriors they sum to one
      for (std::size_t k = 0; k < kRowBlock; ++k) scale_[k] *= static_cast<double>(states);
      continue;
    }
    const std::size_t parent = tree_.shape().parents[i];
    run.multiply(values + tree_.transition(i), states, belief(i), message(i));
    run.times(belief(parent), message(i), states);
    if (++seen_[parent] % kMessagesBetweenScalings == 0) scale(belief(parent));
  }
  take_logs();
}

void HiddenPass::down(float* sums) {
  const BlockKernels& run = kernels().blocks;
  const std::size_t states = tree_.states();
  alignas(64) std::uint32_t symbols[kRowBlock];
  for (std::size_t i = 0; i < tree_.size(); ++i) {
    float* mine = belief(i);
    if (tree_.is_root(i)) {
      const auto share = 1.0f / static_cast<float>(states);
      for (std::size_t h = 0; h < states; ++h) {
        float* cells = mine + h * kRowBlock;
        for (std::size_t k = 0; k < kRowBlock; ++k) cells[k] *= share * rows.weights[k];
      }
      std::fill_n(symbols, kRowBlock, 0u);
      run.tally(symbols, 1, mine, states, sums + tree_.transition(i));
    } else {
      run.divide(belief(tree_.shape().parents[i]), message(i), states, quotient_.data());
      run.outer(quotient_.data(), mine, states, sums + tree_.transition(i));
      run.multiply(tree_.turned.data() + tree_.transition(i), states, quotient_.data(), product_.data());
      run.times(mine, product_.data(), states);
    }
    symbols_of(i, symbols);
    run.tally(symbols, tree_.n_symbols(i), mine, states, sums + tree_.emission(i));
  }
}

}  // namespace treewright
