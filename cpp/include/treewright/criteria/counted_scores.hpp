// Discrete scores from tables that anybody counts and a memory keeps: one round for each question.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "treewright/counting/table_memory.hpp"
#include "treewright/criteria/local_scores.hpp"

namespace treewright {

/// The same numbers as PackedScores, to the last bit. A question is answered from the values of sets; those
/// that are not known are asked of the memory together.
class CountedScores final : public DiscreteScores {
 public:
  /// Parameters as for PackedScores; the memory may serve others too.
  CountedScores(std::shared_ptr<TableMemory> memory, ScoreSettings settings, double edge_price,
                std::vector<std::uint32_t> order, std::vector<double> pair_prices = {});

  double local(Vertex child, VertexSet parents, Cancel& cancel) override;
  double additions(Vertex child, VertexSet parents, VertexSet candidates, std::span<double> out,
                   Cancel& cancel) override;
  double deletions(Vertex child, VertexSet parents, std::span<double> out, Cancel& cancel) override;
  double around(Vertex child, VertexSet parents, VertexSet candidates, std::span<double> with,
                std::span<double> without, Cancel& cancel) override;
  std::vector<double> pair_gains(Cancel& cancel) override;
  bool prefers_rows() const override { return true; }

  const TableMemory& memory() const { return *memory_; }

 private:
  struct Asked {  // a set whose value is wanted; K2 judges parents by the states of their child
    std::vector<Vertex> set;
    Vertex child_of_parents;
  };
  Fingerprint key(const Asked& asked) const;
  void ask_family(Vertex child, std::vector<Vertex> parents, std::vector<Asked>& asked) const;
  void learn(const std::vector<Asked>& asked, Cancel& cancel);
  double value(const Asked& asked) const;
  double known(Vertex child, std::vector<Vertex> parents) const;
  double value_of(const CountTable& table, const Asked& asked) const;

  std::shared_ptr<TableMemory> memory_;
  FingerprintMap<double> values_;
};

}  // namespace treewright
