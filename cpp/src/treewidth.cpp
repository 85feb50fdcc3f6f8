#include "treewright/treewidth.hpp"

#include <array>
#include <unordered_set>

#include "treewright/blocks.hpp"
#include "treewright/chordal.hpp"
#include "treewright/elimination.hpp"

namespace treewright {

namespace {

/// How far the neighbours of a vertex are from a clique.
struct Gaps {
  std::size_t missing = 0;  // pairs that are not adjacent
  std::size_t odd = kNone;  // the neighbour with most of them
  std::size_t most = 0;

  bool simplicial() const { return missing == 0; }
  /// One neighbour less and the rest would be a clique.
  bool almost_simplicial() const { return missing == most; }
};

/// A graph that loses vertices and remembers in which order.
class Eliminator {
 public:
  explicit Eliminator(BitMatrix graph)
      : graph_(std::move(graph)), degree_(degrees(graph_)), alive_(graph_.size(), 1) {}

  const BitMatrix& graph() const { return graph_; }
  const Order& order() const { return order_; }
  std::size_t degree(std::size_t v) const { return degree_[v]; }
  bool alive(std::size_t v) const { return alive_[v]; }
  std::size_t size() const { return graph_.size(); }
  std::size_t remaining() const { return graph_.size() - order_.size(); }

  Gaps gaps(std::size_t v) const {
    Gaps result;
    for_each_bit(graph_.row(v), graph_.words(), [&](std::size_t u) {
      const std::size_t miss = degree_[v] - 1 - count_common(graph_.row(v), graph_.row(u), graph_.words());
      result.missing += miss;
      if (result.odd == kNone || miss > result.most) result.odd = u, result.most = miss;
    });
    result.missing /= 2;
    return result;
  }

  /// Joins the neighbours of v to each other and takes v away. What is left in `touched()` is every vertex
  /// whose gaps this may have changed.
  void eliminate(std::size_t v, const Gaps& gaps) {
    neighbours_.clear(), touched_.clear();
    for_each_bit(graph_.row(v), graph_.words(),
                 [&](std::size_t u) { neighbours_.push_back(static_cast<Vertex>(u)); });
    if (gaps.simplicial()) {
      touched_ = neighbours_;
    } else if (gaps.almost_simplicial()) {
      complete(v, gaps.odd);
      touched_ = neighbours_;
      touch_around(gaps.odd);
    } else {
      for (const Vertex u : neighbours_) complete(v, u);
      for (const Vertex u : neighbours_) touch_around(u);
    }
    for (const Vertex u : neighbours_) graph_.reset(u, v), --degree_[u];
    std::fill(graph_.row(v), graph_.row(v) + graph_.words(), 0);
    degree_[v] = 0, alive_[v] = 0;
    order_.push_back(static_cast<Vertex>(v));
  }

  const Order& neighbours() const { return neighbours_; }  // of the vertex eliminated last
  const Order& touched() const { return touched_; }        // may name a vertex twice, or one that is gone

 private:
  /// Joins u, a neighbour of v, to all others.
  void complete(std::size_t v, std::size_t u) {
    for (std::size_t w = 0; w < graph_.words(); ++w) {
      Word missing = graph_.row(v)[w] & ~graph_.row(u)[w];
      if (w == u / 64) missing &= ~(Word{1} << (u % 64));
      for (; missing; missing &= missing - 1) {
        const std::size_t x = w * 64 + std::countr_zero(missing);
        graph_.join(u, x);
        ++degree_[u], ++degree_[x];
      }
    }
  }

  void touch_around(std::size_t u) {
    touched_.push_back(static_cast<Vertex>(u));
    for_each_bit(graph_.row(u), graph_.words(),
                 [&](std::size_t w) { touched_.push_back(static_cast<Vertex>(w)); });
  }

  BitMatrix graph_;
  std::vector<std::size_t> degree_;
  std::vector<char> alive_;
  Order order_, neighbours_, touched_;
};

/// Vertices waiting to be looked at, each at most once at a time.
class WorkList {
 public:
  explicit WorkList(std::size_t n) : waiting_(n, 0) {}
  void push(std::size_t v) {
    if (!waiting_[v]) waiting_[v] = 1, list_.push_back(static_cast<Vertex>(v));
  }
  bool empty() const { return list_.empty(); }
  std::size_t pop() {
    const Vertex v = list_.back();
    list_.pop_back();
    waiting_[v] = 0;
    return v;
  }

 private:
  std::vector<char> waiting_;
  Order list_;
};

/// Of the vertices of degree at most `width` the one whose elimination adds least; ties by degree, then
/// number.
std::size_t cheapest_within(const Eliminator& rest, std::size_t width, const std::vector<Gaps>& seen) {
  std::size_t best = kNone;
  for (std::size_t v = 0; v < rest.size(); ++v) {
    if (!rest.alive(v) || rest.degree(v) > width) continue;
    if (best == kNone || seen[v].missing < seen[best].missing ||
        (seen[v].missing == seen[best].missing && rest.degree(v) < rest.degree(best)))
      best = v;
  }
  return best;
}

/// Is the treewidth of a graph of at most 64 vertices at most `width`? Depth first over elimination orders;
/// what remains after a set of eliminations does not depend on their order, so a set that failed is never
/// retried.
class CoreSearch {
 public:
  using Rows = std::array<Word, 64>;

  CoreSearch(int width, Cancel& cancel) : width_(width), cancel_(cancel) {}

  std::optional<Order> run(const BitMatrix& graph) {
    Rows rows{};
    for (std::size_t v = 0; v < graph.size(); ++v) rows[v] = graph.row(v)[0];
    return extend(rows, all_bits(graph.size())[0]) ? std::optional(order_) : std::nullopt;
  }

