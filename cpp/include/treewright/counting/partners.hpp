// One context against many partners, table by table: the ways to count them, behind one visitor.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "treewright/counting/contexts.hpp"
#include "treewright/counting/cost.hpp"
#include "treewright/counting/counts.hpp"
#include "treewright/counting/function_ref.hpp"

namespace treewright {

/// The rows that a search counts: distinct rows with weights where that pays, else the table itself.
inline const PackedTable& rows_to_search(const PackedTable& table, Cancel& cancel) {
  const PackedTable* compressed = table.compressed(cancel);
  return compressed ? *compressed : table;
}

/// Rows numbered by configurations of some variables and, within each, by the states of x.
struct PartnerContext {
  PartnerContext(const PackedTable& table, std::uint32_t x, ScopeView given, Cancel& cancel)
      : table(table), contexts(configurations_in_blocks(table, given, cancel)), r_x(table.cardinality(x)) {
    n_configurations = contexts.n_groups;
    extend(contexts, table, x);
  }

  /// Few groups of rows without weights are counted from their masks: no row needs a number.
  PartnerContext(const PackedTable& table, std::uint32_t x, std::size_t n_configurations)
      : table(table), r_x(table.cardinality(x)) {
    this->n_configurations = n_configurations;
    contexts.n_groups = n_configurations * r_x;
  }

  /// Kernel B pays from a few partners on, unless groups are so many that flushing them dominates.
  bool groups_pay(std::size_t n_partners, std::size_t n_context_columns, Cancel& cancel) const {
    const auto rows = static_cast<double>(table.n_rows());
    const auto groups = static_cast<double>(contexts.n_groups);
    const double planes = table.planes(cancel).count();
    return n_partners > 3 && groups * (planes + 64) < 64e6 &&
           kCost.grouped(rows, static_cast<double>(n_context_columns), groups, planes, 0) <
               kCost.histograms(rows, static_cast<double>(n_partners), 0);
  }

  const PackedTable& table;
  Contexts contexts;  // numbers are configuration * r_x + state of x
  std::size_t n_configurations, r_x;
};

/// Takes the r_x x r_y cells of one configuration, in C order.
template <class Count>
using StratumVisitor = FunctionRef<void(const Count*)>;

/// Tables of one partner, configuration by configuration: for occupied configurations, in their order.
/// `Count` is std::int64_t, or double for real weights.
template <class Count>
void visit_partner(const PartnerContext& context, std::uint32_t y, Cancel& cancel,
                   StratumVisitor<Count> visit);

/// The same from kernel B's counters.
template <class Counter>
void visit_grouped(const PartnerContext& context, const GroupedCounts<Counter>& counted, const Planes& planes,
                   std::uint32_t y, std::vector<std::int64_t>& cells, StratumVisitor<std::int64_t> visit);

/// Call `f` with kernel B's counters, 32-bit where they suffice.
template <class F>
void with_grouped(const PackedTable& table, const Contexts& contexts, Cancel& cancel, F&& f) {
  if (table.total() < (std::int64_t{1} << 31))
    f(count_grouped<std::uint32_t>(table, contexts, cancel));
  else
    f(count_grouped<std::uint64_t>(table, contexts, cancel));
}

}  // namespace treewright
