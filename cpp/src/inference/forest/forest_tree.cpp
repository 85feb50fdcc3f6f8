#include "inference/forest/forest_tree.hpp"

#include <algorithm>
#include <span>
#include <tuple>

namespace treewright::forests {
namespace {

// Below this many cells an extra node costs more than it saves.
constexpr double kHubWorthCells = 64;

class TreeBuilder {
 public:
  TreeBuilder(const FactorSet& set, const Question& question, const FreeVariables& free,
              const EliminationRun& run)
      : set_(set), free_(free), run_(run), n_(run.order.size()), position_(n_), clique_of_(n_, kNobody) {
    for (std::uint32_t i = 0; i < n_; ++i) position_[run.order[i]] = i;
    for (const Var v : question.targets) n_targets_ += free.local[v] != kNobody;
  }

  Tree build(bool hubs) {
    form_cliques();
    if (n_targets_ > 0) tree_.target_node = clique_of_[n_ - 1];
    hubs_.resize(tree_.nodes.size());
    if (hubs) add_hubs();
    assign_factors();
    order_nodes();
    return std::move(tree_);
  }

 private:
  std::uint32_t n_later(std::uint32_t i) const { return run_.starts[i + 1] - run_.starts[i]; }

  // A bag that is its child's bag less the child is no clique of its own: the child takes it in.
  void form_cliques() {
    std::vector<std::uint32_t> taken_by(n_, kNobody), top;
    std::vector<std::vector<std::uint32_t>> residual;
    for (std::uint32_t i = 0; i < n_; ++i) {
      std::uint32_t clique = taken_by[i];
      if (clique == kNobody) {
        clique = static_cast<std::uint32_t>(residual.size());
        residual.emplace_back();
        top.push_back(i);
      }
      residual[clique].push_back(run_.order[i]);
      top[clique] = i;
      clique_of_[i] = clique;
      if (n_later(i) == 0) continue;
      const std::uint32_t above = position_[run_.later[run_.starts[i]]];
      // the targets come last and stay together, so that the root holds them all
      const bool target = above + n_targets_ > n_ && n_targets_ > 0;
      if (n_later(i) == n_later(above) + 1 && taken_by[above] == kNobody && (!target || above == i + 1))
        taken_by[above] = clique;
    }
    for (std::uint32_t c = 0; c < residual.size(); ++c) {
      TreeNode node{static_cast<std::uint32_t>(tree_.scopes.size()), 0,
                    static_cast<std::uint32_t>(residual[c].size()), kNobody};
      tree_.scopes.insert(tree_.scopes.end(), residual[c].begin(), residual[c].end());
      const std::uint32_t begin = run_.starts[top[c]], end = run_.starts[top[c] + 1];
      tree_.scopes.insert(tree_.scopes.end(), run_.later.begin() + begin, run_.later.begin() + end);
      node.n_scope = node.n_residual + (end - begin);
      if (end > begin) node.parent = clique_of_[position_[run_.later[begin]]];
      tree_.nodes.push_back(node);
    }
  }

  struct Hub {
    std::uint64_t mask;  // over the scope of its clique
    double cells;
    std::uint32_t node;
  };
  struct Child {
    std::uint64_t mask;
    double cells;
    std::uint32_t node;
  };

  double cells_of(const TreeNode& node) const {
    double cells = 1;
    for (std::uint32_t k = 0; k < node.n_scope; ++k)
      cells *= free_.cardinalities[tree_.scopes[node.scope + k]];
    return cells;
  }

  void add_hubs() {
    const auto n_cliques = static_cast<std::uint32_t>(tree_.nodes.size());
    std::vector<std::uint32_t> start(n_cliques + 1, 0);
    for (const TreeNode& node : tree_.nodes)
      if (node.parent != kNobody) ++start[node.parent + 1];
    for (std::uint32_t c = 0; c < n_cliques; ++c) start[c + 1] += start[c];
    std::vector<std::uint32_t> children(start[n_cliques]), filled(start.begin(), start.end() - 1);
    for (std::uint32_t c = 0; c < n_cliques; ++c)
      if (tree_.nodes[c].parent != kNobody) children[filled[tree_.nodes[c].parent]++] = c;
    for (std::uint32_t c = 0; c < n_cliques; ++c)
      if (start[c + 1] - start[c] >= 2 && cells_of(tree_.nodes[c]) > kHubWorthCells)
        gather(c, {children.data() + start[c], start[c + 1] - start[c]});
  }

