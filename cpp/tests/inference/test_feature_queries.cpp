// Questions to a feature graph with a node of every kind, against sums over all rows.
#include <cmath>
#include <vector>

#include "check.hpp"
#include "treewright/inference/feature_marginals.hpp"
#include "treewright/inference/feature_mpe.hpp"
#include "treewright/inference/feature_refit.hpp"
#include "treewright/inference/feature_sample.hpp"

using namespace treewright;
using namespace treewright::features;

namespace {

constexpr std::size_t kVariables = 5;

std::vector<double> logs(std::vector<double> p) {
  for (double& x : p) x = std::log(x);
  return p;
}

/// Five binary variables: a feature over a tree, a table and stored rows, mixed with a hidden tree.
Arena every_kind() {
  ArenaBuilder b(std::vector<std::uint32_t>(kVariables, 2));
  const TreeVariable pair[] = {{2, {}}, {3, {0}}, {4, {1, 0}}};
  const Id tree = b.add_tree(pair, logs({0.3, 0.7, 0.9, 0.1, 0.2, 0.8, 0.5, 0.5, 0.6, 0.4, 0.1, 0.9, 1, 0}));
  const std::uint32_t scope[] = {0, 1}, three[] = {2, 3, 4}, codes[] = {0, 0, 1, 1, 0, 1}, states[] = {0, 1};
  const Id table = b.add_table(scope, logs({0.2, 0.3, 0.5, 0.0}));
  const Id rows = b.add_rows(three, codes, logs({0.25, 0.75}));
  const Id fails[] = {table, tree};
  const Id feature = b.add_feature({{0, 1}, {1, 1}}, rows, b.add_and(fails), std::log(0.4), std::log(0.6));
  const HiddenVariable line[] = {{1, kNoParent}, {2, 0}, {3, 1}, {4, 1}};
  std::vector<double> p{0.4, 0.6, 0.9, 0.1, 0.3, 0.7};  // a root: pi, then its emission
  for (int i = 0; i < 3; ++i) p.insert(p.end(), {0.8, 0.2, 0.1, 0.9, 0.7, 0.3, 0.4, 0.6, 0.2, 0.8, 0.5, 0.5});
  const Id hidden = b.add_hidden(2, true, line, logs(p));
  const Id below[] = {hidden, hidden};
  const Id parts[] = {feature, b.add_split(0, states, below, logs({0.5, 0.5}))};
  return b.finish(b.add_mix(parts, logs({0.7, 0.3})));
}

std::vector<double> all_rows(const Program& program) {
  std::vector<std::vector<std::uint8_t>> codes(kVariables, std::vector<std::uint8_t>(32));
  std::vector<ConstColumn> columns;
  for (std::size_t v = 0; v < kVariables; ++v) {
    for (std::size_t row = 0; row < 32; ++row) codes[v][row] = row >> v & 1;
    columns.push_back({codes[v].data(), 1});
  }
  std::vector<double> out(32);
  Cancel cancel;
  log_probability_rows(program, columns, 32, out.data(), cancel);
  for (double& x : out) x = std::exp(x);
  return out;
}

bool close(double a, double b) { return std::abs(a - b) < 1e-12; }

}  // namespace

TEST(rows_sum_to_one_and_a_written_out_graph_is_the_same) {
  const Arena arena = every_kind();
  validate(arena);
  const auto p = all_rows(Program(arena)), q = all_rows(Program(expanded(arena)));
  double total = 0;
  for (std::size_t row = 0; row < 32; ++row) {
    total += p[row];
    CHECK(close(p[row], q[row]));
  }
  CHECK(close(total, 1));
}

TEST(marginals_given_evidence_agree_with_sums) {
  const Program program(every_kind());
  const auto p = all_rows(program);
  const std::uint8_t codes[] = {0, 1, 1}, missing[] = {0, 0, 1};
  treewright::features::Evidence evidence{std::vector<double>(2 * kVariables, 1.0), {}};
  evidence.common[2 * 4] = 0.25;  // soft evidence on the last variable, the same for all
  evidence.rows = {3, std::vector<ConstColumn>(kVariables, {nullptr, 1}),
                   std::vector<const std::uint8_t*>(kVariables)};
  evidence.rows.columns[3] = {codes, 1};
  evidence.rows.missing[3] = missing;
  const std::uint32_t wanted[] = {0, 1, 2, 3, 4};
  std::vector<double> out(3 * 2 * kVariables), mass(3);
  Cancel cancel;
  marginals_many(program, evidence, wanted, out, mass, cancel);
  for (std::size_t i = 0; i < 3; ++i) {
    std::vector<double> expected(2 * kVariables);
    double total = 0;
    for (std::size_t row = 0; row < 32; ++row) {
      if (!missing[i] && (row >> 3 & 1) != codes[i]) continue;
      const double w = p[row] * (row >> 4 & 1 ? 1 : 0.25);
      total += w;
      for (std::size_t v = 0; v < kVariables; ++v) expected[2 * v + (row >> v & 1)] += w;
    }
    CHECK(close(std::exp(mass[i]), total));
    for (std::size_t s = 0; s < 2 * kVariables; ++s)
      CHECK(close(out[i * 2 * kVariables + s], expected[s] / total));
  }
}

TEST(expected_counts_make_better_parameters) {
  Arena arena = every_kind();
  const Parameters parameters = parameters_of(arena);
  std::vector<std::uint8_t> codes[kVariables];
  for (std::size_t i = 0; i < 40; ++i)
    for (std::size_t v = 0; v < kVariables; ++v) codes[v].push_back(i * (v + 3) % 7 % 2);
  treewright::features::Evidence evidence{std::vector<double>(2 * kVariables, 1.0), {}};
  evidence.rows.n_rows = 40;
  for (auto& column : codes) evidence.rows.columns.push_back({column.data(), 1});
  evidence.rows.missing.assign(kVariables, nullptr);
  evidence.rows.columns[2].codes = nullptr;
  Cancel cancel;
  double before = kNever;
  for (int round = 0; round < 5; ++round) {
    std::vector<double> counts(arena.numbers.size());
    const double now = add_expected_counts(Program(arena), evidence, nullptr, counts, cancel);
    CHECK(now >= before - 1e-9);
    before = now;
    arena.numbers = estimate(parameters, counts, 0);
    validate(arena);
  }
}

TEST(the_best_row_is_within_its_bounds) {
  const Program program(every_kind());
  const auto p = all_rows(program);
  Cancel cancel;
  const BestRow best = most_probable(program, std::vector<double>(2 * kVariables, 1.0), cancel);
  std::size_t row = 0;
  for (std::size_t v = 0; v < kVariables; ++v) row |= std::size_t{best.codes[v]} << v;
  CHECK(close(std::exp(best.log_mass), p[row]));
  for (const double other : p) CHECK(std::log(other) <= best.log_bound + 1e-9);
}

TEST(drawn_rows_agree_with_what_is_known) {
  const Program program(every_kind());
  std::vector<double> common(2 * kVariables, 1.0);
  common[2 * 3] = 0;
  std::vector<std::uint8_t> drawn[kVariables];
  std::vector<Column> columns;
  for (auto& column : drawn) {
    column.resize(500);
    columns.push_back({column.data(), 1});
  }
  Cancel cancel;
  CHECK(sample_rows(program, common, 7, 0, 500, columns, cancel) < 0);
  for (const std::uint8_t code : drawn[3]) CHECK(code == 1);
  CHECK(sample_rows(program, std::vector<double>(2 * kVariables, 0.0), 7, 0, 5, columns, cancel) == kNever);
}
