#include "treewright/graphs/chordal.hpp"

#include <deque>
#include <utility>

#include "treewright/graphs/elimination.hpp"

namespace treewright {

namespace {

/// The first position whose later neighbours are not joined to their first; kNone if the order is perfect.
std::size_t first_gap(const BitMatrix& graph, std::span<const Vertex> order) {
  const BitMatrix ordered = relabelled(graph, order);
  const std::size_t words = ordered.words();
  for (std::size_t v = 0; v < ordered.size(); ++v) {
    std::size_t parent = kNone;
    for (std::size_t w = v / 64; w < words; ++w) {
      Word later = ordered.row(v)[w];
      if (w == v / 64) later &= ~((Word{1} << (v % 64)) - 1);
      if (later && parent == kNone) {
        parent = w * 64 + std::countr_zero(later);
        later &= later - 1;
      }
      if (parent != kNone && (later & ~ordered.row(parent)[w])) return v;
    }
  }
  return kNone;
}

/// Vertices that `from` reaches inside `room`, and for each the one it was reached from.
Order reach(const BitMatrix& graph, Vertex from, std::vector<Word> room, std::vector<Vertex>& came_from) {
  Order found{from};
  room[from / 64] &= ~(Word{1} << (from % 64));
  for (std::size_t next = 0; next < found.size(); ++next) {
    const Word* row = graph.row(found[next]);
    for (std::size_t w = 0; w < room.size(); ++w)
      for (Word fresh = row[w] & room[w]; fresh; fresh &= fresh - 1) {
        const auto u = static_cast<Vertex>(w * 64 + std::countr_zero(fresh));
        room[w] &= ~(Word{1} << (u % 64));
        came_from[u] = found[next];
        found.push_back(u);
      }
  }
  return found;
}

/// A chordless cycle through v: two neighbours of v that are not adjacent but meet outside its neighbourhood.
Order chordless_cycle_through(const BitMatrix& graph, Vertex v) {
  const std::size_t words = graph.words();
  const Word* around = graph.row(v);
  std::vector<Vertex> came_from(graph.size());
  std::vector<Word> outside = all_bits(graph.size());
  for (std::size_t w = 0; w < words; ++w) outside[w] &= ~around[w];
  outside[v / 64] &= ~(Word{1} << (v % 64));
  std::vector<Word> unseen = outside;
  for (std::size_t root; (root = first_bit(unseen.data(), words)) != kNone;) {
    std::vector<Word> border(words, 0);
    for (const Vertex u : reach(graph, static_cast<Vertex>(root), outside, came_from)) {
      unseen[u / 64] &= ~(Word{1} << (u % 64));
      for (std::size_t w = 0; w < words; ++w) border[w] |= graph.row(u)[w] & around[w];
    }
    std::size_t x = kNone, y = kNone;
    for_each_bit(border.data(), words, [&](std::size_t b) {
      if (y != kNone) return;
      for (std::size_t w = 0; w < words && y == kNone; ++w) {
        Word strangers = border[w] & ~graph.row(b)[w];
        if (w == b / 64) strangers &= ~(Word{1} << (b % 64));
        if (strangers) x = b, y = w * 64 + std::countr_zero(strangers);
      }
    });
    if (y == kNone) continue;
    std::vector<Word> room = outside;  // the shortest way from x to y has no chord
    room[y / 64] |= Word{1} << (y % 64);
    reach(graph, static_cast<Vertex>(x), room, came_from);
    Order cycle{v};
    for (std::size_t u = y; u != x; u = came_from[u]) cycle.push_back(static_cast<Vertex>(u));
    cycle.push_back(static_cast<Vertex>(x));
    return cycle;
  }
  return {};
}

}  // namespace

std::optional<Order> perfect_order(const BitMatrix& graph, Cancel& cancel) {
  Order order = mcs_order(graph, cancel);
  if (first_gap(graph, order) != kNone) return std::nullopt;
  return order;
}

Order chordless_cycle(const BitMatrix& graph, Cancel& cancel) {
  const Order order = mcs_order(graph, cancel);
  const std::size_t gap = first_gap(graph, order);
  if (gap == kNone) return {};
  // the vertex at the gap lies on a cycle nearly always; some vertex must
  Order cycle = chordless_cycle_through(graph, order[gap]);
  for (std::size_t v = 0; cycle.empty() && v < graph.size(); ++v) {
    cancel.check();
    cycle = chordless_cycle_through(graph, static_cast<Vertex>(v));
  }
  return cycle;
}

BitMatrix make_minimal(const BitMatrix& graph, BitMatrix chordal, Cancel& cancel) {
  // An edge of a chordal graph can be dropped iff its ends' common neighbours are a clique; a chordal
  // supergraph is minimal iff no single edge can be dropped (Rose, Tarjan & Lueker 1976).
  const std::size_t words = chordal.words();
  std::vector<Word> common(words);
  const auto droppable = [&](Vertex u, Vertex v) {
    for (std::size_t w = 0; w < words; ++w) common[w] = chordal.row(u)[w] & chordal.row(v)[w];
    bool clique = true;
    for_each_bit(common.data(), words, [&](std::size_t x) {
      if (!clique) return;
      for (std::size_t w = 0; w < words && clique; ++w) {
        Word strangers = common[w] & ~chordal.row(x)[w];
        if (w == x / 64) strangers &= ~(Word{1} << (x % 64));
        clique = !strangers;
      }
    });
    return clique;
  };
  std::deque<std::pair<Vertex, Vertex>> queue;
  BitMatrix queued(chordal.size());
  const auto push = [&](Vertex u, Vertex v) {
    if (graph.test(u, v) || !chordal.test(u, v) || queued.test(u, v)) return;
    queued.join(u, v);
    queue.emplace_back(std::min(u, v), std::max(u, v));
  };
  const std::vector<Vertex> ends = edges_of(chordal);
  for (std::size_t i = 0; i < ends.size(); i += 2) push(ends[i], ends[i + 1]);
  while (!queue.empty()) {
    cancel.check();
    const auto [u, v] = queue.front();
    queue.pop_front();
    queued.reset(u, v), queued.reset(v, u);
    if (!droppable(u, v)) continue;
    chordal.reset(u, v), chordal.reset(v, u);
    // only pairs that lost a common neighbour can have become free
    const std::vector<Word> lost = common;
    for_each_bit(lost.data(), words, [&, u = u, v = v](std::size_t x) {
      push(u, static_cast<Vertex>(x)), push(v, static_cast<Vertex>(x));
    });
  }
  return chordal;
}

}  // namespace treewright
