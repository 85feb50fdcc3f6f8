#include "treewright/efficient_markov/weighted_tree.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "parallel/lanes.hpp"
#include "parallel/vector_log.hpp"
#include "treewright/efficient_markov/hidden_tree.hpp"
#include "treewright/graphs/spanning.hpp"

namespace treewright {
namespace {

/// One variable of two states against all later ones: the four cells of each pair, less the margins.
TREEWRIGHT_CLONES
void add_binary_row(const double* pair, const double* single, const double* margins, std::size_t i,
                    std::size_t n, double total, double quarter, double constant, double* out) {
  const double a = single[i];
  for (std::size_t j = i + 1; j < n; ++j) {
    const double both = pair[j], b = single[j];
    out[j] += x_log_x(both + quarter) + x_log_x(a - both + quarter) + x_log_x(b - both + quarter) +
              x_log_x(total - a - b + both + quarter) + constant - margins[j];
  }
}

/// The lower triangle from the upper one, in tiles that stay in the cache; what rounding left below zero is
/// zero.
void mirror(std::vector<double>& square, std::size_t n) {
  constexpr std::size_t kTile = 32;
  for (std::size_t rows = 0; rows < n; rows += kTile)
    for (std::size_t columns = rows; columns < n; columns += kTile)
      for (std::size_t i = rows; i < std::min(rows + kTile, n); ++i)
        for (std::size_t j = std::max(columns, i + 1); j < std::min(columns + kTile, n); ++j)
          square[j * n + i] = square[i * n + j] = std::max(square[i * n + j], 0.0);
}

double margin(const PairCounts& counts, std::size_t i, double alpha) {
  std::vector<double> cells;
  counts.cells(i, cells);
  double sum = 0;
  for (const double c : cells) sum += x_log_x(c + alpha / static_cast<double>(cells.size()));
  return sum;
}

}  // namespace

void add_information(const PairCounts& counts, double alpha, std::vector<double>& out) {
  const std::size_t n = counts.size();
  const double whole = x_log_x(counts.total + alpha);
  std::vector<double> margins(n), cells;
  for (std::size_t i = 0; i < n; ++i) margins[i] = margin(counts, i, alpha);
  for (std::size_t i = 0; i < n; ++i) {
    if (counts.is_binary()) {
      add_binary_row(counts.pair.data() + i * n, counts.single.data(), margins.data(), i, n, counts.total,
                     alpha / 4, whole - margins[i], out.data() + i * n);
    } else {
      for (std::size_t j = i + 1; j < n; ++j) {
        counts.cells(i, j, cells);
        double sum = whole - margins[i] - margins[j];
        for (const double c : cells) sum += x_log_x(c + alpha / static_cast<double>(cells.size()));
        out[i * n + j] += sum;
      }
    }
  }
  mirror(out, n);
}

std::vector<ColumnEdge> best_tree(const std::vector<double>& weights, std::size_t n, Cancel& cancel) {
  std::vector<Vertex> ranks(n);
  std::iota(ranks.begin(), ranks.end(), Vertex{0});
  std::vector<ColumnEdge> edges;
  for (const auto& [u, v] : maximum_spanning_forest(Weights<double>{weights.data(), n},
                                                    static_cast<const double*>(nullptr), ranks, cancel))
    edges.emplace_back(static_cast<std::uint32_t>(u), static_cast<std::uint32_t>(v));
  return edges;
}

WeightedTree::WeightedTree(const PairCounts& counts, const std::vector<ColumnEdge>& edges, double alpha)
    : cardinalities_(counts.cardinalities()), parents_(counts.size(), features::kNoParent) {
  const HiddenShape shape = hidden_shape(counts.size(), edges, 1, false);
  order_ = shape.columns;
  for (std::size_t i = 0; i < order_.size(); ++i)
    if (shape.parents[i] != features::kNoParent) parents_[order_[i]] = order_[shape.parents[i]];
  std::vector<double> cells;
  for (std::size_t column = 0; column < counts.size(); ++column) {
    first_.push_back(logs_.size());
    const std::size_t r = cardinalities_[column], parent = parents_[column];
    const std::size_t contexts = parent == features::kNoParent ? 1 : cardinalities_[parent];
    if (parent == features::kNoParent)
      counts.cells(column, cells);
    else
      counts.cells(std::min<std::size_t>(parent, column), std::max<std::size_t>(parent, column), cells);
    const bool turned = parent != features::kNoParent && parent > column;  // cells are [x][parent] then
    const double pseudo = alpha / static_cast<double>(cells.size());
    for (std::size_t c = 0; c < contexts; ++c) {
      double sum = 0;
      const auto cell = [&](std::size_t s) {
        return std::max(turned ? cells[s * contexts + c] : cells[c * r + s], 0.0) + pseudo;
      };
      for (std::size_t s = 0; s < r; ++s) sum += cell(s);
      for (std::size_t s = 0; s < r; ++s)
        logs_.push_back(sum > 0 ? std::log(cell(s) / sum) : -std::log(static_cast<double>(r)));
    }
  }
  compile(counts);
}

void WeightedTree::compile(const PairCounts& counts) {
  const std::size_t n = counts.size();
  alone_.assign(counts.n_planes(), 0.0);
  for (std::size_t column = 0; column < n; ++column) {
    const double* own = table(column);
    const std::size_t r = cardinalities_[column];
    usual_ += own[0];
    for (std::size_t s = 1; s < r; ++s) alone_[counts.first_plane(column) + s - 1] += own[s] - own[0];
    both_first_.push_back(both_.size());
    const std::uint32_t parent = parents_[column];
    if (parent == features::kNoParent) continue;
    for (std::size_t c = 1; c < cardinalities_[parent]; ++c) {
      alone_[counts.first_plane(parent) + c - 1] += own[c * r] - own[0];
      for (std::size_t s = 1; s < r; ++s) both_.push_back(own[c * r + s] - own[c * r] - own[s] + own[0]);
    }
  }
}

features::Id WeightedTree::add_to(features::ArenaBuilder& builder, const StateRanks& ranks,
                                  const std::vector<std::uint32_t>& variables) const {
  std::vector<std::uint32_t> position(order_.size());
  for (std::size_t i = 0; i < order_.size(); ++i) position[order_[i]] = static_cast<std::uint32_t>(i);
  std::vector<features::TreeVariable> listed;
  std::vector<double> numbers;
  for (const std::uint32_t column : order_) {
    const std::uint32_t parent = parents_[column];
    const std::size_t r = cardinalities_[column];
    listed.push_back({variables[column], {}});
    if (parent != features::kNoParent) listed.back().parents.push_back(position[parent]);
    const std::size_t contexts = parent == features::kNoParent ? 1 : cardinalities_[parent];
    for (std::size_t c = 0; c < contexts; ++c) {
      const std::size_t context = parent == features::kNoParent ? 0 : ranks.rank_of[parent][c];
      for (std::size_t s = 0; s < r; ++s)
        numbers.push_back(table(column)[context * r + ranks.rank_of[column][s]]);
    }
  }
  return builder.add_tree(listed, numbers);
}

}  // namespace treewright