 private:
  static int size(Word set) { return static_cast<int>(ones(set)); }
  static std::size_t lowest(Word set) { return static_cast<std::size_t>(std::countr_zero(set)); }

  template <class F>
  static void for_each(Word set, F&& f) {
    for (; set; set &= set - 1) f(lowest(set));
  }

  void eliminate(Rows& rows, Word& alive, std::size_t v) {
    const Word around = rows[v], bit = Word{1} << v;
    for_each(around, [&](std::size_t u) { rows[u] = (rows[u] | around) & ~(bit | Word{1} << u); });
    alive &= ~bit;
    order_.push_back(static_cast<Vertex>(v));
  }

  static int missing(const Rows& rows, std::size_t v, int* most) {
    int total = 0;
    for_each(rows[v], [&](std::size_t u) {
      const int miss = size(rows[v] & ~rows[u]) - 1;
      total += miss, *most = std::max(*most, miss);
    });
    return total / 2;
  }

  /// Safe eliminations until none is left; false if a clique shows that the width does not suffice.
  bool reduce(Rows& rows, Word& alive) {
    for (bool again = true; again;) {
      again = false;
      for (Word rest = alive; rest; rest &= rest - 1) {
        const std::size_t v = lowest(rest);
        int most = 0;
        const int gaps = missing(rows, v, &most), degree = size(rows[v]);
        if (gaps == 0 && degree > width_) return false;
        if (gaps > most || degree > width_) continue;
        eliminate(rows, alive, v);
        again = true;
      }
    }
    return true;
  }

  /// contraction_bound() > width_, on one word per row.
  bool too_wide(Rows rows, Word alive) const {
    while (alive) {
      std::size_t v = 64;
      for_each(alive, [&](std::size_t u) {
        if (v == 64 || size(rows[u]) < size(rows[v])) v = u;
      });
      const int degree = size(rows[v]);
      if (degree > width_) return true;
      if (size(alive) <= width_ + 1) return false;
      std::size_t into = 64;
      int least = 0;
      for_each(rows[v], [&](std::size_t u) {
        const int common = size(rows[u] & rows[v]);
        if (into == 64 || common < least) into = u, least = common;
      });
      const Word bit = Word{1} << v;
      for_each(rows[v], [&](std::size_t u) { rows[u] &= ~bit; });
      alive &= ~bit;
      if (into == 64) continue;
      const Word gained = rows[v] & ~(Word{1} << into);
      rows[into] |= gained;
      for_each(gained, [&](std::size_t u) { rows[u] |= Word{1} << into; });
    }
    return false;
  }

  bool extend(Rows rows, Word alive) {
    cancel_.check();
    const std::size_t mark = order_.size();
    if (!reduce(rows, alive)) return order_.resize(mark), false;
    if (size(alive) <= width_ + 1) {
      for_each(alive, [&](std::size_t v) { order_.push_back(static_cast<Vertex>(v)); });
      return true;
    }
    if (failed_.contains(alive)) return order_.resize(mark), false;
    if (!too_wide(rows, alive)) {
      std::vector<std::pair<int, std::size_t>> candidates;
      for_each(alive, [&](std::size_t v) {
        int most = 0;
        if (size(rows[v]) <= width_) candidates.emplace_back(missing(rows, v, &most), v);
      });
      std::sort(candidates.begin(), candidates.end());
      for (const auto& [_, v] : candidates) {
        Rows after = rows;
        Word left = alive;
        const std::size_t here = order_.size();
        eliminate(after, left, v);
        if (extend(after, left)) return true;
        order_.resize(here);
      }
    }
    failed_.insert(alive);
    order_.resize(mark);
    return false;
  }

  int width_;
  Cancel& cancel_;
  Order order_;
  std::unordered_set<Word> failed_;
};

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
    solve(cover_, all, true);
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
      const Gaps gaps = rest.gaps(v);
      const auto degree = static_cast<std::int64_t>(rest.degree(v));
      if (!gaps.simplicial() && !(gaps.almost_simplicial() && degree <= result_.lower)) continue;
      if (degree > result_.lower) {  // others of this degree may now be almost simplicial
        raise_lower(degree);
        for (std::size_t u = 0; u < rest.size(); ++u)
          if (rest.alive(u)) work.push(u);
      }
      rest.eliminate(v, gaps);
      cover_clique(rest.neighbours(), names);
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
        if (auto order = CoreSearch(static_cast<int>(result_.lower), cancel_).run(core)) {
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

std::optional<Order> fits(BitMatrix graph, std::int64_t width, Cancel& cancel) {
  if (graph.size() == 0) return Order{};
  if (width < 0) return std::nullopt;
  const auto bound = static_cast<std::size_t>(width);
  Eliminator rest(std::move(graph));
  WorkList work(rest.size());
  std::vector<Gaps> seen(rest.size());  // as of the last look; whatever changes goes on the list
  for (std::size_t v = rest.size(); v-- > 0;) work.push(v);
  while (rest.remaining() > 0) {
    std::size_t v = kNone;
    if (work.empty()) {
      cancel.check();
      v = cheapest_within(rest, bound, seen);  // the only step that may go wrong
      if (v == kNone) return std::nullopt;
    } else {
      v = work.pop();
      if (!rest.alive(v) || rest.degree(v) > bound) continue;
      seen[v] = rest.gaps(v);
      if (!seen[v].almost_simplicial()) continue;
    }
    rest.eliminate(v, seen[v]);
    for (const Vertex u : rest.touched())
      if (rest.degree(u) <= bound) work.push(u);
  }
  return rest.order();
}

Treewidth bound_treewidth(const BitMatrix& graph, std::size_t limit, Cancel& cancel) {
  return TreewidthSearch(graph, limit, cancel).run();
}

}  // namespace treewright
