// From an elimination order to a forest of cliques and hubs, in local numbers of the free variables.
#pragma once

#include "treewright/inference/forest_plan.hpp"

namespace treewright::forests {

struct KeptFactor {
  std::uint32_t factor;
};

/// The variables that are left when the observed ones, those with a single state and those without a say are
/// gone, numbered anew.
struct FreeVariables {
  std::vector<Var> variables;
  std::vector<std::uint32_t> cardinalities;
  std::vector<std::uint32_t> local;  // kNobody: not free
  std::vector<KeptFactor> factors;
};

FreeVariables free_variables(const FactorSet& set, const Question& question);
OrderProblem order_problem(const FactorSet& set, const Question& question, const FreeVariables& free);

struct TreeNode {
  std::uint32_t scope, n_scope, n_residual;  // in Tree::scopes, in elimination order; residual first
  std::uint32_t parent;
};

struct Tree {
  std::vector<TreeNode> nodes;  // cliques, then hubs
  std::vector<std::uint32_t> scopes;
  std::vector<std::uint32_t> post_order;      // children before parents
  std::vector<std::uint32_t> node_of_factor;  // kNobody: all its variables are observed
  std::uint32_t target_node = kNobody;
};

Tree build_tree(const FactorSet& set, const Question& question, const FreeVariables& free,
                const EliminationRun& run);

}  // namespace treewright::forests
