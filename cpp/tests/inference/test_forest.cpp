#include <algorithm>
#include <cmath>
#include <random>

#include "check.hpp"
#include "treewright/inference/expectation.hpp"
#include "treewright/inference/forest.hpp"
#include "treewright/inference/forest_batch.hpp"
#include "treewright/inference/forest_prune.hpp"

using namespace treewright::forests;
using treewright::Cancel;

namespace {

constexpr double kLimit = 4e9;

struct Owned {
  std::vector<std::vector<double>> tables;
  FactorSet set;
};

// A chain of `n` variables with `r` states each, and tables with zeros off a band.
Owned chain_of_tables(std::size_t n, std::uint32_t r) {
  Owned out;
  out.set.cardinalities.assign(n, r);
  out.set.directed = true;
  for (Var v = 0; v < n; ++v) {
    std::vector<double> cells;
    for (std::uint32_t a = 0; a < (v ? r : 1); ++a)
      for (std::uint32_t b = 0; b < r; ++b)
        cells.push_back(v && b != a && b != (a + 1) % r ? 0 : v ? 0.5 : 1.0 / r);
    out.tables.push_back(std::move(cells));
  }
  for (Var v = 0; v < n; ++v)
    out.set.factors.push_back({v ? std::vector<Var>{v - 1, v} : std::vector<Var>{v}, out.tables[v], false});
  return out;
}

bool nearly(double a, double b) { return std::abs(a - b) <= 1e-12 * std::max(1.0, std::abs(b)); }

// Every factor has a home, separators lie in both ends, and the nodes of each variable hang together.
void check_tree(const Plan& plan, const FactorSet& set) {
  std::vector<std::vector<std::uint32_t>> nodes_of(set.size());
  std::size_t n_factors = 0;
  for (std::uint32_t i = 0; i < plan.nodes.size(); ++i) {
    const Node& node = plan.nodes[i];
    n_factors += node.children - node.factors;
    CHECK(node.parent == kNobody || node.parent > i);
    for (std::uint32_t k = 0; k < node.n_scope; ++k) nodes_of[plan.scopes[node.scope + k]].push_back(i);
    if (node.parent == kNobody) continue;
    const Node& above = plan.nodes[node.parent];
    for (std::uint32_t k = node.n_residual; k < node.n_scope; ++k) {
      const auto begin = plan.scopes.begin() + above.scope;
      CHECK(std::find(begin, begin + above.n_scope, plan.scopes[node.scope + k]) != begin + above.n_scope);
    }
  }
  CHECK(n_factors == set.factors.size());
  for (const auto& nodes : nodes_of) {  // a subtree has one top
    std::size_t tops = 0;
    for (const std::uint32_t i : nodes) {
      const std::uint32_t parent = plan.nodes[i].parent;
      tops += parent == kNobody || std::find(nodes.begin(), nodes.end(), parent) == nodes.end();
    }
    CHECK(nodes.empty() || tops == 1);
  }
}

}  // namespace

TEST(plans_are_junction_trees) {
  std::mt19937 random(7);
  for (int round = 0; round < 200; ++round) {
    Owned owned;
    const std::size_t n = 2 + random() % 14;
    for (std::size_t v = 0; v < n; ++v) owned.set.cardinalities.push_back(2 + random() % 3);
    for (std::size_t f = 0; f < n; ++f) {
      std::vector<Var> scope;
      std::size_t cells = 1;
      for (Var v = 0; v < n; ++v)
        if (random() % n < 3 && scope.size() < 4) scope.push_back(v), cells *= owned.set.cardinalities[v];
      if (scope.empty()) continue;
      owned.tables.emplace_back(cells, 0.5);
      owned.set.factors.push_back({scope, {}, false});
    }
    for (std::size_t f = 0; f < owned.tables.size(); ++f) owned.set.factors[f].cells = owned.tables[f];
    owned.set.validate();
    Question question;
    question.observed.assign(n, 0);
    question.marginals = true;
    if (round % 3 == 0) question.targets = {0, static_cast<Var>(n - 1)};
    Cancel cancel;
    const auto plan = compile(owned.set, question, cancel);
    check_tree(*plan, owned.set);
    if (!question.targets.empty()) CHECK(plan->nodes[plan->target_node].parent == kNobody);
  }
}

