#include "treewright/independence/separator_rounds.hpp"

#include <algorithm>

namespace treewright {
namespace {

// Lists of candidates held at once, and questions of one round: what bounds the memory of a level.
constexpr std::size_t kListEntries = std::size_t{1} << 22;
constexpr std::size_t kSeparatorQueriesPerBatch = std::size_t{1} << 16;

}  // namespace

void search_separators(std::vector<PairSearch>& open, bool early_exit, TestAnswers& answers, Cancel& cancel,
                       LevelReport& report) {
  std::vector<Query> queries;
  std::vector<PairSearch*> askers;
  std::vector<std::uint32_t> subset;
  std::vector<PairSearch*> waiting;
  for (PairSearch& pair : open) waiting.push_back(&pair);
  for (std::size_t round = 0; !waiting.empty(); ++round) {
    cancel.check();
    queries.clear(), askers.clear();
    const std::size_t share =
        std::min(answers.candidates_per_pair(round), 1 + kSeparatorQueriesPerBatch / waiting.size());
    for (PairSearch* pair : waiting)
      for (std::size_t i = 0; i < share && !pair->done; ++i) {
        pair->done = !pair->walk.next(subset);
        if (pair->done) continue;
        if (round == 0 && i == 0) ++report.pairs;
        queries.push_back({pair->u, pair->v, subset});
        askers.push_back(pair);
      }
    if (!queries.empty()) {
      const Answers found = answers.independent(queries, cancel);
      for (std::size_t i = 0; i < queries.size(); ++i)
        if (found[i] && !askers[i]->separator) {
          askers[i]->separator = std::move(queries[i].given);
          askers[i]->done = askers[i]->done || early_exit;
        }
    }
    report.tests += static_cast<std::int64_t>(queries.size());
    std::erase_if(waiting, [](const PairSearch* pair) { return pair->done; });
  }
}

void PairQueue::add(PairSearch&& pair) {
  held_ += pair.walk.length();
  open_.push_back(std::move(pair));
  if (held_ > kListEntries || open_.size() >= kSeparatorQueriesPerBatch) settle();
}

void PairQueue::settle() {
  search_separators(open_, early_exit_, answers_, cancel_, report_);
  for (PairSearch& pair : open_)
    if (pair.separator) separated_.push_back({pair.u, pair.v, pair.node, std::move(*pair.separator)});
  open_.clear(), held_ = 0;
}

std::vector<SeparatedPair> PairQueue::finish() {
  settle();
  report_.removed = static_cast<std::int64_t>(separated_.size());
  return std::move(separated_);
}

}  // namespace treewright
