#include "treewright/forest_parts.hpp"

#include <algorithm>

#include "evidence_reader.hpp"

namespace treewright::forests {
namespace {

void append(std::string& key, std::uint32_t number) {
  for (int shift = 0; shift < 32; shift += 8) key += static_cast<char>(number >> shift);
}

}  // namespace

Parts::Parts(const FactorSet& set)
    : set_(set), factors_of_(set.size()), variable_mark_(set.size(), 0), factor_mark_(set.factors.size(), 0) {
  for (std::uint32_t f = 0; f < set.factors.size(); ++f)
    for (const Var v : set.factors[f].scope) factors_of_[v].push_back(f);
}

// Walk from one unobserved variable to all that it is joined with.
void Parts::grow(std::span<const std::int64_t> codes, Var from) {
  free_.assign(1, from);
  touched_.clear();
  variable_mark_[from] = row_;
  for (std::size_t i = 0; i < free_.size(); ++i)
    for (const std::uint32_t f : factors_of_[free_[i]]) {
      if (factor_mark_[f] == row_) continue;
      factor_mark_[f] = row_;
      touched_.push_back(f);
      for (const Var u : set_.factors[f].scope)
        if (codes[u] == kUnseen && variable_mark_[u] != row_) {
          variable_mark_[u] = row_;
          free_.push_back(u);
        }
    }
}

std::uint32_t Parts::part_of_grown() {
  std::ranges::sort(free_);
  std::string key;
  for (const Var v : free_) append(key, v);
  const auto [found, fresh] =
      part_of_key_.try_emplace(std::move(key), static_cast<std::uint32_t>(parts_.size()));
  if (!fresh) return found->second;
  std::ranges::sort(touched_);
  Part part{free_, free_.size(), touched_, {}};
  std::unordered_map<Var, Var> local;
  for (Var u = 0; u < free_.size(); ++u) local.emplace(free_[u], u);
  for (const std::uint32_t f : touched_)
    for (const Var v : set_.factors[f].scope)
      if (local.try_emplace(v, static_cast<Var>(part.variables.size())).second) part.variables.push_back(v);
  for (const Var v : part.variables) part.set.cardinalities.push_back(set_.cardinalities[v]);
  for (const std::uint32_t f : touched_) {
    Factor factor{{}, set_.factors[f].cells, false};
    for (const Var v : set_.factors[f].scope) factor.scope.push_back(local.at(v));
    part.set.factors.push_back(std::move(factor));
  }
  parts_.push_back(std::move(part));
  runs_.emplace_back();
  plans_.emplace_back();
  return found->second;
}

void Parts::add(std::span<const std::int64_t> codes, double weight, std::vector<PartLink>& links) {
  ++row_;
  for (Var v = 0; v < codes.size(); ++v) {
    if (codes[v] != kUnseen || variable_mark_[v] == row_) continue;
    grow(codes, v);
    const std::uint32_t p = part_of_grown();
    const Part& part = parts_[p];
    PartRuns& runs = runs_[p];
    std::string key;
    append(key, p);
    for (std::size_t k = part.n_free; k < part.variables.size(); ++k)
      append(key, static_cast<std::uint32_t>(codes[part.variables[k]]));
    const auto [found, fresh] =
        run_of_key_.try_emplace(std::move(key), static_cast<std::uint32_t>(runs.size()));
    if (fresh) {
      for (std::size_t k = part.n_free; k < part.variables.size(); ++k)
        runs.codes.push_back(static_cast<std::uint32_t>(codes[part.variables[k]]));
      runs.weights.push_back(0);
    }
    runs.weights[found->second] += weight;
    links.push_back({p, found->second});
  }
}

std::size_t Parts::largest_part(std::span<const std::int64_t> codes) {
  ++row_;
  std::size_t largest = 0;
  for (Var v = 0; v < codes.size(); ++v) {
    if (codes[v] != kUnseen || variable_mark_[v] == row_) continue;
    grow(codes, v);
    largest = std::max(largest, free_.size());
  }
  return largest;
}

std::shared_ptr<const Plan> Parts::plan(std::size_t p, const Question& wanted, Cancel& cancel) {
  {
    const std::lock_guard lock(mutex_);
    if (plans_[p]) return plans_[p];
  }
  const Part& part = parts_[p];
  Question question = wanted;
  question.observed.assign(part.variables.size(), 1);
  std::fill_n(question.observed.begin(), part.n_free, 0);
  std::shared_ptr<const Plan> plan;
  try {
    plan = compile(part.set, question, cancel);
  } catch (TooLarge& refused) {
    for (Var& v : refused.cost.largest_scope) v = part.variables[v];
    throw;
  }
  const std::lock_guard lock(mutex_);
  if (const std::size_t bytes = plan->approximate_bytes(); plan_bytes_ + bytes <= kPlanBytes && !plans_[p]) {
    plan_bytes_ += bytes;
    plans_[p] = plan;
  }
  return plan;
}

}  // namespace treewright::forests
