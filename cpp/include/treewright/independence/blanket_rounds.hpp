// Markov blankets of many variables at a time: grow by the strongest, then shrink by the weakest.
#pragma once

#include <cstdint>
#include <vector>

#include "treewright/criteria/test_answers.hpp"

namespace treewright {

/// Whose blanket is looked for, and among whom; candidates come by name, which breaks ties.
struct BlanketTask {
  std::uint32_t target;
  std::vector<std::uint32_t> candidates;
};

/// Candidates in the order in which they joined a blanket, each with its p-value given those before it. A
/// stricter level takes a beginning of the same list.
struct GrownBlanket {
  std::vector<std::uint32_t> members;
  std::vector<double> p_values;
};

/// A blanket grows by the candidate that depends most on the target given it, until none does or it has
/// `largest` members. Targets do not influence each other: a round asks for all of them.
std::vector<GrownBlanket> grow_blankets(const std::vector<BlanketTask>& tasks, std::size_t largest,
                                        TestAnswers& answers, Cancel& cancel, std::int64_t& n_tests);

/// From each blanket (the candidates of a task, by name) the member goes that depends least on the target
/// given the others, of several the last; until each depends.
std::vector<std::vector<std::uint32_t>> shrink_blankets(const std::vector<BlanketTask>& blankets,
                                                        TestAnswers& answers, Cancel& cancel,
                                                        std::int64_t& n_tests);

}  // namespace treewright
