#include "treewright/inference/forest.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "inference/forest/forest_answer.hpp"
#include "inference/forest/forest_base.hpp"

namespace treewright::forests {
namespace {

// What planning costs per variable; below it, one tree for every question is better.
constexpr double kPlanningSeconds = 1.5e-6;
// A tree for many rows is not worth its memory beyond this.
constexpr double kWideSeconds = 5e-3;
// Visiting a cell while pruning costs about 5 ns, several times over.
constexpr double kPruningSeconds = 30e-9;

std::string key_of(const Question& question) {
  std::string key(question.observed.begin(), question.observed.end());
  key += question.marginals ? 'm' : question.stream ? 'c' : 'k';
  for (const Var v : question.targets) key += std::to_string(v) + ',';
  if (!question.relevant.empty()) key.append(question.relevant.begin(), question.relevant.end());
  return key;
}

}  // namespace

Forest::Forest(FactorSet set, ForestOptions options)
    : set_(std::move(set)), options_(options), spaces_(std::make_unique<SpacePool>()) {
  set_.validate();
  offsets_.assign(1, 0);
  for (const std::uint32_t r : set_.cardinalities) offsets_.push_back(offsets_.back() + r);
  for (const Factor& factor : set_.factors)
    if (factor.has_zeros) cells_with_zeros_ += static_cast<double>(factor.cells.size());
}

Forest::~Forest() = default;

void Forest::check(const Evidence& evidence) const {
  if (evidence.observed.size() != evidence.states.size() ||
      evidence.weighted.size() != evidence.likelihoods.size())
    throw std::invalid_argument("evidence needs one state or likelihood per variable");
  std::vector<char> seen(set_.size(), 0);
  const auto once = [&](Var v) {
    if (v >= set_.size() || seen[v]) throw std::invalid_argument("evidence names known variables, each once");
    seen[v] = 1;
  };
  for (std::size_t i = 0; i < evidence.observed.size(); ++i) {
    once(evidence.observed[i]);
    if (evidence.states[i] >= set_.cardinalities[evidence.observed[i]])
      throw std::out_of_range("evidence holds a code that is no state of its variable");
  }
  for (std::size_t i = 0; i < evidence.weighted.size(); ++i) {
    once(evidence.weighted[i]);
    if (evidence.likelihoods[i].size() != set_.cardinalities[evidence.weighted[i]])
      throw std::invalid_argument("a likelihood has one number per state");
  }
}

Question Forest::question_for(const Evidence& evidence, std::span<const Var> targets, bool everything,
                              double limit) const {
  Question question;
  question.observed.assign(set_.size(), 0);
  for (const Var v : evidence.observed) question.observed[v] = 1;
  question.targets.assign(targets.begin(), targets.end());
  question.hubs = options_.hubs;
  question.stored_cells = options_.stored_cells;
  question.streamed_above = options_.streamed_above;
  question.tile = options_.tile;
  question.limit_bytes = limit;
  if (set_.directed && !everything) {
    std::vector<Var> wanted(targets.begin(), targets.end());
    wanted.insert(wanted.end(), evidence.observed.begin(), evidence.observed.end());
    wanted.insert(wanted.end(), evidence.weighted.begin(), evidence.weighted.end());
    question.relevant = ancestors(set_, wanted);
  }
  return question;
}

// One tree with the tables multiplied beforehand, unless it is slower than allowed.
std::shared_ptr<const Plan> Forest::plan_for_all(double allowed, bool forced, Cancel& cancel) {
  Question question = question_for({}, {}, true, forced ? 0x1p40 : 0x1p26);
  question.marginals = true;
  question.stream = false;
  question.effort.at_least = 20;
  question.effort.most_steps = 5e7;
  // one cell costs at least five operations: a first look that is far away needs no search
  SearchEffort first_look;
  first_look.share = 0;
  if (!forced) first_look.useless_cells = question.effort.useless_cells = 4 * allowed / (3 * 0.45e-9);
  std::swap(question.effort, first_look);
  const double quick = estimate(set_, question, cancel).seconds();
  if (!forced && quick > 4 * allowed) return nullptr;
  std::swap(question.effort, first_look);
  try {
    auto plan = compile(set_, question, cancel);
    plan->cost.masked = true;
    if (!forced && plan->cost.seconds() > allowed) return nullptr;
    multiply_base(set_, *plan);
    return plan;
  } catch (const TooLarge&) {
    if (forced) throw;
  }
  return nullptr;
}

ForkLock Forest::locked() {
  return {mutex_,
          [&] { begin_anew(masked_known_, wide_known_, masked_, wide_, recent_, cache_, cache_bytes_); }};
}

std::shared_ptr<const Plan> Forest::masked_plan(Cancel& cancel) {
  if (options_.strategy != Strategy::kAutomatic && options_.strategy != Strategy::kMasked) return nullptr;
  const ForkLock lock = locked();
  if (!masked_known_)
    masked_ = plan_for_all(kPlanningSeconds * static_cast<double>(set_.size()),
                           options_.strategy == Strategy::kMasked, cancel);
  masked_known_ = true;
  return masked_;
}

std::shared_ptr<const Plan> Forest::wide_plan(Cancel& cancel) {
  if (options_.strategy != Strategy::kAutomatic) return nullptr;
  const ForkLock lock = locked();
  if (!wide_known_) wide_ = plan_for_all(kWideSeconds, false, cancel);
  wide_known_ = true;
  return wide_;
}

std::shared_ptr<const Plan> Forest::clique_plan(double most_cells, Cancel& cancel) const {
  Question question = question_for({}, {}, true, 8 * most_cells);
  question.marginals = true;
  question.stream = question.hubs = false;
  question.effort.at_least = 200;  // made once and walked through for every click
  question.effort.most_steps = 2e8;
  auto plan = compile(set_, question, cancel);
  if (static_cast<double>(plan->table_cells) > most_cells) throw TooLarge(plan->cost);
  return plan;
}

std::shared_ptr<const Plan> Forest::plan_for(const Question& question, Cancel& cancel) {
  std::string key = key_of(question);
  {
    const ForkLock lock = locked();
    if (const auto found = cache_.find(key); found != cache_.end()) {
      recent_.splice(recent_.begin(), recent_, found->second);
      const auto& plan = found->second->plan;
      if (8 * plan->cost.largest_cells <= question.limit_bytes) return plan;
    }
  }
  std::shared_ptr<const Plan> plan = compile(set_, question, cancel);
  const ForkLock lock = locked();
  if (cache_.contains(key)) return plan;
  cache_bytes_ += plan->approximate_bytes();
  recent_.push_front({key, plan});
  cache_.emplace(std::move(key), recent_.begin());
  while (recent_.size() > 1 &&
         (recent_.size() > options_.cached_plans || cache_bytes_ > options_.cached_bytes)) {
    cache_bytes_ -= recent_.back().plan->approximate_bytes();
    cache_.erase(recent_.back().key);
    recent_.pop_back();
  }
  return plan;
}

bool Forest::worth_pruning(const Cost& cost) const {
  // what pruning costs: visits to cells, and about what planning costs for every variable
  const double price =
      kPruningSeconds * cells_with_zeros_ + kPlanningSeconds * static_cast<double>(set_.size());
  return options_.strategy == Strategy::kAutomatic && cells_with_zeros_ > 0 && cost.seconds() > price;
}

// The share of the plan's cells that is left says what another plan would save, at least.
bool Forest::worth_planning_anew(const Plan& plan, const FactorSet& pruned) const {
  double before = 0, after = 0;
  for (const Node& node : plan.nodes) {
    double left = 1;
    for (std::uint32_t k = 0; k < node.n_scope; ++k)
      left *= pruned.cardinalities[plan.scopes[node.scope + k]];
    before += static_cast<double>(node.size);
    after += left;
  }
  const double saved = plan.cost.seconds() * (1 - after / std::max(before, 1.0));
  return saved > 3 * kPlanningSeconds * static_cast<double>(plan.nodes.size());
}

double Forest::log_mass(const Evidence& evidence, double limit, Cancel& cancel) {
  if (set_.directed && evidence.empty()) return 0;
  return answer<false>(evidence, question_for(evidence, {}, false, limit), limit, cancel, [](const auto&) {});
}

double Forest::marginals(const Evidence& evidence, std::span<double> out, double limit, Cancel& cancel) {
  if (out.size() != offsets_.back()) throw std::invalid_argument("marginals need one number per state");
  Question question = question_for(evidence, {}, true, limit);
  question.marginals = true;
  const double log = answer<false>(
      evidence, std::move(question), limit, cancel, [&]<class Cell>(const Collected<Cell>& found) {
        Cell* const sums = found.space.out.reserve(offsets_.back());
        std::fill_n(sums, offsets_.back(), CellTraits<Cell>::zero());
        found.run.distribute(sums, offsets_.data());
        std::ranges::fill(out, 0.0);
        for (const Var v : found.plan.fixed) {
          const std::uint32_t s = found.states[v];
          out[offsets_[v] + (found.live ? (*found.live)[v][s] : s)] = 1;
        }
        for (Var v = 0; v < set_.size(); ++v)
          if (found.plan.mask_node[v] != kNobody)
            write_normalised(sums + offsets_[v], found.set.cardinalities[v],
                             found.live ? &(*found.live)[v] : nullptr, out.data() + offsets_[v]);
      });
  return set_.directed && evidence.empty() && log != kImpossible ? 0 : log;
}

double Forest::joint(std::span<const Var> targets, const Evidence& evidence, std::vector<double>& out,
                     double limit, Cancel& cancel) {
  Cost asked;
  asked.largest_cells = 1;
  asked.largest_scope.assign(targets.begin(), targets.end());
  for (const Var v : targets) {
    if (v >= set_.size()) throw std::invalid_argument("a target is not among the variables");
    asked.largest_cells *= set_.cardinalities[v];
  }
  asked.bytes = 8 * asked.largest_cells;
  if (asked.bytes > limit) throw TooLarge(std::move(asked));
  if (targets.size() == 1 && masked_plan(cancel)) {  // all marginals cost less than another tree
    std::vector<double> all(offsets_.back());
    const double log = marginals(evidence, all, limit, cancel);
    const auto begin = all.begin() + static_cast<std::ptrdiff_t>(offsets_[targets[0]]);
    out.assign(begin, begin + set_.cardinalities[targets[0]]);
    return log;
  }
  const double log =
      answer<false>(evidence, question_for(evidence, targets, false, limit), limit, cancel,
                    [&]<class Cell>(const Collected<Cell>& found) {
                      const std::uint64_t cells = found.plan.target_cells;
                      Cell* const sums = found.space.target.reserve(cells);
                      std::fill_n(sums, cells, CellTraits<Cell>::zero());
                      std::uint64_t start = 0, stride = 1, full_cells = 1;
                      for (std::size_t k = targets.size(); k-- > 0;) {
                        if (found.plan.mask_node[targets[k]] == kNobody)
                          start += stride * found.states[targets[k]];
                        stride *= found.set.cardinalities[targets[k]];
                        full_cells *= set_.cardinalities[targets[k]];
                      }
                      found.run.add_targets(sums + start);
                      out.assign(full_cells, 0.0);
                      if (!found.live)
                        return write_normalised<Cell, std::uint32_t>(sums, cells, nullptr, out.data());
                      std::vector<std::uint64_t> places(cells);
                      for (std::uint64_t cell = 0; cell < cells; ++cell) {
                        std::uint64_t rest = cell, place = 0, step = 1;
                        for (std::size_t k = targets.size(); k-- > 0;) {
                          const auto& states = (*found.live)[targets[k]];
                          place += step * states[rest % states.size()];
                          rest /= states.size();
                          step *= set_.cardinalities[targets[k]];
                        }
                        places[cell] = place;
                      }
                      write_normalised(sums, cells, &places, out.data());
                    });
  return set_.directed && evidence.empty() && log != kImpossible ? 0 : log;
}

std::vector<std::size_t> Forest::conflict(const Evidence& evidence, double limit, Cancel& cancel) {
  const std::size_t n = evidence.observed.size() + evidence.weighted.size();
  std::vector<std::size_t> found;
  std::size_t open = n;  // items [0, open) may still be needed
  const auto impossible = [&](std::size_t first) {
    std::vector<char> chosen(n, 0);
    for (const std::size_t i : found) chosen[i] = 1;
    std::fill_n(chosen.begin(), first, 1);
    Evidence some;
    for (std::size_t i = 0; i < n; ++i) {
      if (!chosen[i]) continue;
      if (i < evidence.observed.size()) {
        some.observed.push_back(evidence.observed[i]);
        some.states.push_back(evidence.states[i]);
      } else {
        some.weighted.push_back(evidence.weighted[i - evidence.observed.size()]);
        some.likelihoods.push_back(evidence.likelihoods[i - evidence.observed.size()]);
      }
    }
    return log_mass(some, limit, cancel) == kImpossible;
  };
  // The last item of the shortest impossible beginning is needed; look for the others before it.
  while (!impossible(0)) {
    std::size_t low = 1, high = open;
    while (low < high) {
      const std::size_t middle = low + (high - low) / 2;
      impossible(middle) ? high = middle : low = middle + 1;
    }
    if (high == 0 || std::ranges::find(found, high - 1) != found.end()) break;
    found.push_back(high - 1);
    open = high - 1;
  }
  std::ranges::sort(found);
  return found;
}

Cost Forest::cost(const Evidence& evidence, std::span<const Var> targets, double limit, Cancel& cancel) {
  check(evidence);
  if (targets.empty() && options_.strategy == Strategy::kAutomatic)
    if (const auto base = masked_plan(cancel)) return base->cost;
  Question question = question_for(evidence, targets, targets.empty(), limit);
  question.marginals = targets.empty();
  const Cost sliced = estimate(set_, question, cancel);
  const bool refused = 8 * sliced.largest_cells > limit;
  if (evidence.empty() || cells_with_zeros_ == 0 || !(refused || worth_pruning(sliced))) return sliced;
  const Pruned pruned = prune(set_, evidence, cancel);
  if (pruned.impossible) return {};
  std::ranges::fill(question.observed, 0);
  return estimate(pruned.set, question, cancel);
}

}  // namespace treewright::forests
