#include "treewright/inference/forest_order.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <queue>
#include <span>
#include <tuple>

namespace treewright::forests {
namespace {

enum class Rule { kFill, kWeightedFill, kMixed };

// Logarithms of table sizes as whole numbers: sums do not depend on the order of adding.
std::int64_t log_weight(std::uint32_t cardinality) {
  return std::llround(std::log2(static_cast<double>(cardinality)) * 0x1p32);
}

double noise(std::uint64_t x) {  // in [1, 2); splitmix64
  x += 0x9E3779B97F4A7C15;
  x = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9;
  x = (x ^ (x >> 27)) * 0x94D049BB133111EB;
  x ^= x >> 31;
  return 1 + static_cast<double>(x >> 11) * 0x1p-53;
}

// One run over a graph of bit rows. Costs are kept up to date: eliminating a simplicial vertex only takes
// away, and a new edge only helps the common neighbours of its ends.
class DenseRun {
 public:
  DenseRun(const OrderProblem& problem, Rule rule, std::uint64_t seed)
      : problem_(problem),
        rule_(rule),
        seed_(seed),
        n_(problem.cardinalities.size()),
        words_(problem.graph.words()),
        graph_(problem.graph),
        alive_(n_),
        degree_(n_),
        neighbour_weight_(n_, 0),
        cost_(n_, 0),
        log_(n_),
        log_weight_(n_),
        weight_(n_) {
    for (std::uint32_t v = 0; v < n_; ++v) {
      alive_[v] = v;
      log_weight_[v] = log_weight(problem.cardinalities[v]);
      weight_[v] = rule == Rule::kFill ? 1.0 : problem.cardinalities[v];
    }
    for (std::uint32_t v = 0; v < n_; ++v) {
      log_[v] = log_weight_[v];
      degree_[v] = static_cast<std::uint32_t>(count_bits(graph_.row(v), words_));
      for_each_bit(graph_.row(v), words_, [&](std::size_t u) {
        log_[v] += log_weight_[u];
        neighbour_weight_[v] += weight_[u];
      });
    }
    for (std::uint32_t v = 0; v < n_; ++v) recompute(v);
  }

  /// False once the tables exceed `best`.
  bool run(EliminationRun& out, double best, double& steps, Cancel& cancel) {
    out.order.clear(), out.starts.assign(1, 0), out.later.clear();
    out.cells = out.largest = 0;
    while (!alive_.empty()) {
      if ((out.order.size() & 63) == 63) cancel.check();
      const std::uint32_t v = take_next();
      const std::size_t begin = out.later.size();
      double cells = problem_.cardinalities[v];
      for_each_bit(graph_.row(v), words_, [&](std::size_t u) {
        out.later.push_back(static_cast<std::uint32_t>(u));
        cells *= problem_.cardinalities[u];
      });
      if (cells > out.largest) out.largest = cells, out.largest_at = out.order.size();
      out.order.push_back(v);
      out.starts.push_back(static_cast<std::uint32_t>(out.later.size()));
      out.cells += cells;
      steps_ += static_cast<double>(alive_.size());
      if (out.cells >= best) {
        steps += steps_;
        return false;
      }
      eliminate(v, {out.later.data() + begin, out.later.size() - begin});
    }
    steps += steps_;
    return true;
  }

 private:
  double priced(std::uint32_t v) const {
    double cost = cost_[v];
    if (rule_ == Rule::kMixed) cost *= static_cast<double>(log_[v]) * 0x1p-32;
    return seed_ ? cost * noise(seed_ + (std::uint64_t{v} << 32) + alive_.size()) : cost;
  }

  std::uint32_t take_next() {
    std::size_t best = alive_.size();
    double best_cost = std::numeric_limits<double>::infinity();
    const bool ending = !problem_.last.empty() && only_last_ones_left();
    for (std::size_t i = 0; i < alive_.size(); ++i) {
      const std::uint32_t v = alive_[i];
      if (!ending && !problem_.last.empty() && problem_.last[v]) continue;
      if (cost_[v] <= 0) {  // simplicial: nothing is gained by waiting
        best = i;
        break;
      }
      const double cost = priced(v);
      if (cost > best_cost) continue;
      if (cost < best_cost || std::tie(log_[v], v) < std::tie(log_[alive_[best]], alive_[best]))
        best = i, best_cost = cost;
    }
    const std::uint32_t v = alive_[best];
    alive_.erase(alive_.begin() + static_cast<std::ptrdiff_t>(best));
    return v;
  }

  bool only_last_ones_left() const {
    return std::ranges::all_of(alive_, [&](std::uint32_t v) { return problem_.last[v] != 0; });
  }

