#include "treewright/counting/row_set.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <numeric>
#include <stdexcept>
#include <string>

#include "treewright/parallel/seeded_draws.hpp"

namespace treewright {
namespace {

using Code = RowSet::Code;

/// Codes row by row, in the order of the columns asked for.
std::vector<Code> row_major(const PackedTable& table, std::span<const std::uint32_t> order, Cancel& cancel) {
  const std::size_t n = order.size(), rows = table.n_rows();
  std::vector<Code> codes(n * rows);
  constexpr std::size_t kBlock = 256;  // rows whose codes stay in the cache while the columns pass
  for (std::size_t begin = 0; begin < rows; begin += kBlock) {
    if (begin % kBlockRows == 0) cancel.check();
    const std::size_t end = std::min(begin + kBlock, rows);
    for (std::size_t c = 0; c < n; ++c)
      table.codes(order[c]).visit([&](const auto* column) {
        for (std::size_t i = begin; i < end; ++i) codes[i * n + c] = static_cast<Code>(column[i]);
      });
  }
  return codes;
}

std::uint64_t hash_of(const Code* row, std::size_t n) {
  std::uint64_t h = 0x9e3779b97f4a7c15ull;
  for (std::size_t c = 0; c < n; ++c) h = (h ^ row[c]) * 0xd6e8feb86659fd93ull, h ^= h >> 32;
  return h;
}

/// The group of each row, groups numbered by first appearance, and the first row of each group.
struct Groups {
  std::vector<std::uint32_t> of_row, first;
};

Groups group_equal(const std::vector<Code>& codes, std::size_t n, std::size_t rows, Cancel& cancel) {
  Groups groups;
  groups.of_row.resize(rows);
  const std::size_t capacity = std::bit_ceil(2 * rows + 2);
  std::vector<std::uint32_t> slots(capacity, 0);  // 1 + group
  for (std::size_t i = 0; i < rows; ++i) {
    if (i % kBlockRows == 0) cancel.check();
    const Code* row = codes.data() + i * n;
    std::size_t at = hash_of(row, n) & (capacity - 1);
    const auto differs = [&](std::uint32_t slot) {
      return std::memcmp(codes.data() + groups.first[slot - 1] * n, row, n * sizeof(Code)) != 0;
    };
    while (slots[at] && differs(slots[at])) at = (at + 1) & (capacity - 1);
    if (!slots[at]) {
      groups.first.push_back(static_cast<std::uint32_t>(i));
      slots[at] = static_cast<std::uint32_t>(groups.first.size());
    }
    groups.of_row[i] = slots[at] - 1;
  }
  return groups;
}

std::vector<double> weights_of(const PackedTable& table) {
  std::vector<double> weights(table.n_rows(), 1.0);
  if (table.is_real()) std::copy_n(table.weights().reals, weights.size(), weights.begin());
  if (table.is_weighted()) std::copy_n(table.weights().integers, weights.size(), weights.begin());
  return weights;
}

/// The weight of each group; real weights are added in the order of their size, not of the rows.
std::vector<double> group_weights(std::span<const double> weights, const Groups& groups) {
  std::vector<double> sums(groups.first.size(), 0.0);
  std::vector<std::uint32_t> order(weights.size());
  std::iota(order.begin(), order.end(), 0u);
  if (!are_whole(weights))
    std::stable_sort(order.begin(), order.end(),
                     [&](std::uint32_t a, std::uint32_t b) { return weights[a] < weights[b]; });
  for (const std::uint32_t row : order) sums[groups.of_row[row]] += weights[row];
  return sums;
}

}  // namespace

RowSet::RowSet(const PackedTable& table, std::span<const std::uint32_t> order, Cancel& cancel)
    : variables_(order.begin(), order.end()), schema_cardinalities_(table.cardinalities()) {
  table.check_scope(order);
  for (const std::uint32_t v : order) {
    if (table.cardinality(v) > kMostStates)
      throw std::invalid_argument("variable number " + std::to_string(v) + " has " +
                                  std::to_string(table.cardinality(v)) + " states; the most is " +
                                  std::to_string(kMostStates));
    cardinalities_.push_back(table.cardinality(v));
  }
  fill(row_major(table, order, cancel), weights_of(table), cancel);
}

RowSet RowSet::joined(std::span<const RowSet* const> parts, Cancel& cancel) {
  if (parts.empty()) throw std::invalid_argument("there are no rows to join");
  RowSet whole;
  whole.variables_ = parts[0]->variables_;
  whole.cardinalities_ = parts[0]->cardinalities_;
  whole.schema_cardinalities_ = parts[0]->schema_cardinalities_;
  std::vector<Code> codes;
  std::vector<double> weights;
  for (const RowSet* part : parts) {
    if (part->variables_ != whole.variables_ || part->cardinalities_ != whole.cardinalities_)
      throw std::invalid_argument("rows to join must have the same columns and states");
    codes.insert(codes.end(), part->codes_.begin(), part->codes_.end());
    weights.insert(weights.end(), part->weights_.begin(), part->weights_.end());
  }
  whole.fill(codes, weights, cancel);
  return whole;
}

void RowSet::fill(const std::vector<Code>& codes, std::span<const double> weights, Cancel& cancel) {
  const std::size_t n = n_columns();
  const Groups groups = group_equal(codes, n, weights.size(), cancel);
  const std::vector<double> sums = group_weights(weights, groups);
  std::vector<std::uint32_t> sorted(groups.first.size());
  std::iota(sorted.begin(), sorted.end(), 0u);
  const auto codes_of = [&](std::uint32_t group) { return codes.data() + groups.first[group] * n; };
  std::sort(sorted.begin(), sorted.end(), [&](std::uint32_t a, std::uint32_t b) {
    return std::lexicographical_compare(codes_of(a), codes_of(a) + n, codes_of(b), codes_of(b) + n);
  });
  for (const std::uint32_t group : sorted) {
    if (sums[group] == 0) continue;
    codes_.insert(codes_.end(), codes_of(group), codes_of(group) + n);
    weights_.push_back(sums[group]);
  }
  total_ = std::accumulate(weights_.begin(), weights_.end(), 0.0);
  is_whole_ = are_whole(weights_);
}

RowSet RowSet::reweighted(std::span<const double> weights) const {
  if (weights.size() != n_rows()) throw std::invalid_argument("there must be one weight per distinct row");
  RowSet other;
  other.variables_ = variables_;
  other.cardinalities_ = cardinalities_;
  other.schema_cardinalities_ = schema_cardinalities_;
  for (std::size_t i = 0; i < n_rows(); ++i) {
    if (weights[i] == 0) continue;
    other.codes_.insert(other.codes_.end(), row(i), row(i) + n_columns());
    other.weights_.push_back(weights[i]);
  }
  other.total_ = std::accumulate(other.weights_.begin(), other.weights_.end(), 0.0);
  other.is_whole_ = are_whole(other.weights_);
  return other;
}

std::vector<double> RowSet::held_out_weights(double share, std::uint64_t seed) const {
  Draws draws(seed);
  std::vector<double> held(n_rows(), 0.0);
  for (std::size_t i = 0; i < n_rows(); ++i) {
    if (!is_whole_) {
      if (draws.happens(share)) held[i] = weights_[i];
      continue;
    }
    for (double copy = 0; copy < weights_[i]; ++copy) held[i] += draws.happens(share);
  }
  return held;
}

bool are_whole(std::span<const double> weights) {
  return std::all_of(weights.begin(), weights.end(), [](double w) { return w >= 0 && w == std::floor(w); });
}

}  // namespace treewright