  // Separators of the children that contain another one's become hubs; everybody hangs under the smallest hub
  // that contains its separator.
  void gather(std::uint32_t clique, std::span<const std::uint32_t> children) {
    number_scope(clique);
    std::vector<Child> waiting;
    for (const std::uint32_t child : children) {
      const TreeNode& node = tree_.nodes[child];
      Child one{0, 1, child};
      for (std::uint32_t k = node.n_residual; k < node.n_scope; ++k) {
        const std::uint32_t u = tree_.scopes[node.scope + k];
        one.mask |= std::uint64_t{1} << index_in_[u];
        one.cells *= free_.cardinalities[u];
      }
      waiting.push_back(one);
    }
    std::ranges::sort(waiting, [](const Child& a, const Child& b) {
      return std::tuple(-a.cells, a.mask, a.node) < std::tuple(-b.cells, b.mask, b.node);
    });
    const std::uint32_t n_scope = tree_.nodes[clique].n_scope;
    const std::uint64_t whole = n_scope == 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << n_scope) - 1;
    std::vector<Hub>& hubs = hubs_[clique];
    const auto smallest_hub = [&](std::uint64_t mask) {
      for (std::size_t h = hubs.size(); h-- > 0;)
        if ((mask & ~hubs[h].mask) == 0) return hubs[h].node;
      return clique;
    };
    for (std::size_t i = 0; i < waiting.size(); ++i) {
      const std::uint64_t mask = waiting[i].mask;
      const bool has_hub = !hubs.empty() && hubs.back().mask == mask;
      const bool shared = std::any_of(waiting.begin() + static_cast<std::ptrdiff_t>(i) + 1, waiting.end(),
                                      [&](const Child& later) { return (later.mask & ~mask) == 0; });
      if (!has_hub && shared && mask != whole && mask != 0) {
        TreeNode hub{static_cast<std::uint32_t>(tree_.scopes.size()), 0, 0, smallest_hub(mask)};
        for (std::uint32_t k = 0; k < n_scope; ++k)
          if (mask >> k & 1) tree_.scopes.push_back(tree_.scopes[tree_.nodes[clique].scope + k]);
        hub.n_scope = static_cast<std::uint32_t>(tree_.scopes.size()) - hub.scope;
        hubs.push_back({mask, waiting[i].cells, static_cast<std::uint32_t>(tree_.nodes.size())});
        tree_.nodes.push_back(hub);
      }
      tree_.nodes[waiting[i].node].parent = smallest_hub(mask);
    }
  }

  void number_scope(std::uint32_t clique) {
    index_in_.resize(n_);
    const TreeNode& node = tree_.nodes[clique];
    for (std::uint32_t k = 0; k < node.n_scope; ++k) index_in_[tree_.scopes[node.scope + k]] = k;
  }

  void assign_factors() {
    tree_.node_of_factor.assign(free_.factors.size(), kNobody);
    for (std::size_t f = 0; f < free_.factors.size(); ++f) {
      std::uint32_t first = kNobody;
      for (const Var v : set_.factors[free_.factors[f].factor].scope)
        if (free_.local[v] != kNobody) first = std::min(first, position_[free_.local[v]]);
      if (first == kNobody) continue;
      const std::uint32_t clique = clique_of_[first];
      tree_.node_of_factor[f] = clique;
      if (hubs_[clique].empty()) continue;
      number_scope(clique);
      std::uint64_t mask = 0;
      for (const Var v : set_.factors[free_.factors[f].factor].scope)
        if (free_.local[v] != kNobody) mask |= std::uint64_t{1} << index_in_[free_.local[v]];
      for (const Hub& hub : hubs_[clique])  // from large to small
        if ((mask & ~hub.mask) == 0) tree_.node_of_factor[f] = hub.node;
    }
  }

