#include "treewright/contexts.hpp"

#include <algorithm>
#include <limits>

#include "treewright/cost.hpp"
#include "treewright/dispatch.hpp"

namespace treewright {
namespace {

constexpr std::uint64_t kKeepDeclared = 64;

void extend_ids(std::vector<std::uint32_t>& ids, CodeColumn column, std::uint32_t radix) {
  switch (column.width) {
    case 1:
      return kernels().extend32_8(ids.data(), static_cast<const std::uint8_t*>(column.data), ids.size(),
                                  radix);
    case 2:
      return kernels().extend32_16(ids.data(), static_cast<const std::uint16_t*>(column.data), ids.size(),
                                   radix);
    default:
      return kernels().extend32_32(ids.data(), static_cast<const std::uint32_t*>(column.data), ids.size(),
                                   radix);
  }
}

// Number the codes that occur, in rising order: one pass marks, one pass maps.
std::size_t renumber(std::vector<std::uint32_t>& ids, std::size_t bound) {
  std::vector<std::uint32_t> number(bound, 0);
  for (std::uint32_t id : ids) number[id] = 1;
  std::uint32_t next = 0;
  for (std::uint32_t& one : number) one = one ? next++ : 0;
  for (std::uint32_t& id : ids) id = number[id];
  return next;
}

// The same for codes that no array could hold: by sorting.
std::size_t renumber_pairs(std::vector<std::uint32_t>& ids, CodeColumn column, std::uint64_t radix) {
  std::vector<std::uint64_t> keys(ids.size());
  column.visit([&](const auto* codes) {
    for (std::size_t i = 0; i < ids.size(); ++i) keys[i] = ids[i] * radix + codes[i];
  });
  std::vector<std::uint64_t> sorted = keys;
  std::sort(sorted.begin(), sorted.end());
  sorted.erase(std::unique(sorted.begin(), sorted.end()), sorted.end());
  for (std::size_t i = 0; i < ids.size(); ++i)
    ids[i] =
        static_cast<std::uint32_t>(std::lower_bound(sorted.begin(), sorted.end(), keys[i]) - sorted.begin());
  return sorted.size();
}

}  // namespace

Contexts configurations(const PackedTable& table, std::span<const std::uint32_t> scope, Cancel& cancel) {
  Contexts out;
  out.ids.assign(table.n_rows(), 0);
  // numbers may run this far before the ones that do not occur are squeezed out
  const std::uint64_t limit = std::max<std::uint64_t>(65536, 4 * table.n_rows());
  std::uint64_t bound = 1;
  bool squeezed = false;
  for (std::uint32_t v : scope) {
    cancel.check();
    const std::uint64_t r = table.cardinality(v);
    const CodeColumn column = table.codes(v);
    if (bound * r > limit && bound > 1) {
      bound = std::max<std::uint64_t>(1, renumber(out.ids, bound));
      squeezed = true;
    }
    if (bound * r > std::max<std::uint64_t>(limit, std::uint64_t{1} << 26)) {
      bound = std::max<std::uint64_t>(1, renumber_pairs(out.ids, column, r));
      squeezed = true;
    } else {
      extend_ids(out.ids, column, static_cast<std::uint32_t>(r));
      bound *= r;
    }
  }
  if (squeezed || bound > kKeepDeclared) {
    bound = renumber(out.ids, bound);
    out.first_row.assign(bound, 0);
    for (std::size_t i = out.ids.size(); i-- > 0;) out.first_row[out.ids[i]] = static_cast<std::uint32_t>(i);
  }
  out.n_groups = bound;
  return out;
}

void extend(Contexts& contexts, const PackedTable& table, std::uint32_t v) {
  extend_ids(contexts.ids, table.codes(v), table.cardinality(v));
  contexts.n_groups *= table.cardinality(v);
}

void BlockGrouping::sort(const std::uint32_t* ids, const std::uint16_t* rows, std::size_t n,
                         std::size_t n_groups) {
  // Four streams over four quarters: with one, rows of a common group wait for each other's cursor.
  constexpr std::size_t kStreams = 4;
  order.resize(n);
  starts.resize(n_groups + 1);
  cursors.assign(kStreams * n_groups, 0);
  std::size_t bounds[kStreams + 1];
  for (std::size_t s = 0; s <= kStreams; ++s) bounds[s] = n * s / kStreams;
  std::uint32_t* cursor[kStreams];
  for (std::size_t s = 0; s < kStreams; ++s) cursor[s] = cursors.data() + s * n_groups;
  const std::size_t quarter = n / kStreams;
  const auto pass = [&](auto&& act) {
    for (std::size_t i = 0; i < quarter; ++i) {
      act(0, bounds[0] + i);
      act(1, bounds[1] + i);
      act(2, bounds[2] + i);
      act(3, bounds[3] + i);
    }
    for (std::size_t s = 0; s < kStreams; ++s)
      for (std::size_t i = bounds[s] + quarter; i < bounds[s + 1]; ++i) act(s, i);
  };
  const auto run = [&](auto&& row_of) {
    pass([&](std::size_t s, std::size_t i) { ++cursor[s][ids[row_of(i)]]; });
    std::uint32_t at = 0;
    for (std::size_t g = 0; g < n_groups; ++g) {
      starts[g] = at;
      for (std::size_t s = 0; s < kStreams; ++s) {
        const std::uint32_t size = cursor[s][g];
        cursor[s][g] = at;
        at += size;
      }
    }
    starts[n_groups] = at;
    std::uint16_t* out = order.data();
    pass([&](std::size_t s, std::size_t i) {
      const std::uint16_t row = row_of(i);
      out[cursor[s][ids[row]]++] = row;
    });
  };
  if (rows)
    run([rows](std::size_t i) { return rows[i]; });
  else
    run([](std::size_t i) { return static_cast<std::uint16_t>(i); });
}

namespace {

// Sort the rows of each block by group and add their bits, group by group. Returns the group left out, the
// largest of the first block, or n_groups when there is no row.
template <class Count>
std::size_t add_by_sorting(const PackedTable& table, const Contexts& contexts, GroupedCounts<Count>& out,
                           Cancel& cancel) {
  const RowBits& rows = table.row_bits(cancel);
  std::size_t skip = out.n_groups;
  static thread_local BlockGrouping grouping;
  const auto add = [&](std::size_t block, const std::uint16_t* list, std::size_t n, std::uint32_t bit) {
    cancel.check();
    const std::size_t begin = block * kBlockRows;
    grouping.sort(contexts.ids.data() + begin, list, n, out.n_groups);
    if (skip >= out.n_groups) {
      skip = 0;
      std::uint32_t most = 0;
      for (std::size_t g = 0; g < out.n_groups; ++g)
        if (grouping.starts[g + 1] - grouping.starts[g] > most)
          most = grouping.starts[g + 1] - grouping.starts[g], skip = g;
    }
    for (std::size_t g = 0; g < out.n_groups; ++g)
      out.group_sizes[g] += static_cast<std::int64_t>(grouping.starts[g + 1] - grouping.starts[g]) << bit;
    const Word* base = rows.bits.data() + begin * rows.words;
    if constexpr (sizeof(Count) == 4)
      kernels().add_grouped(base, rows.words, grouping.order.data(), grouping.starts.data(), out.n_groups,
                            skip, bit, out.cells.data(), out.stride);
    else
      kernels().add_grouped_wide(base, rows.words, grouping.order.data(), grouping.starts.data(),
                                 out.n_groups, skip, bit, out.cells.data(), out.stride);
  };
  if (table.is_weighted()) {
    const WeightSections& weights = table.sections();
    for (const auto& section : weights.sections)
      add(section.block, weights.rows.data() + section.begin, section.end - section.begin, section.bit);
  } else {
    for (std::size_t begin = 0; begin < table.n_rows(); begin += kBlockRows)
      add(begin / kBlockRows, nullptr, std::min(kBlockRows, table.n_rows() - begin), 0);
  }
  return skip;
}

// Kernel A against every plane is cheaper while groups are few; weights would need a mask for each bit.
bool masks_pay(const PackedTable& table, std::size_t n_groups, std::size_t n_planes) {
  const auto rows = static_cast<double>(table.n_rows()), groups = static_cast<double>(n_groups);
  const auto planes = static_cast<double>(n_planes);
  return !table.is_weighted() && n_groups <= 64 &&
         kCost.masks(rows, groups - 1, planes) < kCost.grouped(rows, 0, groups, planes, 0.5);
}

// Make a bit mask of each group and count the planes under it. Returns the group left out.
template <class Count>
std::size_t add_by_masks(const PackedTable& table, const Contexts& contexts, GroupedCounts<Count>& out,
                         Cancel& cancel) {
  const Planes& planes = table.planes(cancel);
  const std::size_t n = table.n_rows(), n_planes = planes.count(), n_groups = out.n_groups;
  const std::vector<std::uint8_t> ids(contexts.ids.begin(), contexts.ids.end());
  AlignedVector<Word> masks(n_groups * planes.stride, 0);
  kernels().build_planes(ids.data(), n, n_groups, masks.data(), planes.stride);
  const auto mask = [&](std::size_t g) { return masks.data() + g * planes.stride; };
  for (std::size_t g = 0; g < n_groups; ++g)
    kernels().and_popcounts(mask(g), 1, 0, mask(g), 1, 0, planes.words, &out.group_sizes[g], 1);
  const auto largest = std::ranges::max_element(out.group_sizes);
  const auto skip = static_cast<std::size_t>(largest - out.group_sizes.begin());
  std::vector<std::int64_t> counts(n_planes);
  constexpr std::size_t kWordsAtOnce = kBlockRows / 64;
  for (std::size_t g = 0; g < n_groups; ++g) {
    if (g == skip || out.group_sizes[g] == 0) continue;
    std::ranges::fill(counts, 0);
    for (std::size_t word = 0; word < planes.words; word += kWordsAtOnce) {
      cancel.check();
      kernels().and_popcounts(mask(g) + word, 1, 0, planes.plane(0) + word, n_planes, planes.stride,
                              std::min(kWordsAtOnce, planes.words - word), counts.data(), 0);
    }
    std::copy(counts.begin(), counts.end(), out.cells.begin() + g * out.stride);
  }
  return skip;
}

}  // namespace

template <class Count>
GroupedCounts<Count> count_grouped(const PackedTable& table, const Contexts& contexts, Cancel& cancel) {
  const Planes& planes = table.planes(cancel);
  const std::size_t n_planes = planes.count();
  GroupedCounts<Count> out;
  out.n_groups = contexts.n_groups;
  out.stride = 64 * words_for(n_planes);
  out.cells.assign(out.n_groups * out.stride, 0);
  out.group_sizes.assign(out.n_groups, 0);
  if (out.n_groups == 0 || table.n_rows() == 0) return out;

  // The largest group is never read: it is what the others leave of the totals.
  const std::size_t skip = masks_pay(table, out.n_groups, n_planes)
                               ? add_by_masks(table, contexts, out, cancel)
                               : add_by_sorting(table, contexts, out, cancel);
  if (skip >= out.n_groups) return out;  // no row at all
  Count* rest = out.cells.data() + skip * out.stride;
  std::fill(rest, rest + out.stride, Count{0});
  for (std::size_t v = 0; v < table.n_variables(); ++v) {
    if (planes.of(v) == 0) continue;
    const std::vector<std::int64_t>& totals = table.marginals(cancel)[v];
    for (std::size_t s = 0; s < planes.of(v); ++s) rest[planes.first[v] + s] = static_cast<Count>(totals[s]);
  }
  for (std::size_t g = 0; g < out.n_groups; ++g) {
    if (g == skip || out.group_sizes[g] == 0) continue;
    const Count* other = out.row(g);
    for (std::size_t p = 0; p < n_planes; ++p) rest[p] -= other[p];
  }
  return out;
}

PartnerCounts count_partners(const PackedTable& table, std::span<const std::uint32_t> context,
                             std::span<const std::uint32_t> partners, Cancel& cancel) {
  table.check_scope(context);
  table.check_scope(partners);
  Contexts contexts = configurations(table, context, cancel);
  const auto counted = count_grouped<std::uint64_t>(table, contexts, cancel);
  const Planes& planes = table.planes(cancel);

  PartnerCounts out;
  std::vector<std::size_t> occupied;
  for (std::size_t g = 0; g < counted.n_groups; ++g)
    if (counted.group_sizes[g] > 0) occupied.push_back(g);
  out.n_groups = occupied.size();
  for (std::uint32_t y : partners) out.n_states += table.cardinality(y);
  out.configurations.assign(out.n_groups * context.size(), 0);
  out.cells.assign(out.n_groups * out.n_states, 0);
  for (std::size_t k = 0; k < occupied.size(); ++k) {
    std::uint64_t rest = occupied[k];
    for (std::size_t c = context.size(); c-- > 0;) {
      auto& state = out.configurations[k * context.size() + c];
      if (contexts.renumbered()) {
        state = table.codes(context[c]).visit([&](const auto* codes) {
          return static_cast<std::uint32_t>(codes[contexts.first_row[occupied[k]]]);
        });
      } else {
        state = static_cast<std::uint32_t>(rest % table.cardinality(context[c]));
        rest /= table.cardinality(context[c]);
      }
    }
  }
  std::vector<std::uint32_t> position(counted.n_groups, 0);
  for (std::size_t k = 0; k < occupied.size(); ++k) position[occupied[k]] = static_cast<std::uint32_t>(k);
  std::size_t at = 0;
  for (std::uint32_t y : partners) {
    cancel.check();
    const std::size_t r = table.cardinality(y);
    if (table.is_wide(y)) {
      table.codes(y).visit([&](const auto* codes) {
        for (std::size_t i = 0; i < table.n_rows(); ++i)
          if (const std::int64_t w = table.is_weighted() ? table.weights().integers[i] : 1; w != 0)
            out.cells[position[contexts.ids[i]] * out.n_states + at + codes[i]] += w;
      });
    } else {
      for (std::size_t k = 0; k < occupied.size(); ++k) {
        std::int64_t* cells = out.cells.data() + k * out.n_states + at;
        cells[r - 1] = counted.group_sizes[occupied[k]];
        for (std::size_t s = 0; s + 1 < r; ++s) {
          cells[s] = static_cast<std::int64_t>(counted.row(occupied[k])[planes.first[y] + s]);
          cells[r - 1] -= cells[s];
        }
      }
    }
    at += r;
  }
  return out;
}

template GroupedCounts<std::uint32_t> count_grouped(const PackedTable&, const Contexts&, Cancel&);
template GroupedCounts<std::uint64_t> count_grouped(const PackedTable&, const Contexts&, Cancel&);

}  // namespace treewright
