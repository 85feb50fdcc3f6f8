#include "treewright/counting/pair_counts.hpp"

#include <algorithm>

#include "parallel/kept.hpp"

namespace treewright {

CountTerm::CountTerm(double offset, std::size_t tabulated) : offset_(offset), table_(tabulated) {
  for (std::size_t c = 0; c < tabulated; ++c) table_[c] = formula(static_cast<double>(c));
}

PairCounts::PairCounts(std::vector<std::uint32_t> cardinalities) : cardinalities_(std::move(cardinalities)) {
  lay_out();
  single.assign(n_planes(), 0.0);
  pair.assign(n_planes() * n_planes(), 0.0);
}

PairCounts PairCounts::layout(std::vector<std::uint32_t> cardinalities) {
  PairCounts empty;
  empty.cardinalities_ = std::move(cardinalities);
  empty.lay_out();
  return empty;
}

void PairCounts::lay_out() {
  for (const std::uint32_t r : cardinalities_) {
    first_.push_back(first_.back() + (r - 1));
    is_binary_ &= r == 2;
  }
}

void PairCounts::cells(std::size_t i, std::vector<double>& out) const {
  const std::size_t r = cardinalities_[i];
  out.assign(r, 0.0);
  double rest = total;
  for (std::size_t s = 1; s < r; ++s) rest -= out[s] = single[first_[i] + s - 1];
  out[0] = std::max(rest, 0.0);
}

void PairCounts::cells(std::size_t i, std::size_t j, std::vector<double>& out) const {
  const std::size_t rows = cardinalities_[i], columns = cardinalities_[j];
  out.assign(rows * columns, 0.0);
  double corner = total;
  for (std::size_t b = 1; b < columns; ++b) corner -= out[b] = single[first_[j] + b - 1];
  for (std::size_t a = 1; a < rows; ++a) {
    const std::size_t p = first_[i] + a - 1;
    double rest = single[p];
    corner -= rest;
    for (std::size_t b = 1; b < columns; ++b) {
      const double c = at(p, first_[j] + b - 1);
      out[a * columns + b] = c;
      out[b] -= c;
      rest -= c;
      corner += c;
    }
    out[a * columns] = rest;
  }
  out[0] = corner;
  for (double& cell : out) cell = std::max(cell, 0.0);  // real weights may leave a trace of rounding
}

double PairCounts::count(std::size_t i, std::uint32_t state) const {
  if (state > 0) return single[first_[i] + state - 1];
  double rest = total;
  for (std::size_t p = first_[i]; p < first_[i + 1]; ++p) rest -= single[p];
  return std::max(rest, 0.0);
}

PairCounts PairCounts::without(std::size_t i) const {
  std::vector<std::uint32_t> kept = cardinalities_;
  kept.erase(kept.begin() + static_cast<std::ptrdiff_t>(i));
  PairCounts rest(std::move(kept));
  rest.total = total;
  const std::size_t begin = first_[i], width = first_[i + 1] - begin;
  for (std::size_t p = 0; p < rest.n_planes(); ++p) {
    const std::size_t from = p < begin ? p : p + width;
    rest.single[p] = single[from];
    const double* row = pair.data() + from * n_planes();
    double* out = rest.pair.data() + p * rest.n_planes();
    std::copy_n(row, begin, out);
    std::copy(row + begin + width, row + n_planes(), out + begin);
  }
  return rest;
}

void PairCounts::subtract(const PairCounts& part) {
  total -= part.total;
  for (std::size_t p = 0; p < single.size(); ++p) single[p] -= part.single[p];
  for (std::size_t p = 0; p < pair.size(); ++p) pair[p] -= part.pair[p];
}

namespace {
struct PairCells {
  std::vector<double> cells;
};
}  // namespace

double information(const PairCounts& counts, const CountTerm& x_log_x, std::size_t i, std::size_t j) {
  if (counts.total <= 0) return 0;
  double sum = x_log_x(counts.total);
  if (counts.cardinality(i) == 2 && counts.cardinality(j) == 2) {
    const std::size_t p = counts.first_plane(i), q = counts.first_plane(j);
    const double a = counts.single[p], b = counts.single[q], both = counts.at(p, q);
    sum += x_log_x(both) + x_log_x(a - both) + x_log_x(b - both) + x_log_x(counts.total - a - b + both);
    sum -= x_log_x(a) + x_log_x(counts.total - a) + x_log_x(b) + x_log_x(counts.total - b);
  } else {
    const Kept<PairCells> kept;
    auto& cells = kept->cells;
    counts.cells(i, j, cells);
    for (const double c : cells) sum += x_log_x(c);
    counts.cells(i, cells);
    for (const double c : cells) sum -= x_log_x(c);
    counts.cells(j, cells);
    for (const double c : cells) sum -= x_log_x(c);
  }
  return std::max(sum / counts.total, 0.0);
}

std::vector<double> pair_information(const PairCounts& counts, const CountTerm& x_log_x) {
  const std::size_t n = counts.size();
  std::vector<double> found(n * n, 0.0);
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t j = i + 1; j < n; ++j) found[i * n + j] = information(counts, x_log_x, i, j);
  return found;
}

std::vector<std::size_t> most_telling(const PairCounts& counts, const CountTerm& x_log_x,
                                      std::vector<std::size_t> some, std::size_t n_kept) {
  if (some.size() <= n_kept) return some;
  const std::size_t n = counts.size();
  const std::vector<double> found = pair_information(counts, x_log_x);
  std::vector<double> sums(n, 0.0);
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t j = i + 1; j < n; ++j) sums[i] += found[i * n + j], sums[j] += found[i * n + j];
  std::stable_sort(some.begin(), some.end(), [&](auto a, auto b) { return sums[a] > sums[b]; });
  some.resize(n_kept);
  std::sort(some.begin(), some.end());
  return some;
}

}  // namespace treewright
