// Separators of many pairs at a time: each round asks the next candidates of every pair that is still open.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "treewright/criteria/test_answers.hpp"
#include "treewright/independence/separators.hpp"

namespace treewright {

struct LevelReport {
  std::int64_t pairs = 0, tests = 0, removed = 0;
};

/// A pair, the sets that may separate it, and the first that did.
struct PairSearch {
  std::uint32_t u, v;
  SeparatorWalk walk;
  std::uint32_t node = 0;  // whose pair it is, where pairs are searched in several places
  std::optional<std::vector<std::uint32_t>> separator = std::nullopt;
  bool done = false;
};

/// Pairs do not influence each other: each gets its first separator, in the order of its walk.
void search_separators(std::vector<PairSearch>& open, bool early_exit, TestAnswers& answers, Cancel& cancel,
                       LevelReport& report);

struct SeparatedPair {
  std::uint32_t u, v, node;
  std::vector<std::uint32_t> given;
};

/// Collects pairs and searches them in portions that bound the memory of a level.
class PairQueue {
 public:
  PairQueue(bool early_exit, TestAnswers& answers, Cancel& cancel)
      : early_exit_(early_exit), answers_(answers), cancel_(cancel) {}

  void add(PairSearch&& pair);
  /// The pairs that were separated, in the order they were added.
  std::vector<SeparatedPair> finish();
  const LevelReport& report() const { return report_; }

 private:
  void settle();

  bool early_exit_;
  TestAnswers& answers_;
  Cancel& cancel_;
  LevelReport report_;
  std::vector<PairSearch> open_;
  std::vector<SeparatedPair> separated_;
  std::size_t held_ = 0;
};

}  // namespace treewright
