#include <algorithm>
#include <cmath>
#include <numeric>

#include "treewright/criteria/test_answers.hpp"
#include "treewright/parallel/threads.hpp"

namespace treewright {

PackedAnswers::PackedAnswers(std::shared_ptr<const PackedTable> table, TestSettings settings, double alpha,
                             LimitRules rules)
    : LimitAnswers(settings, alpha, rules,
                   table->is_real() ? table->real_total() : static_cast<double>(table->total())),
      table_(std::move(table)) {}

std::vector<Deviation> PackedAnswers::deviations(const std::vector<Query>& queries, Cancel& cancel) {
  return test_queries(*table_, settings_, queries, cancel);
}

// G2 of all pairs from one pass over the bit planes: H(x, y) of pairs, H(x) of variables, no table kept.
std::vector<Deviation> PackedAnswers::pair_deviations(const std::vector<Query>& queries, Cancel& cancel) {
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

std::vector<Strongest> PackedAnswers::strongest(const std::vector<PartnerTask>& tasks, Cancel& cancel) {
  std::vector<Strongest> out(tasks.size());
  double questions = 0;
  for (const PartnerTask& task : tasks) questions += static_cast<double>(task.partners.size());
  const double expected = questions * (100 + 0.1 * static_cast<double>(table_->n_rows()));
  parallel_for(tasks.size(), expected, cancel, [&](std::size_t t) {
    const PartnerTask& task = tasks[t];
    out[t] =
        strongest_of_task(task, test_partners(*table_, settings_, task.x, task.given, task.partners, cancel));
  });
  return out;
}

}  // namespace treewright
