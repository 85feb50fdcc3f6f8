// "Is the graph still narrow with these edges?", asked again and again of a graph that changes little.
//
// Simplicial vertices of degree within the bound, and almost simplicial ones, may be eliminated without
// changing the answer (Bodlaender & Koster 2006). What they leave is kept: an elimination of all vertices
// that went safely, as a forest in which each hangs on the first to go among the neighbours that it had. An
// edge that comes or goes concerns its ends, those that went safely only because it was there, and what
// stands above them in the forest; likewise the edges that these added when they went. The rest goes as
// safely as before. So a question is answered on a graph of a few dozen vertices, which the rest has
// joined where it hangs on it, and the answer is as good as that of the whole.
#pragma once

#include <memory>
#include <optional>
#include <utility>

#include "treewright/graphs/undirected.hpp"

namespace treewright {

class SmallElimination;

class WidthTest {
 public:
  WidthTest(std::size_t n, std::size_t bound);
  ~WidthTest();

  /// The edge came or went since the last renewal; twice is not at all.
  void toggle(Vertex u, Vertex v);
  /// Nothing has come or gone since the last renewal.
  bool is_unchanged() const { return toggles_.empty(); }
  /// Make the graph, which has all toggles so far, the one that questions start from.
  void renew(const BitMatrix& graph, Cancel& cancel);
  /// An elimination order within the bound of the graph, which has all toggles since the renewal; or none.
  std::optional<Order> order(const BitMatrix& graph, Cancel& cancel);
  /// Safe rules alone took the graph apart when it was renewed.
  bool is_decided() const { return n_ - eliminated_.size() <= bound_ + 1; }
  /// The last answer, if it was none, is certain: no guess was made.
  bool is_certain() const;

 private:
  void gather(const BitMatrix& graph);
  void take(Vertex v);
  void part(Vertex u, Vertex v);
  void lay_out(const BitMatrix& graph);
  void hang(Vertex v);
  void hang_on(Vertex v, Vertex above);
  void forget_toggles();

  std::size_t n_, bound_;
  Order eliminated_;  // those that went safely, in order
  std::vector<char> is_eliminated_;
  std::vector<std::uint64_t> when_;  // rises along `eliminated_`
  std::uint64_t clock_ = 0;
  std::vector<Order> later_;  // of an eliminated vertex: the neighbours that it had
  std::vector<std::vector<std::pair<Vertex, Vertex>>> added_;  // the edges that its elimination added
  Order above_;               // the first of them to go; itself if there was none
  std::vector<Order> below_;  // those that it is above of, itself left out
  BitMatrix earlier_;         // row v: whose neighbour v was
  BitMatrix toggled_;
  std::vector<std::pair<Vertex, Vertex>> toggles_;
  std::vector<std::pair<Vertex, Vertex>> lost_;  // added by vertices that have not gone in a question
  Order piece_;                                  // vertices that a question concerns, rising
  std::vector<char> in_piece_;
  Order place_;             // in the piece
  std::vector<Word> mask_;  // the piece as bits
  Order clique_;
  std::unique_ptr<SmallElimination> small_;
};

}  // namespace treewright
