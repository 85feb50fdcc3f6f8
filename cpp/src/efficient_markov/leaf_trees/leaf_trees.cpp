#include "treewright/efficient_markov/leaf_trees.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "treewright/graphs/spanning.hpp"

namespace treewright {
namespace {

using features::Id;
using features::kNever;
using features::TreeVariable;

constexpr double kMostTabulated = 1 << 17;

std::vector<Vertex> identity(std::size_t n) {
  std::vector<Vertex> ranks(n);
  std::iota(ranks.begin(), ranks.end(), Vertex{0});
  return ranks;
}

std::vector<Arc> forest(const std::vector<double>& weights, std::size_t n, Cancel& cancel) {
  const double threshold = 0;
  return maximum_spanning_forest<double>({weights.data(), n}, &threshold, identity(n), cancel);
}

double sum_of(const CountTerm& term, const std::vector<double>& cells) {
  double sum = 0;
  for (const double c : cells) sum += term(c);
  return sum;
}

double log_of(double x) { return x > 0 ? std::log(x) : kNever; }

/// Sums of terms over the cells of all pairs of binary variables.
void weigh_binary_pairs(const PairCounts& counts, const CountTerm& term, std::vector<double>& weights) {
  const std::size_t n = counts.size();
  const auto weigh = [&](const auto& value) {
    for (std::size_t i = 0; i < n; ++i) {
      const double a = counts.single[i], rest = counts.total - a;
      const double* const pairs = counts.pair.data() + i * n;
      for (std::size_t j = i + 1; j < n; ++j) {
        const double b = counts.single[j], both = pairs[j];
        weights[i * n + j] = value(both) + value(a - both) + value(b - both) + value(rest - b + both);
      }
    }
  };
  if (const double* const table = term.up_to(counts.total))
    weigh([table](double c) { return table[static_cast<std::int32_t>(c)]; });
  else
    weigh(term);
}

void weigh_pairs(const PairCounts& counts, SmoothedTerms& terms, std::vector<double>& weights) {
  const std::size_t n = counts.size();
  std::vector<double> cells;
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t j = i + 1; j < n; ++j) {
      counts.cells(i, j, cells);
      weights[i * n + j] = sum_of(terms.of(cells.size()), cells);
    }
}

/// sum of c ln(p) where p are pseudo-counts.
double cross_term(const std::vector<double>& cells, const std::vector<double>& pseudo) {
  double sum = 0;
  for (std::size_t k = 0; k < cells.size(); ++k)
    if (cells[k] > 0) sum += cells[k] * std::log(pseudo[k]);
  return sum;
}

/// Parents first, each tree from its first variable: the order and the parent (or its own place) of each.
std::vector<std::pair<std::size_t, std::size_t>> rooted(const std::vector<Arc>& edges, std::size_t n) {
  std::vector<std::vector<std::size_t>> neighbours(n);
  for (const auto& [u, v] : edges) neighbours[u].push_back(v), neighbours[v].push_back(u);
  std::vector<std::pair<std::size_t, std::size_t>> order;
  std::vector<std::uint8_t> seen(n, 0);
  for (std::size_t root = 0; root < n; ++root) {
    if (seen[root]) continue;
    seen[root] = 1;
    order.emplace_back(root, root);
    for (std::size_t at = order.size() - 1; at < order.size(); ++at)  // grows while it is walked
      for (const std::size_t v : neighbours[order[at].first])
        if (!seen[v]) seen[v] = 1, order.emplace_back(v, order[at].first);
  }
  return order;
}

/// ln P(child | parent) over all states of both columns; states that the context excludes have none.
void append_conditional(const RowSet& rows, const LocalVariable& parent, const LocalVariable& child,
                        const PairCounts& pseudo, std::size_t i, std::size_t j, std::vector<double>& out) {
  const std::size_t r_parent = rows.cardinalities()[parent.column], r = rows.cardinalities()[child.column];
  std::vector<double> cells;
  pseudo.cells(std::min(i, j), std::max(i, j), cells);
  const std::size_t n_parent = parent.states.size(), n_child = child.states.size();
  const auto cell = [&](std::size_t a, std::size_t b) {
    return i < j ? cells[a * n_child + b] : cells[b * n_parent + a];
  };
  const std::size_t begin = out.size();
  out.resize(begin + r_parent * r, kNever);
  std::size_t next = 0;
  for (std::size_t code = 0; code < r_parent; ++code) {
    const bool is_left = next < n_parent && parent.states[next] == code;
    const std::size_t a = is_left ? next++ : 0;
    double total = 0;
    for (std::size_t b = 0; is_left && b < n_child; ++b) total += cell(a, b);
    for (std::size_t b = 0; b < n_child; ++b)
      out[begin + code * r + child.states[b]] =
          total > 0 ? log_of(cell(a, b) / total) : -std::log(static_cast<double>(n_child));
  }
}

std::vector<double> log_marginal(const RowSet& rows, const LocalVariable& local, const PairCounts& pseudo,
                                 std::size_t i) {
  std::vector<double> cells, out(rows.cardinalities()[local.column], kNever);
  pseudo.cells(i, cells);
  const std::vector<double> shares = log_shares(cells);
  for (std::size_t s = 0; s < local.states.size(); ++s) out[local.states[s]] = shares[s];
  return out;
}

}  // namespace

