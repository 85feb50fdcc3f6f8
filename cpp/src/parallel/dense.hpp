// Loops over columns of numbers that every vector unit runs alike; lengths of `dot` are multiples of four.
#pragma once

#include <cstddef>

namespace treewright {

double dot(const double* x, const double* y, std::size_t n);
/// out += factor * x
void add_multiple(double* __restrict out, double factor, const double* __restrict x, std::size_t n);
/// out = x * y
void multiply(double* __restrict out, const double* __restrict x, const double* __restrict y, std::size_t n);
/// z becomes 1 / (1 + exp(-z)).
void to_sigmoid(double* z, std::size_t n);

}  // namespace treewright
