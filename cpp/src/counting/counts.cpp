#include "treewright/counting/counts.hpp"

#include <algorithm>
#include <numeric>
#include <stdexcept>

#include "parallel/kept.hpp"
#include "treewright/counting/contexts.hpp"
#include "treewright/counting/cost.hpp"
#include "treewright/counting/dispatch.hpp"
#include "treewright/counting/pair_planes.hpp"
#include "treewright/parallel/threads.hpp"

namespace treewright {
namespace {

// ------------------------------------------------------------------ kernel C: histograms of codes
constexpr std::size_t kChunk = 4096;         // codes of a chunk stay in the first-level cache
constexpr std::size_t kPrivateCells = 2048;  // four private histograms while they fit there too

template <class Code>
void chunk_codes(const PackedTable& table, ScopeView scope, std::size_t begin, std::size_t n, Code* codes) {
  if constexpr (sizeof(Code) == 2) {
    if (scope.size() >= 2) {  // the first two columns in one pass
      const auto* first = static_cast<const std::uint8_t*>(table.codes(scope[0]).data) + begin;
      const auto* second = static_cast<const std::uint8_t*>(table.codes(scope[1]).data) + begin;
      kernels().pair16_8(codes, first, second, n, table.cardinality(scope[1]));
      scope = scope.subspan(2);
    } else {
      std::fill(codes, codes + n, Code{0});
    }
  } else {
    std::fill(codes, codes + n, Code{0});
  }
  for (std::uint32_t v : scope) {
    const CodeColumn column = table.codes(v);
    const std::uint32_t r = table.cardinality(v);
    if constexpr (sizeof(Code) == 2) {
      kernels().extend16_8(codes, static_cast<const std::uint8_t*>(column.data) + begin, n, r);
    } else {
      if (column.width == 1)
        kernels().extend32_8(codes, static_cast<const std::uint8_t*>(column.data) + begin, n, r);
      else if (column.width == 2)
        kernels().extend32_16(codes, static_cast<const std::uint16_t*>(column.data) + begin, n, r);
      else
        kernels().extend32_32(codes, static_cast<const std::uint32_t*>(column.data) + begin, n, r);
    }
  }
}

// One histogram waits for its own last store when a code repeats; four do not.
template <class Code, class Part, class Weight>
void add_to_copies(const Code* codes, std::size_t n, std::size_t begin, const Weight& weight,
                   std::size_t cells, Part* __restrict copies) {
  Part* const copy[] = {copies, copies + cells, copies + 2 * cells, copies + 3 * cells};
  std::size_t i = 0;
  for (; i + 4 <= n; i += 4) {
    copy[0][codes[i]] += weight(begin + i);
    copy[1][codes[i + 1]] += weight(begin + i + 1);
    copy[2][codes[i + 2]] += weight(begin + i + 2);
    copy[3][codes[i + 3]] += weight(begin + i + 3);
  }
  for (; i < n; ++i) copy[0][codes[i]] += weight(begin + i);
}

// `Part` is the type of the private histograms: 32 bits hold what a table without weights can hold.
template <class Code, class Part, class Count, class Weight>
void add_histogram(const PackedTable& table, ScopeView scope, std::span<Count> out, const Weight& weight,
                   Cancel& cancel) {
  const std::size_t cells = out.size();
  std::vector<Part> copies(cells <= kPrivateCells ? 4 * cells : 0, 0);
  Code codes[kChunk];
  for (std::size_t begin = 0; begin < table.n_rows(); begin += kChunk) {
    if (begin % kBlockRows == 0) cancel.check();
    const std::size_t n = std::min(kChunk, table.n_rows() - begin);
    chunk_codes(table, scope, begin, n, codes);
    if (copies.empty())
      for (std::size_t i = 0; i < n; ++i) out[codes[i]] += weight(begin + i);
    else
      add_to_copies(codes, n, begin, weight, cells, copies.data());
  }
  for (std::size_t copy = 0; copy < copies.size(); copy += cells)
    for (std::size_t k = 0; k < cells; ++k) out[k] += copies[copy + k];
}

template <class Count>
void count_by_histogram(const PackedTable& table, ScopeView scope, std::span<Count> out, Cancel& cancel) {
  const bool bytes =
      std::all_of(scope.begin(), scope.end(), [&](std::uint32_t v) { return table.codes(v).width == 1; });
  const auto run = [&]<class Part>(Part, const auto& weight) {
    if (bytes && out.size() <= 65536)
      add_histogram<std::uint16_t, Part>(table, scope, out, weight, cancel);
    else
      add_histogram<std::uint32_t, Part>(table, scope, out, weight, cancel);
  };
  if constexpr (std::is_same_v<Count, double>)
    run(0.0, [w = table.weights().reals](std::size_t i) { return w[i]; });
  else if (table.is_weighted())
    run(std::int64_t{0}, [w = table.weights().integers](std::size_t i) { return w[i]; });
  else
    run(std::uint32_t{0}, [](std::size_t) { return 1u; });
}

// ------------------------------------------------------------------ kernel A: masks and popcounts
// Refine masks variable by variable, few states first; empty masks are dropped and the last variable is
// counted, not stored. Many rows are taken in blocks: masks stay in cache, and none is as long as the table.
class MaskCounter {
 public:
  MaskCounter(const PackedTable& table, ScopeView scope, std::span<std::int64_t> out, Cancel& cancel)
      : table_(table),
        planes_(table.planes(cancel)),
        out_(out),
        cancel_(cancel),
        stride_(std::min(planes_.stride, kBlockWords)),
        steps_(kept_->steps),
        masks_(kept_->masks) {
    steps_.resize(scope.size());
    std::int64_t stride = 1;
    for (std::size_t k = scope.size(); k-- > 0;) {
      steps_[k] = {scope[k], table.cardinality(scope[k]), stride, 0};
      stride *= table.cardinality(scope[k]);
    }
    // few states first; insertion keeps equals in their order, and scopes are short
    for (std::size_t k = 1; k < steps_.size(); ++k)
      for (std::size_t i = k; i > 0 && steps_[i].states < steps_[i - 1].states; --i)
        std::swap(steps_[i], steps_[i - 1]);
    std::size_t rows = 0;  // masks of all states of all variables but the last
    for (std::size_t k = 0; k + 1 < steps_.size(); ++k) steps_[k].first_mask = rows, rows += steps_[k].states;
    if (masks_.size() < rows * stride_) masks_.resize(rows * stride_);
  }
  ~MaskCounter() {
    if (masks_.size() > kWordsKept) masks_ = {};
  }
  MaskCounter(const MaskCounter&) = delete;
  MaskCounter& operator=(const MaskCounter&) = delete;

