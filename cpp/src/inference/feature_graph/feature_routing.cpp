// Complete rows: lists of rows on their way from the root to the leaves.
#include <algorithm>
#include <stdexcept>
#include <string>

#include "treewright/inference/feature_eval.hpp"
#include "treewright/parallel/threads.hpp"

namespace treewright::features {

namespace {

constexpr std::size_t kRouted = 4096;  // rows of a block at most; row numbers are 16-bit
constexpr double kNanosecondsPerCode = 4;

/// Sums log-probabilities.
struct Logs {
  double* out;

  void on_edge(std::size_t, double log, Picks picks) const {
    for (const auto row : picks) out[row] += log;
  }
  void on_leaf(const Leaf& leaf, std::size_t, const CodeBlock& rows, Picks picks) const {
    leaf.add_log(rows, picks, out);
  }
  void on_nowhere(std::size_t row) const { out[row] = kNever; }
};

/// Adds up weights, parameter by parameter.
struct Counts {
  const double* weights;
  double* counts;
  double* lost;

  void on_edge(std::size_t number, double, Picks picks) const {
    for (const auto row : picks) counts[number] += weights[row];
  }
  void on_leaf(const Leaf& leaf, std::size_t number, const CodeBlock& rows, Picks picks) const {
    leaf.add_counts(rows, picks, weights, counts + number);
  }
  void on_nowhere(std::size_t row) const { *lost += weights[row]; }
};

class Router {
 public:
  explicit Router(const Program& program) : program_(program), lists_(program.arena().size()) {}

  template <class Use>
  void route(const Component& component, const CodeBlock& rows, std::size_t n_rows, const Use& use) {
    auto& all = lists_[component.root];
    all.resize(n_rows);
    for (std::size_t row = 0; row < n_rows; ++row) all[row] = static_cast<std::uint16_t>(row);
    for (const Id node : component.nodes) {
      if (lists_[node].empty()) continue;
      visit(node, rows, use);
      lists_[node].clear();
    }
  }

 private:
  template <class Use>
  void visit(Id node, const CodeBlock& rows, const Use& use) {
    const Arena& arena = program_.arena();
    const Picks picks = lists_[node];
    switch (arena.kinds[node]) {
      case Kind::kSplit:
        return split(node, rows, picks, use);
      case Kind::kFeature:
        return feature(node, rows, picks, use);
      case Kind::kAnd:
        for (const Id child : arena.children_of(node))
          lists_[child].insert(lists_[child].end(), picks.begin(), picks.end());
        return;
      case Kind::kOne:
        return;
      default:
        return use.on_leaf(*program_.leaf(node), arena.number_begin[node], rows, picks);
    }
  }

  /// Append the rows to the child that `which(row)` says, or to none of them.
  template <class Which, class Use>
  void part(Id node, Picks picks, const Use& use, Which&& which) {
    const Arena& arena = program_.arena();
    const auto children = arena.children_of(node);
    for (std::size_t k = 0; k < children.size(); ++k) {
      auto& list = lists_[children[k]];
      const std::size_t before = list.size();
      list.resize(before + picks.size());
      std::size_t end = before;
      for (const auto row : picks) {
        list[end] = row;
        end += which(row) == k;
      }
      list.resize(end);
      use.on_edge(arena.number_begin[node] + k, arena.numbers_of(node)[k],
                  Picks(list).subspan(before, end - before));
    }
  }

  template <class Use>
  void split(Id node, const CodeBlock& rows, Picks picks, const Use& use) {
    const auto about = program_.arena().integers_of(node);
    const std::uint32_t* codes = rows.of(about[0]);
    const std::size_t n = program_.arena().cardinalities[about[0]];
    if (about.size() - 1 == n) return part(node, picks, use, [codes](std::size_t row) { return codes[row]; });
    child_of_.assign(n, n);
    for (std::size_t k = 1; k < about.size(); ++k) child_of_[about[k]] = k - 1;
    for (const auto row : picks)
      if (child_of_[codes[row]] == n) use.on_nowhere(row);
    part(node, picks, use, [&](std::size_t row) { return child_of_[codes[row]]; });
  }

  template <class Use>
  void feature(Id node, const CodeBlock& rows, Picks picks, const Use& use) {
    const auto literals = program_.arena().integers_of(node);
    fails_.assign(kRouted, 0);
    for (std::size_t i = 0; i < literals.size(); i += 2) {
      const std::uint32_t* codes = rows.of(literals[i]);
      for (const auto row : picks) fails_[row] |= codes[row] != literals[i + 1];
    }
    part(node, picks, use, [&](std::size_t row) { return std::size_t{fails_[row]}; });
  }

