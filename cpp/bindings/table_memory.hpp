// The handle of a memory of tables, together with the counter that it belongs to.
#pragma once

#include <nanobind/stl/shared_ptr.h>

#include "keep_alive.hpp"
#include "treewright/counting/table_memory.hpp"

using MemoryPointer = std::shared_ptr<tw::TableMemory>;

/// A memory that keeps its counter: by itself it knows it by a weak reference only, since it goes with it.
inline MemoryPointer owned(const MemoryPointer& memory, nb::object owner) {
  if (!memory) throw std::invalid_argument("there is no memory of tables");
  std::vector<nb::object> kept{std::move(owner)};
  auto both = std::make_shared<std::pair<MemoryPointer, std::shared_ptr<const void>>>(
      memory, keep_alive(std::move(kept)));
  return {both, memory.get()};
}