  void run() {
    if (steps_.size() == 1) return count_last(nullptr, static_cast<std::int64_t>(table_.n_rows()), 0);
    for (begin_ = 0; begin_ < planes_.words; begin_ += words_) {
      words_ = std::min(kBlockWords, planes_.words - begin_);
      run_block();
    }
  }

 private:
  // The first variable splits all rows: its planes are the masks, only the last state needs one of its own.
  void run_block() {
    const std::uint32_t v = steps_[0].variable;
    const std::size_t n_planes = planes_.of(v), rows = std::min(64 * words_, table_.n_rows() - 64 * begin_);
    Word* rest = masks_.data() + n_planes * stride_;
    std::fill(rest, rest + words_, ~Word{0});
    if (rows % 64) rest[words_ - 1] = (Word{1} << (rows % 64)) - 1;
    std::int64_t left = static_cast<std::int64_t>(rows);
    for (std::size_t s = 0; s < n_planes; ++s) {
      const Word* plane = planes(v) + s * planes_.stride;
      for (std::size_t w = 0; w < words_; ++w) rest[w] &= ~plane[w];
      const std::int64_t n = rows == table_.n_rows() ? table_.marginals(cancel_)[v][s] : ones(plane);
      left -= n;
      if (n > 0) refine(1, plane, n, static_cast<std::int64_t>(s) * steps_[0].stride);
    }
    if (left > 0) refine(1, rest, left, static_cast<std::int64_t>(n_planes) * steps_[0].stride);
  }

