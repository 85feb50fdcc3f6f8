// Decisions of tests with a limit distribution, whoever counts.
#include <algorithm>

#include "treewright/criteria/test_answers.hpp"

namespace treewright {

LimitAnswers::Verdict LimitAnswers::verdict(const Deviation& found, bool nothing_given) const {
  if (found.degrees == 0) return {true, rules_.constant_is_independent || nothing_given};
  if (n_rows_ < rules_.reliability * found.degrees) return {true, rules_.unreliable_is_independent};
  return {false, found.statistic < (*critical_)(found.degrees)};
}

Answers LimitAnswers::independent(const std::vector<Query>& queries, Cancel& cancel) {
  const std::vector<Deviation> found = deviations(queries, cancel);
  Answers out(queries.size());
  for (std::size_t i = 0; i < out.size(); ++i)
    out[i] = verdict(found[i], queries[i].given.empty()).independent;
  return out;
}

std::vector<double> LimitAnswers::separation(const std::vector<Query>& queries, Cancel& cancel) {
  const std::vector<Deviation> found = deviations(queries, cancel);
  std::vector<double> out(queries.size(), -1);
  for (std::size_t i = 0; i < out.size(); ++i) {
    const Verdict said = verdict(found[i], queries[i].given.empty());
    if (said.independent) out[i] = said.by_rule ? 1 : chi_square_sf(found[i].statistic, found[i].degrees);
  }
  return out;
}

// Only partners that depend need a p-value, and only until one is found that beats it.
Strongest LimitAnswers::strongest_of_task(const PartnerTask& task, std::span<const Deviation> found) const {
  std::pair<double, double> best{2, 0};  // p-value, less the strength
  Strongest out{task.partners.size(), 1};
  for (std::size_t i = 0; i < found.size(); ++i) {
    const Verdict said = verdict(found[i], task.given.empty());
    if (said.independent) continue;
    const double p = said.by_rule ? 0 : chi_square_sf(found[i].statistic, found[i].degrees);
    const double strength = found[i].degrees > 0 ? found[i].statistic / found[i].degrees : 0;
    if (std::pair(p, -strength) < best) best = {p, -strength}, out = {i, p};
  }
  return out;
}

std::vector<Strongest> LimitAnswers::strongest(const std::vector<PartnerTask>& tasks, Cancel& cancel) {
  const std::vector<Deviation> found = deviations(questions_of(tasks), cancel);
  std::vector<Strongest> out;
  std::size_t at = 0;
  for (const PartnerTask& task : tasks) {
    out.push_back(strongest_of_task(task, std::span(found).subspan(at, task.partners.size())));
    at += task.partners.size();
  }
  return out;
}

PairAnswers LimitAnswers::pairs(const std::vector<Query>& queries, Cancel& cancel) {
  const std::vector<Deviation> found = pair_deviations(queries, cancel);
  PairAnswers out{Answers(queries.size()), std::vector<double>(queries.size(), 0)};
  for (std::size_t i = 0; i < found.size(); ++i) {
    out.independent[i] = verdict(found[i], true).independent;
    if (found[i].degrees > 0) out.strength[i] = found[i].statistic / found[i].degrees;
  }
  return out;
}

std::vector<Dependence> LimitAnswers::dependence(const std::vector<Query>& queries, Cancel& cancel) {
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
