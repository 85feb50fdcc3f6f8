#include "treewright/inference/expectation.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "inference/forest/evidence_reader.hpp"
#include "inference/forest/forest_answer.hpp"
#include "treewright/parallel/threads.hpp"

namespace treewright::forests {
namespace {

constexpr std::size_t kExpectedRunsPerTask = 64;
const FixedPoint kScale(1.0);

FactorSet empty_tables(std::vector<std::uint32_t> cardinalities, std::vector<std::vector<Var>> scopes) {
  FactorSet set{std::move(cardinalities), {}, false};
  for (auto& scope : scopes) set.factors.push_back({std::move(scope), {}, false});
  return set;
}

// Add dense cells, rounded to fixed point, along the axes of a table.
const double* add_along(Nest nest, const double* dense, std::int64_t* to) {
  if (nest.empty()) {
    *to += kScale.quantise(*dense);
    return dense + 1;
  }
  for (std::uint64_t i = 0; i < nest[0].length; ++i, to += nest[0].stride)
    dense = add_along(nest.subspan(1), dense, to);
  return dense;
}

}  // namespace

// What one thread adds up: numbers of its own, and room for the cells of one part.
struct Expectation::Sums {
  std::vector<std::int64_t> cells;
  std::vector<double> family;
  SmallAnswer small;
};

Expectation::Expectation(std::vector<std::uint32_t> cardinalities, std::vector<std::vector<Var>> scopes,
                         const EvidenceRows& rows, std::span<const double> weights, Cancel& cancel)
    : set_(empty_tables(std::move(cardinalities), std::move(scopes))),
      parts_(set_),
      spaces_(std::make_unique<SpacePool>()) {
  check_rows(set_.cardinalities, rows);
  if (!weights.empty() && weights.size() != rows.n_rows)
    throw std::invalid_argument("every row needs a weight");
  begin_.assign(1, 0);
  for (const Factor& factor : set_.factors) {
    std::uint64_t cells = 1;
    for (const Var v : factor.scope) cells *= set_.cardinalities.at(v);
    begin_.push_back(begin_.back() + cells);
  }
  tables_.resize(begin_.back());
  observed_.assign(begin_.back(), 0.0);
  for (std::size_t f = 0; f < set_.factors.size(); ++f)
    set_.factors[f].cells = {tables_.data() + begin_[f], begin_[f + 1] - begin_[f]};

  const std::vector<std::size_t> first = first_equal_rows(rows);
  std::vector<double> weight(rows.n_rows, 0.0);
  for (std::size_t r = 0; r < rows.n_rows; ++r) weight[first[r]] += weights.empty() ? 1.0 : weights[r];
  std::vector<std::size_t> distinct;
  for (std::size_t r = 0; r < rows.n_rows; ++r)
    if (weight[r] > 0) distinct.push_back(r);
  const double total = std::accumulate(weight.begin(), weight.end(), 0.0);
  if (total > 0) shrink_ = std::ldexp(1.0, -std::ilogb(total) - 1);

  const EvidenceReader reader(rows);
  std::vector<std::int64_t> codes(set_.size());
  std::vector<PartLink> links;
  for (const std::size_t r : distinct) {
    cancel.check();
    reader.read(r, codes);
    links.clear();
    parts_.add(codes, weight[r], links);
  }
  for (std::uint32_t p = 0; p < parts_.size(); ++p)
    for (std::uint32_t run = 0; run < parts_.runs(p).size(); ++run) order_.push_back({p, run});
  count_observed(rows, distinct, weight, cancel);
}

Expectation::~Expectation() = default;

void Expectation::count_observed(const EvidenceRows& rows, std::span<const std::size_t> distinct,
                                 std::span<const double> weights, Cancel& cancel) {
  const EvidenceReader reader(rows);
  const double cost = 5.0 * static_cast<double>(distinct.size() * set_.factors.size());
  parallel_for(set_.factors.size(), cost, cancel, [&](std::size_t f) {
    for (const std::size_t r : distinct) {
      std::uint64_t cell = 0;
      bool whole = true;
      for (const Var v : set_.factors[f].scope) {
        const std::int64_t code = reader.code(r, v);
        whole &= code != kUnseen;
        cell = cell * set_.cardinalities[v] + static_cast<std::uint64_t>(std::max<std::int64_t>(code, 0));
      }
      if (whole) observed_[begin_[f] + cell] += weights[r];
    }
  });
}

double Expectation::observed_log_likelihood() const {
  double sum = 0;
  for (std::size_t c = 0; c < observed_.size(); ++c)
    if (observed_[c] > 0) sum += observed_[c] * std::log(tables_[c]);
  return sum;
}

// The same for a part that is multiplied out; false when that loses digits.
bool Expectation::add_small(PartLink link, Sums& sums, double& log_mass) const {
  const Part& part = parts_.part(link.part);
  const PartRuns& runs = parts_.runs(link.part);
  SmallAnswer& small = sums.small;
  if (!multiply_out(part, runs.codes.data() + link.run * part.n_boundary(), small)) return false;
  log_mass = std::log(small.total);
  const double share = runs.weights[link.run] * shrink_ / small.total;
  const std::uint32_t* place = part.places.data();
  for (std::size_t f = 0; f < part.factors.size(); ++f, place += part.n_joint) {
    std::int64_t* const to = sums.cells.data() + begin_[part.factors[f]] + small.base[f];
    for (std::uint32_t joint = 0; joint < part.n_joint; ++joint)
      to[place[joint]] += kScale.quantise(small.joint[joint] * share);
  }
  return true;
}

// Propagate one part and add what its tables are expected to hold; the logarithm of its mass.
double Expectation::add_run(PartLink link, const Plan& plan, Sums& sums, Cancel& cancel) const {
  const Part& part = parts_.part(link.part);
  const PartRuns& runs = parts_.runs(link.part);
  std::vector<std::uint32_t> states(part.variables.size(), 0);
  std::copy_n(runs.codes.begin() + static_cast<std::ptrdiff_t>(link.run * part.n_boundary()),
              part.n_boundary(), states.begin() + static_cast<std::ptrdiff_t>(part.n_free));
  const double weight = runs.weights[link.run] * shrink_;
  double log_mass = kImpossible;
  const auto ask = [&]<class Cell>(SpacePool::Lease<Cell> space) {
    using Traits = CellTraits<Cell>;
    Propagation<Cell> run(part.set, plan, *space, cancel);
    run.load(states.data());
    if (!run.template collect<false>() || run.weak()) return false;
    log_mass = run.log_mass();
    const Cell* cells = run.distribute_factors();
    for (std::size_t s = 0; s < plan.slices.size(); ++s) {
      const Slice& slice = plan.slices[s];
      Cell total = Traits::zero();
      for (std::uint64_t k = 0; k < slice.size; ++k) total += cells[k];
      sums.family.resize(slice.size);
      for (std::uint64_t k = 0; k < slice.size; ++k)
        sums.family[k] = weight * Traits::value(Traits::ratio(cells[k], total), 0);
      cells += slice.size;
      std::int64_t* to = sums.cells.data() + begin_[part.factors[slice.factor]];
      for (std::uint32_t k = slice.observed; k < slice.observed_end; ++k)
        to += plan.observed[k].stride * states[plan.observed[k].variable];
      add_along({plan.axes.data() + slice.axes, slice.n_axes}, sums.family.data(), to);
    }
    return true;
  };
  // no mass, or digits lost among denormal numbers: wide numbers decide
  if (!ask(SpacePool::Lease<double>(*spaces_))) ask(SpacePool::Lease<WideCell>(*spaces_));
  return log_mass;
}

double Expectation::step(std::span<const double> tables, std::span<double> counts, double limit,
                         Cancel& cancel) {
  if (tables.size() != n_cells() || counts.size() != n_cells())
    throw std::invalid_argument("one number per table cell is needed");
  std::ranges::copy(tables, tables_.begin());

  struct Task {
    std::size_t begin, end;
  };
  std::vector<Task> tasks;
  for (std::size_t i = 0; i < order_.size(); ++i) {
    const bool joins = !tasks.empty() && order_[tasks.back().begin].part == order_[i].part &&
                       i - tasks.back().begin < kExpectedRunsPerTask;
    if (!joins) tasks.push_back({i, i});
    tasks.back().end = i + 1;
  }
  Question question;
  question.factors = true;
  question.limit_bytes = limit;
  std::mutex mutex;
  std::vector<std::unique_ptr<Sums>> idle;
  std::vector<double> logs(order_.size());
  parallel_for(tasks.size(), 5e3 * static_cast<double>(order_.size()), cancel, [&](std::size_t t) {
    std::unique_ptr<Sums> sums;
    {
      const std::lock_guard lock(mutex);
      if (!idle.empty()) sums = std::move(idle.back()), idle.pop_back();
    }
    if (!sums) sums = std::make_unique<Sums>(Sums{std::vector<std::int64_t>(n_cells(), 0), {}, {}});
    std::shared_ptr<const Plan> plan;
    for (std::size_t i = tasks[t].begin; i < tasks[t].end; ++i) {
      const double weight = parts_.runs(order_[i].part).weights[order_[i].run];
      if (parts_.part(order_[i].part).n_joint > 0 && add_small(order_[i], *sums, logs[i])) {
        logs[i] *= weight;
        continue;
      }
      if (!plan) plan = parts_.plan(order_[i].part, question, cancel);
      logs[i] = weight * add_run(order_[i], *plan, *sums, cancel);
    }
    const std::lock_guard lock(mutex);
    idle.push_back(std::move(sums));
  });

  std::vector<std::int64_t> expected(n_cells(), 0);
  for (const auto& sums : idle)
    for (std::size_t c = 0; c < n_cells(); ++c) expected[c] += sums->cells[c];
  for (std::size_t c = 0; c < n_cells(); ++c) counts[c] = observed_[c] + kScale.value(expected[c]) / shrink_;
  std::ranges::sort(logs);  // one sum for every order of rows
  return std::accumulate(logs.begin(), logs.end(), observed_log_likelihood());
}

}  // namespace treewright::forests