  void eliminate(std::uint32_t v, std::span<const std::uint32_t> around) {
    if (cost_[v] <= 0) {
      for (const std::uint32_t u : around) {
        // v leaves the neighbours of u: the pairs (v, w) with w outside count no more
        cost_[u] -= weight_[v] * (neighbour_weight_[u] - neighbour_weight_[v] - weight_[v] + weight_[u]);
        forget(u, v);
      }
      steps_ += static_cast<double>(around.size());
      return;
    }
    for (const std::uint32_t u : around) forget(u, v);
    for (const std::uint32_t a : around) {
      Word* row_a = graph_.row(a);
      for (const std::uint32_t b : around) {
        if (b <= a || graph_.test(a, b)) continue;
        const Word* row_b = graph_.row(b);
        const double saved = weight_[a] * weight_[b];
        for (std::size_t w = 0; w < words_; ++w)
          for (Word both = row_a[w] & row_b[w]; both; both &= both - 1)
            cost_[w * 64 + std::countr_zero(both)] -= saved;
        graph_.join(a, b);
        ++degree_[a], ++degree_[b];
        log_[a] += log_weight_[b], log_[b] += log_weight_[a];
        neighbour_weight_[a] += weight_[b], neighbour_weight_[b] += weight_[a];
        steps_ += static_cast<double>(words_);
      }
    }
    for (const std::uint32_t u : around) recompute(u);
  }

  void forget(std::uint32_t u, std::uint32_t v) {
    graph_.reset(u, v);
    --degree_[u];
    log_[u] -= log_weight_[v];
    neighbour_weight_[u] -= weight_[v];
  }

  void recompute(std::uint32_t v) {
    const Word* around = graph_.row(v);
    double cost = 0;
    if (rule_ == Rule::kFill) {
      std::size_t missing = 0;
      for_each_bit(around, words_, [&](std::size_t u) {
        const Word* row = graph_.row(u);
        for (std::size_t w = 0; w < words_; ++w) missing += std::popcount(around[w] & ~row[w]);
      });
      cost = static_cast<double>((missing - degree_[v]) / 2);  // nobody is its own neighbour
    } else {
      for_each_bit(around, words_, [&](std::size_t u) {
        const Word* row = graph_.row(u);
        double outside = -weight_[u];
        for (std::size_t w = 0; w < words_; ++w)
          for (Word rest = around[w] & ~row[w]; rest; rest &= rest - 1)
            outside += weight_[w * 64 + std::countr_zero(rest)];
        cost += weight_[u] * outside;
      });
      cost /= 2;
    }
    cost_[v] = cost;
    steps_ += static_cast<double>(degree_[v] * words_);
  }

  const OrderProblem& problem_;
  Rule rule_;
  std::uint64_t seed_;
  std::size_t n_, words_;
  BitMatrix graph_;
  std::vector<std::uint32_t> alive_, degree_;
  std::vector<double> neighbour_weight_, cost_;
  std::vector<std::int64_t> log_, log_weight_;
  std::vector<double> weight_;
  double steps_ = 0;
};

// For thousands of variables: neighbour lists and a heap with stale entries, plain min-fill.
class SparseRun {
 public:
  explicit SparseRun(const OrderProblem& problem)
      : problem_(problem),
        adjacent_(problem.adjacent),
        current_(adjacent_.size()),
        mark_(adjacent_.size(), 0) {}

  void run(EliminationRun& out, double hopeless_cells, Cancel& cancel) {
    out = {};
    out.starts.assign(1, 0);
    out.cells = 0;
    const auto n = static_cast<std::uint32_t>(adjacent_.size());
    for (std::uint32_t v = 0; v < n; ++v) price(v);
    while (!heap_.empty()) {
      const auto key = heap_.top();
      heap_.pop();
      const std::uint32_t v = std::get<3>(key);
      if (current_[v] != key) continue;
      if ((out.order.size() & 63) == 63) cancel.check();
      current_[v] = {};
      double cells = problem_.cardinalities[v];
      for (const std::uint32_t u : adjacent_[v]) {
        out.later.push_back(u);
        cells *= problem_.cardinalities[u];
      }
      if (cells > out.largest) out.largest = cells, out.largest_at = out.order.size();
      out.cells += cells;
      out.order.push_back(v);
      out.starts.push_back(static_cast<std::uint32_t>(out.later.size()));
      if (cells > hopeless_cells) return;
      eliminate(v, std::get<1>(key));
    }
  }

 private:
  using Key =
      std::tuple<char, double, std::int64_t, std::uint32_t>;  // last, fill, log of the table, variable

