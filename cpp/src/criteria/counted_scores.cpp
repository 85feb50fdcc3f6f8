#include "treewright/criteria/counted_scores.hpp"

#include <algorithm>
#include <limits>

namespace treewright {
namespace {

// Values remembered, 64 bytes each in a table that is half full: 256 MB, or twice that when it has just
// grown.
constexpr std::size_t kMostValues = std::size_t{1} << 22;
constexpr Vertex kNoChild = std::numeric_limits<Vertex>::max();

std::vector<Vertex> together(VertexSet set, Vertex v) {
  std::vector<Vertex> out(set.begin(), set.end());
  out.push_back(v);
  return out;
}

std::vector<Vertex> all_but(VertexSet set, std::size_t i) {
  std::vector<Vertex> out(set.begin(), set.end());
  out.erase(out.begin() + static_cast<std::ptrdiff_t>(i));
  return out;
}

}  // namespace

CountedScores::CountedScores(std::shared_ptr<TableMemory> memory, ScoreSettings settings, double edge_price,
                             std::vector<std::uint32_t> order, std::vector<double> pair_prices)
    : DiscreteScores(FamilyScore(settings, static_cast<double>(memory->source().total())), edge_price,
                     std::move(order), memory->source().cardinalities(), std::move(pair_prices)),
      memory_(std::move(memory)) {}

Fingerprint CountedScores::key(const Asked& asked) const {
  const Fingerprint print = prints_.of(asked.set);
  const bool by_child = asked.child_of_parents != kNoChild && !is_score_equivalent();
  return by_child ? print ^ prints_(asked.child_of_parents, 1) : print;
}

void CountedScores::ask_family(Vertex child, std::vector<Vertex> parents, std::vector<Asked>& asked) const {
  asked.push_back({together(parents, child), kNoChild});
  asked.push_back({std::move(parents), child});
}

// What PackedScores adds up when it counts a set itself.
double CountedScores::value_of(const CountTable& table, const Asked& asked) const {
  const double size = cells(asked.set);
  const bool by_child = asked.child_of_parents != kNoChild && !is_score_equivalent();
  const std::int64_t total = memory_->source().total();
  const FamilyTerms terms =
      by_child ? score_.terms(states(asked.child_of_parents), size, total) : score_.terms(size, 1, total);
  const CellTerm& term = by_child ? terms.parent : terms.joint;
  std::int64_t sum = 0;
  for (const std::int64_t count : table.counts) sum += term(count);
  return score_.grid().round(sum, score_.scale());
}

void CountedScores::learn(const std::vector<Asked>& asked, Cancel& cancel) {
  if (values_.size() >= kMostValues) values_.clear();
  std::vector<const Asked*> unknown;
  std::vector<std::vector<std::uint32_t>> sets;
  for (const Asked& one : asked) {
    if (values_.find(key(one))) continue;
    unknown.push_back(&one);
    std::vector<std::uint32_t>& columns = sets.emplace_back();
    for (const Vertex v : one.set) columns.push_back(order_[v]);
    std::ranges::sort(columns);
  }
  if (unknown.empty()) return;
  const MemoryTally before = memory_->tally();
  const std::uint64_t passes = memory_->source().passes();
  const std::vector<TablePtr> tables = memory_->tables(sets, cancel);
  tally_.tables += memory_->tally().tables - before.tables;
  tally_.sets += memory_->tally().tables - before.tables;
  tally_.passes += memory_->source().passes() - passes;
  for (std::size_t i = 0; i < unknown.size(); ++i)
    values_.put(key(*unknown[i]), value_of(*tables[i], *unknown[i]));
}

double CountedScores::value(const Asked& asked) const { return *values_.find(key(asked)); }

double CountedScores::known(Vertex child, std::vector<Vertex> parents) const {
  const double price_of_parents = price(child, parents);
  const double penalty = score_.penalty(states(child), cells(parents));
  const double joint = value({together(parents, child), kNoChild});
  return joint - value({std::move(parents), child}) - penalty - price_of_parents;
}

double CountedScores::local(Vertex child, VertexSet parents, Cancel& cancel) {
  ++tally_.families;
  std::vector<Asked> asked;
  ask_family(child, {parents.begin(), parents.end()}, asked);
  learn(asked, cancel);
  return known(child, {parents.begin(), parents.end()});
}

double CountedScores::additions(Vertex child, VertexSet parents, VertexSet candidates, std::span<double> out,
                                Cancel& cancel) {
  return around(child, parents, candidates, out, {}, cancel);
}

double CountedScores::deletions(Vertex child, VertexSet parents, std::span<double> out, Cancel& cancel) {
  return around(child, parents, {}, {}, out, cancel);
}

// Nothing is asked of families without a parent where nobody wants them.
double CountedScores::around(Vertex child, VertexSet parents, VertexSet candidates, std::span<double> with,
                             std::span<double> without, Cancel& cancel) {
  const std::size_t n_without = without.empty() ? 0 : parents.size();
  tally_.families += candidates.size() + n_without;
  std::vector<Asked> asked;
  for (const Vertex x : candidates) ask_family(child, together(parents, x), asked);
  ask_family(child, {parents.begin(), parents.end()}, asked);
  for (std::size_t i = 0; i < n_without; ++i) ask_family(child, all_but(parents, i), asked);
  learn(asked, cancel);
  for (std::size_t i = 0; i < candidates.size(); ++i)
    with[i] = known(child, together(parents, candidates[i]));
  for (std::size_t i = 0; i < n_without; ++i) without[i] = known(child, all_but(parents, i));
  return known(child, {parents.begin(), parents.end()});
}

std::vector<double> CountedScores::pair_gains(Cancel& cancel) {
  const auto n = static_cast<Vertex>(size());
  tally_.families += std::size_t{n} * (n - 1);
  std::vector<Asked> asked;
  for (Vertex child = 0; child < n; ++child) {
    ask_family(child, {}, asked);
    for (Vertex parent = 0; parent < child; ++parent) asked.push_back({{parent, child}, kNoChild});
    for (Vertex parent = 0; parent < n && !is_score_equivalent(); ++parent)
      if (parent != child) asked.push_back({{parent}, child});
  }
  learn(asked, cancel);
  std::vector<double> gains(std::size_t{n} * n, 0.0);
  for (Vertex parent = 0; parent < n; ++parent)
    for (Vertex child = 0; child < n; ++child)
      if (parent != child) gains[parent * n + child] = known(child, {parent}) - known(child, {});
  return gains;
}

}  // namespace treewright
