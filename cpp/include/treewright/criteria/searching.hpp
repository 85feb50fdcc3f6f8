// Counting and judging in one call: what a search asks again and again.
//
// A search asks "this child with each of these parents added" or "x against each of these partners given Z".
// Both need one context against many partners, which kernel B counts in one pass over the rows; the judgement
// is made from its counters without building tables. Where few partners are asked, or a partner is wide,
// single tables are cheaper. All ways give the same bits.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "treewright/counting/counts.hpp"
#include "treewright/criteria/independence.hpp"
#include "treewright/criteria/scores.hpp"

namespace treewright {

/// Local scores around one family: as it is, with each candidate added, with each parent removed.
struct ChildScores {
  double own = 0;
  std::vector<double> additions, deletions;
};

/// The set functions behind the additions: of the family and of the parents, alone and with each candidate.
/// A local score is the first less the second less the penalty.
struct SetScores {
  double own_family = 0, own_parents = 0;
  std::vector<double> families, parents;
};

ChildScores score_child(const PackedTable& table, const FamilyScore& score, std::uint32_t child,
                        ScopeView parents, ScopeView candidates, Cancel& cancel);
/// The same without deletions, which a search that adds does not ask for.
ChildScores score_additions(const PackedTable& table, const FamilyScore& score, std::uint32_t child,
                            ScopeView parents, ScopeView candidates, Cancel& cancel);

/// The same as values of sets, for tables without real weights and any score but K2.
SetScores score_sets(const PackedTable& table, const FamilyScore& score, std::uint32_t child,
                     ScopeView parents, ScopeView candidates, Cancel& cancel);

struct Family {
  std::uint32_t child;
  std::vector<std::uint32_t> parents;
};

/// Local scores of many families, in threads; families that share all parents but the last are counted
/// together.
std::vector<double> score_families(const PackedTable& table, const FamilyScore& score,
                                   const std::vector<Family>& families, Cancel& cancel);

/// gain[i * n + j]: what variable vars[i] as only parent adds to the local score of vars[j]; 0 on the
/// diagonal.
std::vector<double> score_pairs(const PackedTable& table, const FamilyScore& score, ScopeView vars,
                                Cancel& cancel);

struct Query {
  std::uint32_t x, y;
  std::vector<std::uint32_t> given;
};

/// Statistic and degrees of freedom of x against each partner given Z.
std::vector<Deviation> test_partners(const PackedTable& table, const TestSettings& settings, std::uint32_t x,
                                     ScopeView given, ScopeView partners, Cancel& cancel);
std::vector<Posterior> test_partners(const PackedTable& table, const PosteriorSettings& settings,
                                     std::uint32_t x, ScopeView given, ScopeView partners, Cancel& cancel);

/// Many tests, in threads; those that share x and Z are counted together.
std::vector<Deviation> test_queries(const PackedTable& table, const TestSettings& settings,
                                    const std::vector<Query>& queries, Cancel& cancel);
std::vector<Posterior> test_queries(const PackedTable& table, const PosteriorSettings& settings,
                                    const std::vector<Query>& queries, Cancel& cancel);

}  // namespace treewright
