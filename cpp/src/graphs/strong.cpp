#include "treewright/graphs/strong.hpp"

#include <algorithm>
#include <stdexcept>

#include "treewright/graphs/elimination.hpp"

namespace treewright {
namespace {

void check_flags(const BitMatrix& graph, std::span<const char> is_number) {
  if (is_number.size() != graph.size()) throw std::invalid_argument("a flag for each vertex is needed");
}

// The connected sets of numbers, each with the labels around it.
struct Part {
  Order numbers, labels;
};

std::vector<Part> parts_of(const BitMatrix& graph, std::span<const char> is_number) {
  std::vector<Part> parts;
  std::vector<char> seen(graph.size(), 0);
  for (Vertex start = 0; start < graph.size(); ++start) {
    if (!is_number[start] || seen[start]) continue;
    Part part{{start}, {}};
    std::vector<Word> around(graph.words(), 0);
    seen[start] = 1;
    for (std::size_t i = 0; i < part.numbers.size(); ++i)
      for_each_bit(graph.row(part.numbers[i]), graph.words(), [&](std::size_t u) {
        if (!is_number[u]) around[u / 64] |= Word{1} << (u % 64);
        if (is_number[u] && !seen[u]) seen[u] = 1, part.numbers.push_back(static_cast<Vertex>(u));
      });
    for_each_bit(around.data(), around.size(),
                 [&](std::size_t u) { part.labels.push_back(static_cast<Vertex>(u)); });
    parts.push_back(std::move(part));
  }
  return parts;
}

// Maximum cardinality search of what hangs together, its labels visited first, turned round. The chordal
// graph may join numbers to others; those edges have no say.
void append_part(const BitMatrix& chordal, const Part& part, Order& order) {
  std::vector<std::size_t> visited(part.numbers.size(), 0);
  const auto visit = [&](Vertex v) {
    for (std::size_t i = 0; i < visited.size(); ++i)
      if (visited[i] != kNone) visited[i] += chordal.test(v, part.numbers[i]);
  };
  for (const Vertex label : part.labels) visit(label);
  Order turned;
  while (turned.size() < part.numbers.size()) {
    std::size_t next = kNone;
    for (std::size_t i = 0; i < visited.size(); ++i)
      if (visited[i] != kNone && (next == kNone || visited[i] > visited[next])) next = i;
    visited[next] = kNone;
    turned.push_back(part.numbers[next]);
    visit(turned.back());
  }
  order.insert(order.end(), turned.rbegin(), turned.rend());
}

}  // namespace

BitMatrix strong_graph(BitMatrix graph, std::span<const char> is_number) {
  check_flags(graph, is_number);
  for (const Part& part : parts_of(graph, is_number))
    for (std::size_t i = 0; i < part.labels.size(); ++i)
      for (std::size_t j = 0; j < i; ++j) graph.join(part.labels[i], part.labels[j]);
  return graph;
}

Order strong_order(const BitMatrix& graph, std::span<const char> is_number, std::span<const Vertex> order) {
  check_flags(graph, is_number);
  check_permutation(order, graph.size());
  const BitMatrix chordal = eliminate(strong_graph(graph, is_number), order).filled;
  Order found;
  for (Part& part : parts_of(graph, is_number)) {
    std::ranges::sort(part.numbers);
    append_part(chordal, part, found);
  }
  for (const Vertex v : order)
    if (!is_number[v]) found.push_back(v);
  return found;
}

}  // namespace treewright
