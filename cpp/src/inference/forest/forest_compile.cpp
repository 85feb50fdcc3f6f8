#include <algorithm>
#include <bit>
#include <numeric>

#include "inference/forest/forest_tree.hpp"
#include "treewright/inference/forest_plan.hpp"

namespace treewright::forests {
namespace {

// Turns a tree of scopes into walks over memory.
class Layout {
 public:
  Layout(const FactorSet& set, const Question& question, const FreeVariables& free, const Tree& tree)
      : set_(set),
        question_(question),
        free_(free),
        tree_(tree),
        plan_(std::make_shared<Plan>()),
        stride_of_(free.variables.size(), 0) {}

  std::shared_ptr<Plan> finish() {
    add_slices();
    add_nodes();
    choose_streamed();
    place();
    add_operands();
    add_variables();
    add_targets();
    price();
    return plan_;
  }

 private:
  std::uint64_t cardinality(std::uint32_t local) const { return free_.cardinalities[local]; }

  void add_slices() {
    for (const KeptFactor& kept : free_.factors) {
      const Factor& factor = set_.factors[kept.factor];
      Slice slice{kept.factor, static_cast<std::uint32_t>(plan_->observed.size()),
                  0,           static_cast<std::uint32_t>(plan_->axes.size()),
                  0,           1,
                  kInPlace};
      std::uint64_t stride = factor.cells.size();
      for (const Var v : factor.scope) {
        stride /= set_.cardinalities[v];
        if (free_.local[v] != kNobody) {
          append_axis(plan_->axes, slice.axes, {set_.cardinalities[v], stride});
          slice.size *= set_.cardinalities[v];
        } else if (set_.cardinalities[v] > 1) {
          plan_->observed.push_back({v, stride});
        }
      }
      slice.observed_end = static_cast<std::uint32_t>(plan_->observed.size());
      slice.n_axes = static_cast<std::uint32_t>(plan_->axes.size()) - slice.axes;
      if (slice.observed != slice.observed_end) {
        slice.offset = plan_->slice_cells;
        plan_->slice_cells += slice.size;
      }
      plan_->slices.push_back(slice);
    }
  }

  void add_nodes() {
    const std::size_t n = tree_.nodes.size();
    place_of_.assign(n, 0);
    for (std::size_t i = 0; i < n; ++i) place_of_[tree_.post_order[i]] = static_cast<std::uint32_t>(i);
    plan_->nodes.resize(n);
    for (std::size_t i = 0; i < n; ++i) {
      const TreeNode& from = tree_.nodes[tree_.post_order[i]];
      Node& node = plan_->nodes[i];
      node = {};
      node.parent = from.parent == kNobody ? kNobody : place_of_[from.parent];
      node.scope = from.scope, node.n_scope = from.n_scope, node.n_residual = from.n_residual;
      node.size = node.separator = 1;
      for (std::uint32_t k = 0; k < node.n_scope; ++k) {
        const std::uint64_t r = cardinality(tree_.scopes[node.scope + k]);
        node.size *= r;
        if (k >= node.n_residual) node.separator *= r;
      }
      node.tile = node.size;
    }
  }

  // Keep tables while they fit; the largest are walked through in tiles and never stored.
  void choose_streamed() {
    std::uint64_t stored = 0;
    for (const Node& node : plan_->nodes) stored += node.size;
    if (!question_.stream || stored <= question_.stored_cells) return;
    std::vector<std::uint32_t> by_size(plan_->nodes.size());
    std::iota(by_size.begin(), by_size.end(), 0u);
    std::ranges::stable_sort(by_size, std::greater<>(),
                             [&](std::uint32_t i) { return plan_->nodes[i].size; });
    for (const std::uint32_t i : by_size) {
      Node& node = plan_->nodes[i];
      if (stored <= question_.stored_cells || node.size <= question_.streamed_above) break;
      stored -= node.size;
      node.tile = 1;
      node.n_outer = node.n_scope;
      while (node.n_outer > 0) {
        const std::uint64_t r = cardinality(tree_.scopes[node.scope + node.n_outer - 1]);
        if (node.tile > 1 && node.tile * r > question_.tile) break;
        node.tile *= r;
        --node.n_outer;
      }
    }
  }

