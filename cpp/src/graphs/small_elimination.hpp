// Taking a small graph apart within a width, by the rules of `fits`, on rows of a few words.
//
// Made once and filled again and again: a search asks many thousand times a second.
#pragma once

#include <span>
#include <utility>

#include "treewright/graphs/undirected.hpp"

namespace treewright {

class SmallElimination {
 public:
  /// An edge that an elimination added.
  struct Fill {
    Vertex eliminated, u, v;
  };

  /// n vertices without an edge.
  void start(std::size_t n);
  /// One direction of an edge; the other has to come too.
  void see(Vertex from, Vertex to) { row(from)[to / 64] |= Word{1} << (to % 64); }
  void join_all(std::span<const Vertex> clique);

  /// Eliminate what is safe within the width and, where nothing is and `guesses`, what adds fewest edges.
  /// True if everything went, or what is left is too small to be too wide.
  bool run(std::size_t width, bool guesses, Cancel& cancel);

  const Order& order() const { return order_; }  // all vertices if `run` was true
  std::size_t n_eliminated() const { return n_eliminated_; }
  const std::vector<Fill>& fills() const { return fills_; }
  /// No guess was made: a failure is certain.
  bool is_certain() const { return is_certain_; }
  /// The neighbours that an eliminated vertex had when it went.
  template <class F>
  void for_each_later(Vertex v, F&& f) const {
    for_each_bit(row(v), words_, f);
  }

 private:
  struct Gaps {
    std::size_t missing = 0, most = 0;
    Vertex odd = 0;  // the neighbour that lacks most
  };

  Word* row(std::size_t v) { return bits_.data() + v * words_; }
  const Word* row(std::size_t v) const { return bits_.data() + v * words_; }
  /// Two that are not joined.
  void join(Vertex u, Vertex v) {
    see(u, v), see(v, u);
    ++degree_[u], ++degree_[v], ++n_edges_;
  }
  void count_degrees();
  void push(Vertex v) {
    if (!waiting_[v]) waiting_[v] = 1, queue_.push_back(v);
  }
  void touch(Vertex v, std::size_t width) {
    if (!stale_.empty()) stale_[v] = 1;
    if (degree_[v] <= width) push(v);
  }
  /// A graph with more edges among those left is wider.
  std::size_t most_edges(std::size_t width) const { return width * n_left_ - width * (width + 1) / 2; }

  // `Words` is the number of words of a row, 0 where it is known only at run time
  template <std::size_t Words>
  bool take_apart(std::size_t width, bool guesses);
  template <std::size_t Words>
  bool is_safe(Vertex v, Gaps& gaps) const;
  template <std::size_t Words>
  Gaps gaps(Vertex v) const;
  template <std::size_t Words>
  std::size_t missing_at(Vertex v, Vertex neighbour) const;
  template <std::size_t Words>
  std::size_t cheapest(std::size_t width);
  template <std::size_t Words>
  void eliminate(Vertex v, const Gaps& gaps, std::size_t width);
  template <std::size_t Words>
  void complete(Vertex v, Vertex neighbour);
  template <std::size_t Words>
  void touch_between(Vertex u, Vertex v, std::size_t width);

  std::size_t n_ = 0, words_ = 0, n_edges_ = 0, n_left_ = 0, n_eliminated_ = 0;
  bool is_certain_ = true;
  std::vector<Word> bits_;
  std::vector<std::size_t> degree_;
  std::vector<char> alive_, waiting_, stale_;
  std::vector<Gaps> gaps_;
  std::vector<Fill> fills_;
  Order queue_, order_, neighbours_;
};

}  // namespace treewright
