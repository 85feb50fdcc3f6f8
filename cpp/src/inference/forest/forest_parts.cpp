#include "treewright/inference/forest_parts.hpp"

#include <algorithm>
#include <limits>

#include "inference/forest/evidence_reader.hpp"
#include "inference/forest/forest_run.hpp"

namespace treewright::forests {
namespace {

// Joint states up to which multiplying out costs less than planning.
constexpr std::uint64_t kSmallJoint = 64;

void append_number(std::string& key, std::uint32_t number) {
  for (int shift = 0; shift < 32; shift += 8) key += static_cast<char>(number >> shift);
}

}  // namespace

Parts::Parts(const FactorSet& set)
    : set_(set),
      factors_of_(set.size()),
      local_(set.size(), kNobody),
      variable_mark_(set.size(), 0),
      factor_mark_(set.factors.size(), 0),
      rank_(set.size()),
      factor_rank_(set.factors.size()) {
  for (std::uint32_t i = 0; i < rank_.size(); ++i) rank_[set.variable_at(i)] = i;
  for (std::uint32_t i = 0; i < factor_rank_.size(); ++i) factor_rank_[set.factor_at(i)] = i;
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
  std::ranges::sort(free_, {}, [&](Var v) { return rank_[v]; });
  key_.clear();
  for (const Var v : free_) append_number(key_, v);
  if (const auto found = part_of_key_.find(key_); found != part_of_key_.end()) return found->second;
  std::ranges::sort(touched_, {}, [&](std::uint32_t f) { return factor_rank_[f]; });
  Part part;
  part.variables = free_;
  part.n_free = free_.size();
  part.factors = touched_;
  for (Var u = 0; u < free_.size(); ++u) local_[free_[u]] = u;
  part.set.factors.reserve(touched_.size());
  part.set.tiny = set_.tiny;
  for (const std::uint32_t f : touched_) {
    Factor factor{set_.factors[f].scope, set_.factors[f].cells, false};
    for (Var& v : factor.scope) {
      if (local_[v] == kNobody) {
        local_[v] = static_cast<Var>(part.variables.size());
        part.variables.push_back(v);
      }
      v = local_[v];
    }
    part.set.factors.push_back(std::move(factor));
  }
  part.set.cardinalities.reserve(part.variables.size());
  for (const Var v : part.variables) {
    part.set.cardinalities.push_back(set_.cardinalities[v]);
    local_[v] = kNobody;
  }
  lay_out_small(part);
  parts_.push_back(std::move(part));
  runs_.emplace_back();
  plans_.emplace_back();
  return part_of_key_.emplace(key_, static_cast<std::uint32_t>(parts_.size() - 1)).first->second;
}

void Parts::lay_out_small(Part& part) const {
  std::uint64_t n_joint = 1;
  for (std::size_t u = 0; u < part.n_free && n_joint <= kSmallJoint; ++u)
    n_joint *= part.set.cardinalities[u];
  if (n_joint > kSmallJoint) return;
  std::vector<std::uint64_t> stride(part.variables.size(), 0);
  for (const Factor& factor : part.set.factors) {
    if (factor.cells.size() > std::numeric_limits<std::uint32_t>::max()) return;
    std::uint64_t step = factor.cells.size();
    for (const Var u : factor.scope) {
      step /= part.set.cardinalities[u];
      stride[u] = step;
      if (u >= part.n_free) part.strides.push_back({u - static_cast<Var>(part.n_free), step});
    }
    part.strides_end.push_back(static_cast<std::uint32_t>(part.strides.size()));
    for (std::uint64_t joint = 0; joint < n_joint; ++joint) {
      std::uint64_t rest = joint, place = 0;
      for (std::size_t u = part.n_free; u-- > 0; rest /= part.set.cardinalities[u])
        place += rest % part.set.cardinalities[u] * stride[u];
      part.places.push_back(static_cast<std::uint32_t>(place));
    }
    for (const Var u : factor.scope) stride[u] = 0;
  }
  part.n_joint = static_cast<std::uint32_t>(n_joint);
}

bool multiply_out(const Part& part, const std::uint32_t* boundary, SmallAnswer& out) {
  const LostDigits lost;
  out.joint.assign(part.n_joint, 1.0);
  out.base.clear();
  const std::uint32_t* place = part.places.data();
  std::uint32_t k = 0;
  for (std::size_t f = 0; f < part.set.factors.size(); ++f, place += part.n_joint) {
    std::uint64_t base = 0;
    for (; k < part.strides_end[f]; ++k) base += part.strides[k].stride * boundary[part.strides[k].variable];
    const double* const cells = part.set.factors[f].cells.data() + base;
    for (std::uint32_t joint = 0; joint < part.n_joint; ++joint) out.joint[joint] *= cells[place[joint]];
    out.base.push_back(base);
  }
  out.total = 0;
  for (const double mass : out.joint) out.total += mass;
  return out.total > kSafe || (out.total > kWeakest && !part.set.tiny && !lost.seen());
}

void Parts::add(std::span<const std::int64_t> codes, double weight, std::vector<PartLink>& links) {
  ++row_;
  for (std::size_t i = 0; i < codes.size(); ++i) {
    const Var v = set_.variable_at(i);
    if (codes[v] != kUnseen || variable_mark_[v] == row_) continue;
    grow(codes, v);
    const std::uint32_t p = part_of_grown();
    const Part& part = parts_[p];
    PartRuns& runs = runs_[p];
    key_.clear();
    append_number(key_, p);
    for (std::size_t k = part.n_free; k < part.variables.size(); ++k)
      append_number(key_, static_cast<std::uint32_t>(codes[part.variables[k]]));
    auto found = run_of_key_.find(key_);
    if (found == run_of_key_.end()) {
      found = run_of_key_.emplace(key_, static_cast<std::uint32_t>(runs.size())).first;
      for (std::size_t k = part.n_free; k < part.variables.size(); ++k)
        runs.codes.push_back(static_cast<std::uint32_t>(codes[part.variables[k]]));
      runs.weights.push_back(0);
    }
    runs.weights[found->second] += weight;
    links.push_back({p, found->second});
  }
}

std::shared_ptr<const Plan> Parts::plan(std::uint32_t p, const Question& wanted, Cancel& cancel) {
  const auto forget = [&] {
    begin_anew(plans_, plan_bytes_);
    plans_.resize(parts_.size());
  };
  {
    const ForkLock lock(mutex_, forget);
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
  const ForkLock lock(mutex_, forget);
  if (const std::size_t bytes = plan->approximate_bytes(); plan_bytes_ + bytes <= kPlanBytes && !plans_[p]) {
    plan_bytes_ += bytes;
    plans_[p] = plan;
  }
  return plan;
}

}  // namespace treewright::forests
