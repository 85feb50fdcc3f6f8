#include "treewright/graphs/elimination.hpp"

#include <limits>
#include <stdexcept>
#include <string>
#include <utility>

namespace treewright {

namespace {

constexpr std::int64_t kGone = std::numeric_limits<std::int64_t>::max();

/// A graph that keeps, for every vertex, the number of edges its elimination would add.
class FillCounts {
 public:
  FillCounts(BitMatrix graph, Cancel& cancel)
      : graph_(std::move(graph)), words_(graph_.words()), degree_(degrees(graph_)), fill_(graph_.size()) {
    for (std::size_t v = 0; v < graph_.size(); ++v) {
      if (v % 64 == 0) cancel.check();
      std::size_t missing = 0;
      for_each_bit(graph_.row(v), words_, [&](std::size_t u) {
        missing += degree_[v] - 1 - count_common(graph_.row(v), graph_.row(u), words_);
      });
      fill_[v] = static_cast<std::int64_t>(missing / 2);
    }
  }

  Vertex cheapest() const {
    std::size_t best = 0;
    for (std::size_t v = 1; v < fill_.size(); ++v)
      if (fill_[v] < fill_[best] || (fill_[v] == fill_[best] && degree_[v] < degree_[best])) best = v;
    return static_cast<Vertex>(best);
  }

  void eliminate(Vertex v) {
    neighbours_.clear();
    for_each_bit(graph_.row(v), words_,
                 [&](std::size_t u) { neighbours_.push_back(static_cast<Vertex>(u)); });
    if (fill_[v] > 0) join_neighbours(v);
    for (const Vertex u : neighbours_) {
      // the pairs (v, w) with w a neighbour of u but not of v stop counting for u
      fill_[u] -= static_cast<std::int64_t>(degree_[u] - neighbours_.size());
      graph_.reset(u, v);
      --degree_[u];
    }
    fill_[v] = kGone;
  }

 private:
  void join_neighbours(Vertex v) {
    const Word* around = graph_.row(v);
    for (const Vertex x : neighbours_)
      for (std::size_t w = x / 64; w < words_; ++w) {
        Word missing = around[w] & ~graph_.row(x)[w];
        if (w == x / 64) missing &= ~(((Word{1} << (x % 64)) - 1) | Word{1} << (x % 64));
        for (; missing; missing &= missing - 1)
          join(x, static_cast<Vertex>(w * 64 + std::countr_zero(missing)));
      }
  }

  void join(Vertex x, Vertex y) {
    std::int64_t common = 0;
    const Word *a = graph_.row(x), *b = graph_.row(y);
    for (std::size_t w = 0; w < words_; ++w)
      for (Word rest = a[w] & b[w]; rest; rest &= rest - 1, ++common)
        --fill_[w * 64 + std::countr_zero(rest)];
    fill_[x] += static_cast<std::int64_t>(degree_[x]) - common;
    fill_[y] += static_cast<std::int64_t>(degree_[y]) - common;
    graph_.join(x, y);
    ++degree_[x], ++degree_[y];
  }

