// A second start: the strongest edges of the class that was found, all their directions open again.
//
// A search that errs early in a direction explains it away by further edges and arrows, and no single vertex
// put back can undo them all. The edges themselves are mostly right. So the best forest among them, which
// says nothing about directions, is where the search begins again.
#include <limits>
#include <numeric>

#include "treewright/graphs/spanning.hpp"
#include "treewright/searches/class_search.hpp"

namespace treewright {

Pdag ClassSearch::forest_of_edges(Cancel& cancel) {
  const std::size_t n = size();
  const std::vector<double>& gains = rows_.pair_gains(cancel);
  std::vector<double> weights(n * n, -std::numeric_limits<double>::infinity());
  for (Vertex u = 0; u < n; ++u)
    for (Vertex v = u + 1; v < n; ++v)
      if (state_.graph.adjacent.test(u, v)) weights[u * n + v] = weights[v * n + u] = gains[u * n + v];
  std::vector<Vertex> ranks(n);
  std::iota(ranks.begin(), ranks.end(), Vertex{0});
  const double least = scores_->least_gain();
  return {n, {}, maximum_spanning_forest<double>({weights.data(), n}, &least, ranks, cancel)};
}

/// Allowed pairs that are adjacent or share a neighbour.
BitMatrix ClassSearch::near_pairs() const {
  const BitMatrix& adjacent = state_.graph.adjacent;
  BitMatrix near = adjacent;
  for (Vertex v = 0; v < size(); ++v) {
    Word* row = near.row(v);
    for_each_bit(adjacent.row(v), adjacent.words(), [&](std::size_t u) {
      for (std::size_t i = 0; i < near.words(); ++i) row[i] |= adjacent.row(u)[i];
    });
    for (std::size_t i = 0; i < near.words(); ++i) row[i] &= allowed_.row(v)[i];
  }
  return near;
}

bool ClassSearch::start_again(Cancel& cancel) {
  const double worth = score(canonical_member(state_.graph), cancel);
  const Pdag forest = forest_of_edges(cancel);
  BitMatrix all = near_pairs();
  State before = state_;
  undo_if_stopped(before, [&] {
    std::swap(all, allowed_);
    replace(ClassGraph::completed(forest));
    state_.units += units_of(score(canonical_member(state_.graph), cancel) - worth);
    forget_inserts();
    run(cancel);
    std::swap(all, allowed_);
    if (state_.units <= before.units) return;
    forget_inserts();  // near pairs show whether it is worth looking at the others
    run(cancel);
  });
  ++tally_.reopened;
  return keep_if_better(std::move(before));
}

void ClassSearch::set_discount(double discount) {
  std::size_t twice = 0;
  for (Vertex v = 0; v < size(); ++v) twice += count_bits(state_.graph.adjacent.row(v), state_.graph.words());
  state_.units += static_cast<std::int64_t>(twice / 2) * units_of(discount - rows_.discount());
  rows_.set_discount(discount);
  state_.lists = {Lists(size()), Lists(size(), false), Lists(size())};
}

bool ClassSearch::loosen(double discount, Cancel& cancel) {
  State before = state_;
  undo_if_stopped(before, [&] {
    set_discount(discount);
    run(cancel);
    set_discount(0);
    run(cancel);
  });
  ++tally_.reopened;
  const bool is_better = keep_if_better(std::move(before));
  note_changes();
  return is_better;
}

}  // namespace treewright
