#include "treewright/graphs/treewidth.hpp"

#include "graphs/treewidth/core_search.hpp"
#include "graphs/treewidth/eliminator.hpp"
#include "treewright/graphs/blocks.hpp"
#include "treewright/graphs/elimination.hpp"

namespace treewright {

namespace {

/// Of the vertices of degree at most `width` the one whose elimination adds least; ties by degree, then
/// number. `gaps` are brought up to date where `stale` says so.
std::size_t cheapest_within(const Eliminator& rest, std::size_t width, std::vector<Gaps>& gaps,
                            std::vector<char>& stale) {
  std::size_t best = kNone;
  for (std::size_t v = 0; v < rest.size(); ++v) {
    if (!rest.alive(v) || rest.degree(v) > width) continue;
    if (std::exchange(stale[v], 0)) gaps[v] = rest.gaps(v);
    if (best == kNone || gaps[v].missing < gaps[best].missing ||
        (gaps[v].missing == gaps[best].missing && rest.degree(v) < rest.degree(best)))
      best = v;
  }
  return best;
}

/// Collects a chordal cover of the graph while it is taken apart.
class TreewidthSearch {
 public:
  TreewidthSearch(const BitMatrix& graph, std::size_t limit, Cancel& cancel)
      : cover_(graph), limit_(limit), cancel_(cancel) {}

  Treewidth run() {
    const std::size_t n = cover_.size();
    if (n == 0) return result_;
    Order all(n);
    for (std::size_t v = 0; v < n; ++v) all[v] = static_cast<Vertex>(v);
    result_.lower = result_.upper = contraction_bound(cover_, cancel_);
    solve(BitMatrix(cover_), all, true);  // a copy: the cover grows meanwhile
    result_.upper = std::max(result_.upper, result_.lower);
    if (result_.upper == result_.lower) result_.unresolved = 0;
    // the cover is chordal; any perfect order of it will do
    result_.order = mcs_order(cover_, cancel_);
    return result_;
  }

 private:
  void raise_lower(std::int64_t bound) { result_.lower = std::max(result_.lower, bound); }

  /// Eliminates what is simplicial, or almost and no wider than the lower bound: neither changes the answer.
  void reduce(Eliminator& rest, const Order& names) {
    WorkList work(rest.size());
    for (std::size_t v = rest.size(); v-- > 0;) work.push(v);
    while (!work.empty()) {
      cancel_.check();
      const std::size_t v = work.pop();
      if (!rest.alive(v)) continue;
      const auto gaps = rest.gaps_if_safe(v);
      const auto degree = static_cast<std::int64_t>(rest.degree(v));
      if (!gaps || (degree > result_.lower && !gaps->simplicial())) continue;
      if (degree > result_.lower) {  // others of this degree may now be almost simplicial
        raise_lower(degree);
        for (std::size_t u = 0; u < rest.size(); ++u)
          if (rest.alive(u)) work.push(u);
      }
      rest.eliminate(v, *gaps);
      if (!gaps->simplicial()) cover_clique(rest.neighbours(), names);
      for (const Vertex u : rest.touched()) work.push(u);
    }
  }

  void cover_clique(const Order& clique, const Order& names) {
    for (std::size_t i = 0; i < clique.size(); ++i)
      for (std::size_t j = 0; j < i; ++j) cover_.join(names[clique[i]], names[clique[j]]);
  }

  /// `names` are the vertices of the whole graph that those of the piece stand for.
  void solve(const BitMatrix& piece, const Order& names, bool whole) {
    Eliminator rest(piece);
    reduce(rest, names);
    if (rest.remaining() == 0) return;
    const SetList blocks = biconnected_components(rest.graph(), cancel_);
    const bool split = rest.remaining() < piece.size() || blocks.size() > 1;
    if (!whole && !split) return solve_core(piece, names);
    for (std::size_t b = 0; b < blocks.size(); ++b) {
      if (blocks[b].size() == 1) continue;  // eliminated, or alone
      Order inside(blocks[b].begin(), blocks[b].end()), inner_names;
      for (const Vertex v : inside) inner_names.push_back(names[v]);
      solve(induced(rest.graph(), inside), inner_names, false);
    }
  }

  static BitMatrix induced(const BitMatrix& graph, const Order& inside) {
    BitMatrix result(inside.size());
    for (std::size_t i = 0; i < inside.size(); ++i)
      for (std::size_t j = 0; j < i; ++j)
        if (graph.test(inside[i], inside[j])) result.join(i, j);
    return result;
  }

