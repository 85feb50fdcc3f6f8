#include "treewright/gaussian/normal_network.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <stdexcept>

#include "parallel/draws.hpp"
#include "treewright/parallel/threads.hpp"

namespace treewright::normal {
namespace {

constexpr std::size_t kBlock = 2048;  // rows walked together; even, since numbers are drawn in pairs
constexpr double kNanosecondsPerDraw = 25, kNanosecondsPerTerm = 1.5;

std::size_t blocks_of(std::size_t n_rows) { return (n_rows + kBlock - 1) / kBlock; }

double terms_of(const Network& network) {
  double terms = 0;
  for (const Family& family : network.families)
    terms += 2 + static_cast<double>(family.parents.size()) + (family.bends ? 20 : 0);
  return terms;
}

// either branch is free of overflow
double sigmoid(double z) {
  const double decay = std::exp(-std::abs(z));
  return (z >= 0 ? 1 : decay) / (1 + decay);
}

void add_certain(const Family& family, std::span<const double* const> columns, const double* own,
                 const double* mean, std::size_t begin, std::size_t n, double* out) {
  for (std::size_t i = 0; i < n; ++i) {
    double made_of = std::abs(own[i]) + std::abs(family.bends ? family.low : family.offset);
    if (family.bends)
      made_of += std::abs(family.height);
    else
      for (std::size_t k = 0; k < family.parents.size(); ++k)
        made_of += std::abs(family.weights[k] * columns[family.parents[k]][begin + i]);
    if (!(std::abs(own[i] - mean[i]) <= kAgrees * made_of)) out[i] = -std::numeric_limits<double>::infinity();
  }
}

}  // namespace

void Network::validate() const {
  const std::size_t n = size();
  if (order.size() != n || rank.size() != n)
    throw std::invalid_argument("every variable needs a place in the order and a rank");
  std::vector<bool> before(n);
  for (const Var v : order) {
    if (v >= n || before[v]) throw std::invalid_argument("the order is no order of the variables");
    const Family& family = families[v];
    if (family.parents.size() != family.weights.size())
      throw std::invalid_argument("every parent needs a weight");
    for (const Var p : family.parents)
      if (p >= n || !before[p]) throw std::invalid_argument("a parent comes after its child");
    if (!(family.variance >= 0)) throw std::invalid_argument("a variance is negative or not a number");
    before[v] = true;
  }
}

void family_mean(const Family& family, std::span<const double* const> columns, std::size_t begin,
                 std::size_t n, double* out) {
  std::fill_n(out, n, family.offset);
  for (std::size_t k = 0; k < family.parents.size(); ++k) {
    const double* const parent = columns[family.parents[k]] + begin;
    const double weight = family.weights[k];
    for (std::size_t i = 0; i < n; ++i) out[i] += weight * parent[i];
  }
  if (!family.bends) return;
  for (std::size_t i = 0; i < n; ++i) out[i] = family.low + family.height * sigmoid(out[i]);
}

void draw_normals(std::uint64_t seed, Var rank, std::uint64_t first_row, std::size_t n, double* out) {
  std::uint64_t bits[256];
  for (std::size_t start = 0; start < n; start += 256) {
    const std::size_t count = std::min<std::size_t>(256, n - start + n % 2);  // whole pairs
    draw_bits(seed, rank, first_row + start, count, bits);
    for (std::size_t i = 0; i < count; i += 2) {  // Box & Muller (1958): two numbers for two neighbours
      const double radius = std::sqrt(-2 * std::log(std::ldexp(static_cast<double>(bits[i] + 1), -53)));
      const double angle = 2 * std::numbers::pi * std::ldexp(static_cast<double>(bits[i + 1]), -53);
      out[start + i] = radius * std::cos(angle);
      out[start + i + 1] = radius * std::sin(angle);
    }
  }
}

void log_density_rows(const Network& network, std::span<const double* const> columns, std::span<double> out,
                      Cancel& cancel) {
  network.validate();
  if (columns.size() != network.size()) throw std::invalid_argument("one column per variable is needed");
  double constant = 0;
  for (const Var v : network.order)
    if (network.families[v].variance > 0)
      constant -= 0.5 * std::log(2 * std::numbers::pi * network.families[v].variance);
  const double cost = kNanosecondsPerTerm * terms_of(network) * static_cast<double>(out.size());
  parallel_for(blocks_of(out.size()), cost, cancel, [&](std::size_t block) {
    const std::size_t begin = block * kBlock, n = std::min(kBlock, out.size() - begin);
    double* const sums = out.data() + begin;
    std::vector<double> mean(n);
    std::fill_n(sums, n, constant);
    for (const Var v : network.order) {
      const Family& family = network.families[v];
      const double* const own = columns[v] + begin;
      family_mean(family, columns, begin, n, mean.data());
      if (family.variance == 0) {
        add_certain(family, columns, own, mean.data(), begin, n, sums);
        continue;
      }
      const double share = 0.5 / family.variance;
      for (std::size_t i = 0; i < n; ++i) {
        const double rest = own[i] - mean[i];
        sums[i] -= share * rest * rest;
      }
    }
  });
}

void sample_rows(const Network& network, std::uint64_t seed, std::size_t n_rows,
                 const std::vector<bool>& fixed, std::span<double* const> columns, Cancel& cancel) {
  network.validate();
  if (columns.size() != network.size() || fixed.size() != network.size())
    throw std::invalid_argument("one column per variable is needed");
  const std::vector<const double*> drawn(columns.begin(), columns.end());
  const double each = kNanosecondsPerDraw * static_cast<double>(network.size());
  const double cost = (each + kNanosecondsPerTerm * terms_of(network)) * static_cast<double>(n_rows);
  parallel_for(blocks_of(n_rows), cost, cancel, [&](std::size_t block) {
    const std::size_t begin = block * kBlock, n = std::min(kBlock, n_rows - begin);
    std::vector<double> noise(n + n % 2);
    for (const Var v : network.order) {
      if (fixed[v]) continue;
      const Family& family = network.families[v];
      double* const out = columns[v] + begin;
      draw_normals(seed, network.rank[v], begin, n, noise.data());
      family_mean(family, drawn, begin, n, out);
      const double deviation = std::sqrt(family.variance);
      for (std::size_t i = 0; i < n; ++i) out[i] += deviation * noise[i];
    }
  });
}

}  // namespace treewright::normal
