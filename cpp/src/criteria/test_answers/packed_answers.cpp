#include <algorithm>
#include <cmath>
#include <numeric>

#include "treewright/criteria/test_answers.hpp"
#include "treewright/parallel/threads.hpp"

namespace treewright {

PackedAnswers::PackedAnswers(std::shared_ptr<const PackedTable> table, TestSettings settings, double alpha,
                             LimitRules rules)
    : table_(std::move(table)),
      settings_(settings),
      critical_(CriticalValues::of(alpha)),
      rules_(rules),
      n_rows_(table_->is_real() ? table_->real_total() : static_cast<double>(table_->total())) {}

PackedAnswers::Verdict PackedAnswers::verdict(const Deviation& found, bool nothing_given) const {
  if (found.degrees == 0) return {true, rules_.constant_is_independent || nothing_given};
  if (n_rows_ < rules_.reliability * found.degrees) return {true, rules_.unreliable_is_independent};
  return {false, found.statistic < (*critical_)(found.degrees)};
}

std::vector<Deviation> PackedAnswers::deviations(const std::vector<Query>& queries, Cancel& cancel) const {
  return test_queries(*table_, settings_, queries, cancel);
}

// G2 of all pairs from one pass over the bit planes: H(x, y) of pairs, H(x) of variables, no table kept.
std::vector<Deviation> PackedAnswers::pair_deviations(const std::vector<Query>& queries,
                                                      Cancel& cancel) const {
  const std::size_t n = table_->n_variables();
  const bool few = queries.size() * 4 < n * (n - 1) / 2;
  if (few || table_->is_real() || settings_.statistic != Statistic::g2 ||
      settings_.degrees != Degrees::adjusted || table_->total() == 0)
    return deviations(queries, cancel);
  std::vector<std::uint32_t> discrete, position(n, 0);
  for (std::uint32_t v = 0; v < n; ++v)
    if (table_->cardinality(v) > 0)
      position[v] = static_cast<std::uint32_t>(discrete.size()), discrete.push_back(v);
  for (const Query& query : queries) {  // a continuous variable is refused like anywhere else
    const std::uint32_t scope[] = {query.x, query.y};
    table_->check_scope(scope);
  }
  const std::vector<std::int64_t> terms = pairwise_terms(*table_, discrete, cancel);
  const FixedPoint scale = x_log_x_scale(static_cast<double>(table_->total()));
  const std::int64_t all = CellTerm::x_log_x(scale, table_->total())(table_->total());
  std::vector<double> free(n, 0);  // states that occur, less one
  for (const std::uint32_t v : discrete)
    free[v] = static_cast<double>(
                  std::ranges::count_if(table_->marginals(cancel)[v], [](auto c) { return c != 0; })) -
              1;
  std::vector<Deviation> out;
  out.reserve(queries.size());
  for (const Query& query : queries) {
    const std::size_t i = position[query.x], j = position[query.y], m = discrete.size();
    const std::int64_t sum = terms[i * m + j] - terms[i * m + i] - terms[j * m + j] + all;
    out.push_back({std::max(0.0, 2 * scale.value(sum)), free[query.x] * free[query.y]});
  }
  return out;
}

Answers PackedAnswers::independent(const std::vector<Query>& queries, Cancel& cancel) {
  const std::vector<Deviation> found = deviations(queries, cancel);
  Answers out(queries.size());
  for (std::size_t i = 0; i < out.size(); ++i)
    out[i] = verdict(found[i], queries[i].given.empty()).independent;
  return out;
}

std::vector<double> PackedAnswers::separation(const std::vector<Query>& queries, Cancel& cancel) {
  const std::vector<Deviation> found = deviations(queries, cancel);
  std::vector<double> out(queries.size(), -1);
  for (std::size_t i = 0; i < out.size(); ++i) {
    const Verdict said = verdict(found[i], queries[i].given.empty());
    if (said.independent) out[i] = said.by_rule ? 1 : chi_square_sf(found[i].statistic, found[i].degrees);
  }
  return out;
}

// Only partners that depend need a p-value, and only until one is found that beats it.
std::vector<Strongest> PackedAnswers::strongest(const std::vector<PartnerTask>& tasks, Cancel& cancel) {
  std::vector<Strongest> out(tasks.size());
  double questions = 0;
  for (const PartnerTask& task : tasks) questions += static_cast<double>(task.partners.size());
  const double expected = questions * (100 + 0.1 * static_cast<double>(table_->n_rows()));
  parallel_for(tasks.size(), expected, cancel, [&](std::size_t t) {
    const PartnerTask& task = tasks[t];
    const auto found = test_partners(*table_, settings_, task.x, task.given, task.partners, cancel);
    std::pair<double, double> best{2, 0};  // p-value, less the strength
    out[t] = {task.partners.size(), 1};
    for (std::size_t i = 0; i < found.size(); ++i) {
      const Verdict said = verdict(found[i], task.given.empty());
      if (said.independent) continue;
      const double p = said.by_rule ? 0 : chi_square_sf(found[i].statistic, found[i].degrees);
      const double strength = found[i].degrees > 0 ? found[i].statistic / found[i].degrees : 0;
      if (std::pair(p, -strength) < best) best = {p, -strength}, out[t] = {i, p};
    }
  });
  return out;
}

PairAnswers PackedAnswers::pairs(const std::vector<Query>& queries, Cancel& cancel) {
  const std::vector<Deviation> found = pair_deviations(queries, cancel);
  PairAnswers out{Answers(queries.size()), std::vector<double>(queries.size(), 0)};
  for (std::size_t i = 0; i < found.size(); ++i) {
    out.independent[i] = verdict(found[i], true).independent;
    if (found[i].degrees > 0) out.strength[i] = found[i].statistic / found[i].degrees;
  }
  return out;
}

std::vector<Dependence> PackedAnswers::dependence(const std::vector<Query>& queries, Cancel& cancel) {
  const bool only_pairs =
      std::ranges::all_of(queries, [](const Query& query) { return query.given.empty(); });
  const std::vector<Deviation> found =
      only_pairs ? pair_deviations(queries, cancel) : deviations(queries, cancel);
  std::vector<Dependence> out(queries.size());
  for (std::size_t i = 0; i < out.size(); ++i) {
    out[i].independent = verdict(found[i], queries[i].given.empty()).independent;
    if (n_rows_ > 0) out[i].information = found[i].statistic / (2 * n_rows_);
  }
  return out;
}

}  // namespace treewright
