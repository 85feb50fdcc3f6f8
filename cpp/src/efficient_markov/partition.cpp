#include "treewright/efficient_markov/partition.hpp"

#include <algorithm>
#include <numeric>

#include "treewright/efficient_markov/set_information.hpp"

namespace treewright {

BlockBuilder::BlockBuilder(std::size_t n) : block_(n), n_blocks_(n) {
  std::iota(block_.begin(), block_.end(), 0u);
}

void BlockBuilder::merge(std::uint32_t i, std::uint32_t j) {
  const std::uint32_t kept = std::min(block_[i], block_[j]), gone = std::max(block_[i], block_[j]);
  if (kept == gone) return;
  std::replace(block_.begin(), block_.end(), gone, kept);
  --n_blocks_;
}

Blocks BlockBuilder::blocks() const {
  Blocks found;
  std::vector<std::size_t> place(block_.size());
  for (std::uint32_t i = 0; i < block_.size(); ++i) {
    if (block_[i] == i) place[i] = found.size(), found.emplace_back();
    found[place[block_[i]]].push_back(i);
  }
  return found;
}

namespace {

class Lmip {
 public:
  Lmip(const PairCounts& counts, const PartitionOptions& options, const CountTerm& x_log_x,
       BlockBuilder& blocks, Cancel& cancel)
      : counts_(counts), options_(options), f_(x_log_x), blocks_(blocks), cancel_(cancel) {}

  void merge_pairs() {
    for (std::uint32_t i = 0; i < n(); ++i)
      for (std::uint32_t j = i + 1; j < n() && !is_done(); ++j) {
        if (options_.with_shortcuts && blocks_.find(i) == blocks_.find(j)) continue;
        const double limit =
            options_.threshold(counts_.cardinality(i), counts_.cardinality(j), counts_.total);
        if (information(counts_, f_, i, j) > limit) blocks_.merge(i, j);
      }
  }

  /// Three binary variables: eight cells from one count of all three. Members of small blocks come first, so
  /// that a set inside the largest block is never counted, or even looked at.
  void merge_binary_triples(ContextSide& rows) {
    prepare_sums();
    Block order, others;
    Blocks found = blocks_.blocks();
    std::stable_sort(found.begin(), found.end(),
                     [](const Block& a, const Block& b) { return a.size() < b.size(); });
    for (const Block& block : found)
      for (const std::uint32_t i : block)
        if (!is_too_certain(i)) order.push_back(i);
    std::vector<double> all_three;
    for (std::size_t a = 0; a < order.size() && !is_done(); ++a) {
      cancel_.check();
      for (std::size_t b = a + 1; b < order.size(); ++b) {
        others.clear();
        const std::uint32_t block = blocks_.find(order[a]);
        const bool is_together = options_.with_shortcuts && block == blocks_.find(order[b]);
        for (std::size_t c = b + 1; c < order.size(); ++c)
          if (!is_together || blocks_.find(order[c]) != block) others.push_back(order[c]);
        if (others.empty()) continue;
        rows.count_triples(order[a], order[b], others, all_three);
        for (std::size_t c = 0; c < others.size(); ++c)
          if (is_binary_set_bound(order[a], order[b], others[c], all_three[c]))
            blocks_.merge(order[a], order[b]), blocks_.merge(order[a], others[c]);
      }
    }
  }

  /// Sets of any size, by rising members.
  void merge_sets(const RowContext& rows, std::size_t size) {
    Block set(size);
    std::iota(set.begin(), set.end(), 0u);
    while (size <= n() && !is_done()) {
      cancel_.check();
      if (!is_skipped(set) && is_bound(rows, set))
        for (const std::uint32_t member : set) blocks_.merge(set[0], member);
      std::size_t at = size;  // the next set in lexicographic order
      while (at > 0 && set[at - 1] == n() - size + at - 1) --at;
      if (at == 0) return;
      ++set[at - 1];
      for (; at < size; ++at) set[at] = set[at - 1] + 1;
    }
  }

 private:
  std::uint32_t n() const { return static_cast<std::uint32_t>(counts_.size()); }
  bool is_done() const { return options_.with_shortcuts && blocks_.n_blocks() == 1; }

  /// Inside one block already, or with a member so certain that nothing can tell much about it.
  bool is_skipped(std::span<const std::uint32_t> set) {
    if (!options_.with_shortcuts) return false;
    const auto is_with_first = [&](std::uint32_t i) { return blocks_.find(i) == blocks_.find(set[0]); };
    return std::all_of(set.begin(), set.end(), is_with_first) ||
           std::any_of(set.begin(), set.end(), [&](std::uint32_t i) { return is_too_certain(i); });
  }

