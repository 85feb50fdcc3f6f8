#include "treewright/inference/forest_batch.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <numeric>
#include <stdexcept>

#include "inference/forest/batch_output.hpp"
#include "inference/forest/forest_answer.hpp"
#include "treewright/parallel/threads.hpp"

namespace treewright::forests {
namespace {

// Four lanes of doubles for each cell, per thread: beyond this a tree for all rows takes too much memory.
constexpr std::uint64_t kWideCells = std::uint64_t{1} << 20;
// A tree of its own for each set of observed variables costs this much per variable.
constexpr double kPlanningSecondsPerSet = 1.5e-6;

void ask_one(Forest& forest, const EvidenceReader& reader, std::size_t row, const BatchOutput& out,
             double limit, Cancel& cancel) {
  const auto offsets = forest.offsets();
  std::vector<double> all(offsets.back());
  out.log_mass[row] = forest.marginals(reader.evidence(row), all, limit, cancel);
  if (out.log_mass[row] == kImpossible) return out.write_impossible(row);
  for (std::size_t k = 0; k < out.wanted.size(); ++k) {
    const Var v = out.wanted[k];
    std::copy(all.begin() + static_cast<std::ptrdiff_t>(offsets[v]),
              all.begin() + static_cast<std::ptrdiff_t>(offsets[v + 1]),
              out.cells + row * out.width + out.begin[k]);
  }
}

// Four rows side by side on the tree that serves every question; evidence is a mask per row.
TREEWRIGHT_CLONES void write_four(const Lanes* sums, std::size_t n, double* const* to) {
  Lanes total = sums[0];
  for (std::size_t s = 1; s < n; ++s) total += sums[s];
  for (std::size_t s = 0; s < n; ++s) {
    const Lanes p = sums[s] / total;
    for (std::size_t l = 0; l < kLanes; ++l) to[l][s] = p[l];
  }
}

void ask_four(Forest& forest, const Plan& plan, Workspace<Lanes>& space, const EvidenceReader& reader,
              std::span<const std::size_t> rows, const BatchOutput& out, double limit, Cancel& cancel) {
  const FactorSet& set = forest.factors();
  const auto offsets = forest.offsets();
  const std::vector<std::uint32_t> states(set.size(), 0);
  Propagation<Lanes> run(set, plan, space, cancel);
  run.load(states.data());
  for (const Var v : reader.seen()) {
    if (plan.mask_node[v] == kNobody) continue;
    std::int64_t codes[kLanes];
    bool any = false;
    for (std::size_t l = 0; l < kLanes; ++l) {
      codes[l] = reader.code(rows[std::min(l, rows.size() - 1)], v);
      any |= codes[l] != kUnseen;
    }
    if (!any) continue;
    Lanes* const mask = run.add_mask(v, reader.seen().size(), offsets.back());
    for (std::uint32_t s = 0; s < set.cardinalities[v]; ++s)
      for (std::size_t l = 0; l < kLanes; ++l) mask[s][l] = codes[l] == kUnseen || codes[l] == s;
  }
  run.collect<false>();
  Lanes* const sums = space.out.reserve(offsets.back());
  std::fill_n(sums, offsets.back(), CellTraits<Lanes>::zero());
  run.distribute(sums, offsets.data());
  std::vector<double> spare(offsets.back());
  for (std::size_t k = 0; k < out.wanted.size(); ++k) {
    const Var v = out.wanted[k];
    double* to[kLanes];
    for (std::size_t l = 0; l < kLanes; ++l)
      to[l] = l < rows.size() ? out.cells + rows[l] * out.width + out.begin[k] : spare.data();
    if (plan.mask_node[v] == kNobody) {
      for (std::size_t l = 0; l < kLanes; ++l) to[l][0] = 1;
    } else {
      write_four(sums + offsets[v], set.cardinalities[v], to);
    }
  }
  for (std::size_t l = 0; l < rows.size(); ++l) {
    if (run.weak(l)) {
      ask_one(forest, reader, rows[l], out, limit, cancel);
    } else {
      out.log_mass[rows[l]] = run.log_mass(l);
    }
  }
}

// All rows over one tree.
void ask_together(Forest& forest, const Plan& plan, const EvidenceReader& reader,
                  std::span<const std::size_t> rows, const BatchOutput& out, double limit, Cancel& cancel) {
  constexpr std::size_t kChunk = 16 * kLanes;
  const double cost = 1e9 * plan.cost.seconds() / 2 * static_cast<double>(rows.size());
  parallel_for((rows.size() + kChunk - 1) / kChunk, cost, cancel, [&](std::size_t chunk) {
    SpacePool::Lease<Lanes> space(forest.spaces());
    const std::size_t end = std::min(rows.size(), (chunk + 1) * kChunk);
    for (std::size_t i = chunk * kChunk; i < end; i += kLanes)
      ask_four(forest, plan, *space, reader, rows.subspan(i, std::min(kLanes, end - i)), out, limit, cancel);
  });
}

// Row by row; those with the same observed set share a plan, so they come one after another.
void ask_apart(Forest& forest, const EvidenceReader& reader, std::vector<std::size_t> rows,
               const BatchOutput& out, double limit, Cancel& cancel) {
  const std::vector<std::uint64_t> pattern = reader.hashes(false);
  std::ranges::stable_sort(rows, {}, [&](std::size_t r) { return pattern[r]; });
  parallel_for(rows.size(), 1e5 * static_cast<double>(rows.size()), cancel,
               [&](std::size_t i) { ask_one(forest, reader, rows[i], out, limit, cancel); });
}

// Four rows at a time over a tree that is larger than each needs, against a smaller tree to be planned for
// each observed set: whichever is predicted to take less time.
std::shared_ptr<const Plan> worth_one_tree(Forest& forest, const EvidenceReader& reader,
                                           std::span<const std::size_t> rows, double limit, Cancel& cancel) {
  constexpr std::size_t kFew = 32;
  if (rows.size() < kFew) return nullptr;
  const std::vector<std::uint64_t> hashes = reader.hashes(false);
  std::vector<std::uint64_t> patterns;
  for (const std::size_t r : rows) patterns.push_back(hashes[r]);
  std::ranges::sort(patterns);
  patterns.erase(std::unique(patterns.begin(), patterns.end()), patterns.end());
  const double planned = static_cast<double>(patterns.size()) / static_cast<double>(rows.size());
  if (planned < 0.1) return nullptr;
  const auto wide = forest.wide_plan(cancel);
  if (!wide || wide->table_cells > kWideCells) return nullptr;
  const Cost one = forest.cost(reader.evidence(rows[0]), {}, limit, cancel);
  const double planning = kPlanningSecondsPerSet * static_cast<double>(forest.factors().size()) * planned;
  return wide->cost.seconds() / 2 < one.seconds() + planning ? wide : nullptr;
}

}  // namespace

std::vector<std::size_t> first_equal_rows(const EvidenceRows& rows) {
  const EvidenceReader reader(rows);
  const std::vector<std::uint64_t> hash = reader.hashes(true);
  std::vector<std::size_t> first(rows.n_rows);
  constexpr std::size_t kFree = std::numeric_limits<std::size_t>::max();
  const std::size_t slots = std::bit_ceil(2 * rows.n_rows + 1);
  std::vector<std::size_t> table(slots, kFree);
  for (std::size_t r = 0; r < rows.n_rows; ++r) {
    std::size_t slot = (hash[r] ^ hash[r] >> 32) & (slots - 1);
    while (table[slot] != kFree && !(hash[table[slot]] == hash[r] && reader.equal(table[slot], r)))
      slot = (slot + 1) & (slots - 1);
    if (table[slot] == kFree) table[slot] = r;
    first[r] = table[slot];
  }
  return first;
}

void marginals_many(Forest& forest, const EvidenceRows& rows, std::span<const Var> wanted,
                    std::span<double> out, std::span<double> log_mass, double limit, Cancel& cancel) {
  check_rows(forest.factors().cardinalities, rows);
  BatchOutput output{wanted, {}, 0, out.data(), log_mass.data()};
  for (const Var v : wanted) {
    if (v >= forest.factors().size()) throw std::invalid_argument("a wanted variable is not known");
    output.begin.push_back(output.width);
    output.width += forest.factors().cardinalities[v];
  }
  if (out.size() != output.width * rows.n_rows || log_mass.size() != rows.n_rows)
    throw std::invalid_argument("the output needs one row per row of evidence");

  const std::vector<std::size_t> first = first_equal_rows(rows);
  std::vector<std::size_t> distinct;
  for (std::size_t r = 0; r < rows.n_rows; ++r)
    if (first[r] == r) distinct.push_back(r);
  const EvidenceReader reader(rows);

  const auto fits = [&](const Plan& plan) { return 8 * plan.cost.largest_cells <= limit; };
  if (const auto plan = forest.masked_plan(cancel); plan && fits(*plan)) {
    ask_together(forest, *plan, reader, distinct, output, limit, cancel);
  } else {
    const std::vector<std::size_t> whole = ask_in_parts(forest, reader, distinct, output, limit, cancel);
    const auto wide = worth_one_tree(forest, reader, whole, limit, cancel);
    if (wide && fits(*wide)) {
      ask_together(forest, *wide, reader, whole, output, limit, cancel);
    } else {
      ask_apart(forest, reader, whole, output, limit, cancel);
    }
  }
  for (std::size_t r = 0; r < rows.n_rows; ++r) {
    if (first[r] == r) continue;
    std::copy_n(out.data() + first[r] * output.width, output.width, out.data() + r * output.width);
    log_mass[r] = log_mass[first[r]];
  }
}

}  // namespace treewright::forests
