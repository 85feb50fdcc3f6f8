#include "treewright/gaussian/gaussian.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <stdexcept>

#include "treewright/parallel/threads.hpp"

namespace treewright::gaussian {
namespace {

constexpr std::size_t kFamiliesPerTask = 64;  // families per unit of work

double cost_of_families(std::size_t families, std::size_t members) {
  const double k = static_cast<double>(members + 2);
  return static_cast<double>(families) * (150 + 40 * k + 2 * k * k * k);
}

}  // namespace

void check_family(const Family& family, std::size_t n_variables) {
  auto members = family.second;
  members.push_back(family.first);
  std::sort(members.begin(), members.end());
  if (members.back() >= n_variables) throw std::out_of_range("a family names a variable that is not there");
  if (std::adjacent_find(members.begin(), members.end()) != members.end())
    throw std::invalid_argument("a family names each variable once");
}

GaussianScore::GaussianScore(std::span<const double> scatter, std::size_t n, double n_rows)
    : correlations_(scatter, n), n_rows_(n_rows) {
  // a constant column is given the least share of a unit variance
  std::vector<double> term(n);
  double largest = 0;
  for (std::size_t i = 0; i < n; ++i) {
    const double variance = correlations_.is_constant(i) ? kSingular : scatter[i * n + i] / n_rows;
    term[i] = -0.5 * n_rows * (std::log(2 * std::numbers::pi * variance) + 1);
    largest = std::max(largest, std::abs(term[i]));
  }
  const double penalty = 0.5 * std::log(n_rows);
  const double per_variable = -0.5 * n_rows * std::log(kSingular);
  const double local = largest + 2 * per_variable + penalty * static_cast<double>(n + 2);
  // four local scores add exactly in 53 bits, the term of any set fits into 62
  scale_ = FixedPoint(std::max(512 * 4 * local, per_variable * static_cast<double>(n)));
  for (const double value : term) variable_term_.push_back(scale_.quantise(value));
  penalty_ = scale_.quantise(penalty);
}

std::int64_t GaussianScore::set_term(const Factor& factor) const {
  return scale_.quantise(-0.5 * n_rows_ * factor.log_determinant());
}

double GaussianScore::family_score(Rank child, std::size_t n_parents, std::int64_t with_child,
                                   std::int64_t parents) const {
  return scale_.value(variable_term_[child] + with_child - parents -
                      penalty_ * static_cast<std::int64_t>(n_parents + 2));
}

GaussianScore::Values GaussianScore::local_many(std::span<const Family> families, Cancel& cancel) const {
  Values values{std::vector<double>(families.size()), std::vector<std::uint8_t>(families.size())};
  std::size_t widest = 0;
  for (const auto& family : families) {
    check_family(family, size());
    widest = std::max(widest, family.second.size());
  }
  const std::size_t units = (families.size() + kFamiliesPerTask - 1) / kFamiliesPerTask;
  parallel_for(units, cost_of_families(families.size(), widest), cancel, [&](std::size_t unit) {
    Factor without(correlations_), whole(correlations_);
    for (std::size_t i = unit * kFamiliesPerTask;
         i < std::min((unit + 1) * kFamiliesPerTask, families.size()); ++i) {
      const auto& [child, parents] = families[i];
      without.assign(parents);
      whole.assign(without, child);
      values.scores[i] = family_score(child, parents.size(), set_term(whole), set_term(without));
      values.floored[i] = whole.n_floored() > without.n_floored() || correlations_.is_constant(child);
    }
  });
  return values;
}

GaussianScore::Values GaussianScore::local_additions(const Family& family, std::span<const Rank> candidates,
                                                     Cancel& cancel) const {
  check_family(family, size());
  const auto& [child, parents] = family;
  for (const Rank candidate : candidates) {
    if (candidate >= size()) throw std::out_of_range("a candidate is not there");
    if (candidate == child || std::find(parents.begin(), parents.end(), candidate) != parents.end())
      throw std::invalid_argument("a candidate is in the family already");
  }
  Factor without(correlations_), whole(correlations_);
  without.assign(parents);
  whole.assign(without, child);
  Values values{std::vector<double>(candidates.size()), std::vector<std::uint8_t>(candidates.size())};
  const std::size_t units = (candidates.size() + kFamiliesPerTask - 1) / kFamiliesPerTask;
  parallel_for(units, cost_of_families(candidates.size(), parents.size() + 1), cancel, [&](std::size_t unit) {
    Factor grown(correlations_), others(correlations_);
    for (std::size_t i = unit * kFamiliesPerTask;
         i < std::min((unit + 1) * kFamiliesPerTask, candidates.size()); ++i) {
      grown.assign(whole, candidates[i]);
      others.assign(without, candidates[i]);
      values.scores[i] = family_score(child, parents.size() + 1, set_term(grown), set_term(others));
      values.floored[i] = grown.n_floored() > others.n_floored() || correlations_.is_constant(child);
    }
  });
  return values;
}

}  // namespace treewright::gaussian
