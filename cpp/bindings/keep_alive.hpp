// Python objects that something in the core borrows from.
#pragma once

#include <memory>
#include <vector>

#include "bind.hpp"

/// Objects are released with the GIL held, whichever thread drops the last reference.
inline std::shared_ptr<const void> keep_alive(std::vector<nb::object>&& objects) {
  return {new std::vector<nb::object>(std::move(objects)), [](const void* p) {
            const nb::gil_scoped_acquire locked;
            delete static_cast<const std::vector<nb::object>*>(p);
          }};
}
