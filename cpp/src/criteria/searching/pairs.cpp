// All pairs of variables: one row of the matrix is one task.
#include <algorithm>

#include "treewright/counting/arithmetic.hpp"
#include "treewright/counting/contexts.hpp"
#include "treewright/counting/cost.hpp"
#include "treewright/counting/counts.hpp"
#include "treewright/counting/dispatch.hpp"
#include "treewright/criteria/searching.hpp"
#include "treewright/parallel/threads.hpp"

namespace treewright {
namespace {

// Words looked at before the next check for Ctrl-C; beyond 65,536 rows a block of planes also stays in cache.
constexpr std::size_t kWordsPerCheck = 1024;

// counts[s][p]: rows with x in state s (but the last) and bit p set, for all planes p from `first` on.
void count_planes_of(const Planes& planes, std::uint32_t x, std::size_t first,
                     std::vector<std::int64_t>& counts, Cancel& cancel) {
  const std::size_t n_planes = planes.count() - first;
  counts.assign(planes.of(x) * n_planes, 0);
  for (std::size_t word = 0; word < planes.words; word += kWordsPerCheck) {
    cancel.check();
    kernels().and_popcounts(planes.plane(planes.first[x]) + word, planes.of(x), planes.stride,
                            planes.plane(first) + word, n_planes, planes.stride,
                            std::min(kWordsPerCheck, planes.words - word), counts.data(), n_planes);
  }
}

// Fill the last row and column of an r_x x r_y table from the marginals.
void complete(std::int64_t* cells, std::size_t r_x, std::size_t r_y, const std::vector<std::int64_t>& n_x,
              const std::vector<std::int64_t>& n_y) {
  for (std::size_t s = 0; s + 1 < r_x; ++s) {
    std::int64_t rest = n_x[s];
    for (std::size_t t = 0; t + 1 < r_y; ++t) rest -= cells[s * r_y + t];
    cells[s * r_y + r_y - 1] = rest;
  }
  for (std::size_t t = 0; t < r_y; ++t) {
    std::int64_t rest = n_y[t];
    for (std::size_t s = 0; s + 1 < r_x; ++s) rest -= cells[s * r_y + t];
    cells[(r_x - 1) * r_y + t] = rest;
  }
}

// The pairs of vars[i] with all later variables, handed one table at a time to `take(j, cells)`.
template <class Take>
void for_each_partner(const PackedTable& table, ScopeView vars, std::size_t i, Cancel& cancel, Take&& take) {
  const std::uint32_t x = vars[i];
  const std::size_t r_x = table.cardinality(x);
  const Planes& planes = table.planes(cancel);
  const std::vector<std::int64_t>& n_x = table.marginals(cancel)[x];
  std::vector<std::int64_t> cells, by_plane;
  std::size_t first = planes.count();
  GroupedCounts<std::uint64_t> grouped;
  const bool by_bits = !table.is_wide(x);
  if (by_bits && !table.is_weighted()) {
    for (std::size_t j = i + 1; j < vars.size(); ++j)
      first = std::min<std::size_t>(first, planes.first[vars[j]]);
    count_planes_of(planes, x, first, by_plane, cancel);
  } else if (by_bits) {
    Contexts contexts = configurations(table, std::span(&x, 1), cancel);
    grouped = count_grouped<std::uint64_t>(table, contexts, cancel);
  }
  const std::size_t n_planes = planes.count() - first;
  for (std::size_t j = i + 1; j < vars.size(); ++j) {
    const std::uint32_t y = vars[j];
    const std::size_t r_y = table.cardinality(y), start = planes.first[y];
    if (r_x == 2 && r_y == 2 && by_bits && !table.is_weighted()) {  // the common case, without loops
      const std::int64_t both = by_plane[start - first], n_y = table.marginals(cancel)[y][0];
      const std::int64_t four[] = {both, n_x[0] - both, n_y - both, n_x[1] - n_y + both};
      take(j, std::span<const std::int64_t>(four));
      continue;
    }
    cells.assign(r_x * r_y, 0);
    if (table.is_wide(y) || !by_bits) {
      const std::uint32_t scope[] = {x, y};
      add_counts(table, scope, cells, cancel);
    } else {
      if (table.is_weighted()) {
        for (std::size_t s = 0; s + 1 < r_x; ++s)
          for (std::size_t t = 0; t + 1 < r_y; ++t)
            cells[s * r_y + t] = static_cast<std::int64_t>(grouped.row(s)[start + t]);
      } else {
        for (std::size_t s = 0; s + 1 < r_x; ++s)
          for (std::size_t t = 0; t + 1 < r_y; ++t)
            cells[s * r_y + t] = by_plane[s * n_planes + start - first + t];
      }
      complete(cells.data(), r_x, r_y, n_x, table.marginals(cancel)[y]);
    }
    take(j, std::span<const std::int64_t>(cells));
  }
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

void count_pair_row(const PackedTable& table, ScopeView vars, std::size_t i, std::vector<std::int64_t>& cells,
                    Cancel& cancel) {
  cells.clear();
  for_each_partner(table, vars, i, cancel, [&](std::size_t, std::span<const std::int64_t> pair) {
    cells.insert(cells.end(), pair.begin(), pair.end());
  });
}

std::vector<std::int64_t> pairwise_terms(const PackedTable& table, ScopeView vars, Cancel& cancel) {
  table.check_scope(vars);
  const std::size_t n = vars.size();
  std::vector<std::int64_t> terms(n * n, 0);
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
