// Scores of families that are counted in different tables with overlapping columns.
//
// What a parent adds to its child is judged in rows that have both. A family is built in steps: parents come
// in the order that keeps most rows, and each step compares the child with and without the new parents in the
// tables that have all of them, divided by the rows of these tables.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <unordered_map>
#include <vector>

#include "treewright/criteria/local_scores.hpp"

namespace treewright {

using TableSet = std::uint64_t;  // bit t: table t takes part

/// The rows of some tables below each other, with the columns that all of them have.
struct ScoredPart {
  std::shared_ptr<LocalScores> scores;
  std::vector<Vertex> place;  // of each variable among the columns of the part, where it has it
  double n_rows = 0;
};

class PooledScores final : public LocalScores {
 public:
  using Maker = std::function<ScoredPart(TableSet)>;

  /// `tables[v]` are the tables that have variable v, `rows[t]` the rows of table t; scores stand for `scale`
  /// rows. A part is made when it is first needed.
  PooledScores(std::vector<TableSet> tables, std::vector<double> rows, double scale, double resolution,
               double least_gain, Maker make);

  std::size_t size() const override { return tables_.size(); }
  bool is_score_equivalent() const override { return true; }
  double resolution() const override { return resolution_; }
  double least_gain() const override { return least_gain_; }
  double local(Vertex child, VertexSet parents, Cancel& cancel) override;
  double additions(Vertex child, VertexSet parents, VertexSet candidates, std::span<double> out,
                   Cancel& cancel) override;
  double deletions(Vertex child, VertexSet parents, std::span<double> out, Cancel& cancel) override;
  std::vector<double> pair_gains(Cancel& cancel) override;

 private:
  const ScoredPart& part(TableSet tables);
  double rows_of(TableSet tables) const;
  double weight(const ScoredPart& part) const { return scale_ / part.n_rows; }
  std::vector<Vertex> inside(const ScoredPart& part, VertexSet set) const;
  double in_part(const ScoredPart& part, Vertex child, VertexSet parents, Cancel& cancel) const;
  double steps(Vertex child, VertexSet parents, Cancel& cancel);
  double rounded(double value) const;

  std::vector<TableSet> tables_;
  std::vector<double> rows_;
  double scale_, resolution_, least_gain_;
  Maker make_;
  std::unordered_map<TableSet, ScoredPart> parts_;
};

}  // namespace treewright
