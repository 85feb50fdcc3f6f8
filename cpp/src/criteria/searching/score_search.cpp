// Local scores around a child: kernel B and the score in one call.
#include <algorithm>
#include <map>
#include <numeric>
#include <stdexcept>
#include <string>

#include "criteria/searching/candidate_classes.hpp"
#include "treewright/counting/partners.hpp"
#include "treewright/criteria/searching.hpp"
#include "treewright/parallel/threads.hpp"

namespace treewright {
namespace {

// Masks of 64 groups of so many rows take 8 MB.
constexpr std::size_t kMostMaskedRows = std::size_t{1} << 20;

// Sizes of the groups (configuration, state of the child): the family table itself.
template <class Count>
std::vector<Count> group_sizes(const PartnerContext& context) {
  Cancel nobody;
  const RowWeights& weights = context.table.weights();
  if constexpr (std::is_same_v<Count, double>)
    return group_weights(context.table, context.contexts, weights.reals, nobody);
  else
    return group_weights(context.table, context.contexts, weights.integers, nobody);
}

double declared(const PackedTable& table, ScopeView parents) { return cells_of(table, parents); }

// States of every parent in every configuration of the context.
std::vector<std::uint32_t> states_of(const PartnerContext& context, ScopeView parents) {
  const PackedTable& table = context.table;
  std::vector<std::uint32_t> states(context.n_configurations * parents.size());
  for (std::size_t j = 0; j < context.n_configurations; ++j) {
    std::size_t rest = j;
    for (std::size_t k = parents.size(); k-- > 0;) {
      const std::uint32_t r = table.cardinality(parents[k]);
      states[j * parents.size() + k] =
          context.contexts.renumbered() ? table.codes(parents[k]).visit([&](const auto* c) {
            return static_cast<std::uint32_t>(c[context.contexts.first_row[j]]);
          })
                                        : static_cast<std::uint32_t>(rest % r);
      rest /= r;
    }
  }
  return states;
}

// The family without one parent: configurations that agree elsewhere are added up, no row is read.
template <class Count>
double score_without(const PartnerContext& context, const FamilyScore& score,
                     const std::vector<Count>& family, const std::vector<std::uint32_t>& states,
                     ScopeView parents, std::size_t removed) {
  const std::size_t width = parents.size(), r = context.r_x;
  const auto compare = [&](std::size_t a, std::size_t b) {
    for (std::size_t k = 0; k < width; ++k)
      if (k != removed && states[a * width + k] != states[b * width + k])
        return states[a * width + k] < states[b * width + k] ? -1 : 1;
    return 0;
  };
  std::vector<std::size_t> order(context.n_configurations);
  std::iota(order.begin(), order.end(), 0);
  std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    const int sign = compare(a, b);
    return sign < 0 || (sign == 0 && a < b);
  });
  std::vector<Count> merged;
  for (std::size_t i = 0; i < order.size(); ++i) {
    if (i == 0 || compare(order[i - 1], order[i]) != 0) merged.resize(merged.size() + r, Count{0});
    for (std::size_t k = 0; k < r; ++k) merged[merged.size() - r + k] += family[order[i] * r + k];
  }
  std::vector<std::uint32_t> kept(parents.begin(), parents.end());
  kept.erase(kept.begin() + static_cast<std::ptrdiff_t>(removed));
  return score_table(score, std::span<const Count>(merged), r, declared(context.table, kept));
}

// What becomes of the sums of a candidate: a local score, or the values of both sets.
struct LocalSink {
  std::vector<double>& additions;
  void operator()(std::size_t i, const FamilyScore& score, std::int64_t joint, std::int64_t parent,
                  const FamilyTerms& terms) {
    additions[i] = score.local(joint, parent, terms);
  }
};

struct SetSink {
  SetScores& out;
  void operator()(std::size_t i, const FamilyScore& score, std::int64_t joint, std::int64_t parent,
                  const FamilyTerms&) {
    out.families[i] = score.grid().round(joint, score.scale());
    out.parents[i] = score.grid().round(parent, score.scale());
  }
};

