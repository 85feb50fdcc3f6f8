// The most probable joint state: maxima instead of sums on the way up, then read off from the roots down.
#include <stdexcept>

#include "inference/forest/forest_answer.hpp"

namespace treewright::forests {
namespace {

// Given the states of its separator, the best states of a node's residual; ties to the lowest.
template <class Cell>
void settle(const Collected<Cell>& found, const Node& node, std::span<std::uint32_t> states) {
  const auto& plan = found.plan;
  std::uint64_t column = 0;
  for (std::uint32_t k = node.n_residual; k < node.n_scope; ++k) {
    const Var v = plan.scopes[node.scope + k];
    column = column * found.set.cardinalities[v] + states[v];
  }
  const Cell* const cells = found.run.table(node);
  const std::uint64_t rows = node.size / node.separator;
  std::uint64_t best = 0;
  for (std::uint64_t r = 1; r < rows; ++r)
    if (cells[best * node.separator + column] < cells[r * node.separator + column]) best = r;
  for (std::uint32_t k = node.n_residual; k-- > 0;) {
    const Var v = plan.scopes[node.scope + k];
    states[v] = static_cast<std::uint32_t>(best % found.set.cardinalities[v]);
    best /= found.set.cardinalities[v];
  }
}

}  // namespace

double Forest::most_probable(const Evidence& evidence, std::span<std::uint32_t> states, double limit,
                             Cancel& cancel) {
  if (states.size() != set_.size()) throw std::invalid_argument("one state per variable is needed");
  Question question = question_for(evidence, {}, true, limit);
  question.stream = false;
  return answer<true>(evidence, std::move(question), limit, cancel,
                      [&]<class Cell>(const Collected<Cell>& found) {
                        std::ranges::copy(found.states, states.begin());
                        for (std::size_t i = found.plan.nodes.size(); i-- > 0;)
                          settle(found, found.plan.nodes[i], states);
                        if (!found.live) return;
                        for (Var v = 0; v < set_.size(); ++v) states[v] = (*found.live)[v][states[v]];
                      });
}

}  // namespace treewright::forests