SmoothedTerms::SmoothedTerms(double alpha, double largest_count, bool is_whole)
    : alpha_(alpha),
      tabulated_(is_whole ? static_cast<std::size_t>(std::min(largest_count, kMostTabulated)) + 1 : 0) {}

const CountTerm& SmoothedTerms::of(std::size_t cells) {
  const auto known = terms_.find(cells);
  if (known != terms_.end()) return known->second;
  const bool is_common = terms_.size() < 32;  // tables of many sizes are not worth a table of terms each
  return terms_.emplace(cells, CountTerm(alpha_ / static_cast<double>(cells), is_common ? tabulated_ : 0))
      .first->second;
}

double tree_log_likelihood(const PairCounts& counts, SmoothedTerms& terms, std::size_t skip, Cancel& cancel) {
  if (counts.total + terms.alpha() <= 0) return 0;
  const std::size_t n = counts.size();
  const double whole = terms.whole()(counts.total);
  std::vector<double> single(n, 0.0), weights(n * n, 0.0), cells;
  double sum = 0;
  for (std::size_t i = 0; i < n; ++i) {
    if (i == skip) continue;
    counts.cells(i, cells);
    single[i] = sum_of(terms.of(counts.cardinality(i)), cells);
    sum += single[i] - whole;
  }
  if (counts.is_binary())
    weigh_binary_pairs(counts, terms.of(4), weights);
  else
    weigh_pairs(counts, terms, weights);
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t j = i + 1; j < n; ++j)
      weights[i * n + j] = weights[j * n + i] =
          i == skip || j == skip ? 0.0 : weights[i * n + j] + whole - single[i] - single[j];
  for (const auto& [u, v] : forest(weights, n, cancel)) sum += weights[u * n + v];
  return sum;
}

PairCounts smoothed(const PairCounts& counts, double alpha, double m, const PairCounts* prior) {
  PairCounts result = counts;
  result.total += alpha + (prior ? m : 0.0);
  const std::size_t n = counts.size();
  std::vector<double> even(counts.n_planes());
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t p = counts.first_plane(i); p < counts.first_plane(i + 1); ++p)
      even[p] = 1.0 / counts.cardinality(i);
  const double share = prior && prior->total > 0 ? m / prior->total : 0.0;
  for (std::size_t p = 0; p < even.size(); ++p) {
    result.single[p] += alpha * even[p];
    double* const row = result.pair.data() + p * even.size();
    for (std::size_t q = p + 1; q < even.size(); ++q) row[q] += alpha * even[p] * even[q];
    if (!prior) continue;
    result.single[p] += share * prior->single[p];
    const double* const from = prior->pair.data() + p * even.size();
    for (std::size_t q = p + 1; q < even.size(); ++q) row[q] += share * from[q];
  }
  return result;
}

std::vector<double> log_shares(std::span<const double> pseudo_counts) {
  const double total = std::accumulate(pseudo_counts.begin(), pseudo_counts.end(), 0.0);
  std::vector<double> shares;
  for (const double c : pseudo_counts)
    shares.push_back(total > 0 ? log_of(c / total) : -std::log(static_cast<double>(pseudo_counts.size())));
  return shares;
}

