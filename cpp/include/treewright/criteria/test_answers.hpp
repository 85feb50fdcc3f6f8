// Who answers the questions of a constraint-based search: counts in the core, or anybody who can be called.
//
// A search hands over the questions of a round and takes the answers; it never learns who gave them. So the
// same search runs on packed rows, on a graph as oracle, on a database or on a cluster.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "treewright/counting/packed.hpp"
#include "treewright/criteria/chi_square.hpp"
#include "treewright/criteria/searching.hpp"
#include "treewright/parallel/cancel.hpp"

namespace treewright {

using Answers = std::vector<std::uint8_t>;  // 1: independent

/// Pairs without anything given: are they independent, and how strongly do they depend on each other?
struct PairAnswers {
  Answers independent;
  std::vector<double> strength;  // comparable between pairs; all zero when the test knows no strength
};

/// One variable against many, given one set.
struct PartnerTask {
  std::uint32_t x;
  std::vector<std::uint32_t> given, partners;
};

/// The partner that depends most, by its position, with its p-value; the number of partners when none does.
struct Strongest {
  std::size_t position;
  double p_value;
};

/// One question: is there a dependence, and how much does one variable tell about the other?
struct Dependence {
  bool independent = true;
  double information = 0;  // in nats, where the test measures it
};

class TestAnswers {
 public:
  virtual ~TestAnswers() = default;

  virtual Answers independent(const std::vector<Query>& queries, Cancel& cancel) = 0;
  /// The p-value of every question whose answer is "independent", -1 for the others.
  virtual std::vector<double> separation(const std::vector<Query>& queries, Cancel& cancel) = 0;
  /// Level 0 of a search over all variables: questions with nothing given.
  virtual PairAnswers pairs(const std::vector<Query>& queries, Cancel& cancel) = 0;
  /// For each task the partner that depends most on x: the smallest p-value, then the largest statistic for
  /// each degree of freedom, then the first. A test that only decides gives the first that depends.
  virtual std::vector<Strongest> strongest(const std::vector<PartnerTask>& tasks, Cancel& cancel);
  /// Decisions with the information behind them: for G2 the conditional mutual information.
  virtual std::vector<Dependence> dependence(const std::vector<Query>& queries, Cancel& cancel) = 0;

  /// How many candidates of one pair to ask in the given round: 1 wastes no test; where every round is a
  /// journey, asking ahead of the answers is cheaper. What is found does not depend on it.
  virtual std::size_t candidates_per_pair(std::size_t round) const = 0;
};

/// The questions of partner tasks, one after the other.
std::vector<Query> questions_of(const std::vector<PartnerTask>& tasks);
/// The strongest partner of each task, from one answer, p-value and strength for each question.
std::vector<Strongest> strongest_of(const std::vector<PartnerTask>& tasks, const Answers& independent,
                                    const std::vector<double>& p_value, const std::vector<double>& strength);

/// What is said where the limit distribution does not hold.
struct LimitRules {
  bool constant_is_independent = true;    // no degree of freedom, something given
  bool unreliable_is_independent = true;  // fewer rows than `reliability` for each degree of freedom
  double reliability = 5;
};

/// The G or chi-square test: decisions by critical values, a p-value only for separators.
class LimitAnswers : public TestAnswers {
 public:
  Answers independent(const std::vector<Query>& queries, Cancel& cancel) override;
  std::vector<double> separation(const std::vector<Query>& queries, Cancel& cancel) override;
  PairAnswers pairs(const std::vector<Query>& queries, Cancel& cancel) override;
  std::vector<Strongest> strongest(const std::vector<PartnerTask>& tasks, Cancel& cancel) override;
  std::vector<Dependence> dependence(const std::vector<Query>& queries, Cancel& cancel) override;

 protected:
  LimitAnswers(TestSettings settings, double alpha, LimitRules rules, double n_rows)
      : settings_(settings), critical_(CriticalValues::of(alpha)), rules_(rules), n_rows_(n_rows) {}

  /// Statistic and degrees of freedom of every question.
  virtual std::vector<Deviation> deviations(const std::vector<Query>& queries, Cancel& cancel) = 0;
  /// The same for many pairs with nothing given.
  virtual std::vector<Deviation> pair_deviations(const std::vector<Query>& queries, Cancel& cancel) {
    return deviations(queries, cancel);
  }
  /// The partner of one task that depends most, from what was found of each.
  Strongest strongest_of_task(const PartnerTask& task, std::span<const Deviation> found) const;

  TestSettings settings_;

 private:
  struct Verdict {
    bool by_rule, independent;
  };
  Verdict verdict(const Deviation& found, bool nothing_given) const;

  std::shared_ptr<CriticalValues> critical_;
  LimitRules rules_;
  double n_rows_;
};

/// From packed rows.
class PackedAnswers final : public LimitAnswers {
 public:
  PackedAnswers(std::shared_ptr<const PackedTable> table, TestSettings settings, double alpha,
                LimitRules rules);

  std::vector<Strongest> strongest(const std::vector<PartnerTask>& tasks, Cancel& cancel) override;
  std::size_t candidates_per_pair(std::size_t) const override { return 1; }

 private:
  std::vector<Deviation> deviations(const std::vector<Query>& queries, Cancel& cancel) override;
  std::vector<Deviation> pair_deviations(const std::vector<Query>& queries, Cancel& cancel) override;

  std::shared_ptr<const PackedTable> table_;
};

}  // namespace treewright
