#include "treewright/counting/contexts.hpp"

#include <algorithm>
#include <limits>
#include <numeric>

#include "parallel/kept.hpp"
#include "treewright/counting/dispatch.hpp"

namespace treewright {
namespace {

// Words looked at before the next check for Ctrl-C; a block of planes also stays in cache.
constexpr std::size_t kWordsPerCheck = 1024;

// The largest group is what the others leave of the totals.
template <class Count>
void fill_largest(GroupedCounts<Count>& out, std::size_t skip, const PackedTable& table, Cancel& cancel) {
  const Planes& planes = table.planes(cancel);
  Count* rest = out.cells.data() + skip * out.stride;
  std::fill(rest, rest + out.stride, Count{0});
  for (std::size_t v = 0; v < table.n_variables(); ++v) {
    if (planes.of(v) == 0) continue;
    const std::vector<std::int64_t>& totals = table.marginals(cancel)[v];
    for (std::size_t s = 0; s < planes.of(v); ++s) rest[planes.first[v] + s] = static_cast<Count>(totals[s]);
  }
  const std::size_t n_planes = planes.count();
  for (std::size_t g = 0; g < out.n_groups; ++g) {
    if (g == skip || out.group_sizes[g] == 0) continue;
    const Count* other = out.row(g);
    for (std::size_t p = 0; p < n_planes; ++p) rest[p] -= other[p];
  }
}

}  // namespace

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

template <class Count>
GroupedCounts<Count> count_grouped(const PackedTable& table, const Contexts& contexts, Cancel& cancel) {
  const RowBits& rows = table.row_bits(cancel);
  GroupedCounts<Count> out;
  out.n_groups = contexts.n_groups;
  out.stride = 64 * rows.words;
  out.cells.assign(out.n_groups * out.stride, 0);
  out.group_sizes.assign(out.n_groups, 0);
  if (out.n_groups == 0) return out;

  // The largest group is never read: it is what the others leave of the totals.
  std::size_t skip = std::numeric_limits<std::size_t>::max();
  const Kept<BlockGrouping> kept;
  BlockGrouping& grouping = *kept;
  const Kept<std::vector<std::uint32_t>> kept_scratch;
  std::vector<std::uint32_t>& scratch = *kept_scratch;
  const auto add = [&](std::size_t block, const std::uint16_t* list, std::size_t n, std::uint32_t bit) {
    cancel.check();
    const std::size_t begin = block * kBlockRows;
    const std::size_t in_block = std::min(kBlockRows, table.n_rows() - begin);
    grouping.sort(contexts.of_block(table, begin, in_block, scratch), list, n, out.n_groups);
    if (skip >= out.n_groups) {
      skip = 0;
      std::uint32_t most = 0;
      for (std::size_t g = 0; g < out.n_groups; ++g)
        if (grouping.starts[g + 1] - grouping.starts[g] > most)
          most = grouping.starts[g + 1] - grouping.starts[g], skip = g;
    }
    for (std::size_t g = 0; g < out.n_groups; ++g)
      out.group_sizes[g] += static_cast<std::int64_t>(grouping.starts[g + 1] - grouping.starts[g]) << bit;
    const Word* base = rows.row(begin);
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
  if (skip >= out.n_groups) return out;  // no row at all

  fill_largest(out, skip, table, cancel);
  return out;
}

GroupedCounts<std::uint64_t> count_by_masks(const PackedTable& table, std::span<const std::uint32_t> scope,
                                            Cancel& cancel) {
  const Planes& planes = table.planes(cancel);
  GroupedCounts<std::uint64_t> out;
  const std::size_t stride = plane_stride(table.n_rows());  // of masks; planes may be a run of longer ones
  AlignedVector<Word> masks(stride, 0), finer;
  std::fill_n(masks.begin(), planes.words, ~Word{0});
  if (table.n_rows() % 64) masks[planes.words - 1] = (Word{1} << (table.n_rows() % 64)) - 1;
  out.n_groups = 1;
  out.group_sizes = {static_cast<std::int64_t>(table.n_rows())};
  for (const std::uint32_t v : scope) {
    cancel.check();
    const std::size_t n_planes = planes.of(v), r = n_planes + 1;
    finer.resize(out.n_groups * r * stride);
    std::vector<std::int64_t> sizes(out.n_groups * r);
    for (std::size_t g = 0; g < out.n_groups; ++g) {
      std::int64_t* counts = sizes.data() + g * r;
      kernels().split(masks.data() + g * stride, planes.plane(planes.first[v]), n_planes, planes.stride,
                      planes.words, finer.data() + g * r * stride, stride, counts);
      counts[n_planes] = out.group_sizes[g] - std::accumulate(counts, counts + n_planes, std::int64_t{0});
    }
    masks.swap(finer);
    out.group_sizes.swap(sizes);
    out.n_groups *= r;
  }
  out.stride = 64 * words_for(planes.count());
  out.cells.assign(out.n_groups * out.stride, 0);
  const auto skip =
      static_cast<std::size_t>(std::ranges::max_element(out.group_sizes) - out.group_sizes.begin());
  const auto count = [&](std::size_t begin, std::size_t end) {  // groups side by side
    for (std::size_t word = 0; begin < end && word < planes.words; word += kWordsPerCheck) {
      cancel.check();
      kernels().and_popcounts(
          masks.data() + begin * stride + word, end - begin, stride, planes.plane(0) + word, planes.count(),
          planes.stride, std::min(kWordsPerCheck, planes.words - word),
          reinterpret_cast<std::int64_t*>(out.cells.data() + begin * out.stride), out.stride);
    }
  };
  count(0, skip);
  count(skip + 1, out.n_groups);
  fill_largest(out, skip, table, cancel);
  return out;
}

PartnerCounts count_partners(const PackedTable& table, std::span<const std::uint32_t> context,
                             std::span<const std::uint32_t> partners, Cancel& cancel) {
  table.check_scope(context);
  table.check_scope(partners);
  const Contexts contexts = configurations_in_blocks(table, context, cancel);
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
  std::vector<std::uint32_t> position(counted.n_groups, 0), scratch;
  for (std::size_t k = 0; k < occupied.size(); ++k) position[occupied[k]] = static_cast<std::uint32_t>(k);
  std::size_t at = 0;
  for (std::uint32_t y : partners) {
    cancel.check();
    const std::size_t r = table.cardinality(y);
    if (table.is_wide(y)) {
      table.codes(y).visit([&](const auto* codes) {
        each_block(table, cancel, [&](std::size_t begin, std::size_t n) {
          const std::uint32_t* ids = contexts.of_block(table, begin, n, scratch);
          for (std::size_t i = 0; i < n; ++i)
            if (const std::int64_t w = table.is_weighted() ? table.weights().integers[begin + i] : 1; w != 0)
              out.cells[position[ids[i]] * out.n_states + at + codes[begin + i]] += w;
        });
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
