#include "treewright/independence/blanket_rounds.hpp"

#include <algorithm>
#include <iterator>

namespace treewright {
namespace {

// Questions of one batch: what bounds the memory of a round.
constexpr std::size_t kQueriesPerRound = std::size_t{1} << 20;

// Rounds over all searches that are not done, in portions: `step` moves each of a portion on, and ends some.
template <class Search, class Step>
void repeat(std::vector<Search>& searches, Cancel& cancel, const Step& step) {
  for (bool any = true; any;) {
    any = false;
    std::vector<Search*> portion;
    std::size_t held = 0;
    const auto finish = [&] {
      cancel.check();
      if (!portion.empty()) step(portion);
      portion.clear(), held = 0;
    };
    for (Search& one : searches) {
      if (one.done) continue;
      any = true;
      portion.push_back(&one);
      held += one.questions();
      if (held >= kQueriesPerRound) finish();
    }
    finish();
  }
}

struct Growth {
  std::uint32_t target;
  std::vector<std::uint32_t> waiting;
  GrownBlanket blanket = {};
  bool done = false;
  std::size_t questions() const { return waiting.size(); }
};

struct Shrinkage {
  std::uint32_t target;
  std::vector<std::uint32_t> members;
  bool done = false;
  std::size_t questions() const { return members.size(); }
};

}  // namespace

std::vector<GrownBlanket> grow_blankets(const std::vector<BlanketTask>& tasks, std::size_t largest,
                                        TestAnswers& answers, Cancel& cancel, std::int64_t& n_tests) {
  std::vector<Growth> searches;
  for (const BlanketTask& task : tasks) {
    searches.push_back({task.target, task.candidates});
    searches.back().done = task.candidates.empty() || largest == 0;
  }
  n_tests = 0;
  repeat(searches, cancel, [&](const std::vector<Growth*>& portion) {
    std::vector<PartnerTask> asked;
    for (const Growth* one : portion) {
      asked.push_back({one->target, one->blanket.members, one->waiting});
      std::ranges::sort(asked.back().given);
      n_tests += static_cast<std::int64_t>(one->questions());
    }
    const std::vector<Strongest> found = answers.strongest(asked, cancel);
    for (std::size_t i = 0; i < portion.size(); ++i) {
      Growth& one = *portion[i];
      one.done = found[i].position == one.waiting.size();
      if (one.done) continue;
      const auto next = one.waiting.begin() + static_cast<std::ptrdiff_t>(found[i].position);
      one.blanket.members.push_back(*next);
      one.blanket.p_values.push_back(found[i].p_value);
      one.waiting.erase(next);
      one.done = one.waiting.empty() || one.blanket.members.size() >= largest;
    }
  });
  std::vector<GrownBlanket> out;
  for (Growth& one : searches) out.push_back(std::move(one.blanket));
  return out;
}

std::vector<std::vector<std::uint32_t>> shrink_blankets(const std::vector<BlanketTask>& blankets,
                                                        TestAnswers& answers, Cancel& cancel,
                                                        std::int64_t& n_tests) {
  std::vector<Shrinkage> searches;
  for (const BlanketTask& one : blankets)  // a single member was tested when it came
    searches.push_back({one.target, one.candidates, one.candidates.size() < 2});
  n_tests = 0;
  repeat(searches, cancel, [&](const std::vector<Shrinkage*>& portion) {
    std::vector<Query> queries;
    for (const Shrinkage* one : portion)
      for (const std::uint32_t y : one->members) {
        queries.push_back({one->target, y, {}});
        std::ranges::copy_if(one->members, std::back_inserter(queries.back().given),
                             [&](std::uint32_t w) { return w != y; });
      }
    n_tests += static_cast<std::int64_t>(queries.size());
    const std::vector<double> p = answers.separation(queries, cancel);
    std::size_t at = 0;
    for (Shrinkage* one : portion) {
      double largest = -1;
      std::size_t weakest = 0;
      for (std::size_t i = 0; i < one->members.size(); ++i, ++at)
        if (p[at] >= 0 && p[at] >= largest) largest = p[at], weakest = i;
      if (largest >= 0) one->members.erase(one->members.begin() + static_cast<std::ptrdiff_t>(weakest));
      one->done = largest < 0 || one->members.empty();
    }
  });
  std::vector<std::vector<std::uint32_t>> out;
  for (Shrinkage& one : searches) out.push_back(std::move(one.members));
  return out;
}

}  // namespace treewright
