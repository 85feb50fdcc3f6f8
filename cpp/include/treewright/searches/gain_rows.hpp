// What a parent more adds to a child, remembered for every child and base that a search met.
//
// All that a step of the class search changes is "x into the parents of y, given a base": inserting gains it,
// deleting loses it, turning does one of each. So gains are kept by (y, base) as rows over all x, with the
// useful ones sorted; a search that comes back to a family looks up and does not count. Of many variables few
// are useful in a row: there the others are forgotten, and the rare one that is asked for is counted again.
#pragma once

#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "treewright/criteria/local_scores.hpp"
#include "treewright/graphs/bits.hpp"

namespace treewright {

class GainRows {
 public:
  struct Useful {
    double gain;
    Vertex x;
  };

  /// Rows of more than `most_whole` variables keep what is useful.
  explicit GainRows(LocalScores& scores, std::size_t most_whole)
      : scores_(scores),
        prints_(scores.size(), 2),
        is_thin_(scores.size() > most_whole && scores.least_gain() == 0 && !scores.prefers_rows()) {}
  /// For another thread: knows what the trunk knows, which must have its pairs and must not change meanwhile.
  GainRows(LocalScores& scores, const GainRows& trunk)
      : scores_(scores),
        prints_(trunk.prints_),
        is_thin_(trunk.is_thin_),
        discount_(trunk.discount_),
        trunk_(&trunk) {}
  /// Take over what a branch of this one learned; it begins anew.
  void join(GainRows& branch);
  void forget();

  /// Every edge costs so much less from now on; 0 at first. A gain is about one edge, so it grows by that.
  void set_discount(double discount);
  double discount() const { return discount_; }

  /// local(y, base + x) - local(y, base), and the discount.
  double gain(Vertex x, Vertex y, VertexSet base, Cancel& cancel);

  /// Those x of `asked` (n bits, none in the base) that add something, most useful first; others that are
  /// known may be among them. Valid until the next question.
  std::span<const Useful> useful(Vertex y, VertexSet base, const Word* asked, Cancel& cancel);

  /// Without other parents and without the discount.
  double pair_gain(Vertex x, Vertex y, Cancel& cancel) { return full_gain(x, y, {}, cancel); }
  /// Count all pairs at once, unless that was done.
  void count_pairs(Cancel& cancel);

 private:
  struct Row {
    std::vector<double> all;                       // by x, once everything is known
    std::vector<std::pair<Vertex, double>> known;  // rising, until then
    std::vector<Useful> useful;
    bool has_useful = false;  // all that is useful is known
    const double* find(Vertex x) const;
    std::size_t bytes() const { return all.size() * sizeof(double) + known.size() * sizeof(known[0]); }
  };

  Fingerprint key(Vertex y, VertexSet base) const { return prints_.of(base) ^ prints_(y, 1); }
  const Row* known_row(const Fingerprint& key) const;
  Row& own_row(Vertex y, VertexSet base, Cancel& cancel);
  void put(const Fingerprint& key, std::unique_ptr<Row> row);
  void join(Row& mine, Row& learned);
  double full_gain(Vertex x, Vertex y, VertexSet base, Cancel& cancel);
  void fill(Row& row, Vertex y, VertexSet base, Cancel& cancel);
  void keep(Row& row, std::vector<double> gains);
  void extend(Row& row, Vertex y, VertexSet base, std::span<const Vertex> candidates, Cancel& cancel);
  void sort_useful(Row& row) const;

  LocalScores& scores_;
  Fingerprints prints_;
  bool is_thin_;
  FingerprintMap<std::uint32_t> places_;
  std::vector<std::unique_ptr<Row>> rows_;
  std::size_t bytes_ = 0;
  double discount_ = 0;
  std::vector<double> pairs_;  // of rows that keep everything
  bool has_pairs_ = false;
  const GainRows* trunk_ = nullptr;
};

}  // namespace treewright