  void place() {
    for (Node& node : plan_->nodes) {
      if (node.n_outer > 0) {
        plan_->tile_cells = std::max(plan_->tile_cells, node.tile);
      } else {
        node.table = plan_->table_cells;
        plan_->table_cells += node.size;
      }
      node.message = plan_->message_cells;
      plan_->message_cells += node.separator;
    }
  }

  // The walk over scope[first, last) of a node beside whatever `stride_of_` describes.
  Walk walk_over(const Node& node, std::uint32_t first, std::uint32_t n_outer) {
    Walk walk{static_cast<std::uint32_t>(plan_->strides.size()),
              static_cast<std::uint32_t>(plan_->axes.size()), 0};
    const std::uint32_t* scope = tree_.scopes.data() + node.scope;
    for (std::uint32_t k = first; k < first + n_outer; ++k) plan_->strides.push_back(stride_of_[scope[k]]);
    for (std::uint32_t k = first + n_outer; k < node.n_scope; ++k)
      append_axis(plan_->axes, walk.axes, {cardinality(scope[k]), stride_of_[scope[k]]});
    walk.n_axes = static_cast<std::uint32_t>(plan_->axes.size()) - walk.axes;
    return walk;
  }

  // Describe the separator of a node in `stride_of_`, or wipe it again.
  void set_separator(const Node& node, bool on) {
    std::uint64_t stride = 1;
    for (std::uint32_t k = node.n_scope; k-- > node.n_residual;) {
      const std::uint32_t u = tree_.scopes[node.scope + k];
      stride_of_[u] = on ? stride : 0;
      stride *= cardinality(u);
    }
  }

  void set_factor(const KeptFactor& kept, bool on) {
    const Factor& factor = set_.factors[kept.factor];
    std::uint64_t stride = 1;  // slices are dense, and so are tables without observed variables
    for (std::size_t k = factor.scope.size(); k-- > 0;) {
      const std::uint32_t u = free_.local[factor.scope[k]];
      if (u == kNobody) continue;
      stride_of_[u] = on ? stride : 0;
      stride *= cardinality(u);
    }
  }

  void add_operands() {
    const std::size_t n = plan_->nodes.size();
    std::vector<std::vector<std::uint32_t>>& factors = factors_at_;
    factors.resize(n);
    for (std::uint32_t f = 0; f < free_.factors.size(); ++f)
      if (tree_.node_of_factor[f] != kNobody) factors[place_of_[tree_.node_of_factor[f]]].push_back(f);
    std::vector<std::uint32_t> first_child(n, kNobody), next_child(n, kNobody);
    for (std::uint32_t i = static_cast<std::uint32_t>(n); i-- > 0;) {
      const std::uint32_t parent = plan_->nodes[i].parent;
      if (parent != kNobody) next_child[i] = first_child[parent], first_child[parent] = i;
    }
    for (std::uint32_t i = 0; i < n; ++i) {
      Node& node = plan_->nodes[i];
      node.factors = static_cast<std::uint32_t>(plan_->operands.size());
      for (const std::uint32_t f : factors[i]) {
        set_factor(free_.factors[f], true);
        plan_->operands.push_back({f, walk_over(node, 0, node.n_outer)});
        set_factor(free_.factors[f], false);
      }
      node.children = static_cast<std::uint32_t>(plan_->operands.size());
      for (std::uint32_t child = first_child[i]; child != kNobody; child = next_child[child]) {
        set_separator(plan_->nodes[child], true);
        plan_->operands.push_back({child, walk_over(node, 0, node.n_outer)});
        set_separator(plan_->nodes[child], false);
      }
      node.operands_end = static_cast<std::uint32_t>(plan_->operands.size());
      set_separator(node, true);
      node.rows = walk_over(node, 0, node.n_outer);
      set_separator(node, false);
    }
  }

