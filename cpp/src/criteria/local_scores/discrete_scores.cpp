// What discrete scores share: prices, and bounds that need no count.
#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>

#include "treewright/criteria/local_scores.hpp"

namespace treewright {

DiscreteScores::DiscreteScores(FamilyScore score, double edge_price, std::vector<std::uint32_t> order,
                               const std::vector<std::uint32_t>& states, std::vector<double> pair_prices)
    : score_(score), edge_price_(edge_price), order_(std::move(order)), prints_(order_.size(), 2) {
  for (const std::uint32_t column : order_) states_.push_back(states.at(column));
  if (pair_prices.empty()) return;
  if (pair_prices.size() != order_.size() * order_.size())
    throw std::invalid_argument("prices of pairs are a line and a column for each variable");
  pair_prices_ = std::make_shared<const std::vector<double>>(std::move(pair_prices));
}

double DiscreteScores::resolution() const { return std::ldexp(1.0, -score_.grid().bits()); }

double DiscreteScores::cells(VertexSet set) const {
  double product = 1;
  for (const Vertex v : set) product *= states_[v];
  return product;
}

bool DiscreteScores::is_hopeless(Vertex child, VertexSet parents) const {
  const double r = states_[child];
  return score_.penalty(r, cells(parents)) > score_.n_rows() * std::log(r);
}

// A likelihood is at most 1, so a family scores at most what it has to pay; the one that pays least has the
// candidate with fewest states. Roundings are a few steps of the grid.
bool DiscreteScores::is_exhausted(Vertex child, VertexSet parents, VertexSet candidates, double own) const {
  double fewest = std::numeric_limits<double>::infinity();
  for (const Vertex u : candidates) fewest = std::min<double>(fewest, states_[u]);
  const double price = score_.penalty(states_[child], cells(parents) * fewest) +
                       edge_price_ * static_cast<double>(parents.size() + 1);
  return own > 4 * resolution() - price;
}

}  // namespace treewright