  const Word* planes(std::uint32_t v) const { return planes_.plane(planes_.first[v]) + begin_; }

  std::int64_t ones(const Word* plane) const {
    std::int64_t n = 0;
    kernels().and_popcounts(plane, 1, 0, plane, 1, 0, words_, &n, 1);
    return n;
  }

  void refine(std::size_t level, const Word* mask, std::int64_t size, std::int64_t offset) {
    if (level + 1 == steps_.size()) return count_last(mask, size, offset);
    if (words_ >= kWordsBetweenChecks) cancel_.check();
    const std::uint32_t v = steps_[level].variable;
    const std::size_t n_planes = planes_.of(v);
    Word* masks = masks_.data() + steps_[level].first_mask * stride_;
    std::int64_t counts[kMostStates];
    kernels().split(mask, planes(v), n_planes, planes_.stride, words_, masks, stride_, counts);
    counts[n_planes] = size - std::accumulate(counts, counts + n_planes, std::int64_t{0});
    for (std::size_t s = 0; s <= n_planes; ++s)
      if (counts[s] > 0)
        refine(level + 1, masks + s * stride_, counts[s],
               offset + static_cast<std::int64_t>(s) * steps_[level].stride);
  }

  void count_last(const Word* mask, std::int64_t size, std::int64_t offset) {
    const std::uint32_t v = steps_.back().variable;
    const std::size_t n_planes = planes_.of(v);
    std::int64_t counts[kMostStates] = {};
    if (mask)
      kernels().and_popcounts(mask, 1, stride_, planes(v), n_planes, planes_.stride, words_, counts,
                              n_planes);
    else
      std::copy_n(table_.marginals(cancel_)[v].begin(), n_planes, counts);
    counts[n_planes] = size - std::accumulate(counts, counts + n_planes, std::int64_t{0});
    for (std::size_t s = 0; s <= n_planes; ++s)
      out_[offset + static_cast<std::int64_t>(s) * steps_.back().stride] += counts[s];
  }

  static constexpr std::size_t kMostStates = 64;            // more make a variable wide
  static constexpr std::size_t kWordsBetweenChecks = 2048;  // a clock costs as much as fifty words
  static constexpr std::size_t kWordsKept = std::size_t{1} << 20;
  static constexpr std::size_t kBlockWords = 4096;  // 262,144 rows, 32 KB a mask

  struct Step {
    std::uint32_t variable, states;
    std::int64_t stride;
    std::size_t first_mask;
  };
  // A search counts thousands of small tables in a row: what they need is kept from one to the next.
  struct Scratch {
    std::vector<Step> steps;
    AlignedVector<Word> masks;
  };