Id add_independent(const LeafPlace& place, const std::vector<LocalVariable>& locals,
                   const PairCounts& pseudo) {
  std::vector<Id> tables;
  for (std::size_t i = 0; i < locals.size(); ++i) {
    const std::uint32_t scope[] = {place.rows.variables()[locals[i].column]};
    tables.push_back(place.builder.add_table(scope, log_marginal(place.rows, locals[i], pseudo, i)));
  }
  return place.builder.add_and(tables);
}

Id add_chow_liu(const LeafPlace& place, const std::vector<LocalVariable>& locals, const PairCounts& counts,
                const PairCounts& pseudo) {
  const std::size_t n = locals.size();
  std::vector<double> weights(n * n, 0.0), single(n, 0.0), cells, smooth;
  const double whole = counts.total > 0 ? counts.total * std::log(pseudo.total) : 0.0;
  for (std::size_t i = 0; i < n; ++i) {
    counts.cells(i, cells), pseudo.cells(i, smooth);
    single[i] = cross_term(cells, smooth);
  }
  for (std::size_t i = 0; i < n; ++i) {
    place.cancel.check();
    for (std::size_t j = i + 1; j < n; ++j) {
      counts.cells(i, j, cells), pseudo.cells(i, j, smooth);
      weights[i * n + j] = weights[j * n + i] = cross_term(cells, smooth) - single[i] - single[j] + whole;
    }
  }
  const auto order = rooted(forest(weights, n, place.cancel), n);
  std::vector<std::uint32_t> at(n);
  std::vector<TreeVariable> variables;
  std::vector<double> numbers;
  for (const auto& [i, parent] : order) {
    at[i] = static_cast<std::uint32_t>(variables.size());
    TreeVariable made{place.rows.variables()[locals[i].column], {}};
    if (parent == i) {
      const std::vector<double> marginal = log_marginal(place.rows, locals[i], pseudo, i);
      numbers.insert(numbers.end(), marginal.begin(), marginal.end());
    } else {
      made.parents.push_back(at[parent]);
      append_conditional(place.rows, locals[parent], locals[i], pseudo, parent, i, numbers);
    }
    variables.push_back(std::move(made));
  }
  return place.builder.add_tree(variables, numbers);
}

Id add_joint(const LeafPlace& place, const RowContext& context, double alpha,
             std::span<const Conjunction> impossible) {
  const RowSet& rows = place.rows;
  const std::size_t n = context.size();
  std::vector<std::uint32_t> scope(n);  // local positions by rising variable of the schema
  std::iota(scope.begin(), scope.end(), 0u);
  const auto variable = [&](std::uint32_t i) { return rows.variables()[context.local(i).column]; };
  std::sort(scope.begin(), scope.end(), [&](auto a, auto b) { return variable(a) < variable(b); });
  std::vector<double> cells;
  context.joint(scope, cells);
  std::vector<std::uint32_t> names, codes(n, 0);
  std::size_t n_declared = 1;
  for (const std::uint32_t i : scope) {
    names.push_back(variable(i));
    n_declared *= rows.cardinalities()[context.local(i).column];
  }
  std::vector<std::size_t> place_of(cells.size());  // of an allowed cell, or n_declared
  std::size_t allowed = 0;
  for (std::size_t cell = 0; cell < cells.size(); ++cell) {
    std::size_t rest = cell, at = 0, stride = 1;
    for (std::size_t k = n; k-- > 0;) {
      const LocalVariable& local = context.local(scope[k]);
      codes[scope[k]] = local.states[rest % local.states.size()];
      rest /= local.states.size();
      at += codes[scope[k]] * stride;
      stride *= rows.cardinalities()[local.column];
    }
    const auto holds = [&](const Conjunction& feature) {
      return std::all_of(feature.begin(), feature.end(), [&](const Literal& literal) {
        return codes[context.position(literal.column)] == literal.state;
      });
    };
    const bool is_allowed = std::none_of(impossible.begin(), impossible.end(), holds);
    place_of[cell] = is_allowed ? at : n_declared;
    allowed += is_allowed;
  }
  std::vector<double> log_p(n_declared, kNever);
  const double total = context.total() + alpha;
  for (std::size_t cell = 0; cell < cells.size(); ++cell)
    if (place_of[cell] < n_declared)
      log_p[place_of[cell]] = total > 0 ? log_of((cells[cell] + alpha / static_cast<double>(allowed)) / total)
                                        : -std::log(static_cast<double>(allowed));
  return place.builder.add_table(names, log_p);
}

}  // namespace treewright