// One candidate from its own table.
template <class Count, class Sink>
void score_with(const PartnerContext& context, const FamilyScore& score, std::size_t position,
                std::uint32_t candidate, double q, Sink& sink, Cancel& cancel) {
  const std::size_t r_x = context.r_x, r_y = context.table.cardinality(candidate);
  const FamilyTerms terms =
      score.terms(static_cast<double>(r_x), q * static_cast<double>(r_y), context.table.total());
  std::int64_t joint = 0, parent = 0;
  visit_partner<Count>(context, candidate, cancel, [&](const Count* cells) {
    for (std::size_t y = 0; y < r_y; ++y) {
      Count sum = 0;
      for (std::size_t x = 0; x < r_x; ++x) {
        joint += terms.joint(cells[x * r_y + y]);
        sum += cells[x * r_y + y];
      }
      parent += terms.parent(sum);
    }
  });
  sink(position, score, joint, parent, terms);
}

// All candidates that have planes, from counted groups; their sizes are the family table, which is returned.
template <class Grouped, class Sink>
std::vector<std::int64_t> score_groups(const PartnerContext& context, const Grouped& counted,
                                       const FamilyScore& score, ScopeView candidates, double q, Sink& sink,
                                       Cancel& cancel) {
  const PackedTable& table = context.table;
  const Planes& planes = table.planes(cancel);
  std::int64_t largest = 0;
  for (std::size_t j = 0; j < context.n_configurations; ++j)
    largest = std::max(largest,
                       std::accumulate(counted.group_sizes.begin() + j * context.r_x,
                                       counted.group_sizes.begin() + (j + 1) * context.r_x, std::int64_t{0}));
  std::map<std::size_t, CandidateClass> by_states;
  for (std::size_t i = 0; i < candidates.size(); ++i) {
    const std::size_t r = table.cardinality(candidates[i]);
    if (table.is_wide(candidates[i])) continue;
    auto found = by_states.find(r);
    if (found == by_states.end())
      found = by_states
                  .emplace(r, CandidateClass{r - 1,
                                             score.terms(static_cast<double>(context.r_x),
                                                         q * static_cast<double>(r), largest),
                                             {},
                                             {},
                                             {},
                                             {}})
                  .first;
    found->second.positions.push_back(i);
    found->second.first_planes.push_back(planes.first[candidates[i]]);
  }
  std::vector<CandidateClass> classes;
  for (auto& [r, some] : by_states) {
    some.joint.assign(some.positions.size(), 0);
    some.parent.assign(some.positions.size(), 0);
    classes.push_back(std::move(some));
  }
  if (largest < kTabulated)
    add_terms<true>(context, counted, classes);
  else
    add_terms<false>(context, counted, classes);
  for (const CandidateClass& some : classes)
    for (std::size_t i = 0; i < some.positions.size(); ++i)
      sink(some.positions[i], score, some.joint[i], some.parent[i], some.terms);
  return counted.group_sizes;
}

// Are masks of all groups cheaper than sorting the rows by group?
bool masks_pay(const PackedTable& table, std::uint32_t child, ScopeView parents, ScopeView candidates,
               double q, Cancel& cancel) {
  const double groups = q * table.cardinality(child);
  if (table.is_weighted() || groups > kKeepDeclared || candidates.size() < 4) return false;
  if (table.n_rows() > kMostMaskedRows) return false;
  const auto is_wide = [&](std::uint32_t v) { return table.is_wide(v); };
  if (is_wide(child) || std::ranges::any_of(parents, is_wide) || std::ranges::any_of(candidates, is_wide))
    return false;
  const auto rows = static_cast<double>(table.n_rows());
  const double planes = table.planes(cancel).count();
  return kCost.masks(rows, groups - 1, planes) <
         kCost.grouped(rows, static_cast<double>(parents.size() + 1), groups, planes, 0);
}

// A family table and the rows behind it; additions went to the sink on the way.
template <class Count>
struct CountedFamily {
  PartnerContext context;
  std::vector<Count> cells;
};

