// Is u independent of v in every stratum of the conditioning set? Judged from tables of counts.
//
// A table comes stratum by stratum, each r_u x r_v in C order; only occupied strata matter, so whoever counts
// may hand over what it has, in any order. One accumulator per test; it is cheap to reuse with `reset()`.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <type_traits>
#include <utility>
#include <vector>

#include "treewright/counting/arithmetic.hpp"
#include "treewright/parallel/cancel.hpp"

namespace treewright {

/// Row sums, column sums and total of one stratum.
template <class Sum>
class Margins {
 public:
  template <class Count>
  void take(const Count* cells, std::size_t r_u, std::size_t r_v) {
    rows.assign(r_u, 0);
    columns.assign(r_v, 0);
    total = 0;
    for (std::size_t i = 0; i < r_u; ++i)
      for (std::size_t j = 0; j < r_v; ++j) {
        const auto n = static_cast<Sum>(cells[i * r_v + j]);
        rows[i] += n;
        columns[j] += n;
      }
    for (const Sum n : rows) total += n;
  }
  /// Degrees of freedom of the stratum: states that do not occur in it are not free.
  double degrees() const {
    const auto occupied = [](const auto& sums) {
      return static_cast<double>(std::ranges::count_if(sums, [](Sum n) { return n != 0; }));
    };
    return total == 0 ? 0 : (occupied(rows) - 1) * (occupied(columns) - 1);
  }

  std::vector<Sum> rows, columns;
  Sum total = 0;
};

/// What a test of one table found: the statistic and the degrees of freedom that the data leave free.
struct Deviation {
  double statistic = 0;
  double degrees = 0;
};

/// G2 = 2 (H(uvS) + H(S) - H(uS) - H(vS)), H the sum of n ln n: integers until the last step.
/// `Sum` is std::int64_t, or double for real weights.
template <class Sum = std::int64_t>
class G2Accumulator {
 public:
  /// The scale follows from the rows; counts up to `largest` will be looked up.
  G2Accumulator(FixedPoint scale, std::int64_t largest)
      : G2Accumulator(scale, CellTerm::x_log_x(scale, largest)) {}
  /// The same with a term that a batch of tests shares.
  G2Accumulator(FixedPoint scale, const CellTerm& term) : scale_(scale), term_(term) {}

  template <class Count>
  void stratum(const Count* cells, std::size_t r_u, std::size_t r_v) {
    margins_.take(cells, r_u, r_v);
    if (margins_.total == 0) return;
    for (std::size_t i = 0; i < r_u * r_v; ++i) sum_ += term_(static_cast<Sum>(cells[i]));
    for (const Sum n : margins_.rows) sum_ -= term_(n);
    for (const Sum n : margins_.columns) sum_ -= term_(n);
    sum_ += term_(margins_.total);
    degrees_ += margins_.degrees();
  }
  Deviation finish() const { return {std::max(0.0, 2 * scale_.value(sum_)), degrees_}; }
  void reset() { sum_ = 0, degrees_ = 0; }

 private:
  FixedPoint scale_;
  CellTerm term_;
  Margins<Sum> margins_;
  std::int64_t sum_ = 0;
  double degrees_ = 0;
};

/// X2 = sum of (n - e)^2 / e; each cell is rounded to fixed point, so the order of cells and strata, and
/// which variable comes first, do not matter.
template <class Sum = std::int64_t>
class X2Accumulator {
 public:
  /// X2 is at most the rows times the fewer states, less one.
  X2Accumulator(double n_rows, std::size_t r_u, std::size_t r_v)
      : scale_(n_rows * static_cast<double>(std::min(r_u, r_v))) {}

  template <class Count>
  void stratum(const Count* cells, std::size_t r_u, std::size_t r_v) {
    margins_.take(cells, r_u, r_v);
    if (margins_.total == 0) return;
    const auto total = static_cast<double>(margins_.total);
    for (std::size_t i = 0; i < r_u; ++i)
      for (std::size_t j = 0; j < r_v; ++j) {
        const double expected =
            static_cast<double>(margins_.rows[i]) * static_cast<double>(margins_.columns[j]) / total;
        const double excess = static_cast<double>(cells[i * r_v + j]) - expected;
        if (expected > 0) sum_ += scale_.quantise(excess * excess / expected);
      }
    degrees_ += margins_.degrees();
  }
  Deviation finish() const { return {scale_.value(sum_), degrees_}; }
  void reset() { sum_ = 0, degrees_ = 0; }

 private:
  FixedPoint scale_;
  Margins<Sum> margins_;
  std::int64_t sum_ = 0;
  double degrees_ = 0;
};

struct PosteriorSettings {
  double prior = 0.5;                     // of conditional independence, whatever the conditioning set
  double alpha = 1, beta = 1, gamma = 1;  // Dirichlet parameters of u, of v, of the joint table
  bool all_slices = true;                 // K counts declared configurations, seen or not
};

/// log P(independent), log P(dependent).
struct Posterior {
  double log_independent;
  double log_dependent;
};

/// Bayesian test of conditional independence (Margaritis & Bromberg 2009): each slice is a contest of one
/// joint Dirichlet-multinomial against two; independence holds if all slices are independent.
template <class Sum = std::int64_t>
class PosteriorAccumulator {
 public:
  /// r_u, r_v: declared states; `slices`: declared configurations of the conditioning set (may be very
  /// large).
  PosteriorAccumulator(const PosteriorSettings& settings, double n_rows, std::size_t r_u, std::size_t r_v,
                       double slices, std::int64_t largest);

