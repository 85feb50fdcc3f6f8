#include "treewright/criteria/test_answers.hpp"

namespace treewright {

std::vector<Query> questions_of(const std::vector<PartnerTask>& tasks) {
  std::vector<Query> queries;
  for (const PartnerTask& task : tasks)
    for (const std::uint32_t y : task.partners) queries.push_back({task.x, y, task.given});
  return queries;
}

std::vector<Strongest> strongest_of(const std::vector<PartnerTask>& tasks, const Answers& independent,
                                    const std::vector<double>& p_value, const std::vector<double>& strength) {
  std::vector<Strongest> out;
  std::size_t at = 0;
  for (const PartnerTask& task : tasks) {
    std::pair<double, double> best{2, 0};
    out.push_back({task.partners.size(), 1});
    for (std::size_t i = 0; i < task.partners.size(); ++i, ++at) {
      const std::pair<double, double> found{p_value[at], -strength[at]};
      if (!independent[at] && found < best) best = found, out.back() = {i, p_value[at]};
    }
  }
  return out;
}

std::vector<Strongest> TestAnswers::strongest(const std::vector<PartnerTask>& tasks, Cancel& cancel) {
  const Answers apart = independent(questions_of(tasks), cancel);
  const std::vector<double> unknown(apart.size(), 0);
  return strongest_of(tasks, apart, unknown, unknown);
}

}  // namespace treewright
