#include "treewright/gaussian/moments.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>

#include "parallel/lanes.hpp"
#include "treewright/parallel/threads.hpp"

namespace treewright {
namespace {

constexpr std::size_t kChunk = 512;  // rows per dot product: the columns of a panel stay in cache
constexpr std::size_t kPanel = 32;   // columns per unit of work
constexpr std::size_t kWaveBytes = std::size_t{1} << 28;

struct Pair {
  double head, tail;
};

// head + tail == a + b, exactly
Pair two_sum(double a, double b) {
  const double head = a + b;
  const double kept = head - a;
  return {head, (a - (head - kept)) + (b - kept)};
}

TREEWRIGHT_CLONES double sum_of(const double* x, std::size_t n) {
  Lanes sum = {}, next;
  for (std::size_t i = 0; i < n; i += kLanes) {
    std::memcpy(&next, x + i, sizeof next);
    sum += next;
  }
  return joined(sum);
}

// out[2 a + b] = x_a . y_b over n rows, for four columns x and two columns y
TREEWRIGHT_CLONES void dots_4x2(const double* const* x, const double* const* y, std::size_t n, double* out) {
  const double *const x0 = x[0], *const x1 = x[1], *const x2 = x[2], *const x3 = x[3];
  const double *const y0 = y[0], *const y1 = y[1];
  Lanes sum[8] = {};
  for (std::size_t i = 0; i < n; i += kLanes) {
    Lanes a, b, left;
    std::memcpy(&a, y0 + i, sizeof a);
    std::memcpy(&b, y1 + i, sizeof b);
    std::memcpy(&left, x0 + i, sizeof left);
    sum[0] += left * a, sum[1] += left * b;
    std::memcpy(&left, x1 + i, sizeof left);
    sum[2] += left * a, sum[3] += left * b;
    std::memcpy(&left, x2 + i, sizeof left);
    sum[4] += left * a, sum[5] += left * b;
    std::memcpy(&left, x3 + i, sizeof left);
    sum[6] += left * a, sum[7] += left * b;
  }
  for (std::size_t k = 0; k < 8; ++k) out[k] = joined(sum[k]);
}

// The rows of one block, centred on their mean and scaled by the root of their weight; padded with zeros.
struct Block {
  std::size_t first, rows, stride;
  std::vector<double> weight, root;  // empty: every row counts once
  std::size_t origin = 0;            // first row that counts at all
  MomentSums sums;
  std::vector<double> centred;  // column-major

  const double* column(std::size_t j) const { return centred.data() + j * stride; }
};

Block open_block(std::size_t first, std::size_t rows, std::size_t n_columns,
                 std::span<const double> weights) {
  Block block{first, rows, whole_lanes(rows), {}, {}, 0, MomentSums::empty(n_columns), {}};
  block.centred.resize(n_columns * block.stride);
  block.sums.n = static_cast<double>(rows);
  if (weights.empty()) return block;
  block.weight.assign(weights.begin() + first, weights.begin() + first + rows);
  block.weight.resize(block.stride, 0);
  block.root.resize(block.stride);
  std::transform(block.weight.begin(), block.weight.end(), block.root.begin(),
                 [](double w) { return std::sqrt(w); });
  block.sums.n = sum_of(block.weight.data(), block.stride);
  while (block.origin + 1 < rows && block.weight[block.origin] == 0) ++block.origin;
  return block;
}

double mean_of(const Block& block, const double* x, std::vector<double>& scratch) {
  if (block.weight.empty()) return sum_of(x, block.stride) / block.sums.n;
  scratch.resize(block.stride);
  for (std::size_t i = 0; i < block.stride; ++i) scratch[i] = x[i] * block.weight[i];
  return sum_of(scratch.data(), block.stride) / block.sums.n;
}

// Distances from one of the rows are exact or nearly so; their mean is found twice, the second time for what
// the first one lost.
void centre_column(Block& block, const double* column, std::size_t j, std::vector<double>& scratch) {
  double* const x = block.centred.data() + j * block.stride;
  const double origin = column[block.first + block.origin];
  for (std::size_t i = 0; i < block.rows; ++i) x[i] = column[block.first + i] - origin;
  double offset = 0;
  for (int pass = 0; pass < 2; ++pass) {
    const double step = mean_of(block, x, scratch);
    for (std::size_t i = 0; i < block.rows; ++i) x[i] -= step;
    offset += step;
  }
  if (!block.root.empty())
    for (std::size_t i = 0; i < block.rows; ++i) x[i] *= block.root[i];
  const Pair mean = two_sum(origin, offset);
  block.sums.mean[j] = mean.head;
  block.sums.mean_tail[j] = mean.tail;
}

// Columns [low, high) against all columns up to themselves.
void add_scatter(Block& block, std::size_t low, std::size_t high) {
  const std::size_t n = block.sums.columns();
  double* const scatter = block.sums.scatter.data();
  for (std::size_t start = 0; start < block.stride; start += kChunk) {
    const std::size_t rows = std::min(kChunk, block.stride - start);
    for (std::size_t i = low; i < high; i += 4)
      for (std::size_t j = 0; j < std::min(i + 4, high); j += 2) {
        // past the end a column stands for itself again and its sums are dropped
        const double *x[4], *y[2];
        for (std::size_t a = 0; a < 4; ++a) x[a] = block.column(std::min(i + a, n - 1)) + start;
        for (std::size_t b = 0; b < 2; ++b) y[b] = block.column(std::min(j + b, n - 1)) + start;
        double sums[8];
        dots_4x2(x, y, rows, sums);
        for (std::size_t a = 0; a < 4 && i + a < high; ++a)
          for (std::size_t b = 0; b < 2 && j + b <= i + a; ++b)
            scatter[(i + a) * n + j + b] += sums[a * 2 + b];
      }
  }
}

void mirror(MomentSums& sums) {
  const std::size_t n = sums.columns();
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t j = 0; j < i; ++j) sums.scatter[j * n + i] = sums.scatter[i * n + j];
}

// Complete subtrees of falling size, as the digits of a binary counter.
class MergeTree {
 public:
  void push(MomentSums&& leaf) {
    parts_.push_back(std::move(leaf));
    for (std::size_t carries = std::countr_zero(++leaves_); carries > 0; --carries) join_last();
  }
  MomentSums finish(std::size_t n_columns) {
    if (parts_.empty()) return MomentSums::empty(n_columns);
    while (parts_.size() > 1) join_last();
    return std::move(parts_.front());
  }