  const PackedTable& table_;
  const Planes& planes_;
  std::span<std::int64_t> out_;
  Cancel& cancel_;
  std::size_t stride_, begin_ = 0, words_ = 0;  // of the masks; of the block
  const Kept<Scratch> kept_;
  std::vector<Step>& steps_;
  AlignedVector<Word>& masks_;
};

// ------------------------------------------------------------------ kernel B for one table: context x last
// variable
void count_by_groups(const PackedTable& table, ScopeView scope, std::span<std::int64_t> out, Cancel& cancel) {
  const std::uint32_t last = scope.back();
  const std::size_t r = table.cardinality(last);
  const Contexts contexts = configurations_in_blocks(table, scope.first(scope.size() - 1), cancel);
  const auto counted = count_grouped<std::uint64_t>(table, contexts, cancel);
  const Planes& planes = table.planes(cancel);
  for (std::size_t g = 0; g < counted.n_groups; ++g) {
    if (counted.group_sizes[g] == 0) continue;
    std::int64_t cell = static_cast<std::int64_t>(g);
    if (contexts.renumbered()) {
      cell = 0;
      for (std::uint32_t v : scope.first(scope.size() - 1))
        cell = cell * table.cardinality(v) + table.codes(v).visit([&](const auto* c) {
          return static_cast<std::int64_t>(c[contexts.first_row[g]]);
        });
    }
    std::int64_t rest = counted.group_sizes[g];
    for (std::size_t s = 0; s + 1 < r; ++s) {
      const auto n = static_cast<std::int64_t>(counted.row(g)[planes.first[last] + s]);
      out[cell * r + s] += n;
      rest -= n;
    }
    out[cell * r + r - 1] += rest;
  }
}

bool has_wide(const PackedTable& table, ScopeView scope) {
  return std::any_of(scope.begin(), scope.end(), [&](std::uint32_t v) { return table.is_wide(v); });
}

CountKernel cheapest(const PackedTable& table, ScopeView scope) {
  if (table.is_weighted() || has_wide(table, scope) || scope.size() < 2) return CountKernel::histogram;
  std::uint32_t most = 0;
  double masks = 1;
  for (std::uint32_t v : scope) most = std::max(most, table.cardinality(v)), masks *= table.cardinality(v);
  masks /= most;
  const auto rows = static_cast<double>(table.n_rows());
  return kCost.masks(rows, masks, most - 1) < kCost.histograms(rows, 1, masks * most)
             ? CountKernel::masks
             : CountKernel::histogram;
}

// All pairs of a table that were counted once are kept.
bool is_known_pair(const PackedTable& table, ScopeView scope) {
  return scope.size() == 2 && !has_wide(table, scope) && table.pair_planes() != nullptr;
}

void add_known_pair(const PackedTable& table, ScopeView scope, std::span<std::int64_t> out, Cancel& cancel) {
  const std::uint32_t x = std::min(scope[0], scope[1]), y = std::max(scope[0], scope[1]);
  const std::size_t r_x = table.cardinality(x), r_y = table.cardinality(y);
  PairRow row(table, x, cancel);
  const auto cells = row.cells(y);
  for (std::size_t a = 0; a < r_x; ++a)
    for (std::size_t b = 0; b < r_y; ++b)
      out[scope[0] == x ? a * r_y + b : b * r_x + a] += cells[a * r_y + b];
}

template <class Count>
void check_size(const PackedTable& table, ScopeView scope, std::span<Count> out) {
  table.check_scope(scope);
  if (cells_of(table, scope) != static_cast<double>(out.size()))
    throw std::invalid_argument("the output does not have the cells of the scope");
}

}  // namespace

double cells_of(const PackedTable& table, ScopeView scope) {
  double cells = 1;
  for (std::uint32_t v : scope) cells *= table.cardinality(v);
  return cells;
}

void add_counts(const PackedTable& table, ScopeView scope, std::span<std::int64_t> out, Cancel& cancel,
                CountKernel kernel) {
  check_size(table, scope, out);
  if (table.is_real()) throw std::invalid_argument("real weights give real counts");
  if (scope.empty()) {
    out[0] += table.total();
    return;
  }
  if (kernel == CountKernel::automatic) {
    if (is_known_pair(table, scope)) return add_known_pair(table, scope, out, cancel);
    kernel = cheapest(table, scope);
  }
  const bool by_bits = !has_wide(table, scope);
  if (kernel == CountKernel::masks && by_bits && !table.is_weighted())
    MaskCounter(table, scope, out, cancel).run();
  else if (kernel == CountKernel::grouped && by_bits)
    count_by_groups(table, scope, out, cancel);
  else
    count_by_histogram(table, scope, out, cancel);
}

void add_counts(const PackedTable& table, ScopeView scope, std::span<double> out, Cancel& cancel) {
  check_size(table, scope, out);
  if (!table.is_real()) throw std::invalid_argument("these rows have no real weights");
  if (scope.empty())
    out[0] += table.real_total();
  else
    count_by_histogram(table, scope, out, cancel);
}

}  // namespace treewright
