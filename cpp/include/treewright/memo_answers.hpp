// Answers that are kept: trees of overlapping nodes ask many a question more than once.
#pragma once

#include <unordered_map>

#include "treewright/test_answers.hpp"

namespace treewright {

/// Each question {x, y}, given goes to the inner answers once; what comes back is its p-value, or -1.
class MemoAnswers final : public TestAnswers {
 public:
  explicit MemoAnswers(TestAnswers& inner) : inner_(inner) {}

  Answers independent(const std::vector<Query>& queries, Cancel& cancel) override;
  std::vector<double> separation(const std::vector<Query>& queries, Cancel& cancel) override;
  /// Strengths are the inner ones and are not kept: they are asked once.
  PairAnswers pairs(const std::vector<Query>& queries, Cancel& cancel) override;
  std::size_t candidates_per_pair(std::size_t round) const override {
    return inner_.candidates_per_pair(round);
  }

  std::int64_t n_asked() const { return n_asked_; }
  std::int64_t n_evaluated() const { return static_cast<std::int64_t>(known_.size()); }

 private:
  using Key = std::vector<std::uint32_t>;  // x < y, then the given, rising
  struct Hash {
    std::size_t operator()(const Key& key) const;
  };
  static Key key_of(const Query& query);

  TestAnswers& inner_;
  std::unordered_map<Key, double, Hash> known_;
  std::int64_t n_asked_ = 0;
};

}  // namespace treewright
