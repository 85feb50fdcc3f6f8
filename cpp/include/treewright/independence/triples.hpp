// Unshielded triples, and what the sets that separate their ends say about the middle.
#pragma once

#include <cstdint>
#include <map>
#include <utility>
#include <vector>

#include "treewright/criteria/test_answers.hpp"
#include "treewright/graphs/bits.hpp"

namespace treewright {

/// What the subsets around u and v that separate them say about a common neighbour w.
struct TripleEvidence {
  std::uint32_t u, w, v;                   // u before v by name
  std::int64_t n_with = 0, n_without = 0;  // separators with w and without it
  double p_with = 0, p_without = 0;        // their largest p-values
};

/// Triples u - w - v whose ends are apart though they were `tested`, sorted by the names of u, v, w.
std::vector<TripleEvidence> unshielded_triples(const std::vector<std::uint32_t>& rank,
                                               const BitMatrix& adjacent, const BitMatrix& tested);

/// Asks for sets, in batches, whether they separate the ends of triples.
class TripleScale {
 public:
  /// The triples of one pair stand side by side.
  TripleScale(std::vector<TripleEvidence> triples, TestAnswers& answers, Cancel& cancel);

  /// Call `f(u, v)` for the ends of the triples, each pair once, in order.
  template <class F>
  void for_each_pair(F&& f) const {
    for (const auto& [u, v] : pairs_) f(u, v);
  }
  void weigh(std::uint32_t u, std::uint32_t v, const std::vector<std::uint32_t>& given);
  /// The triples with all that was asked; how many questions that took is in `n_tests`.
  std::vector<TripleEvidence> finish(std::int64_t& n_tests);

 private:
  using Range = std::pair<std::size_t, std::size_t>;  // the triples [begin, end) of a pair
  void ask();

  std::vector<TripleEvidence> triples_;
  TestAnswers& answers_;
  Cancel& cancel_;
  std::vector<std::pair<std::uint32_t, std::uint32_t>> pairs_;
  std::map<std::pair<std::uint32_t, std::uint32_t>, Range> range_;
  std::vector<Query> queries_;
  std::vector<Range> owners_;
  std::int64_t n_tests_ = 0;
};

}  // namespace treewright
