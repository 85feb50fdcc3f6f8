#include "treewright/inference/clique_tree.hpp"

#include <algorithm>
#include <stdexcept>

#include "inference/lost_digits.hpp"
#include "inference/nest_kernels.hpp"

namespace treewright::forests {
namespace {

// Below this a sum may have lost digits to denormal numbers; everything is done again in wide numbers.
constexpr double kWeakestClique = 1e-280;

template <class Cell>
Cell from_log(double log) {
  if constexpr (std::is_same_v<Cell, WideCell>) {
    return WideCell::of_log(log);
  } else {
    return std::exp(log);
  }
}

template <class Cell>
double log_of(Cell cell) {
  if constexpr (std::is_same_v<Cell, WideCell>) {
    return cell.log();
  } else {
    return std::log(cell);
  }
}

template <class Cell>
Cell sum_of(const std::vector<Cell>& cells) {
  Cell total = CellTraits<Cell>::zero();
  const Axis all{cells.size(), 0};
  nest_sum({&all, 1}, cells.data(), &total);
  return total;
}

template <class Cell>
void divide_all(std::vector<Cell>& cells, Cell total) {
  for (Cell& cell : cells) cell = CellTraits<Cell>::ratio(cell, total);
}

// Tables with the largest cell at one, and the sum of the logarithms of what they were divided by.
template <class Cell>
double load(std::span<const double> logs, std::vector<Cell>& table) {
  const double largest = *std::ranges::max_element(logs);
  table.resize(logs.size());
  const double scale = std::isinf(largest) ? 0 : largest;
  std::ranges::transform(logs, table.begin(), [&](double x) { return from_log<Cell>(x - scale); });
  return scale;
}

}  // namespace

CliqueTree::CliqueTree(CliqueTreeShape shape) : shape_(std::move(shape)) {
  const std::size_t n = shape_.cliques.size();
  if (shape_.parents.size() != n || shape_.homes.size() != shape_.scopes.size())
    throw std::invalid_argument("every clique needs a parent, every scope a home");
  check_order();
  at_home_.resize(n);
  for (std::size_t c = 0; c < n; ++c) {
    std::uint64_t cells = 1;
    for (const Var v : shape_.cliques[c]) cells *= shape_.cardinalities.at(v);
    cells_.push_back(cells);
    const std::uint32_t p = shape_.parents[c];
    std::vector<Var> shared;
    if (p != kRoot)
      std::ranges::copy_if(shape_.cliques[c], std::back_inserter(shared), [&](Var v) {
        return std::ranges::find(shape_.cliques[p], v) != shape_.cliques[p].end();
      });
    below_.push_back(walk(shape_.cliques[c], shared));
    above_.push_back(p == kRoot ? Walk{} : walk(shape_.cliques[p], shared));
  }
  offsets_.assign(1, 0);
  for (std::size_t s = 0; s < shape_.scopes.size(); ++s) {
    const std::uint32_t home = shape_.homes[s];
    if (home >= n) throw std::invalid_argument("a home is a clique");
    scope_walks_.push_back(walk(shape_.cliques[home], shape_.scopes[s]));
    at_home_[home].push_back(static_cast<std::uint32_t>(s));
    offsets_.push_back(offsets_.back() + scope_walks_.back().cells);
  }
}

void CliqueTree::check_order() const {
  std::vector<std::uint32_t> path;
  for (std::uint32_t c = 0; c < n_cliques(); ++c) {
    const std::uint32_t p = shape_.parents[c];
    while (!path.empty() && path.back() != p) path.pop_back();
    if (path.empty() && p != kRoot) throw std::invalid_argument("cliques stand in depth-first order");
    path.push_back(c);
  }
}

CliqueTree::Walk CliqueTree::walk(const std::vector<Var>& outer, const std::vector<Var>& inner) const {
  std::vector<std::uint64_t> strides(outer.size(), 0);
  std::uint64_t cells = 1;
  for (std::size_t k = inner.size(); k-- > 0;) {
    const auto at = std::ranges::find(outer, inner[k]);
    if (at == outer.end()) throw std::invalid_argument("a scope lies in its home");
    strides[static_cast<std::size_t>(at - outer.begin())] = cells;
    cells *= shape_.cardinalities[inner[k]];
  }
  Walk result{{}, cells};
  for (std::size_t k = 0; k < outer.size(); ++k)
    append_axis(result.axes, 0, {shape_.cardinalities[outer[k]], strides[k]});
  return result;
}

template <class Cell>
double CliqueTree::calibrate(std::span<const double> logs, std::span<double> out, bool& weak,
                             Cancel& cancel) const {
  using Traits = CellTraits<Cell>;
  const std::size_t n = n_cliques();
  std::vector<std::vector<Cell>> tables(n), up(n);
  std::vector<Cell> factor;
  double log_mass = 0, log_kept = 0;
  const LostDigits lost;
  for (std::size_t c = 0; c < n; ++c) {
    tables[c].assign(cells_[c], Traits::from(1.0));
    for (const std::uint32_t s : at_home_[c]) {
      log_mass += load(logs.subspan(offsets_[s], offsets_[s + 1] - offsets_[s]), factor);
      nest_multiply(scope_walks_[s].nest(), tables[c].data(), factor.data());
    }
  }
  for (std::size_t c = n; c-- > 0;) {  // towards the roots
    cancel.check();
    up[c].assign(below_[c].cells, Traits::zero());
    nest_sum(below_[c].nest(), tables[c].data(), up[c].data());
    const Cell total = sum_of(up[c]);
    if (!(Traits::value(total, 0) > kWeakestClique)) weak = true;
    log_kept += log_of(total);
    divide_all(up[c], total);
    if (const std::uint32_t p = shape_.parents[c]; p != kRoot)
      nest_multiply(above_[c].nest(), tables[p].data(), up[c].data());
  }
  if (log_kept < kLogSafe && lost.seen()) weak = true;
  log_mass += log_kept;
  std::vector<Cell> belief;
  for (std::size_t c = 0; c < n; ++c) {  // and back
    cancel.check();
    if (const std::uint32_t p = shape_.parents[c]; p != kRoot) {
      belief.assign(below_[c].cells, Traits::zero());
      nest_sum(above_[c].nest(), tables[p].data(), belief.data());
      divide_cells(belief.data(), up[c].data(), belief.size());
      nest_multiply(below_[c].nest(), tables[c].data(), belief.data());
    }
    divide_all(tables[c], sum_of(tables[c]));
    for (const std::uint32_t s : at_home_[c]) {
      factor.assign(scope_walks_[s].cells, Traits::zero());
      nest_sum(scope_walks_[s].nest(), tables[c].data(), factor.data());
      std::ranges::transform(factor, out.begin() + static_cast<std::ptrdiff_t>(offsets_[s]),
                             [](Cell cell) { return Traits::value(cell, 0); });
    }
  }
  return log_mass;
}

double CliqueTree::marginals(std::span<const double> logs, std::span<double> out, Cancel& cancel) const {
  if (logs.size() != offsets_.back() || out.size() != offsets_.back())
    throw std::invalid_argument("every scope needs one number per cell");
  bool weak = false;
  const double log_mass = calibrate<double>(logs, out, weak, cancel);
  return weak ? calibrate<WideCell>(logs, out, weak, cancel) : log_mass;
}

}  // namespace treewright::forests
