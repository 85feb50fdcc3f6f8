// Local scores of packed tables: wide questions by one grouped pass, narrow ones set by set.
#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>

#include "treewright/counting/partners.hpp"
#include "treewright/criteria/local_scores.hpp"
#include "treewright/criteria/searching.hpp"

namespace treewright {
namespace {

// A grouped pass pays from so many candidates on.
constexpr std::size_t kFewCandidates = 4;
// Sets remembered, 64 bytes each in a table that is half full: 256 MB, or twice that when it has just grown.
constexpr std::size_t kMostSets = std::size_t{1} << 22;
// Numbers in the rows that are remembered, 128 MB.
constexpr std::size_t kMostInRows = std::size_t{1} << 24;
constexpr Vertex kNobody = std::numeric_limits<Vertex>::max();

std::vector<Vertex> with(VertexSet set, Vertex v) {
  std::vector<Vertex> out(set.begin(), set.end());
  out.push_back(v);
  return out;
}

}  // namespace

PackedScores::PackedScores(std::shared_ptr<const PackedTable> table, ScoreSettings settings,
                           double edge_price, std::vector<std::uint32_t> order,
                           std::vector<double> pair_prices)
    : DiscreteScores(FamilyScore(settings, table->real_total(),
                                 table->is_real() ? static_cast<double>(table->n_rows()) : 0),
                     edge_price, std::move(order), table->cardinalities(), std::move(pair_prices)),
      table_(std::move(table)) {
  table_->check_scope(order_);
}

PackedScores::PackedScores(const PackedScores* trunk)
    : DiscreteScores(trunk), table_(trunk->table_), trunk_(&trunk->memory_) {}

std::unique_ptr<LocalScores> PackedScores::branch() const {
  if (trunk_) return nullptr;
  return std::unique_ptr<LocalScores>(new PackedScores(this));
}

void PackedScores::take_over(LocalScores& branch) {
  Memory& learned = static_cast<PackedScores&>(branch).memory_;
  if (memory_.values.size() >= kMostSets) memory_.values.clear();
  if (memory_.rows.size() * size() > kMostInRows) memory_.forget_rows();
  learned.values.for_each([&](const Fingerprint& key, double value) { memory_.values.put(key, value); });
  learned.places.for_each([&](const Fingerprint& key, std::uint32_t place) {
    if (memory_.places.find(key)) return;
    memory_.places.put(key, static_cast<std::uint32_t>(memory_.rows.size()));
    memory_.rows.push_back(std::move(learned.rows[place]));
  });
}

void PackedScores::forget_answers() {
  memory_.values.clear();
  memory_.forget_rows();
}

// With real weights a margin of a table is not the table of the margin to the last bit, so sets are counted
// one by one.
std::size_t PackedScores::full_batch() const {
  return table_->is_real() ? std::numeric_limits<std::size_t>::max() : kFewCandidates;
}

std::vector<std::uint32_t> PackedScores::columns(VertexSet set) const {
  std::vector<std::uint32_t> out;
  out.reserve(set.size() + 1);
  for (const Vertex v : set) out.push_back(order_[v]);
  return out;
}

// The sum over the cells of a set. K2 judges the cells of parents by the states of their child.
double PackedScores::count_set(VertexSet set, double states_of_child, Cancel& cancel) const {
  const PackedTable& rows = table_->is_real() ? *table_ : rows_to_search(*table_, cancel);
  const std::vector<std::uint32_t> scope = columns(set);
  const double size = cells(set);
  const FamilyTerms terms = states_of_child > 0 ? score_.terms(states_of_child, size, rows.total())
                                                : score_.terms(size, 1, rows.total());
  const CellTerm& term = states_of_child > 0 ? terms.parent : terms.joint;
  std::int64_t sum = 0;
  if (set.size() == 1 && !rows.is_real()) {
    for (const std::int64_t count : rows.marginals(cancel)[scope[0]]) sum += term(count);
  } else if (rows.is_real()) {
    for (const double count :
         group_weights(rows, configurations_in_blocks(rows, scope, cancel), rows.weights().reals, cancel))
      sum += term(count);
  } else if (size <= std::max(65536.0, kSparseFactor * static_cast<double>(rows.n_rows()))) {
    std::vector<std::int64_t> counts(static_cast<std::size_t>(size), 0);
    add_counts(rows, scope, counts, cancel);
    for (const std::int64_t count : counts) sum += term(count);
  } else {
    for (const std::int64_t count :
         group_weights(rows, configurations_in_blocks(rows, scope, cancel), rows.weights().integers, cancel))
      sum += term(count);
  }
  return score_.grid().round(sum, score_.scale());
}

double PackedScores::set_value(VertexSet set, const Fingerprint& print, Vertex child_of_parents,
                               Cancel& cancel) {
  const bool by_child = score_.settings().kind == ScoreKind::k2 && child_of_parents != kNobody;
  const Fingerprint key = by_child ? print ^ prints_(child_of_parents, 1) : print;
  if (const double* known = known_value(key)) return *known;
  if (memory_.values.size() >= kMostSets) memory_.values.clear();
  ++tally_.sets, tally_.tables += set.size() > 2;
  const double states = by_child ? table_->cardinality(order_[child_of_parents]) : 0;
  return memory_.values.put(key, count_set(set, states, cancel));
}

double PackedScores::local(Vertex child, VertexSet parents, Cancel& cancel) {
  ++tally_.families;
  const Fingerprint print = prints_.of(parents);
  const double joint = set_value(with(parents, child), print ^ prints_(child), kNobody, cancel);
  return joint - set_value(parents, print, child, cancel) -
         score_.penalty(table_->cardinality(order_[child]), cells(parents)) - price(child, parents);
}

double PackedScores::additions(Vertex child, VertexSet parents, VertexSet candidates, std::span<double> out,
                               Cancel& cancel) {
  if (candidates.size() < full_batch()) {
    for (std::size_t i = 0; i < candidates.size(); ++i)
      out[i] = local(child, with(parents, candidates[i]), cancel);
    return local(child, parents, cancel);
  }
  tally_.families += candidates.size();
  if (remembers_rows(parents, candidates))
    return additions_from_rows(child, parents, candidates, out, cancel);
  if (is_score_equivalent()) return additions_from_sets(child, parents, candidates, out, cancel);
  ++tally_.passes, tally_.tables += candidates.size();
  const ChildScores around =
      score_additions(*table_, score_, order_[child], columns(parents), columns(candidates), cancel);
  const double paid = price(child, parents);
  for (std::size_t i = 0; i < candidates.size(); ++i)
    out[i] = around.additions[i] - paid - price(child, candidates[i]);
  return around.own - paid;
}

// Only whole rows are worth keeping; those of single vertices come from all pairs, those of K2 belong to a
// child.
bool PackedScores::remembers_rows(VertexSet parents, VertexSet candidates) const {
  return !table_->is_real() && is_score_equivalent() && !parents.empty() &&
         parents.size() + 1 + candidates.size() == size();
}

const double* PackedScores::known_value(const Fingerprint& print) const {
  const double* own = memory_.values.find(print);
  return own || !trunk_ ? own : trunk_->values.find(print);
}

const PackedScores::SetRow* PackedScores::known_row(const Fingerprint& print) const {
  const SetRow* own = memory_.row(print);
  return own || !trunk_ ? own : trunk_->row(print);
}

void PackedScores::put_row(const Fingerprint& print, double own, VertexSet others,
                           const std::vector<double>& with) {
  if (known_row(print)) return;
  memory_.places.put(print, static_cast<std::uint32_t>(memory_.rows.size()));
  SetRow& row = memory_.rows.emplace_back(own, std::vector<double>(size(), 0.0));
  for (std::size_t i = 0; i < others.size(); ++i) row.with[others[i]] = with[i];
}

// One pass: the family with every other vertex, and its parents with the same vertices and the child.
void PackedScores::count_rows(Vertex child, VertexSet parents, Cancel& cancel) {
  ++tally_.passes;
  std::vector<Vertex> others;
  for (Vertex v = 0; v < size(); ++v)
    if (v != child && std::ranges::find(parents, v) == parents.end()) others.push_back(v);
  tally_.tables += others.size();
  SetScores sets = score_sets(*table_, score_, order_[child], columns(parents), columns(others), cancel);
  const Fingerprint print = prints_.of(parents);
  put_row(print ^ prints_(child), sets.own_family, others, sets.families);
  others.push_back(child);
  sets.parents.push_back(sets.own_family);
  put_row(print, sets.own_parents, others, sets.parents);
}

double PackedScores::additions_from_rows(Vertex child, VertexSet parents, VertexSet candidates,
                                         std::span<double> out, Cancel& cancel) {
  if (memory_.rows.size() * size() > kMostInRows) memory_.forget_rows();
  const Fingerprint print = prints_.of(parents);
  if (!known_row(print ^ prints_(child))) count_rows(child, parents, cancel);
  if (!known_row(print)) count_rows(parents.back(), parents.first(parents.size() - 1), cancel);
  const SetRow &family = *known_row(print ^ prints_(child)), &alone = *known_row(print);
  const double r = table_->cardinality(order_[child]), q = cells(parents);
  const double paid = price(child, parents);
  for (std::size_t i = 0; i < candidates.size(); ++i) {
    const Vertex x = candidates[i];
    out[i] = family.with[x] - alone.with[x] - score_.penalty(r, q * table_->cardinality(order_[x])) - paid -
             price(child, x);
  }
  return family.own - alone.own - score_.penalty(r, q) - paid;
}

// A set that was counted for another child is not counted again.
double PackedScores::additions_from_sets(Vertex child, VertexSet parents, VertexSet candidates,
                                         std::span<double> out, Cancel& cancel) {
  FingerprintMap<double>& values = memory_.values;
  if (values.size() >= kMostSets) values.clear();
  const Fingerprint alone = prints_.of(parents), family = alone ^ prints_(child);
  std::vector<Vertex> unknown;
  for (const Vertex x : candidates)
    if (!known_value(family ^ prints_(x))) unknown.push_back(x);
  if (unknown.size() >= kFewCandidates) {
    ++tally_.passes, tally_.tables += unknown.size();
    const SetScores sets =
        score_sets(*table_, score_, order_[child], columns(parents), columns(unknown), cancel);
    values.put(family, sets.own_family);
    values.put(alone, sets.own_parents);
    for (std::size_t i = 0; i < unknown.size(); ++i) {
      values.put(family ^ prints_(unknown[i]), sets.families[i]);
      values.put(alone ^ prints_(unknown[i]), sets.parents[i]);
    }
  }
  const std::vector<Vertex> whole = with(parents, child);
  const double r = table_->cardinality(order_[child]), q = cells(parents);
  const double paid = price(child, parents);
  for (std::size_t i = 0; i < candidates.size(); ++i) {
    const Vertex x = candidates[i];
    const double joint = set_value(with(whole, x), family ^ prints_(x), kNobody, cancel);
    out[i] = joint - set_value(with(parents, x), alone ^ prints_(x), kNobody, cancel) -
             score_.penalty(r, q * table_->cardinality(order_[x])) - paid - price(child, x);
  }
  return set_value(whole, family, kNobody, cancel) - set_value(parents, alone, kNobody, cancel) -
         score_.penalty(r, q) - paid;
}

double PackedScores::deletions(Vertex child, VertexSet parents, std::span<double> out, Cancel& cancel) {
  if (table_->is_real()) {
    std::vector<Vertex> fewer(parents.begin(), parents.end());
    for (std::size_t i = 0; i < parents.size(); ++i) {
      fewer.erase(fewer.begin() + static_cast<std::ptrdiff_t>(i));
      out[i] = local(child, fewer, cancel);
      fewer.insert(fewer.begin() + static_cast<std::ptrdiff_t>(i), parents[i]);
    }
    return local(child, parents, cancel);
  }
  ++tally_.sets, ++tally_.tables;
  tally_.families += parents.size();
  const ChildScores around = score_child(*table_, score_, order_[child], columns(parents), {}, cancel);
  const double paid = price(child, parents);
  for (std::size_t i = 0; i < parents.size(); ++i)
    out[i] = around.deletions[i] - paid + price(child, parents[i]);
  return around.own - paid;
}

double PackedScores::around(Vertex child, VertexSet parents, VertexSet candidates, std::span<double> with,
                            std::span<double> without, Cancel& cancel) {
  if (table_->is_real()) return LocalScores::around(child, parents, candidates, with, without, cancel);
  ++tally_.passes, tally_.tables += candidates.size();
  tally_.families += candidates.size() + parents.size();
  const ChildScores found =
      score_child(*table_, score_, order_[child], columns(parents), columns(candidates), cancel);
  const double paid = price(child, parents);
  for (std::size_t i = 0; i < candidates.size(); ++i)
    with[i] = found.additions[i] - paid - price(child, candidates[i]);
  for (std::size_t i = 0; i < parents.size(); ++i)
    without[i] = found.deletions[i] - paid + price(child, parents[i]);
  return found.own - paid;
}

std::vector<double> PackedScores::pair_gains(Cancel& cancel) {
  const std::size_t n = size();
  tally_.families += n * (n - 1);
  std::vector<double> gains = score_pairs(*table_, score_, order_, cancel);
  if (has_prices())
    for (Vertex i = 0; i < n; ++i)
      for (Vertex j = 0; j < n; ++j)
        if (i != j) gains[i * n + j] -= price(j, i);
  return gains;
}

}  // namespace treewright
