// The handle that Python holds on the distinct rows of a table.
#pragma once

#include <nanobind/stl/shared_ptr.h>

#include "bind.hpp"
#include "treewright/counting/row_set.hpp"

using RowSetPointer = std::shared_ptr<const tw::RowSet>;

inline const tw::RowSet& checked(const RowSetPointer& rows) {
  if (!rows) throw std::invalid_argument("there are no rows");
  return *rows;
}