  // Each variable is masked in the smallest table that holds it, and read from the smallest table or belief.
  void add_variables() {
    const std::size_t n = free_.variables.size();
    std::vector<std::uint32_t> table(n, kNobody), belief(n, kNobody);
    const auto& nodes = plan_->nodes;
    for (std::uint32_t i = 0; i < nodes.size(); ++i) {
      for (std::uint32_t k = 0; k < nodes[i].n_scope; ++k) {
        const std::uint32_t u = tree_.scopes[nodes[i].scope + k];
        if (table[u] == kNobody || nodes[i].size < nodes[table[u]].size) table[u] = i;
        if (k >= nodes[i].n_residual &&
            (belief[u] == kNobody || nodes[i].separator < nodes[belief[u]].separator))
          belief[u] = i;
      }
    }
    plan_->mask_node.assign(set_.size(), kNobody);
    plan_->mask_walk.resize(set_.size());
    std::vector<std::vector<std::uint32_t>> from_table(nodes.size()), from_belief(nodes.size());
    for (std::uint32_t u = 0; u < n; ++u) {
      const Var v = free_.variables[u];
      stride_of_[u] = 1;
      plan_->mask_node[v] = table[u];
      plan_->mask_walk[v] = walk_over(nodes[table[u]], 0, nodes[table[u]].n_outer);
      stride_of_[u] = 0;
      if (!question_.marginals) continue;
      const bool by_belief = belief[u] != kNobody && nodes[belief[u]].separator < nodes[table[u]].size;
      by_belief ? from_belief[belief[u]].push_back(u) : from_table[table[u]].push_back(u);
    }
    for (std::uint32_t i = 0; i < nodes.size(); ++i) {
      Node& node = plan_->nodes[i];
      node.tables_marginals = static_cast<std::uint32_t>(plan_->marginals.size());
      for (const std::uint32_t u : from_table[i])
        plan_->marginals.push_back({free_.variables[u], plan_->mask_walk[free_.variables[u]]});
      node.belief_marginals = static_cast<std::uint32_t>(plan_->marginals.size());
      for (const std::uint32_t u : from_belief[i]) {
        stride_of_[u] = 1;
        plan_->marginals.push_back({free_.variables[u], walk_over(node, node.n_residual, 0)});
        stride_of_[u] = 0;
      }
      node.marginals_end = static_cast<std::uint32_t>(plan_->marginals.size());
      node.needed_below = node.operands_end > node.children ||
                          node.belief_marginals > node.tables_marginals ||
                          (question_.factors && node.children > node.factors);
    }
    for (Var v = 0; v < set_.size(); ++v)
      if (free_.local[v] == kNobody && (question_.relevant.empty() || question_.relevant[v]))
        plan_->fixed.push_back(v);
    plan_->scopes.reserve(tree_.scopes.size());
    for (const std::uint32_t u : tree_.scopes) plan_->scopes.push_back(free_.variables[u]);
  }

  void add_targets() {
    std::uint64_t stride = 1;
    bool any = false;
    for (std::size_t k = question_.targets.size(); k-- > 0;) {
      const std::uint32_t u = free_.local[question_.targets[k]];
      if (u != kNobody) stride_of_[u] = stride, any = true;
      stride *= set_.cardinalities[question_.targets[k]];
    }
    plan_->target_cells = stride;
    if (!any) return;
    plan_->target_node = place_of_[tree_.target_node];
    const Node& node = plan_->nodes[plan_->target_node];
    plan_->target_walk = walk_over(node, 0, node.n_outer);
    for (const Var v : question_.targets)
      if (free_.local[v] != kNobody) stride_of_[free_.local[v]] = 0;
  }