template <class Count, class Sink>
CountedFamily<Count> count_around(const PackedTable& table, const FamilyScore& score, std::uint32_t child,
                                  ScopeView parents, ScopeView candidates, double q, Sink& sink,
                                  Cancel& cancel) {
  if constexpr (std::is_same_v<Count, std::int64_t>) {
    if (masks_pay(table, child, parents, candidates, q, cancel)) {
      PartnerContext context(table, child, static_cast<std::size_t>(q));
      std::vector<std::uint32_t> scope(parents.begin(), parents.end());
      scope.push_back(child);
      const auto counted = count_by_masks(table, scope, cancel);
      auto family = score_groups(context, counted, score, candidates, q, sink, cancel);
      return {std::move(context), std::move(family)};
    }
  }
  PartnerContext context(table, child, parents, cancel);
  std::vector<Count> family;
  bool grouped = false;
  if constexpr (std::is_same_v<Count, std::int64_t>) {
    grouped = context.groups_pay(candidates.size(), parents.size() + 1, cancel);
    if (grouped)
      with_grouped(table, context.contexts, cancel, [&](const auto& counted) {
        family = score_groups(context, counted, score, candidates, q, sink, cancel);
      });
  }
  if (!grouped) family = group_sizes<Count>(context);
  for (std::size_t i = 0; i < candidates.size(); ++i)
    if (!grouped || table.is_wide(candidates[i]))
      score_with<Count>(context, score, i, candidates[i], q, sink, cancel);
  return {std::move(context), std::move(family)};
}

template <class Count>
ChildScores score_around(const PackedTable& table, const FamilyScore& score, std::uint32_t child,
                         ScopeView parents, ScopeView candidates, bool deletions, Cancel& cancel) {
  const double q = declared(table, parents);
  ChildScores out;
  out.additions.assign(candidates.size(), 0.0);
  LocalSink sink{out.additions};
  const auto [context, family] =
      count_around<Count>(table, score, child, parents, candidates, q, sink, cancel);
  out.own = score_table(score, std::span<const Count>(family), context.r_x, q);
  if (deletions && !parents.empty()) {
    const std::vector<std::uint32_t> states = states_of(context, parents);
    for (std::size_t k = 0; k < parents.size(); ++k)
      out.deletions.push_back(score_without(context, score, family, states, parents, k));
  }
  return out;
}

// One family from its own table: dense where that is small, else by groups of rows.
double score_family(const PackedTable& table, const FamilyScore& score, const Family& family,
                    Cancel& cancel) {
  const double q = declared(table, family.parents), r = table.cardinality(family.child);
  if (!table.is_real() && q * r <= std::max(65536.0, kSparseFactor * static_cast<double>(table.n_rows()))) {
    std::vector<std::uint32_t> scope = family.parents;
    scope.push_back(family.child);
    std::vector<std::int64_t> cells(static_cast<std::size_t>(q * r), 0);
    add_counts(table, scope, cells, cancel);
    return score_table(score, std::span<const std::int64_t>(cells), table.cardinality(family.child), q);
  }
  const PartnerContext context(table, family.child, family.parents, cancel);
  if (table.is_real())
    return score_table(score, std::span<const double>(group_sizes<double>(context)), context.r_x, q);
  return score_table(score, std::span<const std::int64_t>(group_sizes<std::int64_t>(context)), context.r_x,
                     q);
}

void check_family(const PackedTable& table, std::uint32_t child, ScopeView parents) {
  std::vector<std::uint32_t> scope(parents.begin(), parents.end());
  scope.push_back(child);
  table.check_scope(scope);
}

}  // namespace

