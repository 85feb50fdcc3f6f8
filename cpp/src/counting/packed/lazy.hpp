// What a packed table builds on first use.
#pragma once

#include <atomic>
#include <optional>

#include "treewright/counting/packed.hpp"
#include "treewright/counting/pair_planes.hpp"
#include "treewright/parallel/fork_mutex.hpp"

namespace treewright {

struct PackedTable::Lazy {
  explicit Lazy(std::size_t n_variables) : gathered(n_variables), is_gathered(n_variables) {}

  ForkLock locked() {
    return {mutex, [&] { forget_unfinished(); }};
  }
  void forget_unfinished() {
    if (!has_planes) begin_anew(planes);
    if (!has_rows) begin_anew(rows);
    if (!has_sections) begin_anew(sections);
    if (!has_marginals) begin_anew(marginals);
    if (!pairs_decided) begin_anew(pairs);
    if (!compression_decided) begin_anew(compressed);
    for (std::size_t v = 0; v < gathered.size(); ++v)
      if (!is_gathered[v]) begin_anew(gathered[v]);
  }

  ForkMutex mutex;  // guards every member's construction
  std::optional<Planes> planes;
  std::optional<RowBits> rows;
  std::optional<WeightSections> sections;
  std::vector<std::vector<std::uint8_t>> gathered;
  std::vector<std::atomic<bool>> is_gathered;
  std::optional<std::vector<std::vector<std::int64_t>>> marginals;
  std::optional<PairPlanes> pairs;
  std::atomic<bool> has_planes{false}, has_rows{false}, has_sections{false}, has_marginals{false},
      pairs_decided{false}, compression_decided{false};
  std::shared_ptr<const PackedTable> compressed;
};

}  // namespace treewright
