#include "treewright/counting/table_memory.hpp"

#include <algorithm>
#include <stdexcept>

#include "treewright/counting/count_plan.hpp"
#include "treewright/counting/partners.hpp"

namespace treewright {
namespace {

using Variables = std::vector<std::uint32_t>;

// Tables up to so many cells are counted whole, and added up from, whatever the rows.
constexpr double kFewCells = 4096;
// A table that was added up is kept while it is so small; others are added up again, which costs no round.
constexpr std::size_t kSmallBytes = 4096;
// A table is kept sparse when fewer than a third of its cells are occupied.
constexpr std::size_t kSparseShare = 3;
constexpr double kMostCodes = 9.2e18;

// Visit the fingerprints of a set without one and without two of its members.
template <class F>
void for_each_smaller(const Fingerprints& prints, const Variables& set, const Fingerprint& print, F&& f) {
  for (std::size_t i = 0; i < set.size(); ++i) {
    const Fingerprint one = print ^ prints(set[i]);
    f(one);
    for (std::size_t j = i + 1; j < set.size(); ++j) f(one ^ prints(set[j]));
  }
}

void squeeze(CountTable& table) {
  if (table.is_sparse) return;
  const auto occupied =
      static_cast<std::size_t>(std::ranges::count_if(table.counts, [](std::int64_t n) { return n != 0; }));
  if (occupied * kSparseShare >= table.counts.size()) return;
  std::vector<std::int64_t> counts;
  counts.reserve(occupied), table.codes.reserve(occupied);
  for (std::size_t cell = 0; cell < table.counts.size(); ++cell)
    if (table.counts[cell] != 0) {
      table.codes.push_back(static_cast<std::int64_t>(cell));
      counts.push_back(table.counts[cell]);
    }
  table.counts = std::move(counts);
  table.is_sparse = true;
}

}  // namespace

PackedSource::PackedSource(std::shared_ptr<const PackedTable> table) : table_(std::move(table)) {
  if (table_->is_real()) throw std::invalid_argument("tables that are remembered have whole counts");
}

std::vector<std::vector<std::int64_t>> PackedSource::count(const std::vector<Variables>& scopes,
                                                           Cancel& cancel) {
  const PackedTable& rows = rows_to_search(*table_, cancel);
  std::vector<std::vector<std::int64_t>> found;
  for (const Variables& scope : scopes) {
    rows.check_scope(scope);
    found.emplace_back(static_cast<std::size_t>(cells_of(rows, scope)), 0);
  }
  const CountPlan plan = plan_counts(rows, scopes);
  passes_ += plan.n_passes();
  add_planned(rows, scopes, {found.begin(), found.end()}, plan, cancel);
  return found;
}

std::vector<SparseTable<std::int64_t>> PackedSource::count_sparse(const std::vector<Variables>& scopes,
                                                                  Cancel& cancel) {
  const PackedTable& rows = rows_to_search(*table_, cancel);
  std::vector<SparseTable<std::int64_t>> found;
  for (const Variables& scope : scopes) found.push_back(sparse_counts(rows, scope, cancel));
  passes_ += scopes.size();
  return found;
}

TableMemory::TableMemory(std::shared_ptr<TableSource> source, std::size_t most_bytes)
    : source_(std::move(source)), most_bytes_(most_bytes), prints_(source_->cardinalities().size()) {}

double TableMemory::cells(std::span<const std::uint32_t> scope) const {
  double product = 1;
  for (const std::uint32_t v : scope) product *= source_->cardinalities()[v];
  return product;
}

bool TableMemory::is_dense(std::span<const std::uint32_t> scope) const {
  return cells(scope) <= std::max(kFewCells, kSparseFactor * static_cast<double>(source_->total()));
}

// Counting far away is a journey; at hand, a table of half as many cells as rows costs as much as counting.
bool TableMemory::can_be_added_up(const CountTable& larger) const {
  const auto size = static_cast<double>(larger.counts.size());
  return source_->is_far() || size <= std::max(kFewCells, 0.5 * static_cast<double>(source_->total()));
}

CountTable TableMemory::part_of(const CountTable& larger, const Variables& set) const {
  const std::vector<std::uint32_t>& states = source_->cardinalities();
  const std::size_t n = larger.scope.size();
  std::vector<std::int64_t> step(n, 0);  // in the smaller table
  std::int64_t stride = 1;
  for (std::size_t k = n, at = set.size(); k-- > 0;)
    if (at > 0 && set[at - 1] == larger.scope[k]) step[k] = stride, stride *= states[set[--at]];
  CountTable out{set, !is_dense(set), {}, {}};
  const auto place = [&](std::int64_t code) {
    std::int64_t found = 0;
    for (std::size_t k = n; k-- > 0; code /= states[larger.scope[k]])
      found += code % states[larger.scope[k]] * step[k];
    return found;
  };
  if (!out.is_sparse) {
    out.counts.assign(static_cast<std::size_t>(stride), 0);
    if (larger.is_sparse) {
      for (std::size_t i = 0; i < larger.codes.size(); ++i)
        out.counts[static_cast<std::size_t>(place(larger.codes[i]))] += larger.counts[i];
      return out;
    }
    std::vector<std::uint32_t> digit(n, 0);  // counting up is cheaper than dividing
    std::int64_t at = 0;
    for (const std::int64_t count : larger.counts) {
      out.counts[static_cast<std::size_t>(at)] += count;
      for (std::size_t k = n; k-- > 0;) {
        at += step[k];
        if (++digit[k] < states[larger.scope[k]]) break;
        at -= step[k] * static_cast<std::int64_t>(states[larger.scope[k]]);
        digit[k] = 0;
      }
    }
    return out;
  }
  std::vector<std::pair<std::int64_t, std::int64_t>> cells;
  for (std::size_t i = 0; i < larger.counts.size(); ++i)
    if (larger.counts[i] != 0)
      cells.emplace_back(place(larger.is_sparse ? larger.codes[i] : static_cast<std::int64_t>(i)),
                         larger.counts[i]);
  std::ranges::sort(cells);
  for (const auto& [code, count] : cells) {
    if (out.codes.empty() || out.codes.back() != code) out.codes.push_back(code), out.counts.push_back(0);
    out.counts.back() += count;
  }
  return out;
}

TablePtr TableMemory::recall(const Variables& set, const Fingerprint& print) {
  if (const auto found = kept_.find(print); found != kept_.end()) {
    by_age_.splice(by_age_.end(), by_age_, found->second.place);
    return found->second.table;
  }
  const auto larger = larger_.find(print);
  if (larger == larger_.end()) return nullptr;
  const auto found = kept_.find(larger->second);
  if (found == kept_.end()) {
    larger_.erase(larger);
    return nullptr;
  }
  const TablePtr from = found->second.table;
  return can_be_added_up(*from) ? keep_part(part_of(*from, set), print) : nullptr;
}

TablePtr TableMemory::keep_part(CountTable&& table, const Fingerprint& print) {
  if (table.bytes() <= kSmallBytes) return keep(std::move(table), print);
  return std::make_shared<const CountTable>(std::move(table));
}

TablePtr TableMemory::keep(CountTable&& table, const Fingerprint& print) {
  squeeze(table);
  auto kept = std::make_shared<const CountTable>(std::move(table));
  if (kept_.contains(print)) return kept_[print].table;
  bytes_ += kept->bytes();
  kept_[print] = {kept, by_age_.insert(by_age_.end(), print)};
  const double size = cells(kept->scope);
  for_each_smaller(prints_, kept->scope, print, [&](const Fingerprint& smaller) {
    const auto [at, is_new] = larger_.try_emplace(smaller, print);
    if (is_new) return;
    const auto other = kept_.find(at->second);
    if (other == kept_.end() || size < cells(other->second.table->scope)) at->second = print;
  });
  while (bytes_ > most_bytes_ && by_age_.size() > 1) forget_oldest();
  return kept;
}

void TableMemory::forget_oldest() {
  const auto oldest = kept_.find(by_age_.front());
  bytes_ -= oldest->second.table->bytes();
  for_each_smaller(prints_, oldest->second.table->scope, oldest->first, [&](const Fingerprint& smaller) {
    const auto at = larger_.find(smaller);
    if (at != larger_.end() && at->second == oldest->first) larger_.erase(at);
  });
  kept_.erase(oldest);
  by_age_.pop_front();
}

void TableMemory::count(const std::vector<Variables>& sets, std::vector<TablePtr>& out, Cancel& cancel) {
  std::vector<Variables> dense, sparse;
  for (const Variables& set : sets) {
    if (cells(set) > kMostCodes)
      throw std::invalid_argument("a table of " + std::to_string(set.size()) +
                                  " variables has more cells than 64-bit positions can number");
    (is_dense(set) ? dense : sparse).push_back(set);
  }
  tally_.rounds += (dense.empty() ? 0 : 1) + (sparse.empty() ? 0 : 1);
  tally_.tables += sets.size();
  auto all = dense.empty() ? decltype(source_->count(dense, cancel)){} : source_->count(dense, cancel);
  auto some = sparse.empty() ? decltype(source_->count_sparse(sparse, cancel)){}
                             : source_->count_sparse(sparse, cancel);
  if (all.size() != dense.size() || some.size() != sparse.size())
    throw std::invalid_argument("a counter has to give one table for each scope");
  std::size_t i = 0, j = 0;
  for (const Variables& set : sets) {
    const bool whole = is_dense(set);
    if (whole && static_cast<double>(all[i].size()) != cells(set))
      throw std::invalid_argument("a counter gave a table of another shape than was asked for");
    CountTable table =
        whole ? CountTable{set, false, {}, std::move(all[i++])} : CountTable{set, true, {}, {}};
    if (!whole) table.codes = std::move(some[j].codes), table.counts = std::move(some[j++].counts);
    out.push_back(keep(std::move(table), prints_.of(set)));
  }
}

std::vector<TablePtr> TableMemory::tables(const std::vector<Variables>& sets, Cancel& cancel) {
  const ForkLock lock(mutex_, [&] { begin_anew(bytes_, kept_, larger_, by_age_, tally_); });
  std::vector<TablePtr> found(sets.size());
  PrintMap<std::size_t> first;  // where a set that is not known is asked for first
  std::vector<std::size_t> unknown;
  for (std::size_t i = 0; i < sets.size(); ++i) {
    const Fingerprint print = prints_.of(sets[i]);
    if ((found[i] = recall(sets[i], print))) continue;
    if (first.try_emplace(print, i).second) unknown.push_back(i);
  }
  if (unknown.empty()) return found;
  // the largest first: what lies inside a table that will be counted is added up
  std::ranges::stable_sort(unknown, {},
                           [&](std::size_t i) { return -static_cast<std::ptrdiff_t>(sets[i].size()); });
  PrintMap<std::size_t> inside;  // of a set: the table that will be counted, by its place in `sets`
  std::vector<Variables> counted;
  std::vector<std::size_t> places;
  std::vector<std::pair<std::size_t, std::size_t>> added;  // a set, and the set that it lies in
  for (const std::size_t i : unknown) {
    const Fingerprint print = prints_.of(sets[i]);
    if (const auto larger = inside.find(print); larger != inside.end()) {
      added.emplace_back(i, larger->second);
      continue;
    }
    counted.push_back(sets[i]);
    places.push_back(i);
    if (is_dense(sets[i]))
      for_each_smaller(prints_, sets[i], print, [&](const Fingerprint& smaller) {
        const auto [at, is_new] = inside.try_emplace(smaller, i);
        if (!is_new && cells(sets[i]) < cells(sets[at->second])) at->second = i;
      });
  }
  std::vector<TablePtr> fresh;
  count(counted, fresh, cancel);
  for (std::size_t k = 0; k < places.size(); ++k) found[places[k]] = fresh[k];
  for (const auto& [i, larger] : added)
    found[i] = keep_part(part_of(*found[larger], sets[i]), prints_.of(sets[i]));
  for (std::size_t i = 0; i < sets.size(); ++i)
    if (!found[i]) found[i] = found[first.at(prints_.of(sets[i]))];
  return found;
}

}  // namespace treewright
