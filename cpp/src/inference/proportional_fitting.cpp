#include "treewright/inference/proportional_fitting.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "inference/nest_kernels.hpp"

namespace treewright::forests {
namespace {

class Fitting {
 public:
  Fitting(const CliqueTree& tree, std::span<const double> targets, std::span<double> factors)
      : tree_(tree),
        targets_(targets),
        factors_(factors),
        tables_(tree.n_cliques()),
        shared_(tables_.size()) {
    std::ranges::fill(factors_, 1.0);
    for (std::size_t c = 0; c < tables_.size(); ++c) {
      tables_[c].assign(tree.cells(c), 1 / static_cast<double>(tree.cells(c)));
      const std::uint64_t cells = tree.separator_walk(c).cells;
      shared_[c].assign(cells, 1 / static_cast<double>(cells));
    }
  }

  /// Every clique once, parents first; what a clique learned goes back up before its parent's next child.
  double sweep(Cancel& cancel) {
    double residual = 0;
    std::vector<std::uint32_t> path;
    for (std::uint32_t c = 0; c < tables_.size(); ++c) {
      cancel.check();
      while (!path.empty() && path.back() != tree_.parent(c)) {
        climb(path.back());
        path.pop_back();
      }
      if (!path.empty()) descend(c);
      path.push_back(c);
      for (const std::uint32_t s : tree_.at_home(c)) residual = std::max(residual, fit(c, s));
    }
    for (; !path.empty(); path.pop_back()) climb(path.back());
    return residual;
  }

 private:
  // marginal = what the scope has now, then target / marginal
  double fit(std::uint32_t c, std::uint32_t s) {
    const CliqueTree::Walk& walk = tree_.scope_walk(s);
    ratio_.assign(walk.cells, 0.0);
    nest_sum(walk.nest(), tables_[c].data(), ratio_.data());
    const double* const target = targets_.data() + tree_.offsets()[s];
    double* const factor = factors_.data() + tree_.offsets()[s];
    double residual = 0;
    for (std::uint64_t k = 0; k < walk.cells; ++k) {
      residual = std::max(residual, std::abs(ratio_[k] - target[k]));
      ratio_[k] = ratio_[k] > 0 ? target[k] / ratio_[k] : 0;
      factor[k] *= ratio_[k];
    }
    nest_multiply(walk.nest(), tables_[c].data(), ratio_.data());
    return residual;
  }

  void climb(std::uint32_t c) {
    if (const std::uint32_t p = tree_.parent(c); p != kRoot)
      pass(tree_.separator_walk(c), tables_[c], tree_.parent_walk(c), tables_[p], shared_[c]);
  }
  void descend(std::uint32_t c) {
    pass(tree_.parent_walk(c), tables_[tree_.parent(c)], tree_.separator_walk(c), tables_[c], shared_[c]);
  }

  // to *= new / old, over what two cliques share
  void pass(const CliqueTree::Walk& out, const std::vector<double>& from, const CliqueTree::Walk& in,
            std::vector<double>& to, std::vector<double>& shared) {
    ratio_.assign(shared.size(), 0.0);
    nest_sum(out.nest(), from.data(), ratio_.data());
    std::swap(ratio_, shared);
    for (std::size_t k = 0; k < shared.size(); ++k) ratio_[k] = ratio_[k] > 0 ? shared[k] / ratio_[k] : 0;
    nest_multiply(in.nest(), to.data(), ratio_.data());
  }

  const CliqueTree& tree_;
  std::span<const double> targets_;
  std::span<double> factors_;
  std::vector<std::vector<double>> tables_, shared_;
  std::vector<double> ratio_;
};

// Factors have no size of their own: the largest cell becomes one.
void scale(std::span<double> factor) {
  const double largest = factor.empty() ? 0 : *std::ranges::max_element(factor);
  if (largest > 0)
    for (double& cell : factor) cell /= largest;
}

}  // namespace

Fitted fit_proportionally(const CliqueTree& tree, std::span<const double> targets, double tolerance,
                          std::uint64_t most_sweeps, std::span<double> factors, Cancel& cancel) {
  if (targets.size() != tree.offsets().back() || factors.size() != targets.size())
    throw std::invalid_argument("every scope needs one number per cell");
  Fitting fitting(tree, targets, factors);
  Fitted fitted{0, std::numeric_limits<double>::infinity()};
  while (fitted.sweeps < most_sweeps && !(fitted.residual <= tolerance)) {
    fitted.residual = fitting.sweep(cancel);
    ++fitted.sweeps;
  }
  for (std::size_t s = 0; s < tree.n_scopes(); ++s)
    scale(factors.subspan(tree.offsets()[s], tree.offsets()[s + 1] - tree.offsets()[s]));
  return fitted;
}

}  // namespace treewright::forests
