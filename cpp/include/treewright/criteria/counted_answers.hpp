// Answers of the G and chi-square tests from tables that anybody counts and a memory keeps.
#pragma once

#include <memory>
#include <vector>

#include "treewright/counting/table_memory.hpp"
#include "treewright/criteria/test_answers.hpp"

namespace treewright {

/// The same answers as PackedAnswers, to the last bit; the questions of a round reach the source together.
class CountedAnswers final : public LimitAnswers {
 public:
  CountedAnswers(std::shared_ptr<TableMemory> memory, TestSettings settings, double alpha, LimitRules rules);

  std::size_t candidates_per_pair(std::size_t round) const override;
  const TableMemory& memory() const { return *memory_; }

 private:
  std::vector<Deviation> deviations(const std::vector<Query>& queries, Cancel& cancel) override;

  std::shared_ptr<TableMemory> memory_;
};

/// A table with its variables in another order, all cells in C order or occupied ones, whose codes rise.
CountTable in_order(const CountTable& table, std::span<const std::uint32_t> scope,
                    const std::vector<std::uint32_t>& cardinalities);

}  // namespace treewright
