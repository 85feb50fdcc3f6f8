#include "treewright/inference/sampling.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <stdexcept>
#include <string>

#include "parallel/draws.hpp"
#include "parallel/lanes.hpp"
#include "treewright/parallel/threads.hpp"

namespace treewright {
namespace {

// Rows walked together: the configuration numbers and the block's columns stay in the first-level cache.
constexpr std::size_t kRowsPerBlock = 2048;
// Up to here the state is found by counting thresholds, without a branch; beyond, by bisection.
constexpr std::uint32_t kMostCountedStates = 8;
constexpr double kNanosecondsPerState = 6, kNanosecondsPerFamily = 1;
// Families of up to this many one-byte columns are numbered in registers.
constexpr std::size_t kMostBytes = 6;

// configuration = configuration * cardinality + code, one column at a time; false if a code is no state.
template <class Code>
bool append_codes(std::uint64_t* __restrict configurations, const Code* __restrict codes, std::size_t n,
                  std::uint64_t cardinality) {
  Code largest = 0;
  for (std::size_t i = 0; i < n; ++i) {
    configurations[i] = configurations[i] * cardinality + codes[i];
    largest = std::max(largest, codes[i]);
  }
  return largest < cardinality;
}

template <class AnyColumn>
bool append_column(std::uint64_t* configurations, const AnyColumn& column, std::size_t begin, std::size_t n,
                   std::uint64_t cardinality) {
  bool known = true;
  const void* const codes = column.codes;
  with_codes(codes, column.width,
             [&](auto* typed) { known = append_codes(configurations, typed + begin, n, cardinality); });
  return known;
}

// Upper ends of the states' intervals on [0, 2^53), row by row. The end of the last possible state is the end
// of the range, and a state of probability zero has an empty interval: neither rounding nor rows whose sum is
// one but for rounding can draw it.
std::vector<std::uint64_t> thresholds_of(std::span<const double> table, std::size_t cardinality) {
  std::vector<std::uint64_t> ends(table.size());
  for (std::size_t row = 0; row < table.size(); row += cardinality) {
    double total = 0;
    std::size_t last = 0;
    for (std::size_t s = 0; s < cardinality; ++s) {
      total += table[row + s];
      if (table[row + s] > 0) last = s;
      ends[row + s] = std::min(kOne, static_cast<std::uint64_t>(std::ldexp(total, 53)));
    }
    if (!(total > 0)) throw std::invalid_argument("a row of a table holds no possible state");
    for (std::size_t s = last; s < cardinality; ++s) ends[row + s] = kOne;
  }
  return ends;
}

template <class Code>
void choose(const std::uint64_t* __restrict ends, const std::uint64_t* __restrict configurations,
            const std::uint64_t* __restrict bits, std::size_t n, std::uint32_t cardinality,
            Code* __restrict out) {
  for (std::size_t i = 0; i < n; ++i) {
    const std::uint64_t* const row = ends + configurations[i] * cardinality;
    if (cardinality <= kMostCountedStates) {
      std::uint32_t state = 0;
      for (std::uint32_t s = 0; s + 1 < cardinality; ++s) state += bits[i] >= row[s];
      out[i] = static_cast<Code>(state);
    } else {
      out[i] = static_cast<Code>(std::upper_bound(row, row + cardinality, bits[i]) - row);
    }
  }
}

void check_order(const NetworkTables& network, std::span<const std::uint32_t> order) {
  std::vector<bool> drawn(network.size(), false);
  for (const std::uint32_t v : order) {
    if (v >= network.size() || drawn[v]) throw std::invalid_argument("the order names each variable once");
    for (const std::uint32_t p : network.parents[v])
      if (!drawn[p]) throw std::invalid_argument("the order must put parents before children");
    drawn[v] = true;
  }
  if (order.size() != network.size()) throw std::invalid_argument("the order names each variable once");
}

template <class Code>
TREEWRIGHT_INLINE Code largest(const Code* codes, std::size_t n) {
  Code most = 0;
  for (std::size_t i = 0; i < n; ++i) most = std::max(most, codes[i]);
  return most;
}
TREEWRIGHT_CLONES std::uint32_t largest_code(const std::uint8_t* codes, std::size_t n) {
  return largest(codes, n);
}
TREEWRIGHT_CLONES std::uint32_t largest_code(const std::uint16_t* codes, std::size_t n) {
  return largest(codes, n);
}
TREEWRIGHT_CLONES std::uint32_t largest_code(const std::uint32_t* codes, std::size_t n) {
  return largest(codes, n);
}

using ByteColumns = std::array<const std::uint8_t*, kMostBytes>;
using Radices = std::array<std::uint32_t, kMostBytes>;

// sums += table[cell of the family], with the cell's number made in registers.
template <std::size_t kColumns>
TREEWRIGHT_INLINE void add_cells(const ByteColumns& columns, const Radices& radices, const double* table,
                                 std::size_t n, double* __restrict sums) {
  for (std::size_t i = 0; i < n; ++i) {
    std::uint32_t cell = columns[0][i];
    for (std::size_t k = 1; k < kColumns; ++k) cell = cell * radices[k] + columns[k][i];
    sums[i] += table[cell];
  }
}

TREEWRIGHT_CLONES void add_byte_cells(std::size_t n_columns, const ByteColumns& columns,
                                      const Radices& radices, const double* table, std::size_t n,
                                      double* sums) {
  if (n_columns == 1) return add_cells<1>(columns, radices, table, n, sums);
  if (n_columns == 2) return add_cells<2>(columns, radices, table, n, sums);
  if (n_columns == 3) return add_cells<3>(columns, radices, table, n, sums);
  if (n_columns == 4) return add_cells<4>(columns, radices, table, n, sums);
  if (n_columns == 5) return add_cells<5>(columns, radices, table, n, sums);
  add_cells<6>(columns, radices, table, n, sums);
}

// The columns of a scope, from one row on.
class BlockFamily {
 public:
  BlockFamily(const ScopedTables& product, std::span<const ConstColumn> columns, std::size_t f,
              std::size_t begin)
      : begin_(begin), bytes_(product.tables[f].size() <= 0xFFFFFFFF && !product.scopes[f].empty()) {
    for (const std::uint32_t v : product.scopes[f]) add(columns[v], product.cardinalities[v]);
  }

