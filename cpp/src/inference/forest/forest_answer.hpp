// How a question is answered: which tree, plain numbers or wide ones. Shared by the kinds of questions.
#pragma once

#include "inference/forest/forest_run.hpp"
#include "treewright/inference/forest.hpp"
#include "treewright/inference/forest_prune.hpp"

namespace treewright::forests {

/// Workspaces that wait for the next question. Large ones go back to the system.
struct SpacePool {
  static constexpr std::size_t kKept = std::size_t{64} << 20;

  template <class Cell>
  class Lease {
   public:
    explicit Lease(SpacePool& pool) : pool_(pool) {
      const ForkLock lock = pool.locked();
      auto& waiting = pool.waiting<Cell>();
      if (!waiting.empty()) space_ = std::move(waiting.back()), waiting.pop_back();
      if (!space_) space_ = std::make_unique<Workspace<Cell>>();
    }
    ~Lease() {
      if (space_->bytes() > kKept) return;
      const ForkLock lock = pool_.locked();
      try {
        pool_.waiting<Cell>().push_back(std::move(space_));
      } catch (const std::bad_alloc&) {  // then the next one makes its own
      }
    }
    Lease(const Lease&) = delete;
    Lease& operator=(const Lease&) = delete;
    Workspace<Cell>& operator*() { return *space_; }
    Workspace<Cell>* operator->() { return space_.get(); }

   private:
    SpacePool& pool_;
    std::unique_ptr<Workspace<Cell>> space_;
  };

  template <class Cell>
  std::vector<std::unique_ptr<Workspace<Cell>>>& waiting() {
    if constexpr (std::is_same_v<Cell, double>) {
      return plain;
    } else if constexpr (std::is_same_v<Cell, Lanes>) {
      return four;
    } else {
      return wide;
    }
  }

  ForkLock locked() {
    return {mutex, [&] { begin_anew(plain, four, wide); }};
  }