  void price() {
    Cost& cost = plan_->cost;
    for (const Node& node : plan_->nodes) {
      const double size = static_cast<double>(node.size);
      const double operands = node.operands_end - node.factors, children = node.operands_end - node.children;
      cost.operations += size * (operands + 1);
      if ((question_.marginals || question_.factors) && node.needed_below)
        cost.operations +=
            size * (1 + children + (node.belief_marginals - node.tables_marginals) +
                    (question_.factors ? operands - children : 0) + (node.n_outer > 0 ? operands : 0));
      if (size > cost.largest_cells) {
        cost.largest_cells = size;
        cost.largest_scope.assign(plan_->scopes.begin() + node.scope,
                                  plan_->scopes.begin() + node.scope + node.n_scope);
      }
      cost.width = std::max(cost.width, node.n_scope - 1);
    }
    cost.nodes = static_cast<std::uint32_t>(plan_->nodes.size());
    std::uint64_t states =
        std::accumulate(set_.cardinalities.begin(), set_.cardinalities.end(), std::uint64_t{0});
    cost.bytes = 8.0 * static_cast<double>(plan_->table_cells + plan_->slice_cells +
                                           2 * plan_->message_cells + plan_->tile_cells +
                                           plan_->target_cells + (question_.marginals ? states : 0));
  }

  const FactorSet& set_;
  const Question& question_;
  const FreeVariables& free_;
  const Tree& tree_;
  std::shared_ptr<Plan> plan_;
  std::vector<std::uint64_t> stride_of_;  // of the operand at hand, per free variable
  std::vector<std::uint32_t> place_of_;   // tree node -> plan node
  std::vector<std::vector<std::uint32_t>> factors_at_;
};

// No other order helps a table that exceeds the limit this many times.
constexpr double kHopeless = 0x1p16;

// Tables that no memory would hold: say so from the order alone.
void refuse_large(const FactorSet& set, const Question& question, const FreeVariables& free,
                  const EliminationRun& run) {
  Cost cost;
  cost.largest_cells = run.largest;
  cost.operations = 6 * run.cells;
  cost.nodes = static_cast<std::uint32_t>(run.order.size());
  double joint = 1;
  for (const Var v : question.targets) joint *= set.cardinalities[v];
  if (joint > cost.largest_cells) {
    cost.largest_cells = joint;
    cost.largest_scope = question.targets;
  } else if (!run.order.empty()) {
    cost.largest_scope.push_back(free.variables[run.order[run.largest_at]]);
    for (std::uint32_t k = run.starts[run.largest_at]; k < run.starts[run.largest_at + 1]; ++k)
      cost.largest_scope.push_back(free.variables[run.later[k]]);
  }
  cost.width = static_cast<std::uint32_t>(std::max<std::size_t>(cost.largest_scope.size(), 1) - 1);
  cost.bytes = 8 * (question.stream ? cost.largest_cells : run.cells);
  // beyond 2^60 cells not even the strides of a walk would fit
  if (8 * cost.largest_cells > question.limit_bytes || run.cells > 0x1p60) throw TooLarge(std::move(cost));
}

}  // namespace

std::shared_ptr<Plan> compile(const FactorSet& set, const Question& question, Cancel& cancel) {
  const FreeVariables free = free_variables(set, question);
  SearchEffort effort = question.effort;
  effort.hopeless_cells = kHopeless * question.limit_bytes / 8;
  const EliminationRun run = find_order(order_problem(set, question, free), effort, cancel);
  refuse_large(set, question, free, run);
  const Tree tree = build_tree(set, question, free, run);
  std::shared_ptr<Plan> plan = Layout(set, question, free, tree).finish();
  plan->lost = set.tiny;
  // small change (messages, slices) never decides: 64 MB are always granted
  if (plan->cost.bytes > std::max(question.limit_bytes, 0x1p26)) throw TooLarge(plan->cost);
  return plan;
}

Cost estimate(const FactorSet& set, const Question& question, Cancel& cancel) {
  try {
    return compile(set, question, cancel)->cost;
  } catch (const TooLarge& refused) {
    return refused.cost;
  }
}

std::size_t Plan::approximate_bytes() const {
  return nodes.size() * sizeof(Node) + operands.size() * sizeof(Operand) + slices.size() * sizeof(Slice) +
         axes.size() * sizeof(Axis) + strides.size() * 8 + scopes.size() * 4 + mask_walk.size() * 16 +
         marginals.size() * sizeof(VariableWalk) + base.size() * 8;
}

}  // namespace treewright::forests
