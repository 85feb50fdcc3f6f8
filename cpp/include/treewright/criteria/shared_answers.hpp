// Answers that are remembered, for searches over parts of the variables that overlap.
//
// The same pair and conditioning set occur in several parts; each question is evaluated once. Parts may be
// searched on several threads: what is remembered never changes an answer, and how many questions there were
// does not depend on who asked first.
#pragma once

#include <cmath>
#include <cstdint>
#include <vector>

#include "treewright/criteria/test_answers.hpp"
#include "treewright/graphs/fingerprints.hpp"
#include "treewright/parallel/fork_mutex.hpp"

namespace treewright {

/// What is known about one question; NaN is not known yet.
struct KnownAnswer {
  double independent = NAN, p_value = NAN, strength = NAN, information = NAN;
};

class AnswerMemory {
 public:
  /// `answers` must outlive the memory and answer on several threads at once.
  AnswerMemory(TestAnswers& answers, std::size_t n_variables);

  enum class Wanted { decision, separation, strength, information };
  /// One answer for each question that knows at least what is wanted.
  std::vector<KnownAnswer> recall(const std::vector<Query>& queries, Wanted wanted, Cancel& cancel);

  TestAnswers& answers() const { return answers_; }
  /// Questions asked; distinct ones among them, with something given and with nothing.
  struct Tally {
    std::uint64_t asked = 0, conditional = 0, marginal = 0;
    std::uint64_t distinct() const { return conditional + marginal; }
  };
  Tally tally() const;

 private:
  Fingerprint key(const Query& query) const;
  ForkLock locked() const;
  std::vector<KnownAnswer> evaluate(const std::vector<Query>& queries, Wanted wanted, Cancel& cancel);

  TestAnswers& answers_;
  Fingerprints prints_;
  mutable ForkMutex mutex_;
  mutable FingerprintMap<KnownAnswer> known_;
  mutable Tally tally_;
};

/// The questions of a search over some of the variables, numbered from 0, answered by a common memory.
class PartAnswers final : public TestAnswers {
 public:
  /// `members[i]`: the number of variable i of the part in the memory, which must outlive the part.
  PartAnswers(AnswerMemory& memory, std::vector<std::uint32_t> members);

  Answers independent(const std::vector<Query>& queries, Cancel& cancel) override;
  std::vector<double> separation(const std::vector<Query>& queries, Cancel& cancel) override;
  PairAnswers pairs(const std::vector<Query>& queries, Cancel& cancel) override;
  std::vector<Dependence> dependence(const std::vector<Query>& queries, Cancel& cancel) override;
  std::size_t candidates_per_pair(std::size_t round) const override;

  const AnswerMemory& memory() const { return memory_; }

 private:
  std::vector<Query> in_memory(const std::vector<Query>& queries) const;

  AnswerMemory& memory_;
  std::vector<std::uint32_t> members_;
};

}  // namespace treewright
