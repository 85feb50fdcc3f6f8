// What the faces of the inference engine share: rows of evidence, and refusals.
#pragma once

#include "bind.hpp"
#include "treewright/inference/forest_batch.hpp"

inline nb::object& refused_type() {
  static nb::object* const type = new nb::object();  // never freed: it may outlive the interpreter's modules
  return *type;
}

// A refusal arrives as _core.TooLarge(scope, cells, bytes).
template <class Work>
auto refusable(Work&& work) {
  try {
    return interruptible(work);
  } catch (const tw::forests::TooLarge& refused) {
    const nb::tuple args =
        nb::make_tuple(refused.cost.largest_scope, refused.cost.largest_cells, refused.cost.bytes);
    PyErr_SetObject(refused_type().ptr(), args.ptr());
    throw nb::python_error();
  }
}

using Columns = nb::typed<nb::sequence, nb::object>;

// Codes and masks of the variables that have a column; the others are None.
struct BoundRows {
  using AnyColumn = nb::ndarray<nb::ro, nb::ndim<1>, nb::c_contig, nb::device::cpu>;

  BoundRows(const Columns& codes, const Columns& missing, std::size_t n_rows) {
    rows.n_rows = n_rows;
    for (const auto item : codes) add_codes(item);
    for (const auto item : missing) add_mask(item);
  }

  tw::forests::EvidenceRows rows;

 private:
  void add_codes(nb::handle item) {
    if (item.is_none()) return rows.columns.push_back({nullptr, 1});
    const auto& column = held_.emplace_back(nb::cast<AnyColumn>(item, false));
    if (column.dtype().code != static_cast<std::uint8_t>(nb::dlpack::dtype_code::UInt) ||
        column.dtype().lanes != 1 || column.dtype().bits > 32)
      throw std::invalid_argument("codes must be uint8, uint16 or uint32");
    if (column.size() != rows.n_rows) throw std::invalid_argument("every column must have n_rows codes");
    rows.columns.push_back({rows.n_rows ? column.data() : nullptr, column.dtype().bits / std::size_t{8}});
  }

  void add_mask(nb::handle item) {
    if (item.is_none()) return rows.missing.push_back(nullptr);
    const auto& mask = masks_.emplace_back(nb::cast<Array<std::uint8_t>>(item, false));
    if (mask.size() != rows.n_rows) throw std::invalid_argument("every mask must have n_rows entries");
    rows.missing.push_back(mask.data());
  }

  std::vector<AnyColumn> held_;
  std::vector<Array<std::uint8_t>> masks_;
};
