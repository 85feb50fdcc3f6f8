// Sums of set functions for many candidates at once.
#pragma once

#include <cstdint>
#include <vector>

#include "treewright/counting/partners.hpp"
#include "treewright/criteria/searching.hpp"

namespace treewright {

// Candidates with equally many states share their terms; sums of their set functions stand side by side.
struct CandidateClass {
  std::size_t n_planes;
  FamilyTerms terms;
  std::vector<std::size_t> positions;
  std::vector<std::uint32_t> first_planes;
  std::vector<std::int64_t> joint, parent;
};

// Add f(count) over one row of counters: states by their planes, the last state by subtraction.
template <class Count, class Function>
void add_row(const CandidateClass& some, const Count* row, std::int64_t size, const Function& f,
             std::vector<std::int64_t>& sums) {
  const std::size_t n = some.first_planes.size();
  const std::uint32_t* first = some.first_planes.data();
  if (some.n_planes == 1) {
    for (std::size_t i = 0; i < n; ++i) {
      const auto count = static_cast<std::int64_t>(row[first[i]]);
      sums[i] += f(count) + f(size - count);
    }
    return;
  }
  for (std::size_t i = 0; i < n; ++i) {
    const Count* counts = row + first[i];
    std::int64_t rest = size, total = 0;
    for (std::size_t p = 0; p < some.n_planes; ++p) {
      const auto count = static_cast<std::int64_t>(counts[p]);
      rest -= count;
      total += f(count);
    }
    sums[i] += total + f(rest);
  }
}

template <bool kLookedUp, class Count>
void add_terms(const PartnerContext& context, const GroupedCounts<Count>& counted,
               std::vector<CandidateClass>& classes) {
  const auto function = [](const CellTerm& term) {
    if constexpr (kLookedUp)
      return [table = term.table()](std::int64_t n) { return table[n]; };
    else
      return [&term](std::int64_t n) { return term(n); };
  };
  std::vector<Count> configuration(counted.stride);
  for (std::size_t j = 0; j < context.n_configurations; ++j) {
    std::int64_t size = 0;
    std::fill(configuration.begin(), configuration.end(), Count{0});
    for (std::size_t k = 0; k < context.r_x; ++k) {
      const std::size_t g = j * context.r_x + k;
      if (counted.group_sizes[g] == 0) continue;
      const Count* row = counted.row(g);
      size += counted.group_sizes[g];
      for (std::size_t p = 0; p < counted.stride; ++p) configuration[p] += row[p];
      for (CandidateClass& some : classes)
        add_row(some, row, counted.group_sizes[g], function(some.terms.joint), some.joint);
    }
    if (size == 0) continue;
    for (CandidateClass& some : classes)
      add_row(some, configuration.data(), size, function(some.terms.parent), some.parent);
  }
}

}  // namespace treewright