  ForkMutex mutex;
  std::vector<std::unique_ptr<Workspace<double>>> plain;
  std::vector<std::unique_ptr<Workspace<Lanes>>> four;
  std::vector<std::unique_ptr<Workspace<WideCell>>> wide;
};

/// What a kind of question sees once all messages have reached the roots.
template <class Cell>
struct Collected {
  const FactorSet& set;
  const Plan& plan;
  Propagation<Cell>& run;
  Workspace<Cell>& space;
  const std::vector<std::vector<std::uint32_t>>* live;  // old numbers of the states, when some were taken out
  const std::vector<std::uint32_t>& states;             // of the fixed variables
  std::span<const Var> targets;
};

/// Scale to one, state by state of the variables as they were before pruning.
template <class Cell, class Index = std::uint32_t>
void write_normalised(const Cell* sums, std::size_t n, const std::vector<Index>* live, double* out) {
  using Traits = CellTraits<Cell>;
  Cell total = sums[0];
  for (std::size_t s = 1; s < n; ++s) total += sums[s];
  for (std::size_t s = 0; s < n; ++s)
    out[live ? (*live)[s] : s] = Traits::value(Traits::ratio(sums[s], total), 0);
}

namespace detail {

template <class Cell>
void add_likelihoods(Propagation<Cell>& run, const FactorSet& set, const Evidence& evidence, bool hard_too) {
  std::size_t n = 0, cells = 0;
  if (hard_too)
    for (const Var v : evidence.observed) ++n, cells += set.cardinalities[v];
  for (const Var v : evidence.weighted) ++n, cells += set.cardinalities[v];
  if (hard_too)
    for (std::size_t i = 0; i < evidence.observed.size(); ++i) {
      const Var v = evidence.observed[i];
      if (set.cardinalities[v] == 1) continue;
      Cell* const mask = run.add_mask(v, n, cells);
      std::fill_n(mask, set.cardinalities[v], CellTraits<Cell>::zero());
      mask[evidence.states[i]] = CellTraits<Cell>::from(1.0);
    }
  for (std::size_t i = 0; i < evidence.weighted.size(); ++i) {
    const Var v = evidence.weighted[i];
    const auto& likelihood = evidence.likelihoods[i];
    if (set.cardinalities[v] == 1) {
      run.multiply_mass(likelihood[0]);
      continue;
    }
    Cell* const mask = run.add_mask(v, n, cells);
    const double largest = *std::ranges::max_element(likelihood);
    run.multiply_mass(largest);
    for (std::size_t s = 0; s < likelihood.size(); ++s)
      mask[s] = CellTraits<Cell>::from(largest > 0 ? likelihood[s] / largest : 0);
  }
}

}  // namespace detail

template <bool kMax, class Use>
double Forest::answer(const Evidence& evidence, Question question, double limit, Cancel& cancel, Use&& use) {
  check(evidence);
  std::vector<std::uint32_t> states(set_.size(), 0);
  for (std::size_t i = 0; i < evidence.observed.size(); ++i)
    states[evidence.observed[i]] = evidence.states[i];
  question.limit_bytes = limit;

  if (question.targets.empty() && options_.strategy != Strategy::kSliced &&
      options_.strategy != Strategy::kPruned) {
    if (const auto base = masked_plan(cancel); base && 8 * base->cost.largest_cells <= limit) {
      SpacePool::Lease<double> space(*spaces_);
      Propagation<double> run(set_, *base, *space, cancel);
      run.load(states.data());
      detail::add_likelihoods(run, set_, evidence, true);
      if (run.template collect<kMax>() && !run.weak()) {
        use(Collected<double>{set_, *base, run, *space, nullptr, states, question.targets});
        return run.log_mass();
      }
    }
  }

  std::shared_ptr<const Plan> plan;
  try {
    if (options_.strategy != Strategy::kPruned) plan = plan_for(question, cancel);
  } catch (const TooLarge&) {
    if (cells_with_zeros_ == 0 || evidence.empty()) throw;
  }
  if (!plan || (!evidence.empty() && worth_pruning(plan->cost))) {
    const Pruned pruned = prune(set_, evidence, cancel);
    if (pruned.impossible) return kImpossible;
    if (!plan || worth_planning_anew(*plan, pruned.set))
      return answer_pruned<kMax>(pruned, std::move(question), cancel, use);
  }
  const auto ask = [&]<class Cell>(SpacePool::Lease<Cell> space, double& log_mass) {
    Propagation<Cell> run(set_, *plan, *space, cancel);
    run.load(states.data());
    detail::add_likelihoods(run, set_, evidence, false);
    const bool found = run.template collect<kMax>() && !run.weak();
    log_mass = found ? run.log_mass() : kImpossible;
    if (found) use(Collected<Cell>{set_, *plan, run, *space, nullptr, states, question.targets});
    return found;
  };
  double log_mass = kImpossible;
  // no mass, or digits lost among denormal numbers: wide numbers decide
  if (!ask(SpacePool::Lease<double>(*spaces_), log_mass)) ask(SpacePool::Lease<WideCell>(*spaces_), log_mass);
  return log_mass;
}

template <bool kMax, class Use>
double Forest::answer_pruned(const Pruned& pruned, Question question, Cancel& cancel, Use&& use) {
  double log_scale = 0;
  for (std::size_t f = 0; f < set_.factors.size(); ++f)
    if (question.relevant.empty() || question.relevant[f]) log_scale += pruned.log_scales[f];
  std::ranges::fill(question.observed, 0);
  const auto plan = compile(pruned.set, question, cancel);
  const std::vector<std::uint32_t> states(set_.size(), 0);
  const auto ask = [&]<class Cell>(SpacePool::Lease<Cell> space, double& log_mass) {
    Propagation<Cell> run(pruned.set, *plan, *space, cancel);
    run.load(states.data());
    detail::add_likelihoods(run, pruned.set, pruned.soft, false);
    const bool found = run.template collect<kMax>() && !run.weak();
    log_mass = found ? run.log_mass() + log_scale : kImpossible;
    if (found) use(Collected<Cell>{pruned.set, *plan, run, *space, &pruned.live, states, question.targets});
    return found;
  };
  double log_mass = kImpossible;
  if (!ask(SpacePool::Lease<double>(*spaces_), log_mass)) ask(SpacePool::Lease<WideCell>(*spaces_), log_mass);
  return log_mass;
}

}  // namespace treewright::forests