  template <class Count>
  void stratum(const Count* cells, std::size_t r_u, std::size_t r_v) {
    if (r_u == 2 && r_v == 2) {
      fourfold(static_cast<Sum>(cells[0]), static_cast<Sum>(cells[1]), static_cast<Sum>(cells[2]),
               static_cast<Sum>(cells[3]));
      return;
    }
    margins_.take(cells, r_u, r_v);
    if (margins_.total == 0) return;
    std::int64_t sum =
        independent_u_(margins_.total) + independent_v_(margins_.total) - joint_(margins_.total);
    for (std::size_t i = 0; i < r_u * r_v; ++i) sum += cell_(static_cast<Sum>(cells[i]));
    for (const Sum n : margins_.rows) sum -= row_(n);
    for (const Sum n : margins_.columns) sum -= column_(n);
    log_odds_.push_back(scale_.value(sum));  // ln h - ln g of the slice
  }
  /// The same of a table of two by two, row by row: what most searches ask.
  void fourfold(Sum a, Sum b, Sum c, Sum d) {
    const Sum total = a + b + c + d;
    if (total == 0) return;
    const std::int64_t sum = independent_u_(total) + independent_v_(total) - joint_(total) + cell_(a) +
                             cell_(b) + cell_(c) + cell_(d) - row_(a + b) - row_(c + d) - column_(a + c) -
                             column_(b + d);
    log_odds_.push_back(scale_.value(sum));
  }
  /// Sorts what it holds, so that the answer does not depend on the order of the slices.
  Posterior finish() {
    std::ranges::sort(log_odds_);
    return finish_as_given();
  }
  /// For slices that always come in the same order.
  Posterior finish_as_given();
  void reset() { log_odds_.clear(); }
  /// Ready for another conditioning set.
  void reset(double slices) {
    log_odds_.clear();
    slices_ = std::min(slices, kMostSlices);
  }

 private:
  static constexpr double kMostSlices = 1e300;

  PosteriorSettings settings_;
  double slices_;
  double log_prior_;  // -ln of the prior of independence
  FixedPoint scale_;
  CellTerm cell_, row_, column_, joint_, independent_u_, independent_v_;
  Margins<Sum> margins_;
  std::vector<double> log_odds_;
};

/// One test of a batch: dense strata x r_u x r_v, or occupied cells when `codes` is not empty (they rise
/// strictly).
template <class Count>
struct TestTable {
  std::span<const std::int64_t> codes;
  std::span<const Count> counts;
  std::size_t r_u, r_v;
  double slices;  // declared configurations of the conditioning set
};

enum class Statistic { g2, x2 };
enum class Degrees { adjusted, full };

struct TestSettings {
  Statistic statistic = Statistic::g2;
  Degrees degrees = Degrees::adjusted;
};

/// (r_u - 1)(r_v - 1) slices, whatever was observed.
double full_degrees(std::size_t r_u, std::size_t r_v, double slices);

template <class Count>
Deviation test_table(const TestSettings& settings, double n_rows, const TestTable<Count>& table);
template <class Count>
Posterior test_table(const PosteriorSettings& settings, double n_rows, const TestTable<Count>& table);

/// Judge many tables; outputs are independent of each other and of the number of threads.
template <class Count>
void test_tables(const TestSettings& settings, double n_rows, std::span<const TestTable<Count>> tables,
                 std::span<double> statistic, std::span<double> degrees, Cancel& cancel);
template <class Count>
void test_tables(const PosteriorSettings& settings, double n_rows, std::span<const TestTable<Count>> tables,
                 std::span<double> log_independent, std::span<double> log_dependent, Cancel& cancel);

/// Visit the occupied strata of a table. Strata of a sparse table arrive without the states that do not occur
/// in them: no statistic changes by that. `visit(cells, rows, columns)`.
template <class Count, class Visit>
void for_each_stratum(const TestTable<Count>& table, Visit&& visit) {
  const std::size_t size = table.r_u * table.r_v;
  if (table.codes.empty()) {
    for (std::size_t first = 0; first < table.counts.size(); first += size)
      visit(table.counts.data() + first, table.r_u, table.r_v);
    return;
  }
  std::vector<std::size_t> rows(table.r_u), columns(table.r_v);  // state -> position + 1 in this stratum
  std::vector<Count> cells;
  const auto number = [](std::vector<std::size_t>& positions) {
    std::size_t next = 0;
    for (auto& position : positions)
      if (position) position = ++next;
    return next;
  };
  for (std::size_t i = 0, end = 0; i < table.codes.size(); i = end) {
    const std::int64_t stratum = table.codes[i] / static_cast<std::int64_t>(size);
    const auto cell_of = [&](std::size_t k) {
      return static_cast<std::size_t>(table.codes[k] % static_cast<std::int64_t>(size));
    };
    std::ranges::fill(rows, 0);
    std::ranges::fill(columns, 0);
    for (; end < table.codes.size() && table.codes[end] / static_cast<std::int64_t>(size) == stratum; ++end)
      rows[cell_of(end) / table.r_v] = columns[cell_of(end) % table.r_v] = 1;
    const std::size_t n_rows = number(rows), n_columns = number(columns);
    cells.assign(n_rows * n_columns, 0);
    for (std::size_t k = i; k < end; ++k)
      cells[(rows[cell_of(k) / table.r_v] - 1) * n_columns + columns[cell_of(k) % table.r_v] - 1] =
          table.counts[k];
    visit(static_cast<const Count*>(cells.data()), n_rows, n_columns);
  }
}

}  // namespace treewright