 private:
  void join_last() {
    MomentSums right = std::move(parts_.back());
    parts_.pop_back();
    parts_.back() = merge(parts_.back(), right);
  }

  std::vector<MomentSums> parts_;
  std::size_t leaves_ = 0;
};

}  // namespace

MomentSums MomentSums::empty(std::size_t n_columns) {
  return {0, std::vector<double>(n_columns), std::vector<double>(n_columns),
          std::vector<double>(n_columns * n_columns)};
}

MomentSums merge(const MomentSums& a, const MomentSums& b) {
  if (a.n == 0) return b;
  if (b.n == 0) return a;
  const std::size_t columns = a.columns();
  MomentSums sum = MomentSums::empty(columns);
  sum.n = a.n + b.n;
  const double share = b.n / sum.n, spread = a.n * share;  // a.n b.n / n
  std::vector<double> apart(columns);
  for (std::size_t j = 0; j < columns; ++j) {
    apart[j] = (b.mean[j] - a.mean[j]) + (b.mean_tail[j] - a.mean_tail[j]);
    const Pair moved = two_sum(a.mean[j], apart[j] * share);
    const Pair mean = two_sum(moved.head, moved.tail + a.mean_tail[j]);
    sum.mean[j] = mean.head;
    sum.mean_tail[j] = mean.tail;
  }
  for (std::size_t i = 0; i < columns; ++i)
    for (std::size_t j = 0; j < columns; ++j) {
      const std::size_t at = i * columns + j;
      sum.scatter[at] = (a.scatter[at] + b.scatter[at]) + (apart[i] * apart[j]) * spread;
    }
  return sum;
}

MomentSums merge(std::span<const MomentSums> parts) {
  MergeTree tree;
  for (const auto& part : parts) tree.push(MomentSums(part));
  return tree.finish(parts.empty() ? 0 : parts.front().columns());
}

MomentSums moments_of(std::span<const double* const> columns, std::size_t n_rows,
                      std::span<const double> weights, Cancel& cancel) {
  const std::size_t n = columns.size(), n_blocks = (n_rows + kMomentRows - 1) / kMomentRows;
  const std::size_t panels = (n + kPanel - 1) / kPanel;
  const std::size_t bytes = 8 * (n * kMomentRows + n * n) + 1;
  const std::size_t wave = std::clamp<std::size_t>(kWaveBytes / bytes, 1, 4 * threads());
  MergeTree tree;
  for (std::size_t begin = 0; begin < n_blocks; begin += wave) {
    std::vector<Block> blocks;
    for (std::size_t k = begin; k < std::min(begin + wave, n_blocks); ++k)
      blocks.push_back(
          open_block(k * kMomentRows, std::min(kMomentRows, n_rows - k * kMomentRows), n, weights));
    const double cells = static_cast<double>(blocks.size() * blocks.front().rows * n);
    parallel_for(blocks.size() * panels, cells * 3, cancel, [&](std::size_t unit) {
      Block& block = blocks[unit / panels];
      if (block.sums.n == 0) return;
      std::vector<double> scratch;
      const std::size_t low = unit % panels * kPanel;
      for (std::size_t j = low; j < std::min(low + kPanel, n); ++j)
        centre_column(block, columns[j], j, scratch);
    });
    parallel_for(blocks.size() * panels, cells * static_cast<double>(n) / 8, cancel, [&](std::size_t unit) {
      const std::size_t low = unit % panels * kPanel;
      add_scatter(blocks[unit / panels], low, std::min(low + kPanel, n));
    });
    for (auto& block : blocks) {
      mirror(block.sums);
      tree.push(std::move(block.sums));
    }
  }
  return tree.finish(n);
}

std::vector<NonFinite> count_non_finite(std::span<const double* const> columns, std::size_t n_rows,
                                        Cancel& cancel) {
  std::vector<NonFinite> found(columns.size());
  const double cells = static_cast<double>(n_rows) * static_cast<double>(columns.size());
  parallel_for(columns.size(), cells, cancel, [&](std::size_t j) {
    for (std::size_t i = 0; i < n_rows; ++i) {
      found[j].nan += std::isnan(columns[j][i]);
      found[j].infinite += std::isinf(columns[j][i]);
    }
  });
  return found;
}

}  // namespace treewright