TEST(a_chain_has_small_tables) {
  Owned owned = chain_of_tables(300, 4);
  Forest forest(owned.set);
  Cancel cancel;
  const Cost cost = forest.cost({}, {}, kLimit, cancel);
  CHECK(cost.width == 1);
  CHECK(cost.largest_cells == 16);
  std::vector<double> out(forest.offsets().back());
  CHECK(forest.marginals({}, out, kLimit, cancel) == 0);
  for (const double p : out) CHECK(nearly(p, 0.25));
}

TEST(rare_evidence_in_a_deep_tree_keeps_its_marginals) {
  // every step that is seen has the probability 1e-6: the mass is far below the smallest double
  constexpr std::size_t kLength = 200;
  Owned owned;
  owned.set.cardinalities.assign(kLength, 2);
  owned.set.directed = true;
  owned.tables.assign(1, {0.5, 0.5});
  for (Var v = 1; v < kLength; ++v) owned.tables.push_back({1 - 1e-6, 1e-6, 1 - 2e-6, 2e-6});
  for (Var v = 0; v < kLength; ++v)
    owned.set.factors.push_back(
        {v ? std::vector<Var>{v - 1, v} : std::vector<Var>{v}, owned.tables[v], false});
  forests::Evidence evidence;
  for (Var v = 0; v < kLength; ++v)
    if (v % 10 != 4) evidence.observed.push_back(v), evidence.states.push_back(1);
  const double expected = 2e-6 * 2e-6 / (2e-6 * 2e-6 + (1 - 2e-6) * 1e-6);
  for (const Strategy strategy : {Strategy::kMasked, Strategy::kSliced, Strategy::kAutomatic}) {
    ForestOptions options;
    options.strategy = strategy;
    Forest forest(owned.set, options);
    Cancel cancel;
    std::vector<double> out(forest.offsets().back());
    CHECK(forest.marginals(evidence, out, kLimit, cancel) < -2000);
    for (Var v = 0; v < kLength; ++v) CHECK(nearly(out[2 * v + 1], v % 10 == 4 ? expected : 1));
  }
}

TEST(plans_for_engines_elsewhere_are_junction_trees_without_hubs) {
  Owned owned = chain_of_tables(60, 3);
  Cancel cancel;
  const auto plan = Forest(owned.set).clique_plan(59 * 9, cancel);
  check_tree(*plan, owned.set);
  CHECK(plan->table_cells == 59 * 9);
  for (const Node& node : plan->nodes) {
    CHECK(node.n_residual > 0);
    CHECK(node.tile == node.size);
    if (node.parent == kNobody) continue;
    // a separator stands in the order of the parent's scope
    const Node& above = plan->nodes[node.parent];
    auto at = plan->scopes.begin() + above.scope;
    for (std::uint32_t k = node.n_residual; k < node.n_scope; ++k, ++at)
      at = std::find(at, plan->scopes.begin() + above.scope + above.n_scope, plan->scopes[node.scope + k]);
    CHECK(at <= plan->scopes.begin() + above.scope + above.n_scope);
  }
  bool refused = false;
  try {
    Forest(owned.set).clique_plan(59 * 9 - 1, cancel);
  } catch (const TooLarge&) {
    refused = true;
  }
  CHECK(refused);
}

TEST(pruning_follows_the_zeros) {
  Owned owned = chain_of_tables(6, 5);
  owned.set.validate();
  Cancel cancel;
  treewright::forests::Evidence evidence;
  evidence.observed = {0, 5};
  evidence.states = {0, 0};  // five steps of 0 or 1: only all five ones come round
  const Pruned pruned = prune(owned.set, evidence, cancel);
  CHECK(!pruned.impossible);
  for (Var v = 0; v < 6; ++v) CHECK(pruned.live[v].size() <= 2);
  Forest forest(owned.set, {Strategy::kPruned});
  CHECK(nearly(forest.log_mass(evidence, kLimit, cancel), std::log(0.2 * 2 / 32)));
}

