#include "treewright/inference/forest_prune.hpp"

#include <algorithm>
#include <cmath>
#include <deque>

namespace treewright::forests {
namespace {

// Visits the cells of a table whose states are all alive.
class LiveCells {
 public:
  LiveCells(const FactorSet& set, const Factor& factor, const std::vector<std::vector<std::uint32_t>>& live)
      : at_(factor.scope.size(), 0) {
    std::uint64_t stride = factor.cells.size();
    for (const Var v : factor.scope) {
      stride /= set.cardinalities[v];
      strides_.push_back(stride);
      states_.push_back(&live[v]);
    }
  }

  /// `f(offset, at)` with positions among the live states; stops when it returns false.
  template <class F>
  void for_each(F&& f) {
    std::ranges::fill(at_, 0);
    std::uint64_t offset = 0;
    for (std::size_t k = 0; k < at_.size(); ++k) offset += strides_[k] * (*states_[k])[0];
    for (;;) {
      if (!f(offset, at_)) return;
      std::size_t axis = at_.size();
      for (;;) {
        if (axis == 0) return;
        --axis;
        const auto& states = *states_[axis];
        offset -= strides_[axis] * states[at_[axis]];
        if (++at_[axis] < states.size()) {
          offset += strides_[axis] * states[at_[axis]];
          break;
        }
        at_[axis] = 0;
        offset += strides_[axis] * states[0];
      }
    }
  }

 private:
  std::vector<std::uint64_t> strides_;
  std::vector<const std::vector<std::uint32_t>*> states_;
  std::vector<std::uint32_t> at_;
};

class Pruner {
 public:
  Pruner(const FactorSet& set, const Evidence& evidence) : set_(set), evidence_(evidence), live_(set.size()) {
    for (Var v = 0; v < set.size(); ++v)
      for (std::uint32_t s = 0; s < set.cardinalities[v]; ++s) live_[v].push_back(s);
    queued_.assign(set.factors.size(), 0);
    touching_.resize(set.size());
    for (std::uint32_t f = 0; f < set.factors.size(); ++f)
      if (set.factors[f].has_zeros)
        for (const Var v : set.factors[f].scope) touching_[v].push_back(f);
  }

  Pruned run(Cancel& cancel) {
    for (std::size_t i = 0; i < evidence_.observed.size(); ++i) {
      live_[evidence_.observed[i]] = {evidence_.states[i]};
      wake(evidence_.observed[i]);
    }
    for (std::size_t i = 0; i < evidence_.weighted.size(); ++i) {
      const Var v = evidence_.weighted[i];
      std::erase_if(live_[v], [&](std::uint32_t s) { return evidence_.likelihoods[i][s] == 0; });
      if (live_[v].empty()) return impossible();
      wake(v);
    }
    while (!queue_.empty()) {
      cancel.check();
      const std::uint32_t f = queue_.front();
      queue_.pop_front();
      queued_[f] = 0;
      if (!revise(set_.factors[f])) return impossible();
    }
    return compact();
  }

 private:
  static Pruned impossible() {
    Pruned none;
    none.impossible = true;
    return none;
  }

  void wake(Var v) {
    for (const std::uint32_t f : touching_[v])
      if (!queued_[f]) queued_[f] = 1, queue_.push_back(f);
  }

  // Drop the states without support among the live cells of one table; false when a variable has none left.
  bool revise(const Factor& factor) {
    std::vector<std::vector<char>> supported;
    std::size_t unsupported = 0;
    for (const Var v : factor.scope) {
      supported.emplace_back(live_[v].size(), 0);
      unsupported += live_[v].size();
    }
    LiveCells(set_, factor, live_).for_each([&](std::uint64_t offset, const std::vector<std::uint32_t>& at) {
      if (factor.cells[offset] > 0)
        for (std::size_t k = 0; k < at.size(); ++k)
          if (!supported[k][at[k]]) supported[k][at[k]] = 1, --unsupported;
      return unsupported > 0;
    });
    if (unsupported == 0) return true;
    for (std::size_t k = 0; k < factor.scope.size(); ++k) {
      auto& states = live_[factor.scope[k]];
      std::vector<std::uint32_t> kept;
      for (std::size_t s = 0; s < states.size(); ++s)
        if (supported[k][s]) kept.push_back(states[s]);
      if (kept.size() == states.size()) continue;
      states = std::move(kept);
      if (states.empty()) return false;
      wake(factor.scope[k]);
    }
    return true;
  }

  Pruned compact() {
    Pruned out;
    out.set.directed = set_.directed;
    out.set.tiny = set_.tiny;
    out.set.order = set_.order;
    out.set.factor_order = set_.factor_order;
    for (const auto& states : live_)
      out.set.cardinalities.push_back(static_cast<std::uint32_t>(states.size()));
    out.cells.resize(set_.factors.size());
    out.log_scales.assign(set_.factors.size(), 0.0);
    for (std::size_t f = 0; f < set_.factors.size(); ++f) {
      const Factor& factor = set_.factors[f];
      const bool whole =
          std::ranges::all_of(factor.scope, [&](Var v) { return live_[v].size() == set_.cardinalities[v]; });
      out.set.factors.push_back(factor);
      if (whole) continue;
      auto& cells = out.cells[f];
      LiveCells(set_, factor, live_).for_each([&](std::uint64_t offset, const auto&) {
        cells.push_back(factor.cells[offset]);
        return true;
      });
      const double largest = *std::ranges::max_element(cells);
      if (largest == 0) return impossible();
      out.set.factors.back().cells = cells;
      if (largest < 1) {
        out.log_scales[f] = std::log(largest);
        for (double& cell : cells) cell /= largest;
      }
    }
    for (std::size_t i = 0; i < evidence_.weighted.size(); ++i) {
      const Var v = evidence_.weighted[i];
      out.soft.weighted.push_back(v);
      auto& likelihood = out.soft.likelihoods.emplace_back();
      for (const std::uint32_t s : live_[v]) likelihood.push_back(evidence_.likelihoods[i][s]);
    }
    out.live = std::move(live_);
    return out;
  }

  const FactorSet& set_;
  const Evidence& evidence_;
  std::vector<std::vector<std::uint32_t>> live_;
  std::vector<std::vector<std::uint32_t>> touching_;  // per variable: its tables with zeros
  std::deque<std::uint32_t> queue_;
  std::vector<char> queued_;
};

}  // namespace

Pruned prune(const FactorSet& set, const Evidence& evidence, Cancel& cancel) {
  return Pruner(set, evidence).run(cancel);
}

}  // namespace treewright::forests
