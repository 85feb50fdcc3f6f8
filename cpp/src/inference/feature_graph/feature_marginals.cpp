#include "treewright/inference/feature_marginals.hpp"

#include <algorithm>
#include <bit>
#include <limits>

#include "treewright/parallel/threads.hpp"

namespace treewright::features {

namespace {

class Descent {
 public:
  Descent(const Program& program, Workspace& space, double* marginals, double* counts)
      : program_(program), arena_(program.arena()), space_(space), marginals_(marginals), counts_(counts) {}

  void run(const double* weights) {
    const std::size_t w = space_.width;
    space_.flow.assign(arena_.size() * w, 0.0);
    scratch_.resize(w);
    for (std::size_t r = 0; r < w; ++r)
      if (up(arena_.root())[r] != kNever) flow(arena_.root())[r] = weights ? weights[r] : 1.0;
    for (Id node = arena_.root() + 1; node-- > 0;) {
      const double* here = flow(node);
      if (std::any_of(here, here + w, [](double x) { return x > 0; })) visit(node);
    }
  }

 private:
  double* flow(Id node) { return space_.flow.data() + node * space_.width; }
  const double* up(Id node) const { return space_.up.data() + node * space_.width; }
  double* states(std::uint32_t variable, std::uint32_t state) {
    return marginals_ + (space_.first_state[variable] + state) * space_.width;
  }

  void visit(Id node) {
    const auto children = arena_.children_of(node);
    const auto about = arena_.integers_of(node);
    switch (arena_.kinds[node]) {
      case Kind::kOne:
        return;
      case Kind::kAnd:
        for (const Id child : children) add(flow(node), flow(child));
        return;
      case Kind::kMix:
        for (std::size_t k = 0; k < children.size(); ++k) share(node, k, {});
        return;
      case Kind::kSplit:
        for (std::size_t k = 0; k < children.size(); ++k) {
          const std::uint32_t literal[] = {about[0], about[k + 1]};
          share(node, k, literal);
        }
        return;
      case Kind::kFeature:
        share(node, 0, about);
        share(node, 1, {});
        return;
      default:
        return reach_leaf(node);
    }
  }

  /// What child k gets, and the literals that choosing it decides.
  void share(Id node, std::size_t k, std::span<const std::uint32_t> literals) {
    const std::size_t w = space_.width;
    const Block block = space_.block();
    const Id child = arena_.children_of(node)[k];
    const double number = arena_.numbers_of(node)[k];
    if (number == kNever) return;
    double sum = 0;
    for (std::size_t r = 0; r < w; ++r) {
      double log = number + up(child)[r];
      for (std::size_t i = 0; i < literals.size(); i += 2)
        log += block.log_of(literals[i], literals[i + 1])[r];
      scratch_[r] = flow(node)[r] > 0 && log != kNever ? flow(node)[r] * std::exp(log - up(node)[r]) : 0;
      sum += scratch_[r];
    }
    if (sum == 0) return;
    add(scratch_.data(), flow(child));
    if (counts_) counts_[arena_.number_begin[node] + k] += sum;
    for (std::size_t i = 0; marginals_ && i < literals.size(); i += 2)
      add(scratch_.data(), states(literals[i], literals[i + 1]));
  }

  void reach_leaf(Id node) {
    const Leaf& leaf = *program_.leaf(node);
    double* counts = counts_ ? counts_ + arena_.number_begin[node] : nullptr;
    std::uint32_t rows = 0;
    for (std::size_t r = 0; r < space_.width; ++r) rows |= (flow(node)[r] > 0 ? 1U : 0U) << r;
    if (2 * std::popcount(rows) > static_cast<int>(space_.width)) {
      leaf.up(space_.block(), space_.room.data(), scratch_.data());
      leaf.flow(space_.block(), space_.room.data(), flow(node), {marginals_, counts});
      return;
    }
    space_.gathered.gather(program_, leaf, space_.block(), rows);
    reach_gathered(leaf, flow(node), counts);
  }

  /// The rows that come here side by side; what they add is put back in its place.
  void reach_gathered(const Leaf& leaf, const double* weights, double* counts) {
    const Block block = space_.gathered.block();
    const auto& picks = space_.gathered.rows();
    double weight[kBlock], unused[kBlock];
    for (std::size_t i = 0; i < picks.size(); ++i) weight[i] = weights[picks[i]];
    if (marginals_) {
      gathered_.resize(program_.n_states() * kBlock);
      each_state(leaf, [&](std::size_t state) {
        std::fill_n(gathered_.data() + state * block.width, block.width, 0.0);
      });
    }
    leaf.up(block, space_.room.data(), unused);
    leaf.flow(block, space_.room.data(), weight, {marginals_ ? gathered_.data() : nullptr, counts});
    if (marginals_)
      each_state(leaf, [&](std::size_t state) {
        for (std::size_t i = 0; i < picks.size(); ++i)
          marginals_[state * space_.width + picks[i]] += gathered_[state * block.width + i];
      });
  }

