#include "treewright/inference/expected_tables.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <functional>
#include <numeric>
#include <stdexcept>

#include "inference/forest/evidence_reader.hpp"
#include "inference/forest/forest_answer.hpp"
#include "inference/lost_digits.hpp"
#include "treewright/parallel/threads.hpp"

namespace treewright::forests {
namespace {

// Joint states up to which a part is multiplied out, and the share of the memory limit for all of them.
constexpr std::uint64_t kMostJoint = 4096;
constexpr double kShareOfJoints = 1.0 / 8;
// Distributions of larger ones are kept while they take less than this in each shelf.
constexpr std::size_t kShelfBytes = std::size_t{16} << 20;
constexpr std::size_t kRowsAtOnce = 1024, kRunsAtOnce = 256;
const FixedPoint kShareScale(1.0);

FactorSet model_of(std::vector<std::uint32_t> cardinalities, std::vector<std::vector<Var>> scopes,
                   const std::vector<double>& tables) {
  FactorSet set{std::move(cardinalities), {}, false};
  std::size_t begin = 0;
  for (auto& scope : scopes) {
    std::size_t cells = 1;
    for (const Var v : scope) cells *= set.cardinalities.at(v);
    if (cells > tables.size() - begin) throw std::invalid_argument("one number per table cell is needed");
    set.factors.push_back({std::move(scope), {tables.data() + begin, cells}, false});
    begin += cells;
  }
  if (begin != tables.size()) throw std::invalid_argument("one number per table cell is needed");
  return set;
}

// joint[state] *= table[place of the state], the last variable fastest.
double* multiply_along(std::span<const std::uint32_t> sizes, std::span<const std::uint64_t> strides,
                       const double* cells, double* joint) {
  if (sizes.empty()) {
    *joint *= *cells;
    return joint + 1;
  }
  for (std::uint32_t s = 0; s < sizes[0]; ++s, cells += strides[0])
    joint = multiply_along(sizes.subspan(1), strides.subspan(1), cells, joint);
  return joint;
}

// Sum a joint distribution over the variables whose stride is 0.
const double* sum_along(std::span<const std::uint32_t> sizes, std::span<const std::uint64_t> strides,
                        const double* joint, double* out) {
  if (sizes.size() == 1) {
    for (std::uint32_t s = 0; s < sizes[0]; ++s, out += strides[0]) *out += *joint++;
    return joint;
  }
  for (std::uint32_t s = 0; s < sizes[0]; ++s, out += strides[0])
    joint = sum_along(sizes.subspan(1), strides.subspan(1), joint, out);
  return joint;
}

}  // namespace

// What one thread has at hand for one scope.
struct ExpectedTables::Asked {
  std::vector<std::uint64_t> strides;  // of the scope
  std::vector<std::int64_t> cells;
  std::vector<std::pair<const Gap*, std::uint64_t>> gaps;  // of the row, with the stride of the variable
  std::uint32_t run = 0;
  std::vector<std::uint32_t> locals;  // of one run, rising
  std::vector<std::uint64_t> places;  // their strides in the scope
  std::vector<std::uint64_t> keeps;   // strides of the run's variables in its distribution of `locals`
  std::vector<double> found;
  std::shared_ptr<const std::vector<double>> kept;
  std::vector<Share> shares, next;
};

ExpectedTables::ExpectedTables(std::vector<std::uint32_t> cardinalities, std::vector<std::vector<Var>> scopes,
                               std::vector<double> tables, const EvidenceRows& rows,
                               std::span<const double> weights, double limit, Cancel& cancel)
    : tables_(std::move(tables)),
      set_(model_of(std::move(cardinalities), std::move(scopes), tables_)),
      parts_(set_),
      limit_(limit),
      spaces_(std::make_unique<SpacePool>()) {
  check_rows(set_.cardinalities, rows);
  if (!weights.empty() && weights.size() != rows.n_rows)
    throw std::invalid_argument("every row needs a weight");
  read_rows(rows, weights, cancel);
  lay_out_runs(cancel);
  multiply_out_runs(cancel);
}

ExpectedTables::~ExpectedTables() = default;

void ExpectedTables::read_rows(const EvidenceRows& rows, std::span<const double> weights, Cancel& cancel) {
  const std::vector<std::size_t> first = first_equal_rows(rows);
  std::vector<double> weight(rows.n_rows, 0.0);
  for (std::size_t r = 0; r < rows.n_rows; ++r) weight[first[r]] += weights.empty() ? 1.0 : weights[r];
  std::vector<std::size_t> distinct;
  for (std::size_t r = 0; r < rows.n_rows; ++r)
    if (weight[r] > 0) distinct.push_back(r), weights_.push_back(weight[r]);
  n_rows_ = distinct.size();
  const double total = std::accumulate(weight.begin(), weight.end(), 0.0);
  if (total > 0) shrink_ = std::ldexp(1.0, -std::ilogb(total) - 1);
  for (const double one : weights_) quantised_.push_back(kShareScale.quantise(one * shrink_));

  const EvidenceReader reader(rows);
  std::vector<std::int64_t> codes(size());
  std::vector<PartLink> links;
  std::vector<std::vector<std::uint32_t>> run_of;  // per part: the number of each run
  codes_.assign(size(), std::vector<std::uint32_t>(n_rows_));
  open_.assign(size(), {});
  first_gap_.assign(1, 0);
  for (std::size_t i = 0; i < n_rows_; ++i) {
    cancel.check();
    reader.read(distinct[i], codes);
    for (Var v = 0; v < size(); ++v) {
      if (codes[v] != kUnseen) {
        codes_[v][i] = static_cast<std::uint32_t>(codes[v]);
        continue;
      }
      if (open_[v].empty()) open_[v].assign((n_rows_ + 63) / 64, 0);
      open_[v][i / 64] |= std::uint64_t{1} << (i % 64);
    }
    links.clear();
    parts_.add(codes, weights_[i], links);
    run_of.resize(parts_.size());
    for (const PartLink link : links) {
      if (link.run == run_of[link.part].size()) {
        run_of[link.part].push_back(static_cast<std::uint32_t>(runs_.size()));
        runs_.push_back({link});
      }
      const Part& part = parts_.part(link.part);
      for (std::uint32_t u = 0; u < part.n_free; ++u)
        gaps_.push_back({part.variables[u], run_of[link.part][link.run], u});
    }
    std::sort(gaps_.begin() + static_cast<std::ptrdiff_t>(first_gap_.back()), gaps_.end(),
              [](const Gap& a, const Gap& b) { return a.variable < b.variable; });
    first_gap_.push_back(gaps_.size());
  }
}

std::uint64_t ExpectedTables::joint_states(std::uint32_t p) const {
  const Part& part = parts_.part(p);
  std::uint64_t states = 1;
  for (std::size_t u = 0; u < part.n_free && states <= kMostJoint; ++u) states *= part.set.cardinalities[u];
  return states;
}

// Which runs are multiplied out: as many as memory allows, the smaller ones, whatever the order of rows.
void ExpectedTables::lay_out_runs(Cancel& cancel) {
  std::vector<std::uint64_t> states(parts_.size());
  for (std::uint32_t p = 0; p < parts_.size(); ++p) {
    cancel.check();
    states[p] = joint_states(p);
    auto& offsets = single_offsets_.emplace_back(1, 0);
    for (std::size_t u = 0; u < parts_.part(p).n_free; ++u)
      offsets.push_back(offsets.back() + parts_.part(p).set.cardinalities[u]);
  }
  std::uint64_t most = kMostJoint;
  const auto bytes_up_to = [&](std::uint64_t bound) {
    double bytes = 0;
    for (std::uint32_t p = 0; p < parts_.size(); ++p)
      if (states[p] <= bound)
        bytes += 8.0 * static_cast<double>(parts_.runs(p).size() * (states[p] + single_offsets_[p].back()));
    return bytes;
  };
  while (most > 1 && bytes_up_to(most) > limit_ * kShareOfJoints) most /= 2;
  std::uint64_t n_joints = 0, n_singles = 0;
  for (Run& run : runs_) {
    if (states[run.link.part] > most) continue;
    run.joint = n_joints, run.singles = n_singles;
    n_joints += states[run.link.part], n_singles += single_offsets_[run.link.part].back();
  }
  joints_.assign(n_joints, 1.0);
  singles_.assign(n_singles, 0.0);
}

void ExpectedTables::multiply_out_runs(Cancel& cancel) {
  const std::size_t n_tasks = (runs_.size() + kRunsAtOnce - 1) / kRunsAtOnce;
  const double cost = 5.0 * static_cast<double>(joints_.size()) + 200.0 * static_cast<double>(runs_.size());
  parallel_for(n_tasks, cost, cancel, [&](std::size_t task) {
    const std::size_t end = std::min(runs_.size(), (task + 1) * kRunsAtOnce);
    for (std::size_t g = task * kRunsAtOnce; g < end; ++g)
      if (runs_[g].joint != kLarge && !multiply_out_run(runs_[g])) runs_[g].joint = kLarge;
  });
  n_large_ = static_cast<std::size_t>(
      std::ranges::count_if(runs_, [](const Run& run) { return run.joint == kLarge; }));
}

// The joint distribution of one part and that of each of its variables; false when digits may be lost.
bool ExpectedTables::multiply_out_run(const Run& run) {
  const LostDigits lost;
  const Part& part = parts_.part(run.link.part);
  const std::uint32_t* const boundary =
      parts_.runs(run.link.part).codes.data() + run.link.run * part.n_boundary();
  const std::span<const std::uint32_t> sizes{part.set.cardinalities.data(), part.n_free};
  const std::span joint{joints_.data() + run.joint, joint_states(run.link.part)};
  std::vector<std::uint64_t> strides(part.n_free);
  for (const Factor& factor : part.set.factors) {
    std::ranges::fill(strides, 0);
    std::uint64_t step = factor.cells.size(), base = 0;
    for (const Var u : factor.scope) {
      step /= part.set.cardinalities[u];
      if (u < part.n_free) {
        strides[u] = step;
      } else {
        base += step * boundary[u - part.n_free];
      }
    }
    multiply_along(sizes, strides, factor.cells.data() + base, joint.data());
  }
  const double total = std::accumulate(joint.begin(), joint.end(), 0.0);
  if (!(total > kSafe || (total > kWeakest && !lost.seen()))) return false;
  for (double& mass : joint) mass /= total;
  const std::vector<std::uint64_t>& offsets = single_offsets_[run.link.part];
  for (std::size_t u = 0; u < part.n_free; ++u) {
    std::ranges::fill(strides, 0);
    strides[u] = 1;
    sum_along(sizes, strides, joint.data(), singles_.data() + run.singles + offsets[u]);
  }
  return true;
}

std::vector<double> ExpectedTables::propagate(const Run& run, std::span<const std::uint32_t> locals,
                                              Cancel& cancel) {
  const Part& part = parts_.part(run.link.part);
  Question question;
  question.observed.assign(part.variables.size(), 1);
  std::fill_n(question.observed.begin(), part.n_free, 0);
  question.targets.assign(locals.begin(), locals.end());
  question.limit_bytes = limit_;
  std::shared_ptr<const Plan> plan;
  try {
    plan = compile(part.set, question, cancel);
  } catch (TooLarge& refused) {
    for (Var& v : refused.cost.largest_scope) v = part.variables[v];
    throw;
  }
  std::vector<std::uint32_t> states(part.variables.size(), 0);
  std::copy_n(parts_.runs(run.link.part).codes.data() + run.link.run * part.n_boundary(), part.n_boundary(),
              states.begin() + static_cast<std::ptrdiff_t>(part.n_free));
  std::vector<double> out(plan->target_cells);
  const auto ask = [&]<class Cell>(SpacePool::Lease<Cell> space) {
    Propagation<Cell> propagation(part.set, *plan, *space, cancel);
    propagation.load(states.data());
    if (!propagation.template collect<false>() || propagation.weak()) return false;
    Cell* const sums = space->target.reserve(plan->target_cells);
    std::fill_n(sums, plan->target_cells, CellTraits<Cell>::zero());
    propagation.add_targets(sums);
    write_normalised<Cell, std::uint32_t>(sums, plan->target_cells, nullptr, out.data());
    return true;
  };
  // no mass, or digits lost among denormal numbers: wide numbers decide
  if (!ask(SpacePool::Lease<double>(*spaces_)) && !ask(SpacePool::Lease<WideCell>(*spaces_)))
    throw std::domain_error("the model forbids a row");
  return out;
}

std::shared_ptr<const std::vector<double>> ExpectedTables::kept_distribution(const Asked& asked,
                                                                             Cancel& cancel) {
  std::string key(4, '\0');
  for (int i = 0; i < 4; ++i) key[static_cast<std::size_t>(i)] = static_cast<char>(asked.run >> (8 * i));
  for (const std::uint32_t u : asked.locals) {
    key += static_cast<char>(u);
    key += static_cast<char>(u >> 8);
    if (u >> 16) throw std::invalid_argument("a part has too many variables");
  }
  Kept& shelf = kept_[std::hash<std::string>{}(key) % kShelves];
  const auto forget = [&] { begin_anew(shelf.tables, shelf.bytes); };
  {
    const ForkLock lock(shelf.mutex, forget);
    if (const auto found = shelf.tables.find(key); found != shelf.tables.end()) return found->second;
  }
  auto made = std::make_shared<const std::vector<double>>(propagate(runs_[asked.run], asked.locals, cancel));
  const std::size_t bytes = 8 * made->size() + 128;
  const ForkLock lock(shelf.mutex, forget);
  if (shelf.bytes + bytes > kShelfBytes) shelf.tables.clear(), shelf.bytes = 0;
  if (shelf.tables.emplace(std::move(key), made).second) shelf.bytes += bytes;
  return made;
}

// What one run says about the variables of it that are asked for, the last of them fastest.
const double* ExpectedTables::distribution(Asked& asked, Cancel& cancel) {
  const Run& run = runs_[asked.run];
  if (run.joint == kLarge) {
    asked.kept = kept_distribution(asked, cancel);
    return asked.kept->data();
  }
  const Part& part = parts_.part(run.link.part);
  if (asked.locals.size() == 1)
    return singles_.data() + run.singles + single_offsets_[run.link.part][asked.locals[0]];
  if (asked.locals.size() == part.n_free) return joints_.data() + run.joint;
  asked.keeps.assign(part.n_free, 0);
  std::uint64_t cells = 1;
  for (std::size_t k = asked.locals.size(); k-- > 0; cells *= part.set.cardinalities[asked.locals[k]])
    asked.keeps[asked.locals[k]] = cells;
  asked.found.assign(cells, 0.0);
  sum_along({part.set.cardinalities.data(), part.n_free}, asked.keeps, joints_.data() + run.joint,
            asked.found.data());
  return asked.found.data();
}

// Spread what there is over the states of one run's variables.
void ExpectedTables::multiply_shares(Asked& asked, Cancel& cancel) {
  const double* const weights = distribution(asked, cancel);
  const Part& part = parts_.part(runs_[asked.run].link.part);
  std::uint64_t cells = 1;
  for (const std::uint32_t u : asked.locals) cells *= part.set.cardinalities[u];
  asked.next.clear();
  for (std::uint64_t k = 0; k < cells; ++k) {
    std::uint64_t rest = k, place = 0;
    for (std::size_t i = asked.locals.size(); i-- > 1; rest /= part.set.cardinalities[asked.locals[i]])
      place += rest % part.set.cardinalities[asked.locals[i]] * asked.places[i];
    place += rest * asked.places[0];
    for (const Share& share : asked.shares)
      asked.next.push_back({share.cell + place, share.weight * weights[k]});
  }
  asked.shares.swap(asked.next);
}

// A row that misses some of the scope: its weight is spread over what it may have been.
void ExpectedTables::add_open_row(std::size_t row, std::uint64_t cell, std::span<const Var> scope,
                                  Asked& asked, Cancel& cancel) {
  asked.gaps.clear();
  const Gap* gap = gaps_.data() + first_gap_[row];
  const Gap* const end = gaps_.data() + first_gap_[row + 1];
  for (std::size_t k = 0; k < scope.size(); ++k) {
    while (gap != end && gap->variable < scope[k]) ++gap;
    if (gap != end && gap->variable == scope[k]) asked.gaps.push_back({gap, asked.strides[k]});
  }
  asked.shares.assign(1, {cell, weights_[row] * shrink_});
  for (std::size_t i = 0; i < asked.gaps.size(); ++i) {
    asked.run = asked.gaps[i].first->run;
    const auto same_run = [&](const auto& one) { return one.first->run == asked.run; };
    if (std::any_of(asked.gaps.begin(), asked.gaps.begin() + static_cast<std::ptrdiff_t>(i), same_run))
      continue;
    asked.locals.clear(), asked.places.clear();
    for (std::size_t j = i; j < asked.gaps.size(); ++j)  // variables rise, and so do their local numbers
      if (same_run(asked.gaps[j])) {
        asked.locals.push_back(asked.gaps[j].first->local);
        asked.places.push_back(asked.gaps[j].second);
      }
    multiply_shares(asked, cancel);
  }
  for (const Share& share : asked.shares) asked.cells[share.cell] += kShareScale.quantise(share.weight);
}

std::vector<double> ExpectedTables::counts(std::span<const Var> scope, Cancel& cancel) {
  Asked asked;
  asked.strides.resize(scope.size());
  std::uint64_t n_cells = 1;
  for (std::size_t k = scope.size(); k-- > 0; n_cells *= set_.cardinalities.at(scope[k]))
    asked.strides[k] = n_cells;
  asked.cells.assign(n_cells, 0);
  std::array<std::uint64_t, kRowsAtOnce> cell;
  std::array<std::uint64_t, kRowsAtOnce / 64> open;
  for (std::size_t begin = 0; begin < n_rows_; begin += kRowsAtOnce) {
    cancel.check();
    const std::size_t n = std::min(kRowsAtOnce, n_rows_ - begin);
    std::fill_n(cell.begin(), n, 0);
    open.fill(0);
    for (std::size_t k = 0; k < scope.size(); ++k) {
      const std::uint32_t* const codes = codes_[scope[k]].data() + begin;
      for (std::size_t i = 0; i < n; ++i) cell[i] += codes[i] * asked.strides[k];
      const std::vector<std::uint64_t>& bits = open_[scope[k]];
      for (std::size_t w = 0; !bits.empty() && 64 * w < n; ++w) open[w] |= bits[begin / 64 + w];
    }
    for (std::size_t i = 0; i < n; ++i)
      if (!(open[i / 64] >> (i % 64) & 1)) asked.cells[cell[i]] += quantised_[begin + i];
    for (std::size_t w = 0; w < open.size(); ++w)
      for (std::uint64_t rest = open[w]; rest; rest &= rest - 1) {
        const std::size_t i = 64 * w + static_cast<std::size_t>(std::countr_zero(rest));
        add_open_row(begin + i, cell[i], scope, asked, cancel);
      }
  }
  std::vector<double> out(n_cells);
  for (std::uint64_t c = 0; c < n_cells; ++c) out[c] = kShareScale.value(asked.cells[c]) / shrink_;
  return out;
}

std::vector<std::vector<double>> ExpectedTables::counts_many(const std::vector<std::vector<Var>>& scopes,
                                                             Cancel& cancel) {
  std::vector<std::vector<double>> out(scopes.size());
  const double cost = 20.0 * static_cast<double>(n_rows_ * scopes.size());
  parallel_for(scopes.size(), cost, cancel, [&](std::size_t i) { out[i] = counts(scopes[i], cancel); });
  return out;
}

}  // namespace treewright::forests
