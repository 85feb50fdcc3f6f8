#include "treewright/counting/pair_planes.hpp"

#include <algorithm>

#include "treewright/counting/contexts.hpp"
#include "treewright/counting/cost.hpp"
#include "treewright/counting/counts.hpp"
#include "treewright/counting/dispatch.hpp"
#include "treewright/parallel/threads.hpp"

namespace treewright {
namespace {

// Words looked at before the next check for Ctrl-C; beyond 65,536 rows a block of planes also stays in cache.
constexpr std::size_t kPairWordsPerCheck = 1024;
constexpr std::size_t kMostKept = (std::size_t{64} << 20) / sizeof(std::int64_t);
constexpr std::size_t kMostCopied = 2 * kMostKept;  // counters of all threads
// From so many rows on planes leave the cache between one column and the next.
constexpr std::size_t kManyPairRows = std::size_t{1} << 18;

std::size_t planes_behind(const Planes& planes, std::uint32_t x) {
  return planes.count() - planes.first[x + 1];
}

std::vector<std::int64_t> count_behind(const PackedTable& table, std::uint32_t x, Cancel& cancel) {
  const Planes& planes = table.planes(cancel);
  const std::size_t first = planes.first[x + 1], behind = planes_behind(planes, x);
  std::vector<std::int64_t> counts(planes.of(x) * behind, 0);
  if (counts.empty()) return counts;
  if (table.is_weighted()) {
    const Contexts contexts = configurations_in_blocks(table, std::span(&x, 1), cancel);
    const auto grouped = count_grouped<std::uint64_t>(table, contexts, cancel);
    for (std::size_t s = 0; s < planes.of(x); ++s)
      for (std::size_t p = 0; p < behind; ++p)
        counts[s * behind + p] = static_cast<std::int64_t>(grouped.row(s)[first + p]);
    return counts;
  }
  for (std::size_t word = 0; word < planes.words; word += kPairWordsPerCheck) {
    cancel.check();
    kernels().and_popcounts(planes.plane(planes.first[x]) + word, planes.of(x), planes.stride,
                            planes.plane(first) + word, behind, planes.stride,
                            std::min(kPairWordsPerCheck, planes.words - word), counts.data(), behind);
  }
  return counts;
}

}  // namespace

namespace {

// Rows in the outer loop: a block of all planes stays in cache while it meets itself. Runs of rows are
// counted on several threads, each with counters of its own; whole numbers add up to the same in any order.
PairPlanes count_by_blocks(const PackedTable& table, std::size_t kept, double nanoseconds, Cancel& cancel) {
  const Planes& planes = table.planes(cancel);
  const std::size_t n = table.n_variables();
  const std::size_t most = std::max<std::size_t>(1, kMostCopied / std::max<std::size_t>(1, kept));
  const std::size_t blocks = (planes.words + kPairWordsPerCheck - 1) / kPairWordsPerCheck;
  const std::size_t runs = std::max<std::size_t>(1, std::min({blocks, most, 4 * threads()}));
  std::vector<PairPlanes> parts(runs);
  parallel_for(runs, nanoseconds, cancel, [&](std::size_t run) {
    auto& rows = parts[run].rows;
    rows.resize(n);
    for (std::uint32_t x = 0; x < n; ++x) rows[x].assign(planes.of(x) * planes_behind(planes, x), 0);
    for (std::size_t block = blocks * run / runs; block < blocks * (run + 1) / runs; ++block) {
      cancel.check();
      const std::size_t word = block * kPairWordsPerCheck;
      const std::size_t words = std::min(kPairWordsPerCheck, planes.words - word);
      for (std::uint32_t x = 0; x < n; ++x)
        if (const std::size_t behind = planes_behind(planes, x); behind > 0 && planes.of(x) > 0)
          kernels().and_popcounts(planes.plane(planes.first[x]) + word, planes.of(x), planes.stride,
                                  planes.plane(planes.first[x + 1]) + word, behind, planes.stride, words,
                                  rows[x].data(), behind);
    }
  });
  for (std::size_t run = 1; run < runs; ++run)
    for (std::size_t x = 0; x < n; ++x)
      for (std::size_t i = 0; i < parts[0].rows[x].size(); ++i) parts[0].rows[x][i] += parts[run].rows[x][i];
  return std::move(parts[0]);
}

}  // namespace

std::optional<PairPlanes> count_pair_planes(const PackedTable& table, Cancel& cancel) {
  if (table.is_real()) return std::nullopt;
  const Planes& planes = table.planes(cancel);
  std::size_t kept = 0;
  for (std::uint32_t x = 0; x < table.n_variables(); ++x) kept += planes.of(x) * planes_behind(planes, x);
  if (kept > kMostKept) return std::nullopt;
  PairPlanes found;
  found.rows.resize(table.n_variables());
  const double nanoseconds =
      static_cast<double>(kept) *
      (kCost.popcount_fixed + static_cast<double>(table.n_rows()) / kCost.rows_per_popcount_ns);
  if (table.n_rows() >= kManyPairRows && !table.is_weighted() && 2 * kept <= kMostCopied)
    return count_by_blocks(table, kept, nanoseconds, cancel);
  parallel_for(table.n_variables(), nanoseconds, cancel, [&](std::size_t x) {
    found.rows[x] = count_behind(table, static_cast<std::uint32_t>(x), cancel);
  });
  return found;
}

PairRow::PairRow(const PackedTable& table, std::uint32_t x, Cancel& cancel)
    : table_(table),
      x_(x),
      cancel_(cancel),
      planes_(table.planes(cancel)),
      marginals_(table.marginals(cancel)),
      stride_(planes_behind(planes_, x)) {
  if (table.is_wide(x)) return;
  if (const PairPlanes* kept = table.pair_planes()) {
    counts_ = kept->rows[x].data();
  } else {
    own_ = count_behind(table, x, cancel);
    counts_ = own_.data();
  }
}

std::span<const std::int64_t> PairRow::cells(std::uint32_t y) {
  const std::size_t r_x = table_.cardinality(x_), r_y = table_.cardinality(y);
  cells_.assign(r_x * r_y, 0);
  if (table_.is_wide(x_) || table_.is_wide(y)) {
    const std::uint32_t scope[] = {x_, y};
    add_counts(table_, scope, cells_, cancel_);
  } else if (r_x == 2 && r_y == 2) {  // the common case, without loops
    const std::int64_t both = counts_[planes_.first[y] - planes_.first[x_ + 1]];
    const std::int64_t n_x = marginals_[x_][0], n_y = marginals_[y][0];
    cells_[0] = both, cells_[1] = n_x - both, cells_[2] = n_y - both;
    cells_[3] = marginals_[x_][1] - cells_[2];
  } else {
    count(y);
    complete(y);
  }
  return cells_;
}

void PairRow::count(std::uint32_t y) {
  const std::size_t r_y = table_.cardinality(y);
  const std::int64_t* from = counts_ + (planes_.first[y] - planes_.first[x_ + 1]);
  for (std::size_t s = 0; s + 1 < table_.cardinality(x_); ++s)
    std::copy_n(from + s * stride_, r_y - 1, cells_.begin() + static_cast<std::ptrdiff_t>(s * r_y));
}

// The last row and column follow from the marginals.
void PairRow::complete(std::uint32_t y) {
  const std::size_t r_x = table_.cardinality(x_), r_y = table_.cardinality(y);
  for (std::size_t s = 0; s + 1 < r_x; ++s) {
    std::int64_t rest = marginals_[x_][s];
    for (std::size_t t = 0; t + 1 < r_y; ++t) rest -= cells_[s * r_y + t];
    cells_[s * r_y + r_y - 1] = rest;
  }
  for (std::size_t t = 0; t < r_y; ++t) {
    std::int64_t rest = marginals_[y][t];
    for (std::size_t s = 0; s + 1 < r_x; ++s) rest -= cells_[s * r_y + t];
    cells_[(r_x - 1) * r_y + t] = rest;
  }
}

}  // namespace treewright
