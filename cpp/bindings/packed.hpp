// The handle that Python holds: a packed table together with the arrays it borrows from.
#pragma once

#include <nanobind/stl/shared_ptr.h>

#include "bind.hpp"
#include "treewright/counting/packed.hpp"

using TablePointer = std::shared_ptr<const tw::PackedTable>;

inline const tw::PackedTable& checked(const TablePointer& table) {
  if (!table) throw std::invalid_argument("there is no table");
  return *table;
}
