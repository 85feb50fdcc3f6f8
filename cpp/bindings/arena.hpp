// Feature graphs on their way to Python: the seven arrays of an arena.
#pragma once

#include "bind.hpp"
#include "treewright/feature_graph.hpp"

using ArenaArrays =
    std::tuple<OutArray<std::uint8_t>, OutArray<std::uint64_t>, OutArray<std::uint64_t>,
               OutArray<std::uint64_t>, OutArray<std::uint32_t>, OutArray<std::uint32_t>, OutArray<double>>;

/// Kinds, the three offsets, children, integers, numbers.
inline ArenaArrays arrays_of(tw::features::Arena&& arena) {
  std::vector<std::uint8_t> kinds;
  for (const tw::features::Kind kind : arena.kinds) kinds.push_back(static_cast<std::uint8_t>(kind));
  return {to_numpy(std::move(kinds)),
          to_numpy(std::move(arena.child_begin)),
          to_numpy(std::move(arena.integer_begin)),
          to_numpy(std::move(arena.number_begin)),
          to_numpy(std::move(arena.children)),
          to_numpy(std::move(arena.integers)),
          to_numpy(std::move(arena.numbers))};
}
