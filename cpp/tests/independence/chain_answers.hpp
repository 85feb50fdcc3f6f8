// A test whose answers are known: independences of the chain 0 - 1 - 2 - ...
#pragma once

#include <algorithm>
#include <cstddef>
#include <vector>

#include "treewright/independence/skeleton.hpp"

/// Two variables of the chain are separated by anything between them.
class ChainAnswers final : public treewright::TestAnswers {
 public:
  /// `share`: how many candidates are asked for each pair at once.
  explicit ChainAnswers(std::size_t share = 1) : share_(share) {}

  treewright::Answers independent(const std::vector<treewright::Query>& queries,
                                  treewright::Cancel&) override {
    treewright::Answers out;
    for (const treewright::Query& query : queries) {
      const auto [low, high] = std::minmax(query.x, query.y);
      out.push_back(std::ranges::any_of(query.given, [&](auto w) { return low < w && w < high; }));
    }
    n_asked += queries.size();
    return out;
  }
  std::vector<double> separation(const std::vector<treewright::Query>& queries,
                                 treewright::Cancel& cancel) override {
    std::vector<double> out;
    for (const auto apart : independent(queries, cancel)) out.push_back(apart ? kSeparated : -1);
    return out;
  }
  treewright::PairAnswers pairs(const std::vector<treewright::Query>& queries,
                                treewright::Cancel& cancel) override {
    return {independent(queries, cancel), std::vector<double>(queries.size(), 0)};
  }
  std::vector<treewright::Dependence> dependence(const std::vector<treewright::Query>& queries,
                                                 treewright::Cancel& cancel) override {
    std::vector<treewright::Dependence> out;
    for (const auto apart : independent(queries, cancel)) out.push_back({apart != 0, apart ? 0.0 : 1.0});
    return out;
  }
  std::size_t candidates_per_pair(std::size_t) const override { return share_; }

  static constexpr double kSeparated = 0.5;  // how clearly, where independent
  std::size_t n_asked = 0;

 private:
  std::size_t share_;
};
