// Arguments that are lists and texts, as nanobind converts them, but for one thing: its own conversions
// promise not to throw, so that a list too long for the memory that is left would end the process.
#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/stl/detail/nb_list.h>
#include <nanobind/stl/detail/nb_optional.h>

#include <optional>
#include <string>
#include <vector>

namespace nanobind::detail {

template <class T, class Allocator>
struct type_caster<std::vector<T, Allocator>> : list_caster<std::vector<T, Allocator>, T> {
  template <class Flags>
  bool from_python(handle source, Flags flags, cleanup_list* cleanup) {
    PyObject* const given = source.ptr();
    if (PyUnicode_CheckExact(given) || PyBytes_CheckExact(given) || !PySequence_Check(given)) return false;
    const object items = steal(PySequence_Tuple(given));
    if (!items.is_valid()) {
      if (PyErr_ExceptionMatches(PyExc_MemoryError)) throw python_error();
      PyErr_Clear();
      return false;
    }
    const Py_ssize_t size = PyTuple_Size(items.ptr());
    this->value.clear();
    this->value.reserve(static_cast<std::size_t>(size));
    make_caster<T> item;
    for (Py_ssize_t i = 0; i < size; ++i) {
      if (!item.from_python(PyTuple_GetItem(items.ptr(), i), flags_for_local_caster<T>(flags), cleanup) ||
          !item.template can_cast<T>())
        return false;
      this->value.push_back(item.operator cast_t<T>());
    }
    return true;
  }
};

template <class T, class Allocator>
struct type_caster<std::optional<std::vector<T, Allocator>>>
    : optional_caster<std::optional<std::vector<T, Allocator>>> {
  template <class Flags>
  bool from_python(handle source, Flags flags, cleanup_list* cleanup) {
    this->value.reset();
    if (source.is_none()) return true;
    make_caster<std::vector<T, Allocator>> list;
    if (!list.from_python(source, flags, cleanup)) return false;
    this->value.emplace(std::move(list.value));
    return true;
  }
};

template <>
struct type_caster<std::string> {
  NB_TYPE_CASTER(std::string, const_name("str"))

  template <class Flags>
  bool from_python(handle source, Flags, cleanup_list*) {
    if (!PyUnicode_Check(source.ptr())) return false;
    Py_ssize_t size = 0;
    const char* const text = PyUnicode_AsUTF8AndSize(source.ptr(), &size);
    if (text == nullptr) {
      if (PyErr_ExceptionMatches(PyExc_MemoryError)) throw python_error();
      PyErr_Clear();
      return false;
    }
    value.assign(text, static_cast<std::size_t>(size));
    return true;
  }

  static handle from_cpp(const std::string& text, rv_policy, cleanup_list*) noexcept {
    return PyUnicode_FromStringAndSize(text.data(), static_cast<Py_ssize_t>(text.size()));
  }
};

}  // namespace nanobind::detail
