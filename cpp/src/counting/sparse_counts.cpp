#include "treewright/counting/sparse_counts.hpp"

#include <algorithm>
#include <stdexcept>

namespace treewright {
namespace {

constexpr std::size_t kHashed = 4096;  // codes of a chunk stay in the first-level cache

// Open addressing that grows with the cells that occur: few cells stay in the first-level cache.
template <class Count>
class CellMap {
 public:
  CellMap() : slots_(1024) {}

  void add(std::int64_t code, Count weight) {
    std::size_t at = find(code);
    if (slots_[at].code < 0) {
      if (2 * ++used_ > slots_.size()) grow(), at = find(code);
      slots_[at].code = code;
    }
    slots_[at].count += weight;
  }

  SparseTable<Count> sorted() const {
    std::vector<Slot> occupied;
    std::copy_if(slots_.begin(), slots_.end(), std::back_inserter(occupied),
                 [](const Slot& s) { return s.code >= 0 && s.count != 0; });
    std::sort(occupied.begin(), occupied.end(), [](const Slot& a, const Slot& b) { return a.code < b.code; });
    SparseTable<Count> out;
    for (const Slot& s : occupied) out.codes.push_back(s.code), out.counts.push_back(s.count);
    return out;
  }

 private:
  struct Slot {
    std::int64_t code = -1;  // none yet
    Count count = 0;
  };

  std::size_t find(std::int64_t code) const {
    const int shift = 64 - std::countr_zero(slots_.size());
    std::size_t at = static_cast<std::uint64_t>(code) * 0x9e3779b97f4a7c15ull >> shift;
    while (slots_[at].code >= 0 && slots_[at].code != code) at = (at + 1) & (slots_.size() - 1);
    return at;
  }

  void grow() {
    std::vector<Slot> old(4 * slots_.size());
    old.swap(slots_);
    for (const Slot& s : old)
      if (s.code >= 0) slots_[find(s.code)] = s;
  }

  std::vector<Slot> slots_;
  std::size_t used_ = 0;
};

template <class Count, class Weight>
SparseTable<Count> hashed(const PackedTable& table, ScopeView scope, const Weight& weight, Cancel& cancel) {
  table.check_scope(scope);
  if (cells_of(table, scope) >= 0x1p63) throw std::invalid_argument("the codes of this scope exceed 63 bits");
  CellMap<Count> cells;
  std::int64_t codes[kHashed];
  for (std::size_t begin = 0; begin < table.n_rows(); begin += kHashed) {
    if (begin % kBlockRows == 0) cancel.check();
    const std::size_t n = std::min(kHashed, table.n_rows() - begin);
    std::fill(codes, codes + n, 0);
    for (std::uint32_t v : scope) {
      const std::int64_t r = table.cardinality(v);
      table.codes(v).visit([&](const auto* column) {
        for (std::size_t i = 0; i < n; ++i) codes[i] = codes[i] * r + column[begin + i];
      });
    }
    for (std::size_t i = 0; i < n; ++i) cells.add(codes[i], weight(begin + i));
  }
  return cells.sorted();
}

}  // namespace

SparseTable<std::int64_t> sparse_counts(const PackedTable& table, ScopeView scope, Cancel& cancel) {
  if (table.is_weighted())
    return hashed<std::int64_t>(
        table, scope, [w = table.weights().integers](std::size_t i) { return w[i]; }, cancel);
  return hashed<std::int64_t>(table, scope, [](std::size_t) { return std::int64_t{1}; }, cancel);
}

SparseTable<double> sparse_real_counts(const PackedTable& table, ScopeView scope, Cancel& cancel) {
  return hashed<double>(table, scope, [w = table.weights().reals](std::size_t i) { return w[i]; }, cancel);
}

}  // namespace treewright