  template <class F>
  void each_state(const Leaf& leaf, F&& f) const {
    for (const std::uint32_t v : leaf.scope())
      for (std::uint32_t x = 0; x < arena_.cardinalities[v]; ++x) f(program_.first_state()[v] + x);
  }

  void add(const double* from, double* to) const {
    for (std::size_t r = 0; r < space_.width; ++r) to[r] += from[r];
  }

  const Program& program_;
  const Arena& arena_;
  Workspace& space_;
  double *marginals_, *counts_;
  std::vector<double> scratch_, gathered_;
};

/// Copy the wanted states of one row of a block; an impossible row becomes not-a-number.
void write_row(const Program& program, std::span<const std::uint32_t> wanted, const double* marginals,
               std::size_t r, bool possible, double* out) {
  for (const std::uint32_t v : wanted)
    for (std::uint32_t x = 0; x < program.arena().cardinalities[v]; ++x)
      *out++ = possible ? marginals[(program.first_state()[v] + x) * kBlock + r]
                        : std::numeric_limits<double>::quiet_NaN();
}

}  // namespace

void pass_down(const Program& program, Workspace& space, const double* weights, double* marginals,
               double* counts) {
  Descent(program, space, marginals, counts).run(weights);
}

void marginals_many(const Program& program, const Evidence& evidence, std::span<const std::uint32_t> wanted,
                    std::span<double> out, std::span<double> log_mass, Cancel& cancel) {
  const std::vector<std::size_t> first = forests::first_equal_rows(evidence.rows);
  std::vector<std::size_t> distinct;
  for (std::size_t row = 0; row < first.size(); ++row)
    if (first[row] == row) distinct.push_back(row);
  std::size_t cells = 0;
  for (const std::uint32_t v : wanted) cells += program.arena().cardinalities[v];
  const std::size_t n = distinct.size(), task = 4 * kBlock;
  const double cost = 3 * program.row_cost() * static_cast<double>(n);
  parallel_for((n + task - 1) / task, cost, cancel, [&](std::size_t t) {
    Workspace space(program, kBlock);
    std::vector<double> marginals(program.n_states() * kBlock);
    const std::size_t end = std::min(n, (t + 1) * task);
    for (std::size_t begin = t * task; begin < end; begin += kBlock) {
      cancel.check();
      const auto picks = std::span(distinct).subspan(begin, std::min(kBlock, end - begin));
      space.load(program, evidence, picks);
      pass_up(program, space);
      std::fill(marginals.begin(), marginals.end(), 0.0);
      pass_down(program, space, nullptr, marginals.data(), nullptr);
      const double* root = space.up.data() + program.arena().root() * kBlock;
      for (std::size_t r = 0; r < picks.size(); ++r) {
        log_mass[picks[r]] = root[r];
        write_row(program, wanted, marginals.data(), r, root[r] != kNever, out.data() + picks[r] * cells);
      }
    }
  });
  for (std::size_t row = 0; row < first.size(); ++row) {
    if (first[row] == row) continue;
    log_mass[row] = log_mass[first[row]];
    std::copy_n(out.data() + first[row] * cells, cells, out.data() + row * cells);
  }
}

double add_expected_counts(const Program& program, const Evidence& evidence, const double* weights,
                           std::span<double> counts, Cancel& cancel) {
  // as many partial sums as memory allows, whatever the number of threads: the same sums every time
  const std::size_t n = evidence.rows.n_rows;
  const std::size_t most = std::clamp<std::size_t>((std::size_t{1} << 23) / (counts.size() + 1), 1, 16);
  const std::size_t blocks = (n + kBlock - 1) / kBlock,
                    tasks = std::min(most, std::max<std::size_t>(1, blocks));
  std::vector<std::vector<double>> parts(tasks);
  std::vector<double> logs(n);
  parallel_for(tasks, 3 * program.row_cost() * static_cast<double>(n), cancel, [&](std::size_t t) {
    Workspace space(program, kBlock);
    parts[t].assign(counts.size(), 0.0);
    std::vector<std::size_t> picks;
    std::vector<double> counted(kBlock);
    for (std::size_t b = t * blocks / tasks; b < (t + 1) * blocks / tasks; ++b) {
      cancel.check();
      picks.clear();
      std::fill(counted.begin(), counted.end(), 0.0);  // rows that fill the block count nothing
      for (std::size_t row = b * kBlock; row < std::min(n, (b + 1) * kBlock); ++row) {
        counted[picks.size()] = weights ? weights[row] : 1.0;
        picks.push_back(row);
      }
      space.load(program, evidence, picks);
      pass_up(program, space);
      pass_down(program, space, counted.data(), nullptr, parts[t].data());
      const double* root = space.up.data() + program.arena().root() * kBlock;
      for (std::size_t r = 0; r < picks.size(); ++r)
        logs[picks[r]] = counted[r] > 0 ? counted[r] * root[r] : 0;
    }
  });
  double total = 0;
  for (const double log : logs) total += log;
  for (const auto& part : parts)
    for (std::size_t i = 0; i < counts.size(); ++i) counts[i] += part[i];
  return total;
}

}  // namespace treewright::features
