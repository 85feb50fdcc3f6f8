// The four loops of propagation over a nest: dense = other, dense *= other, other += dense, other max= dense.
#pragma once

#include "inference/cells.hpp"
#include "treewright/inference/nest.hpp"

namespace treewright::forests {

void nest_set(Nest nest, double* dense, const double* other);
void nest_multiply(Nest nest, double* dense, const double* other);
/// dense = base * other: the first product of a table that starts from a stored one.
void nest_set_product(Nest nest, double* dense, const double* base, const double* other);
void nest_sum(Nest nest, const double* dense, double* other);
void nest_max(Nest nest, const double* dense, double* other);

void nest_multiply(Nest nest, Lanes* dense, const Lanes* other);
void nest_set_product(Nest nest, Lanes* dense, const double* base, const Lanes* other);
void nest_sum(Nest nest, const Lanes* dense, Lanes* other);

/// dense = dense / other, where nothing over nothing is nothing.
void divide_cells(double* dense, const double* other, std::uint64_t n);
void divide_cells(Lanes* dense, const Lanes* other, std::uint64_t n);
void divide_cells(WideCell* dense, const WideCell* other, std::uint64_t n);

void nest_set(Nest nest, WideCell* dense, const WideCell* other);
void nest_multiply(Nest nest, WideCell* dense, const WideCell* other);
void nest_sum(Nest nest, const WideCell* dense, WideCell* other);
void nest_max(Nest nest, const WideCell* dense, WideCell* other);

}  // namespace treewright::forests