  /// A block that no safe rule shrinks.
  void solve_core(const BitMatrix& core, const Order& names) {
    raise_lower(contraction_bound(core, cancel_));
    Order best;
    std::int64_t width = -1;
    for (const char* method : {"min_fill", "min_degree", "mcs_m", "lex_m"}) {
      Order order = elimination_order(core, method, cancel_);
      const std::int64_t found = eliminate(core, order).width;
      if (width < 0 || found < width) width = found, best = std::move(order);
    }
    if (core.size() <= std::min<std::size_t>(limit_, 64)) {
      while (result_.lower < width) {
        if (auto order = order_within(core, result_.lower, cancel_)) {
          best = std::move(*order), width = result_.lower;
        } else {
          ++result_.lower;
        }
      }
    } else if (width > result_.lower) {
      result_.unresolved = std::max(result_.unresolved, core.size());
    }
    result_.upper = std::max(result_.upper, width);
    const BitMatrix filled = eliminate(core, best).filled;
    const std::vector<Vertex> ends = edges_of(filled);
    for (std::size_t i = 0; i < ends.size(); i += 2) cover_.join(names[ends[i]], names[ends[i + 1]]);
  }

  BitMatrix cover_;
  std::size_t limit_;
  Cancel& cancel_;
  Treewidth result_;
};

}  // namespace

std::int64_t degeneracy(const BitMatrix& graph) {
  std::vector<std::size_t> degree = degrees(graph);
  std::int64_t bound = -1;
  for (std::size_t step = 0; step < graph.size(); ++step) {
    const auto v = static_cast<std::size_t>(std::min_element(degree.begin(), degree.end()) - degree.begin());
    bound = std::max(bound, static_cast<std::int64_t>(degree[v]));
    degree[v] = kNone;
    for_each_bit(graph.row(v), graph.words(), [&](std::size_t u) { degree[u] -= degree[u] != kNone; });
  }
  return bound;
}

std::int64_t contraction_bound(BitMatrix graph, Cancel& cancel) {
  const std::size_t words = graph.words();
  std::vector<std::size_t> degree = degrees(graph);
  std::int64_t bound = -1;
  for (std::size_t left = graph.size(); left > 0 && static_cast<std::int64_t>(left) > bound + 1; --left) {
    cancel.check();
    const auto v = static_cast<std::size_t>(std::min_element(degree.begin(), degree.end()) - degree.begin());
    bound = std::max(bound, static_cast<std::int64_t>(degree[v]));
    degree[v] = kNone;
    std::size_t into = kNone, least = 0;
    for_each_bit(graph.row(v), words, [&](std::size_t u) {
      const std::size_t common = count_common(graph.row(u), graph.row(v), words);
      if (into == kNone || common < least) into = u, least = common;
    });
    for_each_bit(graph.row(v), words, [&](std::size_t u) {
      graph.reset(u, v);
      if (u == into || graph.test(u, into)) {
        --degree[u];
      } else {
        graph.join(u, into), ++degree[into];
      }
    });
  }
  return bound;
}

std::optional<Order> fits(BitMatrix graph, std::int64_t width, Cancel& cancel, bool* proved) {
  bool certain = true;
  if (proved) *proved = true;
  if (graph.size() == 0) return Order{};
  if (width < 0) return std::nullopt;
  const auto bound = static_cast<std::size_t>(width);
  Eliminator rest(std::move(graph));
  WorkList work(rest.size());
  std::vector<Gaps> gaps(rest.size());
  std::vector<char> stale(rest.size(), 1);
  for (std::size_t v = rest.size(); v-- > 0;) work.push(v);
  while (rest.remaining() > 0) {
    std::size_t v = kNone;
    if (work.empty()) {
      cancel.check();
      v = cheapest_within(rest, bound, gaps, stale);  // the only step that may go wrong
      if (v == kNone) {
        if (proved) *proved = certain;
        return std::nullopt;
      }
      certain = false;
    } else {
      v = work.pop();
      if (!rest.alive(v) || rest.degree(v) > bound) continue;
      const auto safe = rest.gaps_if_safe(v);
      if (!safe) continue;
      gaps[v] = *safe;
    }
    rest.eliminate(v, gaps[v]);
    for (const Vertex u : rest.touched()) {
      stale[u] = 1;
      if (rest.degree(u) <= bound) work.push(u);
    }
  }
  return rest.order();
}

Treewidth bound_treewidth(const BitMatrix& graph, std::size_t limit, Cancel& cancel) {
  return TreewidthSearch(graph, limit, cancel).run();
}

}  // namespace treewright
