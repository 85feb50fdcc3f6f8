// The improving steps of one child, best first.
#include <algorithm>

#include "treewright/searches/class_search.hpp"

namespace treewright {
namespace {

std::vector<Vertex> listed(const Word* row, std::size_t words) {
  std::vector<Vertex> out;
  for_each_bit(row, words, [&](std::size_t u) { out.push_back(static_cast<Vertex>(u)); });
  return out;
}

std::vector<Vertex> listed(const SharedBits& rows, Vertex v) { return listed(rows.row(v), rows.words()); }

std::vector<Vertex> joined(VertexSet a, VertexSet b) {
  std::vector<Vertex> out;
  out.reserve(a.size() + b.size() + 1);
  std::ranges::set_union(a, b, std::back_inserter(out));
  return out;
}

std::vector<Vertex> without(VertexSet set, VertexSet gone) {
  std::vector<Vertex> out;
  out.reserve(set.size());
  std::ranges::set_difference(set, gone, std::back_inserter(out));
  return out;
}

std::vector<Vertex> without(VertexSet set, Vertex gone) { return without(set, VertexSet(&gone, 1)); }

}  // namespace

void ClassSearch::OperatorList::add(double gain, Vertex x, VertexSet set, std::size_t chosen) {
  // steps that follow each other mostly share their set
  const bool is_last = !items.empty() && std::ranges::equal(set_of(items.back()), set);
  const auto first = is_last ? items.back().first : static_cast<std::uint32_t>(pool.size());
  if (!is_last) pool.insert(pool.end(), set.begin(), set.end());
  items.push_back(
      {gain, x, first, static_cast<std::uint32_t>(set.size()), static_cast<std::uint32_t>(chosen)});
}

void ClassSearch::OperatorList::sort() {
  const auto better = [this](const Candidate& a, const Candidate& b) {
    if (a.gain != b.gain) return a.gain > b.gain;
    if (a.chosen != b.chosen) return a.chosen < b.chosen;
    if (a.x != b.x) return a.x < b.x;
    return std::ranges::lexicographical_compare(set_of(a), set_of(b));
  };
  if (!std::ranges::is_sorted(items, better)) std::ranges::sort(items, better);
}

bool ClassSearch::may_grow(Vertex y, VertexSet base) const {
  return base.size() < settings_.max_parents && !scores_->is_hopeless(y, base);
}

// For every clique C of neighbours, the x whose shared neighbours with y are all in C.
ClassSearch::ListPointer ClassSearch::list_inserts(Vertex y, Cancel& cancel) {
  const ClassGraph& graph = state_.graph;
  const std::size_t words = graph.words();
  const Word *lines = graph.marks.neighbours.row(y), *known = graph.adjacent.row(y);
  const std::vector<Vertex> parents = listed(graph.marks.parents, y);
  const std::vector<Vertex> around = listed(graph.marks.neighbours, y);
  auto list = std::make_shared<OperatorList>();
  std::vector<Word> asked(words);
  const auto n_forced = [&](Vertex x) {
    std::size_t forced = 0;
    const Word* of_x = graph.adjacent.row(x);
    for (std::size_t i = 0; i < words; ++i)
      if (const Word shared = lines[i] & of_x[i]) forced += static_cast<std::size_t>(std::popcount(shared));
    return forced;
  };
  list->owner = branch_;
  std::vector<Vertex> clique;
  for_each_clique(graph, around, clique, [&](const std::vector<Vertex>& set) {
    const std::vector<Vertex> base = joined(parents, set);
    if (!may_grow(y, base)) return false;
    const Word* allowed = allowed_.row(y);
    for (std::size_t i = 0; i < words; ++i) asked[i] = allowed[i] & ~known[i];
    for (const Vertex w : around) {  // a shared neighbour outside of C: no insert
      if (std::ranges::binary_search(set, w)) continue;
      const Word* of_w = graph.adjacent.row(w);
      for (std::size_t i = 0; i < words; ++i) asked[i] &= ~of_w[i];
    }
    const std::vector<Vertex> open = listed(asked.data(), words);
    if (open.empty()) return true;
    // where little is left to explain, no candidate can pay for itself and none is counted
    if (scores_->is_exhausted(y, base, open, scores_->local(y, base, cancel))) return true;
    const std::span<const GainRows::Useful> useful = rows_.useful(y, base, asked.data(), cancel);
    if (list->items.empty()) list->items.reserve(useful.size());
    for (const auto& [gain, x] : useful) {
      if (!(asked[x / 64] >> (x % 64) & 1)) continue;
      const std::size_t chosen = set.empty() ? 0 : set.size() - n_forced(x);
      if (chosen <= settings_.largest_set) list->add(gain, x, set, chosen);
    }
    return true;
  });
  list->sort();
  return list;
}

// For every clique C of shared neighbours, the others H becoming children.
ClassSearch::ListPointer ClassSearch::list_removals(Vertex y, Cancel& cancel) {
  const ClassGraph& graph = state_.graph;
  const std::vector<Vertex> parents = listed(graph.marks.parents, y);
  const std::vector<Vertex> around = listed(graph.marks.neighbours, y);
  auto list = std::make_shared<OperatorList>();
  std::vector<Vertex> clique;
  for (const Vertex x : joined(parents, around)) {
    const std::vector<Vertex> shared = shared_neighbours(graph, x, y);
    const std::vector<Vertex> others = without(parents, x);
    for_each_clique(graph, shared, clique, [&](const std::vector<Vertex>& set) {
      const std::vector<Vertex> turned = without(shared, set);
      if (turned.size() <= settings_.largest_set) {
        const double gain = -rows_.gain(x, y, joined(others, set), cancel);
        if (gain > scores_->least_gain()) list->add(gain, x, turned, turned.size());
      }
      return true;
    });
  }
  list->sort();
  return list;
}

ClassSearch::ListPointer ClassSearch::list_turns(Vertex y, Cancel& cancel) {
  const ClassGraph& graph = state_.graph;
  const std::vector<Vertex> parents = listed(graph.marks.parents, y);
  const std::vector<Vertex> around = listed(graph.marks.neighbours, y);
  auto list = std::make_shared<OperatorList>();
  list->owner = branch_;
  for (const Vertex x : listed(graph.marks.children, y))
    list_turned_arrows(*list, x, y, parents, around, cancel);
  for (const Vertex x : around) list_turned_lines(*list, x, y, parents, around, cancel);
  list->sort();
  return list;
}

// From y -> x: C holds the shared neighbours, and more.
void ClassSearch::list_turned_arrows(OperatorList& list, Vertex x, Vertex y, VertexSet parents,
                                     VertexSet around, Cancel& cancel) {
  const ClassGraph& graph = state_.graph;
  const std::vector<Vertex> shared = shared_neighbours(graph, x, y);
  if (!is_clique(graph, shared)) return;
  std::vector<Vertex> others;
  for (const Vertex v : around)
    if (!std::ranges::binary_search(shared, v) &&
        std::ranges::all_of(shared, [&](Vertex s) { return graph.adjacent.test(v, s); }))
      others.push_back(v);
  const double lost = rows_.gain(y, x, without(listed(graph.marks.parents, x), y), cancel);
  std::vector<Vertex> chosen;
  for_each_clique(graph, others, chosen, [&](const std::vector<Vertex>& more) {
    const std::vector<Vertex> set = joined(shared, more), base = joined(parents, set);
    if (more.size() > settings_.largest_set || !may_grow(y, base)) return false;
    const double gain = rows_.gain(x, y, base, cancel) - lost;
    if (gain > scores_->least_gain()) list.add(gain, x, set, more.size());
    return true;
  });
}

// From x - y: C must hold a neighbour that x has not.
void ClassSearch::list_turned_lines(OperatorList& list, Vertex x, Vertex y, VertexSet parents,
                                    VertexSet around, Cancel& cancel) {
  const ClassGraph& graph = state_.graph;
  const std::vector<Vertex> of_x = listed(graph.marks.parents, x), shared = shared_neighbours(graph, x, y);
  std::vector<Vertex> clique;
  for_each_clique(graph, without(around, x), clique, [&](const std::vector<Vertex>& set) {
    const std::vector<Vertex> base = joined(parents, set);
    if (!may_grow(y, base)) return false;
    const std::size_t chosen = without(set, shared).size();
    if (chosen > settings_.largest_set || !may_turn_line(graph, x, y, set)) return true;
    std::vector<Vertex> common;
    std::ranges::set_intersection(set, shared, std::back_inserter(common));
    const double gain = rows_.gain(x, y, base, cancel) - rows_.gain(y, x, joined(of_x, common), cancel);
    if (gain > scores_->least_gain()) list.add(gain, x, set, chosen);
    return true;
  });
}

}  // namespace treewright
