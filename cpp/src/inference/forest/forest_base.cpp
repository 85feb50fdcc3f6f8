#include "inference/forest/forest_base.hpp"

#include "inference/lost_digits.hpp"
#include "inference/nest_kernels.hpp"

namespace treewright::forests {

void multiply_base(const FactorSet& set, Plan& plan) {
  plan.premultiplied = true;
  plan.base.assign(plan.table_cells, 1.0);
  const LostDigits lost;
  for (const Node& node : plan.nodes)
    for (std::uint32_t k = node.factors; k < node.children; ++k) {
      const Operand& operand = plan.operands[k];
      nest_multiply(plan.nest(operand.walk), plan.base.data() + node.table,
                    set.factors[plan.slices[operand.source].factor].cells.data());
    }
  plan.lost |= lost.seen();
  double saved = 0;  // a node starts from one table instead of several
  for (const Node& node : plan.nodes)
    saved += static_cast<double>(node.size) * (node.children - node.factors);
  plan.cost.operations -= saved;
  plan.cost.bytes += 8 * static_cast<double>(plan.base.size());
}

}  // namespace treewright::forests
