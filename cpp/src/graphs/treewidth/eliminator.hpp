// A graph that loses vertices one by one, for the algorithms that look for safe vertices to eliminate.
#pragma once

#include <optional>
#include <utility>

#include "treewright/graphs/undirected.hpp"

namespace treewright {

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

  std::size_t missing_at(std::size_t v, std::size_t neighbour) const {
    return degree_[v] - 1 - count_common(graph_.row(v), graph_.row(neighbour), graph_.words());
  }

  Gaps gaps(std::size_t v) const {
    Gaps result;
    for_each_bit(graph_.row(v), graph_.words(), [&](std::size_t u) {
      const std::size_t miss = missing_at(v, u);
      result.missing += miss;
      if (result.odd == kNone || miss > result.most) result.odd = u, result.most = miss;
    });
    result.missing /= 2;
    return result;
  }

  /// The gaps of v if it is at least almost simplicial; none as soon as two neighbours lack two others each.
  std::optional<Gaps> gaps_if_safe(std::size_t v) const {
    Gaps result;
    std::size_t lacking = 0;
    for (std::size_t w = 0; w < graph_.words(); ++w)
      for (Word rest = graph_.row(v)[w]; rest; rest &= rest - 1) {
        const std::size_t u = w * 64 + std::countr_zero(rest), miss = missing_at(v, u);
        if (miss >= 2 && ++lacking == 2) return std::nullopt;
        result.missing += miss;
        if (result.odd == kNone || miss > result.most) result.odd = u, result.most = miss;
      }
    result.missing /= 2;
    return result.almost_simplicial() ? std::optional(result) : std::nullopt;
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

}  // namespace treewright
