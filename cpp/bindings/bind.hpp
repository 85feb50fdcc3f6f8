// What every binding shares: array types, the GIL and Ctrl-C.
#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <memory>
#include <span>

#include "treewright/parallel/cancel.hpp"

namespace nb = nanobind;
namespace tw = treewright;
using namespace nb::literals;

template <class T>
using Array = nb::ndarray<const T, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
template <class T>
using Matrix = nb::ndarray<const T, nb::ndim<2>, nb::c_contig, nb::device::cpu>;
template <class T>
using Cells = nb::ndarray<const T, nb::c_contig, nb::device::cpu>;  // of any shape
template <class T>
using OutArray = nb::ndarray<nb::numpy, T, nb::ndim<1>, nb::c_contig>;
template <class T>
using OutMatrix = nb::ndarray<nb::numpy, T, nb::ndim<2>, nb::c_contig>;

using Indices = std::vector<std::uint32_t>;

template <class T>
std::span<const T> span_of(const Array<T>& array) {
  return {array.data(), array.size()};
}

/// Hand a vector over to NumPy without copying it.
template <class T>
OutArray<T> to_numpy(std::vector<T>&& values) {
  auto* owned = new std::vector<T>(std::move(values));
  nb::capsule free(owned, [](void* p) noexcept { delete static_cast<std::vector<T>*>(p); });
  return OutArray<T>(owned->data(), {owned->size()}, free);
}

template <class T>
OutMatrix<T> to_numpy(std::vector<T>&& values, std::size_t rows, std::size_t columns) {
  auto* owned = new std::vector<T>(std::move(values));
  nb::capsule free(owned, [](void* p) noexcept { delete static_cast<std::vector<T>*>(p); });
  return OutMatrix<T>(owned->data(), {rows, columns}, free);
}

/// Run `work(cancel)` without the GIL; Ctrl-C (any Python signal handler that raises) stops it.
template <class Work>
auto interruptible(Work&& work) {
  tw::Cancel cancel([] {
    const nb::gil_scoped_acquire locked;
    return PyErr_CheckSignals() != 0;
  });
  try {
    const nb::gil_scoped_release unlocked;
    return work(cancel);
  } catch (const tw::Cancelled&) {
    if (PyErr_Occurred()) throw nb::python_error();
    throw;
  }
}
