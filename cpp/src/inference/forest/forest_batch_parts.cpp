#include <atomic>
#include <cmath>
#include <numeric>

#include "inference/forest/batch_output.hpp"
#include "inference/forest/forest_answer.hpp"
#include "treewright/inference/forest_parts.hpp"
#include "treewright/parallel/threads.hpp"

namespace treewright::forests {
namespace {

constexpr std::size_t kRunsPerTask = 64, kRowsPerTask = 16;
// Rows that leave more than one variable in six open have parts that are too large to come again.
constexpr std::size_t kOpenShare = 6;

// The rows of a batch cut into parts, and what became of each distinct part.
class PartwiseBatch {
 public:
  PartwiseBatch(Forest& forest, double limit) : forest_(forest), parts_(forest.factors()) {
    question_.marginals = true;
    question_.hubs = forest.options().hubs;
    question_.stored_cells = forest.options().stored_cells;
    question_.streamed_above = forest.options().streamed_above;
    question_.tile = forest.options().tile;
    question_.limit_bytes = limit;
  }

  /// Cut the rows; those that leave too many variables open are handed back.
  std::vector<std::size_t> cut(const EvidenceReader& reader, std::span<const std::size_t> rows,
                               Cancel& cancel) {
    const bool all = forest_.options().strategy == Strategy::kParts;
    std::vector<std::size_t> whole;
    std::vector<std::int64_t> codes(forest_.factors().size());
    for (const std::size_t r : rows) {
      cancel.check();
      reader.read(r, codes);
      const auto n_open = static_cast<std::size_t>(std::ranges::count(codes, kUnseen));
      if (!all && n_open * kOpenShare > codes.size()) {
        whole.push_back(r);
        continue;
      }
      rows_.push_back(r);
      first_link_.push_back(links_.size());
      parts_.add(codes, 1, links_);
    }
    first_link_.push_back(links_.size());
    return whole;
  }

  /// Plan and work out every distinct part. Dear ones are left to the way that prunes.
  void work_out(Cancel& cancel) {
    const bool all = forest_.options().strategy == Strategy::kParts;
    std::vector<Task> tasks;
    first_run_.assign(1, 0);
    begin_.assign(1, 0);
    for (std::uint32_t p = 0; p < parts_.size(); ++p) {
      const std::size_t n_runs = parts_.runs(p).size();
      for (std::size_t run = 0; run < n_runs; run += kRunsPerTask)
        tasks.push_back({p, run, std::min(n_runs, run + kRunsPerTask)});
      first_run_.push_back(first_run_.back() + n_runs);
      begin_.push_back(begin_.back() + n_runs * width(parts_.part(p)));
    }
    cells_.resize(begin_.back());
    logs_.assign(first_run_.back(), kImpossible);
    dear_ = std::vector<std::atomic<bool>>(parts_.size());
    parallel_for(tasks.size(), 1e4 * static_cast<double>(first_run_.back()), cancel, [&](std::size_t t) {
      const Task& task = tasks[t];
      if (parts_.part(task.part).n_joint > 0 && multiply_all(task)) return;
      std::shared_ptr<const Plan> plan;
      try {
        plan = parts_.plan(task.part, question_, cancel);
      } catch (const TooLarge&) {
        if (all) throw;
      }
      if (!plan || (!all && forest_.worth_pruning(plan->cost))) {
        dear_[task.part].store(true, std::memory_order_relaxed);
        return;
      }
      for (std::size_t run = task.begin; run < task.end; ++run)
        logs_[first_run_[task.part] + run] = ask(task.part, run, *plan, cancel);
    });
  }

  /// Put the parts of every row together; rows with a dear part are added to `whole`.
  void write(const EvidenceReader& reader, const BatchOutput& out, std::vector<std::size_t>& whole,
             Cancel& cancel) const {
    const std::size_t n_tasks = (rows_.size() + kRowsPerTask - 1) / kRowsPerTask;
    const double cost = 10.0 * static_cast<double>(rows_.size() * forest_.factors().size());
    parallel_for(n_tasks, cost, cancel, [&](std::size_t task) {
      std::vector<std::int64_t> codes(forest_.factors().size());
      std::vector<const double*> found(codes.size());
      const std::size_t end = std::min(rows_.size(), (task + 1) * kRowsPerTask);
      for (std::size_t i = task * kRowsPerTask; i < end; ++i)
        if (!has_dear_part(i)) write_row(reader, i, codes, found, out);
    });
    for (std::size_t i = 0; i < rows_.size(); ++i)
      if (has_dear_part(i)) whole.push_back(rows_[i]);
  }

 private:
  struct Task {
    std::uint32_t part;
    std::size_t begin, end;
  };

  static std::size_t width(const Part& part) {
    return std::accumulate(part.set.cardinalities.begin(),
                           part.set.cardinalities.begin() + static_cast<std::ptrdiff_t>(part.n_free),
                           std::size_t{0});
  }

  double* cells_of(PartLink link) {
    return cells_.data() + begin_[link.part] + link.run * width(parts_.part(link.part));
  }

  bool has_dear_part(std::size_t i) const {
    return std::any_of(links_.begin() + static_cast<std::ptrdiff_t>(first_link_[i]),
                       links_.begin() + static_cast<std::ptrdiff_t>(first_link_[i + 1]),
                       [&](PartLink link) { return dear_[link.part].load(); });
  }

