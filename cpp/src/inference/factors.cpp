#include "treewright/inference/factors.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>
#include <string>

namespace treewright::forests {
namespace {

void check_order(std::vector<std::uint32_t> order, std::size_t n) {
  if (order.empty()) return;
  std::ranges::sort(order);
  for (std::uint32_t i = 0; i < order.size(); ++i)
    if (order.size() != n || order[i] != i) throw std::invalid_argument("an order has everything once");
}

}  // namespace

void FactorSet::validate() {
  check_order(order, size());
  check_order(factor_order, factors.size());
  if (std::ranges::find(cardinalities, 0u) != cardinalities.end())
    throw std::invalid_argument("every variable needs at least one state");
  std::vector<char> seen(size(), 0);
  for (std::size_t f = 0; f < factors.size(); ++f) {
    Factor& factor = factors[f];
    std::size_t cells = 1;
    for (const Var v : factor.scope) {
      if (v >= size() || seen[v]) throw std::invalid_argument("a scope names known variables, each once");
      seen[v] = 1;
      if (cells <= factor.cells.size()) cells *= cardinalities[v];
    }
    for (const Var v : factor.scope) seen[v] = 0;
    if (cells != factor.cells.size())
      throw std::invalid_argument("factor " + std::to_string(f) + " has " +
                                  std::to_string(factor.cells.size()) + " cells, not one per joint state");
    factor.has_zeros = std::ranges::find(factor.cells, 0.0) != factor.cells.end();
    tiny |= std::ranges::any_of(factor.cells,
                                [](double p) { return p > 0 && p < std::numeric_limits<double>::min(); });
  }
  if (!directed) return;
  if (factors.size() != size()) throw std::invalid_argument("a directed set has one factor per variable");
  for (std::size_t v = 0; v < size(); ++v)
    if (factors[v].scope.empty() || factors[v].scope.back() != v)
      throw std::invalid_argument("in a directed set factor v ends in variable v");
}

std::vector<char> ancestors(const FactorSet& set, std::span<const Var> wanted) {
  std::vector<char> found(set.size(), 0);
  std::vector<Var> waiting(wanted.begin(), wanted.end());
  for (const Var v : waiting) found[v] = 1;
  while (!waiting.empty()) {
    const Var v = waiting.back();
    waiting.pop_back();
    for (const Var u : set.factors[v].scope)
      if (!found[u]) found[u] = 1, waiting.push_back(u);
  }
  return found;
}

void LogProduct::multiply(double x) {
  // the new number is looked at first: two of 1e-200 would be gone after multiplying
  if (!(x > 1e-100 && x < 1e100)) {
    log_ += std::log(x);
    return;
  }
  product_ *= x;
  if (product_ > 1e-150 && product_ < 1e150) return;
  log_ += std::log(product_);
  product_ = 1;
}

double LogProduct::log() const { return log_ + std::log(product_); }

}  // namespace treewright::forests