ChildScores score_child(const PackedTable& table, const FamilyScore& score, std::uint32_t child,
                        ScopeView parents, ScopeView candidates, Cancel& cancel) {
  check_family(table, child, parents);
  for (const std::uint32_t& y : candidates) {
    table.check_scope(std::span(&y, 1));
    if (y == child || std::ranges::find(parents, y) != parents.end())
      throw std::invalid_argument("variable number " + std::to_string(y) + " is in the family already");
  }
  if (table.is_real()) return score_around<double>(table, score, child, parents, candidates, true, cancel);
  return score_around<std::int64_t>(rows_to_search(table, cancel), score, child, parents, candidates, true,
                                    cancel);
}

ChildScores score_additions(const PackedTable& table, const FamilyScore& score, std::uint32_t child,
                            ScopeView parents, ScopeView candidates, Cancel& cancel) {
  if (table.is_real()) return score_around<double>(table, score, child, parents, candidates, false, cancel);
  return score_around<std::int64_t>(rows_to_search(table, cancel), score, child, parents, candidates, false,
                                    cancel);
}

SetScores score_sets(const PackedTable& table, const FamilyScore& score, std::uint32_t child,
                     ScopeView parents, ScopeView candidates, Cancel& cancel) {
  const PackedTable& rows = rows_to_search(table, cancel);
  const double q = declared(rows, parents);
  SetScores out;
  out.families.assign(candidates.size(), 0.0);
  out.parents.assign(candidates.size(), 0.0);
  SetSink sink{out};
  const auto [context, family] =
      count_around<std::int64_t>(rows, score, child, parents, candidates, q, sink, cancel);
  const FamilyTerms terms = score.terms(static_cast<double>(context.r_x), q, rows.total());
  std::int64_t joint = 0, parent = 0;
  for (std::size_t j = 0; j < family.size(); j += context.r_x) {
    std::int64_t size = 0;
    for (std::size_t k = 0; k < context.r_x; ++k) {
      joint += terms.joint(family[j + k]);
      size += family[j + k];
    }
    parent += terms.parent(size);
  }
  out.own_family = score.grid().round(joint, score.scale());
  out.own_parents = score.grid().round(parent, score.scale());
  return out;
}

std::vector<double> score_families(const PackedTable& table, const FamilyScore& score,
                                   const std::vector<Family>& families, Cancel& cancel) {
  // families that share the child and all parents but the last become one context
  std::map<std::vector<std::uint32_t>, std::vector<std::size_t>> shared;
  for (std::size_t i = 0; i < families.size(); ++i) {
    check_family(table, families[i].child, families[i].parents);
    std::vector<std::uint32_t> key = families[i].parents;
    std::sort(key.begin(), key.end());
    if (!key.empty()) key.pop_back();
    key.push_back(families[i].child);
    key.push_back(families[i].parents.empty() ? 0 : 1);
    shared[key].push_back(i);
  }
  std::vector<const std::pair<const std::vector<std::uint32_t>, std::vector<std::size_t>>*> tasks;
  for (const auto& group : shared) tasks.push_back(&group);
  std::vector<double> out(families.size(), 0.0);
  const double rows = static_cast<double>(table.n_rows());
  parallel_for(
      tasks.size(), static_cast<double>(tasks.size()) * rows * kCost.grouping, cancel, [&](std::size_t t) {
        const auto& [key, members] = *tasks[t];
        if (members.size() < 4 || key.back() == 0) {
          for (std::size_t i : members) out[i] = score_family(table, score, families[i], cancel);
          return;
        }
        const std::uint32_t child = key[key.size() - 2];
        const std::vector<std::uint32_t> parents(key.begin(), key.end() - 2);
        std::map<std::uint32_t, double> additions;
        for (std::size_t i : members)
          additions[*std::max_element(families[i].parents.begin(), families[i].parents.end())] = 0;
        std::vector<std::uint32_t> candidates;
        for (const auto& [v, value] : additions) candidates.push_back(v);
        const ChildScores around = score_child(table, score, child, parents, candidates, cancel);
        for (std::size_t k = 0; k < candidates.size(); ++k) additions[candidates[k]] = around.additions[k];
        for (std::size_t i : members)
          out[i] = additions[*std::max_element(families[i].parents.begin(), families[i].parents.end())];
      });
  return out;
}

}  // namespace treewright
