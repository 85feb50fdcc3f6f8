// What every binding shares: array types, the GIL and Ctrl-C.
#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/tuple.h>

#include <memory>
#include <span>

#include "casters.hpp"
#include "closing.hpp"
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

/// Hands something over to Python, which then frees it; it stays where it is when there is no memory for
/// that.
template <class T>
nb::capsule owner_of(std::unique_ptr<T>& owned) {
  using Pointer = typename std::unique_ptr<T>::pointer;
  nb::capsule owner(owned.get(), [](void* p) noexcept { std::default_delete<T>()(static_cast<Pointer>(p)); });
  owned.release();
  return owner;
}

/// Hand a vector over to NumPy without copying it.
template <class T>
OutArray<T> to_numpy(std::vector<T>&& values) {
  auto owned = std::make_unique<std::vector<T>>(std::move(values));
  std::vector<T>& kept = *owned;
  return OutArray<T>(kept.data(), {kept.size()}, owner_of(owned));
}

template <class T>
OutMatrix<T> to_numpy(std::vector<T>&& values, std::size_t rows, std::size_t columns) {
  auto owned = std::make_unique<std::vector<T>>(std::move(values));
  T* const data = owned->data();
  return OutMatrix<T>(data, {rows, columns}, owner_of(owned));
}

/// Run `work(cancel)` without the GIL; Ctrl-C (any Python signal handler that raises) stops it, and so does
/// the end of Python.
template <class Work>
auto interruptible(Work&& work) {
  const closing::UnderWay under_way;
  const auto end_thread = [] {
    PyErr_SetNone(PyExc_SystemExit);  // quietly
    throw nb::python_error();
  };
  if (closing::concerns_me()) end_thread();
  tw::Cancel cancel([] {
    if (closing::concerns_me()) return true;
    const nb::gil_scoped_acquire locked;
    return PyErr_CheckSignals() != 0;
  });
  try {
    const nb::gil_scoped_release unlocked;
    return work(cancel);
  } catch (const tw::Cancelled&) {
    if (PyErr_Occurred()) throw nb::python_error();
    if (closing::concerns_me()) end_thread();
    throw;
  }
}
