// What two columns that have nothing to do with each other gain by chance, and the price that outbids it.
//
// The quotient of two NML codes is no code of a column given another once there are about as many cells as
// rows: chance then gains as much as an edge costs. How much it gains follows from the two margins alone.
// Were one column shuffled, every cell would be hypergeometric; hence the mean of the gain is exact, and its
// spread nearly so. The price is symmetric in the two columns: what a score cannot tell apart still ties.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "treewright/parallel/cancel.hpp"

namespace treewright {

/// Nats that a shuffled column gains on another: the mean and the standard deviation.
struct ChanceGain {
  double mean = 0;
  double deviation = 0;
};

/// From the counts of the states of two columns of the same rows; given others that part these rows into
/// equal strata, if there are several.
ChanceGain chance_gain(std::span<const std::int64_t> x, std::span<const std::int64_t> y, double strata = 1);

/// What chance exceeds with probability `level` only, by a gamma distribution of that mean and deviation:
/// with many rows in every cell it is that of chi square / 2.
double chance_bound(const ChanceGain& gain, double level);

/// Nats that the BDeu score gains on average when a column, shuffled, becomes the parent of another.
double bdeu_gain(std::span<const std::int64_t> x, std::span<const std::int64_t> y, double ess,
                 double strata = 1);

/// asked[i * n + j] for j < i: nats that BDeu asks for an edge between columns of these margins, as it loses
/// them where every cell has what independence expects; -1 for pairs with fewer than `dense_rows` rows for
/// each cell, and where hardly a row is expected beside the first states: expectations say little there.
std::vector<double> bdeu_asked(std::span<const std::vector<std::int64_t>> margins, double ess,
                               double dense_rows, Cancel& cancel);

/// prices[i * n + j]: what an edge between the columns of these margins (a count for every state) must cost
/// beside BDeu (qNML where `ess` is 0) and `edge_price` to be dearer than that bound (with fewer than 3.5
/// rows for each cell also beside other parents of up to 16 configurations); multiples of `step`. 0 for pairs
/// with `dense_rows` rows or more for each cell.
std::vector<double> chance_prices(std::span<const std::vector<std::int64_t>> margins, double ess,
                                  double edge_price, double level, double dense_rows, double step,
                                  Cancel& cancel);

/// prices[i * n + j]: what an edge must cost beside BDeu and `edge_price` where there are `dense_rows` rows
/// or more for each cell, and hardly one is expected beside the first states: so much that the rows which
/// rare states share by chance pay for it with probability `level` only. 0 for all other pairs.
std::vector<double> rare_prices(std::span<const std::vector<std::int64_t>> margins, double ess,
                                double edge_price, double level, double dense_rows, double step,
                                Cancel& cancel);

}  // namespace treewright
