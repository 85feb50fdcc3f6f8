// All pairs of variables: one row of the matrix is one task.
#include <algorithm>

#include "treewright/counting/arithmetic.hpp"
#include "treewright/counting/cost.hpp"
#include "treewright/counting/counts.hpp"
#include "treewright/counting/pair_planes.hpp"
#include "treewright/criteria/searching.hpp"
#include "treewright/parallel/threads.hpp"

namespace treewright {
namespace {

// The pairs of vars[i] with the variables whose columns lie behind its own, handed one table at a time to
// `take(j, cells)`.
template <class Take>
void for_each_partner(const PackedTable& table, ScopeView vars, std::size_t i, Cancel& cancel, Take&& take) {
  PairRow row(table, vars[i], cancel);
  for (std::size_t j = 0; j < vars.size(); ++j)
    if (vars[j] > vars[i]) take(j, row.cells(vars[j]));
}

// A pass over (nearly) all columns counts for those that follow it.
void prepare(const PackedTable& table, ScopeView vars, Cancel& cancel) {
  if (2 * vars.size() >= table.n_variables()) table.count_pairs(cancel);
}

double expected_nanoseconds(const PackedTable& table, ScopeView vars) {
  double planes = 0;
  for (std::uint32_t v : vars) planes += table.cardinality(v) - 1.0;
  return planes * planes / 2 *
         (kCost.popcount_fixed + static_cast<double>(table.n_rows()) / kCost.rows_per_popcount_ns);
}

std::int64_t largest(const std::vector<std::int64_t>& counts) {
  return counts.empty() ? 0 : *std::max_element(counts.begin(), counts.end());
}

}  // namespace

std::vector<std::int64_t> pairwise_terms(const PackedTable& table, ScopeView vars, Cancel& cancel) {
  table.check_scope(vars);
  const std::size_t n = vars.size();
  std::vector<std::int64_t> terms(n * n, 0);
  prepare(table, vars, cancel);
  const CellTerm f = CellTerm::x_log_x(x_log_x_scale(static_cast<double>(table.total())), table.total());
  parallel_for(n, expected_nanoseconds(table, vars), cancel, [&](std::size_t i) {
    for (std::int64_t c : table.marginals(cancel)[vars[i]]) terms[i * n + i] += f(c);
    const bool looked_up = largest(table.marginals(cancel)[vars[i]]) < kTabulated;
    const std::int64_t* lookup = f.table();
    for_each_partner(table, vars, i, cancel, [&](std::size_t j, std::span<const std::int64_t> pair) {
      std::int64_t sum = 0;
      if (looked_up)
        for (std::int64_t c : pair) sum += lookup[c];
      else
        for (std::int64_t c : pair) sum += f(c);
      terms[i * n + j] = terms[j * n + i] = sum;
    });
  });
  return terms;
}

std::vector<double> score_pairs(const PackedTable& table, const FamilyScore& score, ScopeView vars,
                                Cancel& cancel) {
  table.check_scope(vars);
  const std::size_t n = vars.size();
  const bool symmetric =
      score.settings().kind != ScoreKind::k2;  // score-equivalent: both directions gain the same
  if (table.is_real()) {
    std::vector<double> gains(n * n, 0.0);
    parallel_for(n, expected_nanoseconds(table, vars) * 10, cancel, [&](std::size_t j) {
      std::vector<std::uint32_t> others;
      for (std::size_t i = 0; i < n; ++i)
        if (i != j) others.push_back(vars[i]);
      const ChildScores around = score_child(table, score, vars[j], {}, others, cancel);
      for (std::size_t i = 0, k = 0; i < n; ++i)
        if (i != j) gains[i * n + j] = around.additions[k++] - around.own;
    });
    return gains;
  }
  // variables with equally many states share their terms: one per (states of the child, states of the parent)
  std::vector<std::uint32_t> states;
  for (std::uint32_t v : vars) states.push_back(table.cardinality(v));
  std::ranges::sort(states);
  states.erase(std::unique(states.begin(), states.end()), states.end());
  const std::size_t n_classes = states.size();
  std::vector<std::size_t> of(n);
  for (std::size_t i = 0; i < n; ++i)
    of[i] = static_cast<std::size_t>(std::ranges::lower_bound(states, table.cardinality(vars[i])) -
                                     states.begin());
  std::vector<FamilyTerms> terms, alone;  // [child][parent], [child]
  for (std::uint32_t child : states) {
    alone.push_back(score.terms(child, 1, table.total()));
    for (std::uint32_t parent : states) terms.push_back(score.terms(child, parent, table.total()));
  }
  const bool looked_up = table.total() < kTabulated;
  const auto sum = [looked_up](const CellTerm& f, std::span<const std::int64_t> counts) {
    std::int64_t total = 0;
    if (const std::int64_t* lookup = f.table(); looked_up)
      for (std::int64_t c : counts) total += lookup[c];
    else
      for (std::int64_t c : counts) total += f(c);
    return total;
  };
  const auto& marginals = table.marginals(cancel);
  std::vector<double> own(n);
  std::vector<std::int64_t> parent_sums(n * n_classes);  // of each parent, by the states of the child
  for (std::size_t i = 0; i < n; ++i) {
    const FamilyTerms& family = alone[of[i]];
    own[i] = score.local(sum(family.joint, marginals[vars[i]]), family.parent(table.total()), family);
    for (std::size_t child = 0; child < n_classes; ++child)
      parent_sums[i * n_classes + child] = sum(terms[child * n_classes + of[i]].parent, marginals[vars[i]]);
  }
  prepare(table, vars, cancel);
  std::vector<double> gains(n * n, 0.0);
  const auto gain = [&](std::size_t parent, std::size_t child, std::span<const std::int64_t> pair) {
    const FamilyTerms& family = terms[of[child] * n_classes + of[parent]];
    const double local =
        score.local(sum(family.joint, pair), parent_sums[parent * n_classes + of[child]], family);
    return local - own[child];
  };
  parallel_for(n, expected_nanoseconds(table, vars), cancel, [&](std::size_t i) {
    for_each_partner(table, vars, i, cancel, [&](std::size_t j, std::span<const std::int64_t> pair) {
      gains[i * n + j] = gain(i, j, pair);
      gains[j * n + i] = symmetric ? gains[i * n + j] : gain(j, i, pair);
    });
  });
  return gains;
}

std::vector<double> pairwise_information(const PackedTable& table, ScopeView vars, Cancel& cancel) {
  const std::vector<std::int64_t> terms = pairwise_terms(table, vars, cancel);
  const std::size_t n = vars.size();
  std::vector<double> information(n * n, 0.0);
  if (table.total() == 0) return information;
  const FixedPoint scale = x_log_x_scale(static_cast<double>(table.total()));
  const std::int64_t all =
      scale.quantise(static_cast<double>(table.total()) * std::log(static_cast<double>(table.total())));
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t j = 0; j < n; ++j)
      if (i != j) {
        const std::int64_t sum = terms[i * n + j] - terms[i * n + i] - terms[j * n + j] + all;
        information[i * n + j] = std::max(0.0, scale.value(sum)) / static_cast<double>(table.total());
      }
  return information;
}

}  // namespace treewright