TEST(impossible_evidence_and_its_conflict) {
  Owned owned = chain_of_tables(5, 6);
  Forest forest(owned.set);
  Cancel cancel;
  treewright::forests::Evidence evidence;
  evidence.observed = {4, 0, 2};
  evidence.states = {0, 0, 5};  // 0 -> 5 in two steps is too far
  CHECK(forest.log_mass(evidence, kLimit, cancel) == kImpossible);
  CHECK((forest.conflict(evidence, kLimit, cancel) == std::vector<std::size_t>{1, 2}));
}

TEST(refusals_come_before_tables) {
  Owned owned;
  const std::size_t n = 40;
  owned.set.cardinalities.assign(n, 2);
  owned.tables.emplace_back(4, 1.0);
  for (Var a = 0; a < n; ++a)
    for (Var b = 0; b < a; ++b) owned.set.factors.push_back({{a, b}, owned.tables[0], false});
  Forest forest(owned.set);
  Cancel cancel;
  bool refused = false;
  try {
    forest.log_mass({}, kLimit, cancel);
  } catch (const TooLarge& error) {
    refused = true;
    CHECK(error.cost.largest_scope.size() == n);
    CHECK(error.cost.largest_cells == std::ldexp(1.0, n));
  }
  CHECK(refused);
}

TEST(equal_rows_are_found) {
  std::vector<std::uint8_t> a{0, 1, 0, 1, 0}, b{1, 1, 1, 0, 0}, missing{0, 0, 0, 0, 1};
  EvidenceRows rows;
  rows.n_rows = 5;
  rows.columns = {{a.data(), 1}, {b.data(), 1}, {nullptr, 1}};
  rows.missing = {nullptr, missing.data(), nullptr};
  CHECK((first_equal_rows(rows) == std::vector<std::size_t>{0, 1, 0, 3, 4}));
}

TEST(threads_share_one_forest) {
  Owned owned = chain_of_tables(60, 3);
  Forest forest(owned.set, {Strategy::kSliced});
  std::vector<std::vector<double>> found(8, std::vector<double>(forest.offsets().back()));
  check::side_by_side(found.size(), [&](std::size_t t) {
    Cancel cancel;
    for (int round = 0; round < 20; ++round) {
      treewright::forests::Evidence evidence;
      evidence.observed = {static_cast<Var>(round)};
      evidence.states = {1};
      forest.marginals(evidence, found[t], kLimit, cancel);
    }
  });
  for (const auto& one : found) CHECK(one == found[0]);
}

TEST(expected_counts_of_a_chain) {
  // a -> b -> c; the first row hides b, the second hides a and c, the third shows everything
  const std::vector<std::uint8_t> a{0, 0, 1}, b{0, 1, 1}, c{1, 0, 0};
  const std::vector<std::uint8_t> no_a{0, 1, 0}, no_b{1, 0, 0}, no_c{0, 1, 0};
  EvidenceRows rows;
  rows.n_rows = 3;
  rows.columns = {{a.data(), 1}, {b.data(), 1}, {c.data(), 1}};
  rows.missing = {no_a.data(), no_b.data(), no_c.data()};
  Cancel cancel;
  Expectation expectation({2, 2, 2}, {{0}, {0, 1}, {1, 2}}, rows, {}, cancel);
  CHECK(expectation.n_runs() == 3);  // b; a; c
  const std::vector<double> tables{0.6, 0.4, 0.7, 0.3, 0.2, 0.8, 0.9, 0.1, 0.5, 0.5};
  std::vector<double> counts(tables.size());
  const double log = expectation.step(tables, counts, kLimit, cancel);
  const double b0 = 0.7 * 0.1 / (0.7 * 0.1 + 0.3 * 0.5), a0 = 0.6 * 0.3 / (0.6 * 0.3 + 0.4 * 0.8);
  const std::vector<double> expected{1 + a0, 2 - a0, b0, 1 - b0 + a0, 0, 2 - a0, 0, b0, 1.5, 1 - b0 + 0.5};
  for (std::size_t k = 0; k < counts.size(); ++k) CHECK(nearly(counts[k], expected[k]));
  CHECK(nearly(log, std::log(0.6 * (0.7 * 0.1 + 0.3 * 0.5)) + std::log(0.6 * 0.3 + 0.4 * 0.8) +
                        std::log(0.4 * 0.8 * 0.5)));
}
