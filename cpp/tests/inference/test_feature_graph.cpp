// Feature graphs: merging equal nodes, joining graphs, evaluating complete rows.
#include <cmath>
#include <vector>

#include "check.hpp"
#include "treewright/inference/feature_eval.hpp"

using namespace treewright;
using namespace treewright::features;

namespace {

Id coin(ArenaBuilder& builder, std::uint32_t v, double p) {
  const double numbers[] = {std::log(1 - p), std::log(p)};
  return builder.add_table({{v}}, numbers);
}

std::vector<double> logs_of(const Arena& arena, const std::vector<std::vector<std::uint8_t>>& columns) {
  std::vector<ConstColumn> codes;
  for (const auto& column : columns) codes.push_back({column.data(), 1});
  std::vector<double> out(columns[0].size());
  Cancel cancel;
  log_probability_rows(arena, codes, out.size(), out.data(), cancel);
  return out;
}

}  // namespace

TEST(equal_nodes_are_made_once) {
  ArenaBuilder builder({2, 2});
  CHECK(coin(builder, 0, 0.25) == coin(builder, 0, 0.25 + 1e-14));
  CHECK(coin(builder, 0, 0.25) != coin(builder, 1, 0.25));
  const Id pair[] = {coin(builder, 1, 0.5), coin(builder, 0, 0.25)};
  const Id one[] = {builder.add_and(pair)};
  CHECK(builder.add_and(one) == one[0]);
  CHECK(builder.size() == 4);
}

TEST(a_finished_graph_keeps_what_the_root_needs) {
  ArenaBuilder builder({2, 2});
  coin(builder, 0, 0.9);
  const Id pair[] = {coin(builder, 0, 0.5), coin(builder, 1, 0.5)};
  const Arena arena = builder.finish(builder.add_and(pair));
  CHECK(arena.size() == 3);
  validate(arena);
  ArenaBuilder joined({2, 2});
  const Id root = joined.append(arena);
  CHECK(joined.append(arena) == root);
  CHECK(joined.finish(root) == arena);
}

TEST(rows_are_routed_through_splits_and_mixtures) {
  ArenaBuilder builder({2, 2, 3});
  const std::uint32_t states[] = {0, 1};
  const double half[] = {std::log(0.5), std::log(0.5)};
  const double three[] = {std::log(0.5), std::log(0.25), std::log(0.25)};
  const Id last = builder.add_table({{2}}, three);
  const Id sides[] = {coin(builder, 1, 0.25), coin(builder, 1, 0.75)};
  const Id split = builder.add_split(0, states, sides, half);
  const Id both[] = {split, last};
  const Id flat[] = {coin(builder, 0, 0.5), coin(builder, 1, 0.5), last};
  const Id parts[] = {builder.add_and(both), builder.add_and(flat)};
  const double weights[] = {std::log(0.8), std::log(0.2)};
  const Arena arena = builder.finish(builder.add_mix(parts, weights));
  validate(arena);
  CHECK(!is_deterministic(arena));
  const auto logs = logs_of(arena, {{0, 1}, {1, 1}, {0, 2}});
  CHECK(std::abs(std::exp(logs[0]) - 0.5 * (0.8 * 0.5 * 0.25 + 0.2 * 0.25)) < 1e-15);
  CHECK(std::abs(std::exp(logs[1]) - 0.25 * (0.8 * 0.5 * 0.75 + 0.2 * 0.25)) < 1e-15);
}

TEST(stored_rows_and_hidden_trees_are_evaluated) {
  ArenaBuilder builder({2, 2});
  const std::uint32_t scope[] = {0, 1}, codes[] = {0, 1, 1, 1};
  const double weights[] = {std::log(0.25), std::log(0.75)};
  const Id rows = builder.add_rows(scope, codes, weights);
  // two hidden states that copy themselves: a mixture of two products
  const HiddenVariable variables[] = {{0, kNoParent}, {1, 0}};
  std::vector<double> p{0.5, 0.5, 0.9, 0.1, 0.2, 0.8, 1, 0, 0, 1, 0.7, 0.3, 0.4, 0.6};
  for (double& x : p) x = std::log(x);
  const Id hidden = builder.add_hidden(2, false, variables, p);
  const Arena memory = builder.finish(rows), tree = builder.finish(hidden);
  validate(memory);
  validate(tree);
  const auto stored = logs_of(memory, {{0, 1, 0}, {1, 1, 0}});
  CHECK(std::abs(std::exp(stored[0]) - 0.25) < 1e-15);
  CHECK(std::abs(std::exp(stored[1]) - 0.75) < 1e-15);
  CHECK(stored[2] == kNever);
  const auto mixed = logs_of(tree, {{0}, {1}});
  CHECK(std::abs(std::exp(mixed[0]) - 0.5 * (0.9 * 0.3 + 0.2 * 0.6)) < 1e-15);
}

TEST(a_false_side_that_lets_the_feature_hold_is_refused) {
  ArenaBuilder builder({2, 2});
  const double uniform[] = {std::log(0.25), std::log(0.25), std::log(0.25), std::log(0.25)};
  const std::uint32_t scope[] = {0, 1};
  const Id table = builder.add_table(scope, uniform);
  const Id root =
      builder.add_feature({{0, 1}, {1, 1}}, builder.add_one(), table, std::log(0.5), std::log(0.5));
  bool refused = false;
  try {
    validate(builder.finish(root));
  } catch (const std::invalid_argument&) {
    refused = true;
  }
  CHECK(refused);
}
