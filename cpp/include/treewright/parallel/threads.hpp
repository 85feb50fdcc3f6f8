// One pool of threads for the process; work is split over independent outputs, never over the cells of one
// sum.
#pragma once

#include <cstddef>
#include <functional>

#include "treewright/parallel/cancel.hpp"

namespace treewright {

/// Threads that native calls may use; 0 restores the default (the machine's cores).
void set_threads(std::size_t n);
std::size_t threads();

/// Call `body(i)` for every i in [0, n), each once, in any order and on several threads when
/// `expected_nanoseconds` says that it pays. The calling thread takes part. An exception thrown by a body
/// (the one of the smallest index) is rethrown here after all threads have stopped.
void parallel_for(std::size_t n, double expected_nanoseconds, Cancel& cancel,
                  const std::function<void(std::size_t)>& body);

}  // namespace treewright