  BitMatrix graph_;
  std::size_t words_;
  std::vector<std::size_t> degree_;
  std::vector<std::int64_t> fill_;
  Order neighbours_;
};

/// Labels that grow by one (MCS-M), or are compared as lists of visit numbers (LEX M, kept as ranks).
enum class Labels { cardinality, lexicographic };

void relabel(std::vector<std::size_t>& label, const std::vector<char>& reached, Labels kind) {
  if (kind == Labels::cardinality) {
    for (std::size_t v = 0; v < label.size(); ++v) label[v] += reached[v];
    return;
  }
  std::vector<std::size_t> rank(2 * label.size() + 2, 0);
  for (std::size_t v = 0; v < label.size(); ++v) rank[label[v] = 2 * label[v] + reached[v]] = 1;
  std::size_t next = 0;
  for (std::size_t& r : rank) next += std::exchange(r, next);
  for (std::size_t& l : label) l = rank[l];
}

/// Marks every unvisited vertex u that v reaches over unvisited vertices with labels below u's own.
void mark_reached(const BitMatrix& graph, Vertex v, std::vector<Word> unvisited,
                  const std::vector<std::size_t>& label, std::vector<Order>& bucket,
                  std::vector<char>& reached) {
  const std::size_t words = graph.words();
  auto spread = [&](std::size_t from, std::size_t level, bool direct) {
    const Word* row = graph.row(from);
    for (std::size_t w = 0; w < words; ++w) {
      const Word fresh = row[w] & unvisited[w];
      unvisited[w] &= ~fresh;
      for (Word rest = fresh; rest; rest &= rest - 1) {
        const auto u = static_cast<Vertex>(w * 64 + std::countr_zero(rest));
        if (direct || label[u] > level) reached[u] = 1;
        bucket[std::max(level, label[u])].push_back(u);
      }
    }
  };
  spread(v, 0, true);
  for (std::size_t level = 0; level < bucket.size(); ++level)
    while (!bucket[level].empty()) {
      const Vertex u = bucket[level].back();
      bucket[level].pop_back();
      spread(u, level, false);
    }
}

Order minimal_order(const BitMatrix& graph, Labels kind, Cancel& cancel) {
  const std::size_t n = graph.size();
  std::vector<Word> unvisited = all_bits(n);
  std::vector<std::size_t> label(n, 0);
  std::vector<Order> bucket(n + 1);
  std::vector<char> reached(n);
  Order order(n);
  for (std::size_t step = n; step-- > 0;) {
    cancel.check();
    std::size_t v = kNone;
    for_each_bit(unvisited.data(), unvisited.size(), [&](std::size_t u) {
      if (v == kNone || label[u] > label[v]) v = u;
    });
    order[step] = static_cast<Vertex>(v);
    unvisited[v / 64] &= ~(Word{1} << (v % 64));
    label[v] = 0;
    std::fill(reached.begin(), reached.end(), 0);
    mark_reached(graph, order[step], unvisited, label, bucket, reached);
    relabel(label, reached, kind);
  }
  return order;
}

}  // namespace

Order min_fill_order(BitMatrix graph, Cancel& cancel) {
  const std::size_t n = graph.size();
  FillCounts remaining(std::move(graph), cancel);
  Order order;
  while (order.size() < n) {
    cancel.check();
    order.push_back(remaining.cheapest());
    remaining.eliminate(order.back());
  }
  return order;
}

Order min_degree_order(BitMatrix graph, Cancel& cancel) {
  const std::size_t n = graph.size(), words = graph.words();
  std::vector<std::size_t> degree = degrees(graph);
  Order order;
  while (order.size() < n) {
    cancel.check();
    const auto v = static_cast<Vertex>(std::min_element(degree.begin(), degree.end()) - degree.begin());
    order.push_back(v);
    for_each_bit(graph.row(v), words, [&](std::size_t u) {
      for (std::size_t w = 0; w < words; ++w) graph.row(u)[w] |= graph.row(v)[w];
      graph.reset(u, u), graph.reset(u, v);
      degree[u] = count_bits(graph.row(u), words);
    });
    degree[v] = kNone;
  }
  return order;
}

Order mcs_order(const BitMatrix& graph, Cancel& cancel) {
  const std::size_t n = graph.size();
  std::vector<std::int64_t> visited_neighbours(n, 0);
  Order order(n);
  for (std::size_t step = n; step-- > 0;) {
    cancel.check();
    const auto most = std::max_element(visited_neighbours.begin(), visited_neighbours.end());
    const auto v = static_cast<Vertex>(most - visited_neighbours.begin());
    order[step] = v;
    for_each_bit(graph.row(v), graph.words(), [&](std::size_t u) { ++visited_neighbours[u]; });
    visited_neighbours[v] = -kGone;  // far below any count, however often it is raised
  }
  return order;
}

Order lex_bfs_order(const BitMatrix& graph, Cancel& cancel) {
  // the unvisited vertices, cell by cell; vertices of one cell have equal labels and stay in rising order
  const std::size_t n = graph.size();
  Order queue(n), next;
  std::vector<char> opens(n, 0), next_opens;  // does the vertex at this place open a cell?
  for (std::size_t v = 0; v < n; ++v) queue[v] = static_cast<Vertex>(v);
  Order order(n), outside;
  for (std::size_t step = n; step-- > 0;) {
    cancel.check();
    const Vertex v = order[step] = queue.front();
    next.clear(), next_opens.clear();
    for (std::size_t i = 1; i < queue.size();) {
      const std::size_t start = next.size();
      outside.clear();
      do {
        if (graph.test(v, queue[i])) {
          next.push_back(queue[i]);
        } else {
          outside.push_back(queue[i]);
        }
      } while (++i < queue.size() && !opens[i]);
      const std::size_t inside = next.size() - start;
      next.insert(next.end(), outside.begin(), outside.end());
      next_opens.resize(next.size(), 0);
      next_opens[start] = 1;
      if (inside < next.size() - start) next_opens[start + inside] = 1;
    }
    std::swap(queue, next), std::swap(opens, next_opens);
  }
  return order;
}

Order mcs_m_order(const BitMatrix& graph, Cancel& cancel) {
  return minimal_order(graph, Labels::cardinality, cancel);
}

Order lex_m_order(const BitMatrix& graph, Cancel& cancel) {
  return minimal_order(graph, Labels::lexicographic, cancel);
}

Order elimination_order(const BitMatrix& graph, std::string_view method, Cancel& cancel) {
  if (method == "min_fill") return min_fill_order(graph, cancel);
  if (method == "min_degree") return min_degree_order(graph, cancel);
  if (method == "mcs") return mcs_order(graph, cancel);
  if (method == "mcs_m") return mcs_m_order(graph, cancel);
  if (method == "lex_bfs") return lex_bfs_order(graph, cancel);
  if (method == "lex_m") return lex_m_order(graph, cancel);
  throw std::invalid_argument("there is no elimination order called " + std::string(method));
}

BitMatrix filled_upward(const BitMatrix& graph, std::span<const Vertex> order) {
  BitMatrix later = relabelled(graph, order);
  const std::size_t words = later.words();
  for (std::size_t v = 0; v < later.size(); ++v) {
    Word* row = later.row(v);
    std::fill(row, row + v / 64, 0);
    row[v / 64] &= ~((Word{1} << (v % 64)) - 1);
  }
  for (std::size_t v = 0; v < later.size(); ++v) {
    const std::size_t parent = first_bit(later.row(v), words, v / 64);
    if (parent == kNone) continue;
    // passing the rest to the parent alone is enough: it hands them on
    for (std::size_t w = parent / 64; w < words; ++w) later.row(parent)[w] |= later.row(v)[w];
    later.reset(parent, parent);
  }
  return later;
}

Elimination eliminate(const BitMatrix& graph, std::span<const Vertex> order) {
  const std::size_t n = graph.size();
  const BitMatrix later = filled_upward(graph, order);
  const std::vector<std::size_t> size = degrees(later);
  Elimination result{BitMatrix(n), {}, -1};
  std::vector<char> covered(n, 0);  // {v} and its later neighbours lie inside the clique of a child
  for (std::size_t v = 0; v < n; ++v) {
    result.width = std::max(result.width, static_cast<std::int64_t>(size[v]));
    for_each_bit(later.row(v), later.words(), [&](std::size_t u) { result.filled.join(order[v], order[u]); });
    const std::size_t parent = first_bit(later.row(v), later.words(), v / 64);
    if (parent != kNone && size[v] == size[parent] + 1) covered[parent] = 1;
    if (covered[v]) continue;  // children come before their parent
    result.cliques.members.push_back(order[v]);
    for_each_bit(later.row(v), later.words(),
                 [&](std::size_t u) { result.cliques.members.push_back(order[u]); });
    result.cliques.close();
  }
  result.cliques = sorted(result.cliques);
  return result;
}

}  // namespace treewright
