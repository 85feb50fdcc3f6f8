#include "treewright/graphs/cliques.hpp"

#include <deque>
#include <utility>

#include "treewright/graphs/chordal.hpp"
#include "treewright/graphs/elimination.hpp"

namespace treewright {

namespace {

/// Vertices in the order in which the one of smallest remaining degree is taken away.
Order degeneracy_order(const BitMatrix& graph) {
  std::vector<std::size_t> degree = degrees(graph);
  Order order;
  while (order.size() < graph.size()) {
    const auto v = static_cast<Vertex>(std::min_element(degree.begin(), degree.end()) - degree.begin());
    order.push_back(v);
    degree[v] = kNone;
    for_each_bit(graph.row(v), graph.words(), [&](std::size_t u) { degree[u] -= degree[u] != kNone; });
  }
  return order;
}

/// Bron-Kerbosch over rows of bits; each depth of the recursion has its own three rows.
class CliqueSearch {
 public:
  CliqueSearch(const BitMatrix& graph, std::size_t limit, Cancel& cancel)
      : graph_(graph), words_(graph.words()), limit_(limit), cancel_(cancel) {}

  std::optional<SetList> run() {
    const Order order = degeneracy_order(graph_);
    std::vector<Word> done(words_, 0);
    for (const Vertex v : order) {
      Level& top = level(0);
      for (std::size_t w = 0; w < words_; ++w) {
        top.candidates[w] = graph_.row(v)[w] & ~done[w];
        top.excluded[w] = graph_.row(v)[w] & done[w];
      }
      done[v / 64] |= Word{1} << (v % 64);
      clique_.assign(1, v);
      if (!extend(0)) return std::nullopt;
    }
    return sorted(found_);
  }

 private:
  struct Level {
    std::vector<Word> candidates, excluded, branches;
  };

  Level& level(std::size_t depth) {
    while (levels_.size() <= depth)
      levels_.push_back({std::vector<Word>(words_), std::vector<Word>(words_), std::vector<Word>(words_)});
    return levels_[depth];
  }

  /// The vertex that leaves the fewest candidates to branch on.
  std::size_t pivot(const Level& here) const {
    std::size_t best = kNone, most = 0;
    const auto consider = [&](std::size_t u) {
      const std::size_t covered = count_common(here.candidates.data(), graph_.row(u), words_);
      if (best == kNone || covered > most) best = u, most = covered;
    };
    for_each_bit(here.candidates.data(), words_, consider);
    for_each_bit(here.excluded.data(), words_, consider);
    return best;
  }

  /// False once there are more cliques than allowed.
  bool extend(std::size_t depth) {
    cancel_.check();
    level(depth + 1);  // a deque keeps references while it grows
    Level &here = levels_[depth], &below = levels_[depth + 1];
    const std::size_t p = pivot(here);
    if (p == kNone) {
      if (found_.size() == limit_) return false;
      found_.members.insert(found_.members.end(), clique_.begin(), clique_.end());
      found_.close();
      return true;
    }
    for (std::size_t w = 0; w < words_; ++w) here.branches[w] = here.candidates[w] & ~graph_.row(p)[w];
    for (std::size_t v; (v = first_bit(here.branches.data(), words_)) != kNone;) {
      for (std::size_t w = 0; w < words_; ++w) {
        below.candidates[w] = here.candidates[w] & graph_.row(v)[w];
        below.excluded[w] = here.excluded[w] & graph_.row(v)[w];
      }
      clique_.push_back(static_cast<Vertex>(v));
      if (!extend(depth + 1)) return false;
      clique_.pop_back();
      const Word bit = Word{1} << (v % 64);
      here.branches[v / 64] &= ~bit, here.candidates[v / 64] &= ~bit, here.excluded[v / 64] |= bit;
    }
    return true;
  }

  const BitMatrix& graph_;
  std::size_t words_, limit_;
  Cancel& cancel_;
  std::deque<Level> levels_;
  Order clique_;
  SetList found_;
};

}  // namespace

std::optional<SetList> maximal_cliques(const BitMatrix& graph, std::size_t limit, Cancel& cancel) {
  if (const auto order = perfect_order(graph, cancel)) {
    SetList cliques = eliminate(graph, *order).cliques;
    if (cliques.size() > limit) return std::nullopt;
    return cliques;
  }
  return CliqueSearch(graph, limit, cancel).run();
}

std::vector<TreeEdge> join_tree(const SetList& clusters, std::size_t n, Cancel& cancel) {
  // Prim's algorithm under the strict order (weight falling, i, j): the tree is unique, whatever the start,
  // and no list of pairs is ever held.
  const std::size_t count = clusters.size();
  const SetList holders = transposed(clusters, n);
  std::vector<std::size_t> weight(count, 0), link(count, 0), shared(count, 0);
  std::vector<char> inside(count, 0);
  const auto pair_of = [](std::size_t a, std::size_t b) { return std::pair(std::min(a, b), std::max(a, b)); };
  std::vector<TreeEdge> edges;
  std::size_t last = 0;
  for (std::size_t step = 1; step < count; ++step) {
    cancel.check();
    inside[last] = 1;
    for (const Vertex v : clusters[last])
      for (const Vertex c : holders[v]) ++shared[c];
    std::size_t best = kNone;
    for (std::size_t c = 0; c < count; ++c) {
      const std::size_t common = std::exchange(shared[c], 0);
      if (inside[c]) continue;
      if (common > weight[c] || (common == weight[c] && pair_of(last, c) < pair_of(link[c], c)))
        weight[c] = common, link[c] = last;
      if (best == kNone || weight[c] > weight[best] ||
          (weight[c] == weight[best] && pair_of(link[c], c) < pair_of(link[best], best)))
        best = c;
    }
    const auto [i, j] = pair_of(link[best], best);
    edges.push_back({i, j, weight[best]});
    last = best;
  }
  std::sort(edges.begin(), edges.end(), [](const TreeEdge& a, const TreeEdge& b) {
    return std::pair(a.first, a.second) < std::pair(b.first, b.second);
  });
  return edges;
}

}  // namespace treewright
