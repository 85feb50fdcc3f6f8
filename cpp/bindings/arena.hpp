// Feature graphs between NumPy and the core: the seven arrays of an arena, in the order that Python keeps.
#pragma once

#include "bind.hpp"
#include "treewright/inference/feature_graph.hpp"

/// kinds, child_begin, children, integer_begin, integers, number_begin, numbers.
using ArenaArrays =
    std::tuple<OutArray<std::uint8_t>, OutArray<std::uint64_t>, OutArray<std::uint32_t>,
               OutArray<std::uint64_t>, OutArray<std::uint32_t>, OutArray<std::uint64_t>, OutArray<double>>;

inline ArenaArrays arrays_of(tw::features::Arena arena) {
  std::vector<std::uint8_t> kinds;
  kinds.reserve(arena.size());
  for (const auto kind : arena.kinds) kinds.push_back(static_cast<std::uint8_t>(kind));
  return {to_numpy(std::move(kinds)),          to_numpy(std::move(arena.child_begin)),
          to_numpy(std::move(arena.children)), to_numpy(std::move(arena.integer_begin)),
          to_numpy(std::move(arena.integers)), to_numpy(std::move(arena.number_begin)),
          to_numpy(std::move(arena.numbers))};
}

inline tw::features::Arena arena_of(Indices cardinalities, const Array<std::uint8_t>& kinds,
                                    const Array<std::uint64_t>& child_begin,
                                    const Array<std::uint32_t>& children,
                                    const Array<std::uint64_t>& integer_begin,
                                    const Array<std::uint32_t>& integers,
                                    const Array<std::uint64_t>& number_begin, const Array<double>& numbers) {
  const auto copied = [](const auto& array) {
    return std::vector(array.data(), array.data() + array.size());
  };
  tw::features::Arena arena;
  arena.cardinalities = std::move(cardinalities);
  for (std::size_t i = 0; i < kinds.size(); ++i)
    arena.kinds.push_back(static_cast<tw::features::Kind>(kinds.data()[i]));
  arena.child_begin = copied(child_begin);
  arena.children = copied(children);
  arena.integer_begin = copied(integer_begin);
  arena.integers = copied(integers);
  arena.number_begin = copied(number_begin);
  arena.numbers = copied(numbers);
  return arena;
}