  /// One byte per code and few columns: what nearly every network of tables has.
  bool fits_bytes() const { return bytes_ && columns_.size() <= kMostBytes; }

  void add_bytes(const double* table, std::size_t n, double* sums) const {
    ByteColumns columns{};
    Radices radices{};
    for (std::size_t k = 0; k < columns_.size(); ++k) {
      columns[k] = static_cast<const std::uint8_t*>(columns_[k].codes) + begin_;
      radices[k] = radices_[k];
    }
    add_byte_cells(columns_.size(), columns, radices, table, n, sums);
  }

  void add_any(const double* table, std::size_t n, double* sums) const {
    std::vector<std::uint64_t> cells(n, 0);
    for (std::size_t k = 0; k < columns_.size(); ++k)
      append_column(cells.data(), columns_[k], begin_, n, radices_[k]);
    for (std::size_t i = 0; i < n; ++i) sums[i] += table[cells[i]];
  }

 private:
  void add(const ConstColumn& column, std::uint32_t cardinality) {
    columns_.push_back(column);
    radices_.push_back(cardinality);
    bytes_ = bytes_ && column.width == 1;
  }

  std::size_t begin_;
  bool bytes_;
  std::vector<ConstColumn> columns_;
  std::vector<std::uint32_t> radices_;
};

std::size_t blocks_of(std::size_t n_rows) { return (n_rows + kRowsPerBlock - 1) / kRowsPerBlock; }

}  // namespace

void NetworkTables::validate() const {
  const std::size_t n = size();
  if (parents.size() != n || tables.size() != n)
    throw std::invalid_argument("every variable needs a cardinality, a list of parents and a table");
  for (std::size_t v = 0; v < n; ++v) {
    std::size_t cells = cardinalities[v];
    if (cells == 0) throw std::invalid_argument("every variable needs at least one state");
    for (const std::uint32_t p : parents[v]) {
      if (p >= n) throw std::invalid_argument("a parent is not among the variables");
      if (cells > tables[v].size()) break;  // too many cells already; also keeps the product from wrapping
      cells *= cardinalities[p];
    }
    if (cells != tables[v].size())
      throw std::invalid_argument("the table of variable " + std::to_string(v) + " has " +
                                  std::to_string(tables[v].size()) + " cells, not one per family state");
  }
}

void sample_rows(const NetworkTables& network, std::span<const std::uint32_t> order, std::uint64_t seed,
                 std::uint64_t first_row, std::size_t n_rows, std::span<const Column> columns,
                 Cancel& cancel) {
  network.validate();
  check_order(network, order);
  if (columns.size() != network.size()) throw std::invalid_argument("one column per variable is needed");
  std::vector<std::vector<std::uint64_t>> ends(network.size());
  for (std::size_t v = 0; v < network.size(); ++v) {
    for (const double p : network.tables[v])
      if (!(p >= 0 && p <= 1.001))
        throw std::invalid_argument("a table holds a number that is no probability");
    ends[v] = thresholds_of(network.tables[v], network.cardinalities[v]);
  }

  const double cost =
      kNanosecondsPerState * static_cast<double>(n_rows) * static_cast<double>(network.size());
  parallel_for(blocks_of(n_rows), cost, cancel, [&](std::size_t block) {
    const std::size_t begin = block * kRowsPerBlock, n = std::min(kRowsPerBlock, n_rows - begin);
    std::vector<std::uint64_t> configurations(n), bits(n);
    for (const std::uint32_t v : order) {
      std::fill(configurations.begin(), configurations.end(), 0);
      for (const std::uint32_t p : network.parents[v])
        append_column(configurations.data(), columns[p], begin, n, network.cardinalities[p]);
      draw_bits(seed, v, first_row + begin, n, bits.data());
      with_codes(columns[v].codes, columns[v].width, [&](auto* codes) {
        choose(ends[v].data(), configurations.data(), bits.data(), n, network.cardinalities[v],
               codes + begin);
      });
    }
  });
}

void ScopedTables::validate() const {
  if (scopes.size() != tables.size()) throw std::invalid_argument("every scope needs a table");
  for (const std::uint32_t r : cardinalities)
    if (r == 0) throw std::invalid_argument("every variable needs at least one state");
  for (std::size_t f = 0; f < scopes.size(); ++f) {
    std::size_t cells = 1;
    for (const std::uint32_t v : scopes[f]) {
      if (v >= cardinalities.size()) throw std::invalid_argument("a scope names no variable");
      if (cells > tables[f].size()) break;  // too many cells already; also keeps the product from wrapping
      cells *= cardinalities[v];
    }
    if (cells != tables[f].size())
      throw std::invalid_argument("table " + std::to_string(f) + " has " + std::to_string(tables[f].size()) +
                                  " cells, not one per state of its scope");
  }
}

void log_product_rows(const ScopedTables& product, std::span<const ConstColumn> columns,
                      std::span<double> out, Cancel& cancel) {
  product.validate();
  const std::size_t n_variables = product.cardinalities.size(), n_tables = product.tables.size();
  if (columns.size() != n_variables) throw std::invalid_argument("one column per variable is needed");
  std::vector<std::vector<double>> logs(n_tables);
  for (std::size_t f = 0; f < n_tables; ++f) {
    logs[f].resize(product.tables[f].size());
    std::ranges::transform(product.tables[f], logs[f].begin(), [](double p) { return std::log(p); });
  }

  const double cost = kNanosecondsPerFamily * static_cast<double>(out.size()) *
                      static_cast<double>(std::max(n_variables, n_tables));
  parallel_for(blocks_of(out.size()), cost, cancel, [&](std::size_t block) {
    const std::size_t begin = block * kRowsPerBlock, n = std::min(kRowsPerBlock, out.size() - begin);
    for (std::size_t v = 0; v < n_variables; ++v)
      with_codes(columns[v].codes, columns[v].width, [&](const auto* codes) {
        if (largest_code(codes + begin, n) >= product.cardinalities[v])
          throw std::out_of_range("a row holds a code that is no state of its variable");
      });
    double* const sums = out.data() + begin;
    std::fill_n(sums, n, 0.0);
    for (std::size_t f = 0; f < n_tables; ++f) {
      const BlockFamily family(product, columns, f, begin);
      if (family.fits_bytes()) {
        family.add_bytes(logs[f].data(), n, sums);
      } else {
        family.add_any(logs[f].data(), n, sums);
      }
    }
  });
}

void log_probability_rows(const NetworkTables& network, std::span<const ConstColumn> columns,
                          std::span<double> out, Cancel& cancel) {
  network.validate();
  ScopedTables families{network.cardinalities, network.parents, network.tables};
  for (std::size_t v = 0; v < network.size(); ++v)
    families.scopes[v].push_back(static_cast<std::uint32_t>(v));
  log_product_rows(families, columns, out, cancel);
}

}  // namespace treewright