  void price(std::uint32_t v) {
    const auto& around = adjacent_[v];
    for (const std::uint32_t u : around) mark_[u] = 1;
    std::uint64_t joined = 0;
    std::int64_t log = log_weight(problem_.cardinalities[v]);
    for (const std::uint32_t u : around) {
      if (around.size() > 1)  // a leaf of a star need not walk over the star
        for (const std::uint32_t w : adjacent_[u]) joined += mark_[w];
      log += log_weight(problem_.cardinalities[u]);
    }
    for (const std::uint32_t u : around) mark_[u] = 0;
    const double pairs =
        static_cast<double>(around.size()) * static_cast<double>(around.size() - !around.empty());
    const char last = problem_.last.empty() ? 0 : problem_.last[v];
    current_[v] = {last, (pairs - static_cast<double>(joined)) / 2, log, v};
    heap_.push(current_[v]);
  }

  // The neighbours know each other already: they only lose a neighbour.
  void take_away(std::uint32_t v, const std::vector<std::uint32_t>& around) {
    for (const std::uint32_t u : around) {
      auto& mine = adjacent_[u];
      auto& [last, fill, log, self] = current_[u];
      fill -= static_cast<double>(mine.size() - around.size());
      log -= log_weight(problem_.cardinalities[v]);
      mine.erase(std::ranges::lower_bound(mine, v));
      heap_.push(current_[u]);
    }
  }

  void eliminate(std::uint32_t v, double fill) {
    std::vector<std::uint32_t> around = std::move(adjacent_[v]);
    adjacent_[v].clear();
    if (fill <= 0) return take_away(v, around);
    std::vector<std::uint32_t> touched = around, merged;
    for (const std::uint32_t u : around) {
      auto& mine = adjacent_[u];
      const std::size_t before = mine.size() - 1;
      merged.clear();
      std::ranges::set_union(mine, around, std::back_inserter(merged));
      std::erase_if(merged, [&](std::uint32_t w) { return w == v || w == u; });
      // a common neighbour of a new edge sees its ends meet
      if (merged.size() != before) touched.insert(touched.end(), merged.begin(), merged.end());
      mine = merged;
    }
    std::ranges::sort(touched);
    touched.erase(std::unique(touched.begin(), touched.end()), touched.end());
    for (const std::uint32_t u : touched) price(u);
  }

  const OrderProblem& problem_;
  std::vector<std::vector<std::uint32_t>> adjacent_;
  std::vector<Key> current_;
  std::vector<char> mark_;
  std::priority_queue<Key, std::vector<Key>, std::greater<>> heap_;
};

void sort_by_position(EliminationRun& run) {
  std::vector<std::uint32_t> position(run.order.size());
  for (std::uint32_t i = 0; i < run.order.size(); ++i) position[run.order[i]] = i;
  for (std::size_t i = 0; i < run.order.size(); ++i)
    std::sort(run.later.begin() + run.starts[i], run.later.begin() + run.starts[i + 1],
              [&](std::uint32_t a, std::uint32_t b) { return position[a] < position[b]; });
}

}  // namespace

EliminationRun find_order(const OrderProblem& problem, const SearchEffort& effort, Cancel& cancel) {
  EliminationRun best;
  if (!problem.dense()) {
    SparseRun(problem).run(best, effort.hopeless_cells, cancel);
    if (best.order.size() == problem.cardinalities.size()) sort_by_position(best);
    return best;
  }
  const bool equal =
      std::ranges::adjacent_find(problem.cardinalities, std::not_equal_to<>()) == problem.cardinalities.end();
  double steps = 0;
  // with equal cardinalities the weighted rule is the plain one, which is cheaper to keep up to date
  DenseRun first(problem, equal ? Rule::kFill : Rule::kWeightedFill, 0);
  if (!first.run(best, effort.useless_cells, steps, cancel)) {
    best.cells = best.largest = std::numeric_limits<double>::infinity();
    return best;
  }
  constexpr Rule kCycle[] = {Rule::kFill, Rule::kWeightedFill, Rule::kMixed};
  if (best.largest > effort.hopeless_cells) return best;
  EliminationRun next;
  for (std::uint64_t run = 1; run <= 1000; ++run) {
    if (run > effort.at_least && steps > best.cells * effort.share) break;
    if (steps > effort.most_steps) break;
    const Rule rule = kCycle[run % 3];
    DenseRun noisy(problem, equal && rule == Rule::kWeightedFill ? Rule::kFill : rule,
                   run * 0x9E3779B97F4A7C15);
    if (noisy.run(next, best.cells, steps, cancel)) std::swap(best, next);
  }
  sort_by_position(best);
  return best;
}

}  // namespace treewright::forests
