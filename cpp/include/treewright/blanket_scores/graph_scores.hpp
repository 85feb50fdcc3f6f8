// Scores of undirected graphs that follow one flip of an edge after the other.
//
// A score keeps its total and, for every pair, a *standing*: how well the pair as it is (joined or not) fits.
// The pair of least standing is the one most likely to be wrong; searches try it first.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "treewright/blanket_scores/blanket_tests.hpp"
#include "treewright/counting/arithmetic.hpp"
#include "treewright/criteria/local_scores.hpp"
#include "treewright/graphs/undirected.hpp"

namespace treewright {

class GraphScore {
 public:
  explicit GraphScore(std::size_t n) : graph_(n) {}
  GraphScore(const GraphScore&) = delete;
  GraphScore& operator=(const GraphScore&) = delete;
  virtual ~GraphScore() = default;

  std::size_t size() const { return graph_.size(); }
  const BitMatrix& graph() const { return graph_; }
  std::size_t degree(Vertex v) const { return count_bits(graph_.row(v), graph_.words()); }

  /// Judge a graph from scratch.
  virtual void start(const BitMatrix& graph, Cancel& cancel) = 0;
  /// Join x and y, or part them; only what depends on their blankets is judged again.
  virtual void flip(Vertex x, Vertex y, Cancel& cancel) = 0;
  virtual double total() const = 0;
  virtual double standing(Vertex x, Vertex y) const = 0;

  /// Judge every blanket of every vertex of a small graph, once; then `total_of` only adds up.
  virtual void tabulate(Cancel& cancel) = 0;
  /// The total of a graph given as rows of bits, one word per vertex.
  virtual double total_of(const Word* blankets) const = 0;

 protected:
  std::vector<Vertex> blanket(Vertex v) const;
  void toggle(Vertex x, Vertex y);

  BitMatrix graph_;
};

enum class BlanketKind { joint, independent };  // BJP: from the owner's side; IB: from both sides
enum class OwnerTie { index, mean };            // the smaller vertex owns, or both do by halves
enum class OwnerRule { degree, cells };         // who has fewer neighbours, or the smaller table of them

struct BlanketScoreSettings {
  BlanketKind kind = BlanketKind::joint;
  OwnerTie tie = OwnerTie::index;
  OwnerRule owner = OwnerRule::degree;
  double edge_price = 0;
};

/// Blankets joint posterior (Schlüter et al. 2017) and the independence-based score (Bromberg et al. 2009):
/// a sum over pairs of log-posteriors of independence, or dependence, given the blanket of one of them.
class BlanketScore final : public GraphScore {
 public:
  BlanketScore(std::shared_ptr<RememberedTests> tests, BlanketScoreSettings settings);

  void start(const BitMatrix& graph, Cancel& cancel) override;
  void flip(Vertex x, Vertex y, Cancel& cancel) override;
  double total() const override { return scale_.value(sum_); }
  double standing(Vertex x, Vertex y) const override { return scale_.value(term(x, y)); }
  void tabulate(Cancel& cancel) override;
  double total_of(const Word* blankets) const override;

  RememberedTests& tests() { return *tests_; }

 private:
  struct Share {  // of the two one-sided terms of a pair
    double of_first, of_second;
    bool operator==(const Share&) const = default;
  };
  Share share(double first, double second, Vertex u, Vertex v) const;
  Share share(Vertex u, Vertex v) const { return share(weight_[u], weight_[v], u, v); }
  double weight_of(const Word* row) const;
  void judge(const std::vector<std::pair<Vertex, Vertex>>& pairs, Cancel& cancel);

  std::int64_t& term(Vertex u, Vertex v) { return terms_[std::min(u, v) * size() + std::max(u, v)]; }
  std::int64_t term(Vertex u, Vertex v) const { return terms_[std::min(u, v) * size() + std::max(u, v)]; }
  std::int64_t fixed(double value) const;
  double one_sided(const Word* blankets, Vertex from, Vertex to) const;

  std::shared_ptr<RememberedTests> tests_;
  BlanketScoreSettings settings_;
  double floor_;                // no term is lower
  FixedPoint scale_;            // totals add exactly, so that flips give what judging from scratch gives
  std::vector<double> weight_;  // of each vertex: the lighter of two owns their pair
  std::vector<std::int64_t> terms_;
  std::int64_t sum_ = 0;
  std::vector<double> table_;  // by (from, blanket, to), for small graphs
};

/// The sum of local scores of vertices given their blankets (marginal pseudo-likelihood; Pensar et al. 2017).
/// The standing of a pair is what flipping it would cost.
class PseudoScore final : public GraphScore {
 public:
  /// Standings are kept of the pairs in `movable` only.
  PseudoScore(std::shared_ptr<LocalScores> scores, BitMatrix movable);

  void start(const BitMatrix& graph, Cancel& cancel) override;
  void flip(Vertex x, Vertex y, Cancel& cancel) override;
  double total() const override;
  double standing(Vertex x, Vertex y) const override {
    return -(gains_[x * size() + y] + gains_[y * size() + x]);
  }
  void tabulate(Cancel& cancel) override;
  double total_of(const Word* blankets) const override;

 private:
  void judge(Vertex v, Cancel& cancel);

  std::shared_ptr<LocalScores> scores_;
  BitMatrix movable_;
  std::vector<double> own_, gains_;  // gains[v * n + u]: of the local score of v when u-v is flipped
  std::vector<double> table_;        // by (vertex, blanket), for small graphs
};

}  // namespace treewright
