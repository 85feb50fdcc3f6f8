// Columns of codes between NumPy and the core: one array per variable, as narrow as its states allow.
#pragma once

#include <stdexcept>

#include "bind.hpp"
#include "treewright/inference/sampling.hpp"

using Objects = nb::typed<nb::list, nb::object>;
using AnyColumn = nb::ndarray<nb::ro, nb::ndim<1>, nb::c_contig, nb::device::cpu>;

template <class Code>
nb::object new_column(std::size_t n_rows, std::vector<tw::Column>& columns) {
  std::unique_ptr<Code[]> owned(new Code[n_rows]);
  Code* const codes = owned.get();
  columns.push_back({codes, sizeof(Code)});
  return OutArray<Code>(codes, {n_rows}, owner_of(owned)).cast();
}

/// Room for rows: the arrays, and in `columns` where they lie.
inline Objects new_columns(const Indices& cardinalities, std::size_t n_rows,
                           std::vector<tw::Column>& columns) {
  Objects result;
  for (const std::uint32_t cardinality : cardinalities) {
    const std::size_t width = tw::code_width(cardinality);
    result.append(width == 1   ? new_column<std::uint8_t>(n_rows, columns)
                  : width == 2 ? new_column<std::uint16_t>(n_rows, columns)
                               : new_column<std::uint32_t>(n_rows, columns));
  }
  return result;
}

/// Rows that exist; `held` keeps them alive.
inline std::vector<tw::ConstColumn> read_columns(const nb::typed<nb::sequence, nb::object>& codes,
                                                 std::size_t n_rows, std::vector<AnyColumn>& held) {
  std::vector<tw::ConstColumn> columns;
  for (const auto item : codes) {
    const auto& column = held.emplace_back(nb::cast<AnyColumn>(item, false));
    if (column.dtype().code != static_cast<std::uint8_t>(nb::dlpack::dtype_code::UInt) ||
        column.dtype().lanes != 1 || column.dtype().bits > 32)
      throw std::invalid_argument("codes must be uint8, uint16 or uint32");
    if (column.size() != n_rows) throw std::invalid_argument("every column must have n_rows codes");
    columns.push_back({column.data(), column.dtype().bits / std::size_t{8}});
  }
  return columns;
}