  void order_nodes() {
    const std::size_t n = tree_.nodes.size();
    std::vector<std::uint32_t> first_child(n, kNobody), next(n, kNobody), stack;
    for (std::uint32_t i = static_cast<std::uint32_t>(n); i-- > 0;) {
      const std::uint32_t parent = tree_.nodes[i].parent;
      if (parent == kNobody) {
        stack.push_back(i);
      } else {
        next[i] = first_child[parent], first_child[parent] = i;
      }
    }
    tree_.post_order.reserve(n);
    while (!stack.empty()) {
      const std::uint32_t node = stack.back();
      stack.pop_back();
      tree_.post_order.push_back(node);
      for (std::uint32_t child = first_child[node]; child != kNobody; child = next[child])
        stack.push_back(child);
    }
    std::ranges::reverse(tree_.post_order);
  }

  const FactorSet& set_;
  const FreeVariables& free_;
  const EliminationRun& run_;
  std::size_t n_;
  std::uint32_t n_targets_ = 0;
  std::vector<std::uint32_t> position_, clique_of_, index_in_;
  std::vector<std::vector<Hub>> hubs_;
  Tree tree_;
};

}  // namespace

FreeVariables free_variables(const FactorSet& set, const Question& question) {
  FreeVariables free;
  free.local.assign(set.size(), kNobody);
  const auto relevant = [&](Var v) { return question.relevant.empty() || question.relevant[v]; };
  for (std::size_t i = 0; i < set.size(); ++i) {
    const Var v = set.variable_at(i);
    if (question.observed[v] || set.cardinalities[v] == 1 || !relevant(v)) continue;
    free.local[v] = static_cast<std::uint32_t>(free.variables.size());
    free.variables.push_back(v);
    free.cardinalities.push_back(set.cardinalities[v]);
  }
  for (std::size_t i = 0; i < set.factors.size(); ++i)
    if (const std::uint32_t f = set.factor_at(i); !set.directed || relevant(f)) free.factors.push_back({f});
  return free;
}

OrderProblem order_problem(const FactorSet& set, const Question& question, const FreeVariables& free) {
  OrderProblem problem;
  const std::size_t n = free.variables.size();
  problem.cardinalities = free.cardinalities;
  const bool dense = problem.dense();
  if (dense) problem.graph = BitMatrix(n);
  if (!dense) problem.adjacent.resize(n);
  std::vector<std::uint32_t> scope;
  const auto join_scope = [&] {
    for (std::size_t i = 0; i < scope.size(); ++i)
      for (std::size_t j = i + 1; j < scope.size(); ++j) {
        if (dense) {
          problem.graph.join(scope[i], scope[j]);
        } else {
          problem.adjacent[scope[i]].push_back(scope[j]);
          problem.adjacent[scope[j]].push_back(scope[i]);
        }
      }
  };
  for (const KeptFactor& kept : free.factors) {
    scope.clear();
    for (const Var v : set.factors[kept.factor].scope)
      if (free.local[v] != kNobody) scope.push_back(free.local[v]);
    join_scope();
  }
  scope.clear();
  for (const Var v : question.targets)
    if (free.local[v] != kNobody) scope.push_back(free.local[v]);
  if (!scope.empty()) problem.last.assign(n, 0);
  for (const std::uint32_t u : scope) problem.last[u] = 1;
  join_scope();
  for (auto& list : problem.adjacent) {
    std::ranges::sort(list);
    list.erase(std::unique(list.begin(), list.end()), list.end());
  }
  return problem;
}

Tree build_tree(const FactorSet& set, const Question& question, const FreeVariables& free,
                const EliminationRun& run) {
  return TreeBuilder(set, question, free, run).build(question.hubs);
}

}  // namespace treewright::forests
