// What observation leaves of a network falls apart, and most parts are small and come again.
//
// The variables that a row does not observe, joined where they share a table, form connected parts. A part
// sees the rest of the row through the observed variables in its own tables, its boundary, and through
// nothing else. So rows are cut into pairs (part, states of its boundary): thousands of rows with different
// missing cells share a few plans and few distinct pairs, and each pair is worked out once.
#pragma once

#include <string>
#include <unordered_map>

#include "treewright/inference/forest_batch.hpp"
#include "treewright/parallel/fork_mutex.hpp"

namespace treewright::forests {

/// A connected set of unobserved variables with the tables that mention them, numbered anew: free ones first,
/// then the boundary. Tables are those of the whole network, in place.
struct Part {
  std::vector<Var> variables;
  std::size_t n_free = 0;
  std::vector<std::uint32_t> factors;  // numbers in the whole network
  FactorSet set;
  // a small part is multiplied out: its joint states, and where each of them is in every table
  std::uint32_t n_joint = 0;  // 0: not small
  std::vector<std::uint32_t> places;
  std::vector<ObservedStride> strides;     // per table: the boundary's, one run after another
  std::vector<std::uint32_t> strides_end;  // per table

  std::size_t n_boundary() const { return variables.size() - n_free; }
};

/// What a small part says: masses of its joint states, which sum to `total`.
struct SmallAnswer {
  std::vector<double> joint;
  std::vector<std::uint64_t> base;  // per table: where the states of the boundary lead
  double total = 0;
};

/// Multiply a small part out. False when digits may have been lost: then it must be propagated.
bool multiply_out(const Part& part, const std::uint32_t* boundary, SmallAnswer& out);

/// The distinct states of one part's boundary: `n_boundary` codes each.
struct PartRuns {
  std::vector<std::uint32_t> codes;
  std::vector<double> weights;

  std::size_t size() const { return weights.size(); }
};

struct PartLink {
  std::uint32_t part, run;
};

/// Cuts rows into parts. The factor set must outlive it and may change its numbers, but not its scopes.
class Parts {
 public:
  explicit Parts(const FactorSet& set);

  /// Cut one row (codes per variable, kUnseen where nothing is observed) and count its pairs by `weight`.
  void add(std::span<const std::int64_t> codes, double weight, std::vector<PartLink>& links);

  std::size_t size() const { return parts_.size(); }
  const Part& part(std::size_t p) const { return parts_[p]; }
  const PartRuns& runs(std::size_t p) const { return runs_[p]; }

  /// How to work a part out. Plans are kept while they fit `kPlanBytes` together, else made anew. Throws
  /// TooLarge in the numbers of the whole network.
  std::shared_ptr<const Plan> plan(std::uint32_t p, const Question& question, Cancel& cancel);
  static constexpr std::size_t kPlanBytes = std::size_t{256} << 20;

 private:
  void grow(std::span<const std::int64_t> codes, Var from);
  std::uint32_t part_of_grown();
  void lay_out_small(Part& part) const;

  const FactorSet& set_;
  std::vector<std::vector<std::uint32_t>> factors_of_;  // per variable: the tables that mention it
  std::vector<Part> parts_;
  std::vector<PartRuns> runs_;
  std::unordered_map<std::string, std::uint32_t> part_of_key_;
  std::unordered_map<std::string, std::uint32_t> run_of_key_;
  // the part at hand, and marks of the row at hand
  std::string key_;
  std::vector<Var> free_, local_;
  std::vector<std::uint32_t> touched_;
  std::vector<std::uint64_t> variable_mark_, factor_mark_;
  std::vector<std::uint32_t> rank_, factor_rank_;  // places in the orders of the set
  std::uint64_t row_ = 0;

  ForkMutex mutex_;
  std::vector<std::shared_ptr<const Plan>> plans_;
  std::size_t plan_bytes_ = 0;
};

}  // namespace treewright::forests
