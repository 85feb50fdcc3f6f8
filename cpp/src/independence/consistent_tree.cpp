#include "treewright/independence/consistent_tree.hpp"

#include <algorithm>
#include <bit>
#include <stdexcept>
#include <unordered_map>

namespace treewright {
namespace {

constexpr std::size_t kMostTries = 2000;  // of one cover; beyond, a component counts as unsolved

Mask bit(std::size_t v) { return Mask{1} << v; }

struct Component {
  Mask separator, block;
  std::uint32_t first = 64;             // the variable that joins the separator in a clique
  std::vector<std::uint32_t> children;  // components beyond that clique
  bool solved = false;
};

class Solver {
 public:
  Solver(std::span<const Mask> separators, const std::vector<std::vector<Mask>>& partitions) {
    for (std::size_t i = 0; i < separators.size(); ++i)
      for (const Mask block : partitions[i]) {
        of_separator_[separators[i]].push_back(static_cast<std::uint32_t>(components_.size()));
        components_.push_back({separators[i], block, 64, {}, false});
      }
  }

  void solve_all(Cancel& cancel) {
    std::vector<std::uint32_t> order(components_.size());
    for (std::uint32_t c = 0; c < order.size(); ++c) order[c] = c;
    std::ranges::stable_sort(order, {}, [&](std::uint32_t c) { return std::popcount(components_[c].block); });
    for (const std::uint32_t c : order) {
      cancel.check();
      solve(components_[c]);
    }
  }

  bool is_root(Mask separator) const {
    const auto found = of_separator_.find(separator);
    return found == of_separator_.end() ||
           std::ranges::all_of(found->second, [&](std::uint32_t c) { return components_[c].solved; });
  }

  std::vector<Mask> cliques(Mask root) const {
    std::vector<Mask> out;
    const auto found = of_separator_.find(root);
    if (found == of_separator_.end()) return {root};
    std::vector<std::uint32_t> open = found->second;
    while (!open.empty()) {
      const Component& component = components_[open.back()];
      open.pop_back();
      out.push_back(component.separator | bit(component.first));
      open.insert(open.end(), component.children.begin(), component.children.end());
    }
    return out;
  }

 private:
  void solve(Component& component) {
    for (Mask left = component.block; left && !component.solved; left &= left - 1) {
      const auto x = static_cast<std::uint32_t>(std::countr_zero(left));
      const Mask clique = component.separator | bit(x), rest = component.block & ~bit(x);
      candidates_.clear();
      for (Mask out = clique; out && rest; out &= out - 1) {
        const auto found = of_separator_.find(clique & ~(out & -out));
        if (found == of_separator_.end()) continue;
        for (const std::uint32_t c : found->second)
          if (components_[c].solved && !(components_[c].block & ~rest)) candidates_.push_back(c);
      }
      std::ranges::stable_sort(candidates_, std::greater<>{},
                               [&](std::uint32_t c) { return std::popcount(components_[c].block); });
      chosen_.clear();
      tries_ = 0;
      if (!cover(rest)) continue;
      component.solved = true;
      component.first = x;
      component.children = chosen_;
    }
  }

  bool cover(Mask rest) {
    if (!rest) return true;
    const Mask first = rest & -rest;
    for (const std::uint32_t c : candidates_) {
      if (!(components_[c].block & first) || components_[c].block & ~rest) continue;
      if (++tries_ > kMostTries) return false;
      chosen_.push_back(c);
      if (cover(rest & ~components_[c].block)) return true;
      chosen_.pop_back();
    }
    return false;
  }

  std::vector<Component> components_;
  std::unordered_map<Mask, std::vector<std::uint32_t>> of_separator_;
  std::vector<std::uint32_t> candidates_, chosen_;
  std::size_t tries_ = 0;
};

}  // namespace

std::vector<Mask> partition_above(Mask separator, std::span<const double> information, std::size_t n,
                                  double threshold) {
  if (n > 64 || information.size() != n * n) throw std::invalid_argument("at most 64 variables, in a square");
  std::vector<Mask> blocks;
  Mask left = (n == 64 ? ~Mask{0} : bit(n) - 1) & ~separator;
  while (left) {
    Mask block = left & -left, open = block;
    while (open) {
      const auto x = static_cast<std::size_t>(std::countr_zero(open));
      open &= open - 1;
      for (Mask others = left & ~block; others; others &= others - 1) {
        const auto y = static_cast<std::size_t>(std::countr_zero(others));
        if (information[x * n + y] > threshold) block |= bit(y), open |= bit(y);
      }
    }
    blocks.push_back(block);
    left &= ~block;
  }
  return blocks;
}

std::optional<std::vector<Mask>> consistent_tree(std::span<const Mask> separators,
                                                 const std::vector<std::vector<Mask>>& partitions,
                                                 Cancel& cancel) {
  if (separators.size() != partitions.size())
    throw std::invalid_argument("every separator has one partition");
  Solver solver(separators, partitions);
  solver.solve_all(cancel);
  for (const Mask separator : separators)
    if (solver.is_root(separator)) return solver.cliques(separator);
  return std::nullopt;
}

}  // namespace treewright
