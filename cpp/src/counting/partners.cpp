#include "treewright/counting/partners.hpp"

#include <algorithm>
#include <type_traits>

#include "parallel/kept.hpp"

namespace treewright {
namespace {

// Rows that are sorted together; of many rows a share, so that these are not read too often.
constexpr std::size_t kFewSorted = std::size_t{1} << 21, kMostRuns = 16;

// Where runs of configurations end that have so many rows or a little more.
std::vector<std::size_t> runs_to_sort(const PartnerContext& context, Cancel& cancel) {
  const PackedTable& table = context.table;
  if (table.n_rows() <= kFewSorted) return {context.n_configurations};
  const std::size_t most = std::max(kFewSorted, table.n_rows() / kMostRuns);
  std::vector<std::uint32_t> sizes(context.n_configurations, 0), scratch;
  each_block(table, cancel, [&](std::size_t begin, std::size_t n) {
    const std::uint32_t* ids = context.contexts.of_block(table, begin, n, scratch);
    for (std::size_t i = 0; i < n; ++i) ++sizes[ids[i] / context.r_x];
  });
  std::vector<std::size_t> ends;
  std::size_t rows = 0;
  for (std::size_t j = 0; j < sizes.size(); ++j)
    if ((rows += sizes[j]) >= most) ends.push_back(j + 1), rows = 0;
  if (rows > 0) ends.push_back(sizes.size());
  return ends;
}

}  // namespace

template <class Count>
void visit_partner(const PartnerContext& context, std::uint32_t y, Cancel& cancel,
                   StratumVisitor<Count> visit) {
  const PackedTable& table = context.table;
  const std::size_t r_y = table.cardinality(y), size = context.r_x * r_y;
  const auto weight = [&](std::size_t i) -> Count {
    if constexpr (std::is_same_v<Count, double>) return table.weights().reals[i];
    return table.is_weighted() ? table.weights().integers[i] : 1;
  };
  const double cells = static_cast<double>(context.n_configurations) * static_cast<double>(size);
  const Kept<std::vector<std::uint32_t>> kept;
  if (cells <= std::max(65536.0, kSparseFactor * static_cast<double>(table.n_rows()))) {
    CellSums<Count> sums(static_cast<std::size_t>(cells));
    table.codes(y).visit([&](const auto* codes) {
      each_block(table, cancel, [&](std::size_t begin, std::size_t n) {
        const std::uint32_t* ids = context.contexts.of_block(table, begin, n, *kept);
        const auto cell = [&, of_y = codes + begin](std::size_t i) { return ids[i] * r_y + of_y[i]; };
        if constexpr (std::is_same_v<Count, double>)
          sums.add(n, cell, [from = table.weights().reals + begin](std::size_t i) { return from[i]; });
        else
          sums.add(n, cell, [&](std::size_t i) { return weight(begin + i); });
      });
    });
    const std::vector<Count> counts = std::move(sums).total();
    for (std::size_t j = 0; j < context.n_configurations; ++j) {
      const Count* stratum = counts.data() + j * size;
      if (std::any_of(stratum, stratum + size, [](Count n) { return n != 0; })) visit(stratum);
    }
    return;
  }
  // too many cells to hold: sort the rows by cell, a run of configurations at a time, and fill one stratum
  // after the other
  std::vector<std::pair<std::uint64_t, std::uint32_t>> order;
  std::vector<Count> stratum(size, Count{0});
  std::size_t from = 0;
  for (const std::size_t to : runs_to_sort(context, cancel)) {
    order.clear();
    table.codes(y).visit([&](const auto* codes) {
      each_block(table, cancel, [&](std::size_t begin, std::size_t n) {
        const std::uint32_t* ids = context.contexts.of_block(table, begin, n, *kept);
        for (std::size_t i = 0; i < n; ++i)
          if (ids[i] >= from * context.r_x && ids[i] < to * context.r_x)
            order.emplace_back(ids[i] * static_cast<std::uint64_t>(r_y) + codes[begin + i],
                               static_cast<std::uint32_t>(begin + i));
      });
    });
    from = to;
    std::sort(order.begin(), order.end());
    for (std::size_t i = 0; i < order.size();) {
      const std::uint64_t first = order[i].first / size * size;
      const std::size_t begin = i;
      for (; i < order.size() && order[i].first < first + size; ++i)
        stratum[order[i].first - first] += weight(order[i].second);
      if (std::any_of(order.begin() + begin, order.begin() + i,
                      [&](const auto& o) { return weight(o.second) != 0; }))
        visit(stratum.data());
      for (std::size_t k = begin; k < i; ++k) stratum[order[k].first - first] = 0;
      if (begin % kBlockRows == 0) cancel.check();
    }
  }
}

template <class Counter>
void visit_grouped(const PartnerContext& context, const GroupedCounts<Counter>& counted, const Planes& planes,
                   std::uint32_t y, std::vector<std::int64_t>& cells, StratumVisitor<std::int64_t> visit) {
  const std::size_t r_y = planes.of(y) + 1, r_x = context.r_x, start = planes.first[y];
  cells.resize(r_x * r_y);
  for (std::size_t j = 0; j < context.n_configurations; ++j) {
    std::int64_t total = 0;
    for (std::size_t k = 0; k < r_x; ++k) {
      const std::size_t g = j * r_x + k;
      const Counter* row = counted.row(g) + start;
      std::int64_t rest = counted.group_sizes[g];
      total += rest;
      for (std::size_t s = 0; s + 1 < r_y; ++s) {
        cells[k * r_y + s] = static_cast<std::int64_t>(row[s]);
        rest -= cells[k * r_y + s];
      }
      cells[k * r_y + r_y - 1] = rest;
    }
    if (total > 0) visit(cells.data());
  }
}

template void visit_partner(const PartnerContext&, std::uint32_t, Cancel&, StratumVisitor<std::int64_t>);
template void visit_partner(const PartnerContext&, std::uint32_t, Cancel&, StratumVisitor<double>);
template void visit_grouped(const PartnerContext&, const GroupedCounts<std::uint32_t>&, const Planes&,
                            std::uint32_t, std::vector<std::int64_t>&, StratumVisitor<std::int64_t>);
template void visit_grouped(const PartnerContext&, const GroupedCounts<std::uint64_t>&, const Planes&,
                            std::uint32_t, std::vector<std::int64_t>&, StratumVisitor<std::int64_t>);

}  // namespace treewright
