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

// A table of counts with an axis for each variable.
template <class T>
nb::object shaped(std::vector<T>&& values, const std::vector<std::size_t>& shape) {
  auto owned = std::make_unique<std::vector<T>>(std::move(values));
  T* const data = owned->data();
  return nb::cast(nb::ndarray<nb::numpy, T>(data, shape.size(), shape.data(), owner_of(owned)));
}

template <class T>
nb::object shaped(std::vector<T>&& values, const tw::PackedTable& table, const Indices& scope) {
  std::vector<std::size_t> shape;
  for (std::uint32_t v : scope) shape.push_back(table.cardinality(v));
  return shaped(std::move(values), shape);
}
