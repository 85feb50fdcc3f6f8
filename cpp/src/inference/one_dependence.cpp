#include "treewright/inference/one_dependence.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <stdexcept>
#include <vector>

namespace treewright {
namespace {

constexpr std::size_t kParents = 4;  // whose sums grow side by side, so that none waits for itself

struct RowStates {
  std::vector<std::uint32_t> shown, parents;
};

void read_row(const OneDependence& tables, std::span<const std::int32_t> row, RowStates& states) {
  states.shown.clear();
  states.parents.clear();
  for (std::size_t u = 0; u < row.size(); ++u) {
    const std::uint32_t first = tables.starts[u], last = tables.starts[u + 1];
    if (row[u] < 0) {
      for (std::uint32_t s = first; s < last; ++s) states.parents.push_back(s);
      continue;
    }
    const auto s = static_cast<std::uint32_t>(row[u]);
    if (s < first || s >= last)
      throw std::out_of_range("a cell holds a place that is no state of its column");
    states.shown.push_back(s);
    states.parents.push_back(s);
  }
}

/// `kClasses` of the classes, from `c` on, for some parents: written to `sums`, parents x all classes.
template <std::size_t kClasses>
void add_up(const OneDependence& tables, const RowStates& states, std::size_t c, double* sums) {
  const std::size_t n = tables.n_classes, size = tables.starts.back();
  const std::vector<std::uint32_t>& parents = states.parents;
  for (std::size_t p = 0; p < parents.size(); p += kParents) {
    const std::size_t some = std::min(kParents, parents.size() - p);
    std::array<std::array<double, kClasses>, kParents> totals;
    std::array<const double*, kParents> rows;
    for (std::size_t i = 0; i < kParents; ++i) {
      const std::size_t parent = parents[p + std::min(i, some - 1)];
      rows[i] = tables.given.data() + parent * size * n + c;
      for (std::size_t j = 0; j < kClasses; ++j) totals[i][j] = tables.joint[parent * n + c + j];
    }
    for (const std::uint32_t s : states.shown)
      for (std::size_t i = 0; i < kParents; ++i)
        for (std::size_t j = 0; j < kClasses; ++j) totals[i][j] += rows[i][s * n + j];
    for (std::size_t i = 0; i < some; ++i)
      for (std::size_t j = 0; j < kClasses; ++j) sums[(p + i) * n + c + j] = totals[i][j];
  }
}

double log_sum(std::span<const double> sums, std::size_t c, std::size_t n_classes) {
  double top = -std::numeric_limits<double>::infinity(), total = 0;
  for (std::size_t i = c; i < sums.size(); i += n_classes) top = std::max(top, sums[i]);
  for (std::size_t i = c; i < sums.size(); i += n_classes) total += std::exp(sums[i] - top);
  return top + std::log(total);
}

}  // namespace

void one_dependence_logs(const OneDependence& tables, std::span<const std::int32_t> cells,
                         std::span<double> out, Cancel& cancel) {
  const std::size_t n_findings = tables.starts.size() - 1, n = tables.n_classes;
  RowStates states;
  std::vector<double> sums;
  for (std::size_t row = 0; row * n < out.size(); ++row) {
    if (row % 256 == 0) cancel.check();
    read_row(tables, cells.subspan(row * n_findings, n_findings), states);
    sums.resize(states.parents.size() * n);
    std::size_t c = 0;
    for (; c + 4 <= n; c += 4) add_up<4>(tables, states, c, sums.data());
    for (; c + 2 <= n; c += 2) add_up<2>(tables, states, c, sums.data());
    for (; c < n; ++c) add_up<1>(tables, states, c, sums.data());
    for (c = 0; c < n; ++c) out[row * n + c] = log_sum(sums, c, n);
  }
}

}  // namespace treewright