  bool is_too_certain(std::uint32_t i) {
    return options_.with_shortcuts && options_.threshold.is_fixed() &&
           entropy(i) <= options_.threshold.delta();
  }

  /// Rounded up a little: a shortcut may never decide what the information itself would not.
  double entropy(std::uint32_t i) {
    if (entropies_.empty()) {
      std::vector<double> cells;
      for (std::uint32_t v = 0; v < n(); ++v) {
        counts_.cells(v, cells);
        double sum = f_(counts_.total);
        for (const double c : cells) sum -= f_(c);
        entropies_.push_back(counts_.total > 0 ? sum / counts_.total + 1e-12 : 0.0);
      }
    }
    return entropies_[i];
  }

  void prepare_sums() {
    single_.assign(n(), 0.0);
    pair_.assign(n() * n(), 0.0);
    for (std::uint32_t i = 0; i < n(); ++i) {
      const double a = counts_.single[i];
      single_[i] = f_(a) + f_(counts_.total - a);
      for (std::uint32_t j = i + 1; j < n(); ++j) {
        const double b = counts_.single[j], both = counts_.at(i, j);
        pair_[i * n() + j] = f_(both) + f_(a - both) + f_(b - both) + f_(counts_.total - a - b + both);
      }
    }
  }

  bool is_binary_set_bound(std::uint32_t i, std::uint32_t j, std::uint32_t k, double all) const {
    const auto pair = [&](std::uint32_t u, std::uint32_t v) {
      return counts_.at(std::min(u, v), std::max(u, v));
    };
    const double ij = pair(i, j), ik = pair(i, k), jk = pair(j, k);
    const double a = counts_.single[i], b = counts_.single[j], c = counts_.single[k];
    const double triple = f_(all) + f_(ij - all) + f_(ik - all) + f_(jk - all) + f_(a - ij - ik + all) +
                          f_(b - ij - jk + all) + f_(c - ik - jk + all) +
                          f_(counts_.total - a - b - c + ij + ik + jk - all);
    const double limit = options_.threshold(2, 4, counts_.total), whole = f_(counts_.total) + triple;
    const auto across = [&](std::uint32_t one, std::uint32_t u, std::uint32_t v) {
      const double rest = pair_[std::min(u, v) * n() + std::max(u, v)];
      return std::max((whole - single_[one] - rest) / counts_.total, 0.0);
    };
    return across(i, j, k) > limit && across(j, i, k) > limit && across(k, i, j) > limit;
  }

  /// Up to three members every cut is compared with its own threshold; beyond, the least one.
  bool is_bound(const RowContext& rows, const Block& set) const {
    SetInformation found(rows, set);
    const auto exceeds = [&](std::uint32_t part, double value) {
      double left = 1, right = 1;
      for (std::size_t m = 0; m < set.size(); ++m)
        (part >> m & 1 ? left : right) *= counts_.cardinality(set[m]);
      return value > options_.threshold(left, right, counts_.total);
    };
    if (set.size() == 3) {
      for (std::uint32_t m = 0; m < 3; ++m)
        if (!exceeds(std::uint32_t{1} << m, found.across(std::uint32_t{1} << m))) return false;
      return true;
    }
    const Cut least = found.least();
    return exceeds(least.side, least.value);
  }

  const PairCounts& counts_;
  const PartitionOptions& options_;
  const CountTerm& f_;
  BlockBuilder& blocks_;
  Cancel& cancel_;
  std::vector<double> entropies_, single_, pair_;
};

}  // namespace

Blocks low_information_blocks(const PairCounts& counts, std::span<const Block> premerged,
                              const PartitionOptions& options, const CountTerm& x_log_x, ContextSide& rows,
                              Cancel& cancel) {
  BlockBuilder blocks(counts.size());
  for (const Block& group : premerged)
    for (const std::uint32_t member : group) blocks.merge(group[0], member);
  if (counts.total < options.min_rows || counts.total <= 0) return blocks.blocks();
  Lmip lmip(counts, options, x_log_x, blocks, cancel);
  if (options.largest_set >= 2) lmip.merge_pairs();
  for (std::size_t size = 3; size <= options.largest_set && size <= counts.size(); ++size) {
    if (options.with_shortcuts && blocks.n_blocks() == 1) break;
    if (size == 3 && counts.is_binary())
      lmip.merge_binary_triples(rows);
    else
      lmip.merge_sets(rows.context(), size);
  }
  return blocks.blocks();
}

}  // namespace treewright
