// What every binding reads: precompiled once. Sources still say what they include.
#pragma once

#include <nanobind/stl/optional.h>
#include <nanobind/stl/shared_ptr.h>

#include <algorithm>
#include <functional>
#include <mutex>
#include <optional>
#include <stdexcept>
#include <unordered_map>

#include "bind.hpp"
