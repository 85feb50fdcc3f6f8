// Columns of real numbers, as Python hands them over.
#pragma once

#include <stdexcept>

#include "bind.hpp"

using RealColumns = std::vector<Array<double>>;

inline std::vector<const double*> pointers_to(const RealColumns& columns, std::size_t n_rows) {
  std::vector<const double*> data;
  for (const auto& column : columns) {
    if (column.size() != n_rows) throw std::invalid_argument("columns differ in length");
    data.push_back(column.data());
  }
  return data;
}
