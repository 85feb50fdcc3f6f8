// A second start: the strongest edges of the class that was found, all their directions open again.
//
// A search that errs early in a direction explains it away by further edges and arrows, and no single vertex
// put back can undo them all. The edges themselves are mostly right. So the best forest among them, which
// says nothing about directions, is where the search begins again.
#include <algorithm>
#include <numeric>

#include "treewright/searches/class_search.hpp"

namespace treewright {

Pdag ClassSearch::forest_of_edges(Cancel& cancel) {
  std::vector<std::pair<double, Arc>> edges;  // the dearest first, then by name
  for (Vertex u = 0; u < size(); ++u)
    for_each_bit(state_.graph.adjacent.row(u), state_.graph.words(), [&](std::size_t v) {
      if (v <= u) return;
      const double gain = rows_.pair_gain(u, static_cast<Vertex>(v), cancel);
      if (gain > scores_->least_gain()) edges.emplace_back(-gain, Arc{u, static_cast<Vertex>(v)});
    });
  std::ranges::sort(edges);
  std::vector<Vertex> leader(size());
  std::iota(leader.begin(), leader.end(), Vertex{0});
  const auto find = [&](Vertex v) {
    while (leader[v] != v) v = leader[v] = leader[leader[v]];
    return v;
  };
  std::vector<Arc> forest;
  for (const auto& [price, edge] : edges) {
    const Vertex a = find(edge.first), b = find(edge.second);
    if (a != b) leader[a] = b, forest.push_back(edge);
  }
  return {size(), {}, forest};
}

/// Allowed pairs that are adjacent or share a neighbour.
SharedBits ClassSearch::near_pairs() const {
  const SharedBits& adjacent = state_.graph.adjacent;
  SharedBits near = adjacent;
  for (Vertex v = 0; v < size(); ++v) {
    Word* row = near.own_row(v);
    for_each_bit(adjacent.row(v), adjacent.words(), [&](std::size_t u) {
      const Word* further = adjacent.row(u);
      for (std::size_t i = 0; i < near.words(); ++i) row[i] |= further[i];
    });
    const Word* allowed = allowed_.row(v);
    for (std::size_t i = 0; i < near.words(); ++i) row[i] &= allowed[i];
  }
  return near;
}

bool ClassSearch::start_again(Cancel& cancel) {
  const double worth = score(canonical_member(state_.graph), cancel);
  const Pdag forest = forest_of_edges(cancel);
  SharedBits all = near_pairs();
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