  // Small parts are multiplied out; false when that loses digits in some run.
  bool multiply_all(const Task& task) {
    const Part& part = parts_.part(task.part);
    SmallAnswer small;
    for (std::size_t run = task.begin; run < task.end; ++run) {
      if (!multiply_out(part, parts_.runs(task.part).codes.data() + run * part.n_boundary(), small))
        return false;
      logs_[first_run_[task.part] + run] = std::log(small.total);
      double* to = cells_of({task.part, static_cast<std::uint32_t>(run)});
      std::fill_n(to, width(part), 0.0);
      std::uint32_t inner = part.n_joint;
      for (std::size_t u = 0; u < part.n_free; to += part.set.cardinalities[u], ++u) {
        inner /= part.set.cardinalities[u];
        for (std::uint32_t joint = 0; joint < part.n_joint; ++joint)
          to[joint / inner % part.set.cardinalities[u]] += small.joint[joint];
        double sum = 0;
        for (std::uint32_t s = 0; s < part.set.cardinalities[u]; ++s) sum += to[s];
        for (std::uint32_t s = 0; s < part.set.cardinalities[u]; ++s) to[s] /= sum;
      }
    }
    return true;
  }

  double ask(std::uint32_t p, std::size_t r, const Plan& plan, Cancel& cancel) {
    const Part& part = parts_.part(p);
    std::vector<std::uint32_t> states(part.variables.size(), 0);
    std::copy_n(parts_.runs(p).codes.begin() + static_cast<std::ptrdiff_t>(r * part.n_boundary()),
                part.n_boundary(), states.begin() + static_cast<std::ptrdiff_t>(part.n_free));
    std::vector<std::uint64_t> offsets(1, 0);
    for (std::size_t u = 0; u < part.n_free; ++u)
      offsets.push_back(offsets.back() + part.set.cardinalities[u]);
    double* const to = cells_of({p, static_cast<std::uint32_t>(r)});
    double log_mass = kImpossible;
    const auto run = [&]<class Cell>(SpacePool::Lease<Cell> space) {
      Propagation<Cell> propagation(part.set, plan, *space, cancel);
      propagation.load(states.data());
      if (!propagation.template collect<false>() || propagation.weak()) return false;
      log_mass = propagation.log_mass();
      Cell* const sums = space->out.reserve(offsets.back());
      std::fill_n(sums, offsets.back(), CellTraits<Cell>::zero());
      propagation.distribute(sums, offsets.data());
      for (std::size_t u = 0; u < part.n_free; ++u) {
        if (plan.mask_node[u] == kNobody) {
          to[offsets[u]] = 1;  // a single state
        } else {
          write_normalised<Cell, std::uint32_t>(sums + offsets[u], part.set.cardinalities[u], nullptr,
                                                to + offsets[u]);
        }
      }
      return true;
    };
    if (!run(SpacePool::Lease<double>(forest_.spaces()))) run(SpacePool::Lease<WideCell>(forest_.spaces()));
    return log_mass;
  }

  // What is observed is certain; tables that see nothing else give its share of the mass.
  void write_row(const EvidenceReader& reader, std::size_t i, std::vector<std::int64_t>& codes,
                 std::vector<const double*>& found, const BatchOutput& out) const {
    const FactorSet& set = forest_.factors();
    const std::size_t row = rows_[i];
    reader.read(row, codes);
    LogProduct mass;
    bool possible = true;
    for (std::size_t f = 0; f < set.factors.size(); ++f) {
      const Factor& factor = set.factors[set.factor_at(f)];
      std::uint64_t cell = 0;
      bool open = false;
      for (const Var v : factor.scope) {
        open |= codes[v] == kUnseen;
        cell = cell * set.cardinalities[v] + static_cast<std::uint64_t>(std::max<std::int64_t>(codes[v], 0));
      }
      if (open) continue;
      possible &= factor.cells[cell] > 0;
      if (possible) mass.multiply(factor.cells[cell]);
    }
    for (std::size_t k = first_link_[i]; k < first_link_[i + 1]; ++k) {
      const PartLink link = links_[k];
      const Part& part = parts_.part(link.part);
      const double log = logs_[first_run_[link.part] + link.run];
      possible &= log != kImpossible;
      mass.add_log(log);
      const double* cells = cells_.data() + begin_[link.part] + link.run * width(part);
      for (std::size_t u = 0; u < part.n_free; cells += part.set.cardinalities[u], ++u)
        found[part.variables[u]] = cells;
    }
    if (!possible) return out.write_impossible(row);
    out.log_mass[row] = mass.log();
    for (std::size_t k = 0; k < out.wanted.size(); ++k) {
      const Var v = out.wanted[k];
      double* const to = out.cells + row * out.width + out.begin[k];
      if (codes[v] == kUnseen) {
        std::copy_n(found[v], set.cardinalities[v], to);
      } else {
        std::fill_n(to, set.cardinalities[v], 0.0);
        to[codes[v]] = 1;
      }
    }
  }

  Forest& forest_;
  Parts parts_;
  Question question_;
  std::vector<std::size_t> rows_, first_link_;
  std::vector<PartLink> links_;
  std::vector<std::size_t> first_run_, begin_;  // per part: its runs, and their distributions
  std::vector<double> cells_, logs_;
  std::vector<std::atomic<bool>> dear_;
};

}  // namespace

std::vector<std::size_t> ask_in_parts(Forest& forest, const EvidenceReader& reader,
                                      std::span<const std::size_t> rows, const BatchOutput& out, double limit,
                                      Cancel& cancel) {
  const Strategy strategy = forest.options().strategy;
  if (strategy != Strategy::kAutomatic && strategy != Strategy::kParts) return {rows.begin(), rows.end()};
  PartwiseBatch batch(forest, limit);
  std::vector<std::size_t> whole = batch.cut(reader, rows, cancel);
  batch.work_out(cancel);
  batch.write(reader, out, whole, cancel);
  return whole;
}

}  // namespace treewright::forests
