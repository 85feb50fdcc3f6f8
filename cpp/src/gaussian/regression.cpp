#include "treewright/gaussian/regression.hpp"

#include <algorithm>

#include "treewright/parallel/threads.hpp"

namespace treewright::gaussian {
namespace {

Regression regression(const Correlations& correlations, const Family& family) {
  const auto& [child, parents] = family;
  Regression out;
  out.slopes.assign(parents.size(), 0.0);
  out.redundant.assign(parents.size(), 1);
  auto rising = parents;
  std::sort(rising.begin(), rising.end());
  Factor factor(correlations);
  for (const Rank v : rising)
    if (!correlations.is_constant(v)) factor.push_unless_singular(v);
  std::vector<double> slopes, row;
  for (const Rank v : factor.members()) slopes.push_back(correlations(v, child));
  factor.solve(slopes);
  for (std::size_t k = 0; k < factor.size(); ++k) {
    const auto place = std::find(parents.begin(), parents.end(), factor.members()[k]) - parents.begin();
    out.slopes[place] = slopes[k];
    out.redundant[place] = 0;
  }
  const double rest = factor.project(child, row);
  out.floored = correlations.is_constant(child) || rest < kSingular;
  out.unexplained = std::max(rest, kSingular);
  return out;
}

}  // namespace

std::vector<Regression> regressions(const Correlations& correlations, std::span<const Family> families,
                                    Cancel& cancel) {
  std::vector<Regression> out(families.size());
  double cost = 0;
  for (const auto& family : families) {
    check_family(family, correlations.size());
    const auto k = static_cast<double>(family.second.size() + 1);
    cost += 100 + k * k * k;
  }
  parallel_for(families.size(), cost, cancel,
               [&](std::size_t i) { out[i] = regression(correlations, families[i]); });
  return out;
}

}  // namespace treewright::gaussian