  const Program& program_;
  std::vector<std::vector<std::uint16_t>> lists_;
  std::vector<std::size_t> child_of_;
  std::vector<std::uint8_t> fails_;
};

std::size_t block_rows(const Program& program) {
  const std::size_t n = std::max<std::size_t>(1, program.arena().cardinalities.size());
  return std::clamp<std::size_t>((std::size_t{1} << 18) / n / 64 * 64, 64, kRouted);
}

template <class Code>
void widen(const Code* codes, std::size_t n, std::uint32_t cardinality, std::uint32_t* out) {
  Code largest = 0;
  for (std::size_t i = 0; i < n; ++i) {
    out[i] = codes[i];
    largest = std::max(largest, codes[i]);
  }
  if (n && largest >= cardinality)
    throw std::invalid_argument("code " + std::to_string(largest) + " in a column of " +
                                std::to_string(cardinality) + " states");
}

void read_codes(const Program& program, std::span<const ConstColumn> columns, std::size_t begin,
                std::size_t n, std::size_t stride, std::vector<std::uint32_t>& codes) {
  codes.resize(columns.size() * stride);
  for (std::size_t v = 0; v < columns.size(); ++v) {
    const std::uint32_t cardinality = program.arena().cardinalities[v];
    std::uint32_t* out = codes.data() + v * stride;
    if (!columns[v].codes) continue;
    if (columns[v].width == 1)
      widen(static_cast<const std::uint8_t*>(columns[v].codes) + begin, n, cardinality, out);
    else if (columns[v].width == 2)
      widen(static_cast<const std::uint16_t*>(columns[v].codes) + begin, n, cardinality, out);
    else
      widen(static_cast<const std::uint32_t*>(columns[v].codes) + begin, n, cardinality, out);
  }
}

/// log(sum exp) of values that come one after the other.
class RunningSum {
 public:
  explicit RunningSum(std::size_t n) : largest_(n, kNever), sum_(n, 0.0) {}
  void reset() {
    std::fill(largest_.begin(), largest_.end(), kNever);
    std::fill(sum_.begin(), sum_.end(), 0.0);
  }
  void add(std::size_t i, double log) {
    if (log == kNever) return;
    if (log <= largest_[i]) {
      sum_[i] += std::exp(log - largest_[i]);
    } else {
      sum_[i] = sum_[i] * std::exp(largest_[i] - log) + 1;
      largest_[i] = log;
    }
  }
  double value(std::size_t i) const { return sum_[i] > 0 ? largest_[i] + std::log(sum_[i]) : kNever; }

 private:
  std::vector<double> largest_, sum_;
};

void check_columns(const Program& program, std::span<const ConstColumn> columns) {
  if (columns.size() != program.arena().cardinalities.size())
    throw std::invalid_argument("there is one column of codes per variable");
}

void log_unrouted(const Program& program, std::span<const ConstColumn> columns, std::size_t n_rows,
                  double* out, Cancel& cancel) {
  Evidence evidence{std::vector<double>(program.n_states(), 1.0), {}};
  evidence.rows.n_rows = n_rows;
  evidence.rows.columns.assign(columns.begin(), columns.end());
  evidence.rows.missing.assign(columns.size(), nullptr);
  log_mass_rows(program, evidence, out, cancel);
}

}  // namespace

void log_probability_rows(const Program& program, std::span<const ConstColumn> columns, std::size_t n_rows,
                          double* out, Cancel& cancel) {
  check_columns(program, columns);
  if (program.components().empty()) return log_unrouted(program, columns, n_rows, out, cancel);
  // a few blocks to a task, so that the lists are made once for them
  const std::size_t rows = block_rows(program), task = 16 * rows;
  const double cost = kNanosecondsPerCode * static_cast<double>(n_rows) *
                      static_cast<double>(columns.size() * program.components().size());
  parallel_for((n_rows + task - 1) / task, cost, cancel, [&](std::size_t t) {
    Router router(program);
    RunningSum sums(rows);
    std::vector<std::uint32_t> codes;
    std::vector<double> logs(rows);
    const std::size_t end = std::min(n_rows, (t + 1) * task);
    for (std::size_t begin = t * task; begin < end; begin += rows) {
      const std::size_t n = std::min(rows, end - begin);
      read_codes(program, columns, begin, n, rows, codes);
      const CodeBlock block{codes.data(), rows};
      sums.reset();
      for (const Component& component : program.components()) {
        cancel.check();
        std::fill(logs.begin(), logs.end(), component.log_weight);
        router.route(component, block, n, Logs{logs.data()});
        for (std::size_t row = 0; row < n; ++row) sums.add(row, logs[row]);
      }
      for (std::size_t row = 0; row < n; ++row) out[begin + row] = sums.value(row);
    }
  });
}

void log_probability_rows(const Arena& arena, std::span<const ConstColumn> columns, std::size_t n_rows,
                          double* out, Cancel& cancel) {
  log_probability_rows(Program(arena), columns, n_rows, out, cancel);
}

double add_counts(const Program& program, std::span<const ConstColumn> columns, std::size_t n_rows,
                  const double* weights, double* counts, Cancel& cancel) {
  check_columns(program, columns);
  if (!program.deterministic())
    throw std::invalid_argument("a graph with hidden states has no counts; expect them");
  const std::size_t rows = block_rows(program);
  Router router(program);
  std::vector<std::uint32_t> codes;
  std::vector<double> ones;
  if (!weights) ones.assign(rows, 1.0);
  double lost = 0;
  for (std::size_t begin = 0; begin < n_rows; begin += rows) {
    cancel.check();
    const std::size_t n = std::min(rows, n_rows - begin);
    read_codes(program, columns, begin, n, rows, codes);
    const Counts use{weights ? weights + begin : ones.data(), counts, &lost};
    router.route(program.components()[0], CodeBlock{codes.data(), rows}, n, use);
  }
  return lost;
}

}  // namespace treewright::features
