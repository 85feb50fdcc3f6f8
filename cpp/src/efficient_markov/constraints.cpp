#include "treewright/efficient_markov/constraints.hpp"

#include <algorithm>

namespace treewright {
namespace {

std::size_t position(const std::vector<LocalVariable>& locals, std::uint32_t column) {
  const auto at = std::find_if(locals.begin(), locals.end(),
                               [column](const LocalVariable& local) { return local.column == column; });
  return static_cast<std::size_t>(at - locals.begin());
}

bool has(const LocalVariable& local, RowSet::Code state) {
  return std::binary_search(local.states.begin(), local.states.end(), state);
}

}  // namespace

bool settle(std::vector<LocalVariable>& locals, Constraints& constraints) {
  bool has_changed = true;
  while (has_changed) {
    has_changed = false;
    std::erase_if(constraints, [&](const Conjunction& feature) {
      return std::any_of(feature.begin(), feature.end(), [&](const Literal& literal) {
        return !has(locals[position(locals, literal.column)], literal.state);
      });
    });
    for (Conjunction& feature : constraints) {
      std::erase_if(feature, [&](const Literal& literal) {
        return locals[position(locals, literal.column)].states.size() == 1;
      });
      if (feature.empty()) return false;
      if (feature.size() > 1) continue;
      std::erase(locals[position(locals, feature[0].column)].states, feature[0].state);
      has_changed = true;  // and the conjunction goes, now that its state is gone
      break;
    }
  }
  std::sort(constraints.begin(), constraints.end());
  constraints.erase(std::unique(constraints.begin(), constraints.end()), constraints.end());
  return true;
}

Constraints given(const Constraints& constraints, const Conjunction& feature) {
  Constraints left;
  for (const Conjunction& one : constraints) {
    Conjunction rest;
    bool is_false = false;
    for (const Literal& literal : one) {
      const auto known = std::find_if(feature.begin(), feature.end(),
                                      [&](const Literal& other) { return other.column == literal.column; });
      if (known == feature.end())
        rest.push_back(literal);
      else
        is_false |= known->state != literal.state;
    }
    if (!is_false) left.push_back(std::move(rest));
  }
  return left;
}

Blocks tied(const std::vector<LocalVariable>& locals, const Constraints& constraints) {
  BlockBuilder blocks(locals.size());
  for (const Conjunction& feature : constraints)
    for (const Literal& literal : feature)
      blocks.merge(static_cast<std::uint32_t>(position(locals, feature[0].column)),
                   static_cast<std::uint32_t>(position(locals, literal.column)));
  Blocks found = blocks.blocks();
  std::erase_if(found, [](const Block& block) { return block.size() < 2; });
  return found;
}

Constraints within(const std::vector<LocalVariable>& block, const Constraints& constraints) {
  Constraints found;
  for (const Conjunction& feature : constraints)
    if (position(block, feature[0].column) < block.size()) found.push_back(feature);
  return found;
}

}  // namespace treewright
