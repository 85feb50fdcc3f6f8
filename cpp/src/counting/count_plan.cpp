#include "treewright/counting/count_plan.hpp"

#include <algorithm>
#include <map>
#include <queue>
#include <stdexcept>

#include "treewright/counting/pair_planes.hpp"
#include "treewright/counting/partners.hpp"
#include "treewright/parallel/threads.hpp"

namespace treewright {
namespace {

using Variables = std::vector<std::uint32_t>;

constexpr std::size_t kFewestInPass = 4;
// All pairs are counted when so large a share of them is asked for.
constexpr std::size_t kShareOfPairs = 3;
// Masks of 64 groups of so many rows take 8 MB.
constexpr std::size_t kMostRowsMasked = std::size_t{1} << 20;
// Cells of all groups of a pass.
constexpr double kMostCells = 64e6;

struct Member {
  std::size_t scope;
  std::uint32_t partner;
};

double cost_alone(const PackedTable& table, const Variables& scope) {
  double most = 1, cells = 1;
  for (const std::uint32_t v : scope) {
    most = std::max<double>(most, table.cardinality(v));
    cells *= table.cardinality(v);
  }
  const auto rows = static_cast<double>(table.n_rows());
  const double histogram = kCost.histograms(rows, 1, cells);
  const bool has_wide = std::ranges::any_of(scope, [&](std::uint32_t v) { return table.is_wide(v); });
  return has_wide || table.is_weighted() ? histogram
                                         : std::min(histogram, kCost.masks(rows, cells / most, most - 1));
}

double groups_of(const PackedTable& table, const Variables& context) {
  return std::min(cells_of(table, context), static_cast<double>(table.n_rows()));
}

double cost_of_pass(const PackedTable& table, const Variables& context, double n_planes) {
  return kCost.grouped(static_cast<double>(table.n_rows()), static_cast<double>(context.size()),
                       groups_of(table, context), n_planes, 0);
}

bool is_narrow_pair(const PackedTable& table, const Variables& scope) {
  return scope.size() == 2 && !table.is_wide(scope[0]) && !table.is_wide(scope[1]);
}

// Pairs are worth a pass over all of them when many are asked for, and cost nothing once they were counted.
std::vector<std::size_t> pairs_among(const PackedTable& table, const std::vector<Variables>& scopes) {
  std::vector<std::size_t> found;
  for (std::size_t i = 0; i < scopes.size(); ++i)
    if (is_narrow_pair(table, scopes[i])) found.push_back(i);
  const std::size_t n = table.n_variables(), all = n * (n - 1) / 2;
  const bool is_known = table.pair_planes() != nullptr;
  if (!is_known && (found.size() < kFewestInPass || found.size() * kShareOfPairs < all)) found.clear();
  return found;
}

std::uint64_t hash_of(std::uint32_t v) {  // splitmix64
  std::uint64_t z = (v + std::uint64_t{1}) * 0x9E3779B97F4A7C15;
  z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9;
  z = (z ^ (z >> 27)) * 0x94D049BB133111EB;
  return z ^ (z >> 31);
}

std::uint64_t hash_of(const Variables& scope) {
  std::uint64_t sum = 0;
  for (const std::uint32_t v : scope) sum += hash_of(v);
  return sum;
}

// Hashes of the contexts that enough scopes share; of most scopes none does, and they need no list.
std::vector<std::uint64_t> shared_contexts(const PackedTable& table, const std::vector<Variables>& scopes,
                                           const std::vector<std::uint8_t>& is_taken) {
  std::vector<std::uint64_t> met, found;
  for (std::size_t i = 0; i < scopes.size(); ++i) {
    if (is_taken[i] || scopes[i].size() < 2) continue;
    const std::uint64_t whole = hash_of(scopes[i]);
    for (const std::uint32_t partner : scopes[i])
      if (!table.is_wide(partner)) met.push_back(whole - hash_of(partner));
  }
  std::ranges::sort(met);
  for (std::size_t i = 0; i + kFewestInPass <= met.size(); ++i)
    if (met[i] == met[i + kFewestInPass - 1] && (found.empty() || found.back() != met[i]))
      found.push_back(met[i]);
  return found;
}

// The largest groups first; a scope that was taken by another group leaves the ones that wait.
void group_scopes(const PackedTable& table, const std::vector<Variables>& scopes,
                  std::vector<std::uint8_t>& is_taken, CountPlan& plan) {
  const std::vector<std::uint64_t> shared = shared_contexts(table, scopes, is_taken);
  if (shared.empty()) return;
  std::map<Variables, std::vector<Member>> by_context;
  std::size_t n_planes = 0;
  for (std::size_t v = 0; v < table.n_variables(); ++v)
    n_planes += table.is_wide(v) || table.cardinality(v) == 0 ? 0 : table.cardinality(v) - 1;
  for (std::size_t i = 0; i < scopes.size(); ++i) {
    if (is_taken[i] || scopes[i].size() < 2) continue;
    const std::uint64_t whole = hash_of(scopes[i]);
    for (const std::uint32_t partner : scopes[i]) {
      if (table.is_wide(partner) || !std::ranges::binary_search(shared, whole - hash_of(partner))) continue;
      Variables context;
      for (const std::uint32_t v : scopes[i])
        if (v != partner) context.push_back(v);
      std::ranges::sort(context);
      by_context[std::move(context)].push_back({i, partner});
    }
  }
  using Group = std::pair<const Variables, std::vector<Member>>;
  const auto is_smaller = [](const Group* a, const Group* b) {
    return a->second.size() != b->second.size() ? a->second.size() < b->second.size() : a->first > b->first;
  };
  std::priority_queue<Group*, std::vector<Group*>, decltype(is_smaller)> waiting(is_smaller);
  for (Group& group : by_context)
    if (group.second.size() >= kFewestInPass) waiting.push(&group);
  while (!waiting.empty()) {
    Group* group = waiting.top();
    waiting.pop();
    const std::size_t before = group->second.size();
    std::erase_if(group->second, [&](const Member& one) { return is_taken[one.scope]; });
    if (group->second.size() < kFewestInPass) continue;
    if (group->second.size() < before) {
      waiting.push(group);
      continue;
    }
    double alone = 0;
    for (const Member& one : group->second) alone += cost_alone(table, scopes[one.scope]);
    const double width = static_cast<double>(n_planes) + 64;
    if (cost_of_pass(table, group->first, static_cast<double>(n_planes)) >= alone ||
        groups_of(table, group->first) * width > kMostCells)
      continue;
    CountPlan::Pass& pass = plan.passes.emplace_back();
    pass.context = group->first;
    for (const Member& one : group->second) {
      is_taken[one.scope] = 1;
      pass.scopes.push_back(one.scope);
      pass.partners.push_back(one.partner);
    }
  }
}

// Where the cells of a group lie in the table of a scope: their start, and the step of the partner.
struct Place {
  std::vector<std::size_t> strides;  // of the variables of the context
  std::size_t step = 1, states = 1;
  std::span<std::int64_t> out;
  std::size_t first_plane = 0;
};

Place place_of(const PackedTable& table, const Variables& context, const Variables& scope,
               std::uint32_t partner, std::span<std::int64_t> out, const Planes& planes) {
  Place place{std::vector<std::size_t>(context.size()), 1, table.cardinality(partner), out,
              planes.first[partner]};
  std::size_t stride = 1;
  for (std::size_t k = scope.size(); k-- > 0; stride *= table.cardinality(scope[k])) {
    if (scope[k] == partner)
      place.step = stride;
    else
      place.strides[std::ranges::lower_bound(context, scope[k]) - context.begin()] = stride;
  }
  return place;
}

template <class Grouped>
void add_groups(const PackedTable& table, const Variables& context, const Contexts* contexts,
                const Grouped& counted, std::vector<Place>& places) {
  std::vector<std::size_t> states(context.size());
  for (std::size_t g = 0; g < counted.n_groups; ++g) {
    if (counted.group_sizes[g] == 0) continue;
    std::size_t rest = g;
    for (std::size_t k = context.size(); k-- > 0; rest /= table.cardinality(context[k]))
      states[k] = contexts && contexts->renumbered() ? table.codes(context[k]).visit([&](const auto* codes) {
        return static_cast<std::size_t>(codes[contexts->first_row[g]]);
      })
                                                     : rest % table.cardinality(context[k]);
    for (Place& place : places) {
      std::size_t at = 0;
      for (std::size_t k = 0; k < states.size(); ++k) at += states[k] * place.strides[k];
      std::int64_t left = counted.group_sizes[g];
      for (std::size_t s = 0; s + 1 < place.states; ++s) {
        const auto n = static_cast<std::int64_t>(counted.row(g)[place.first_plane + s]);
        place.out[at + s * place.step] += n;
        left -= n;
      }
      place.out[at + (place.states - 1) * place.step] += left;
    }
  }
}

bool masks_pay(const PackedTable& table, const Variables& context, const Planes& planes) {
  const double groups = cells_of(table, context);
  if (table.is_weighted() || groups > kKeepDeclared || table.n_rows() > kMostRowsMasked) return false;
  if (std::ranges::any_of(context, [&](std::uint32_t v) { return table.is_wide(v); })) return false;
  const auto n_planes = static_cast<double>(planes.count());
  return kCost.masks(static_cast<double>(table.n_rows()), groups - 1, n_planes) <
         cost_of_pass(table, context, n_planes);
}

void add_pass(const PackedTable& table, const std::vector<Variables>& scopes,
              const std::vector<std::span<std::int64_t>>& outs, const CountPlan::Pass& pass, Cancel& cancel) {
  const Planes& planes = table.planes(cancel);
  std::vector<Place> places;
  for (std::size_t i = 0; i < pass.scopes.size(); ++i)
    places.push_back(place_of(table, pass.context, scopes[pass.scopes[i]], pass.partners[i],
                              outs[pass.scopes[i]], planes));
  if (masks_pay(table, pass.context, planes))
    return add_groups(table, pass.context, nullptr, count_by_masks(table, pass.context, cancel), places);
  const Contexts contexts = configurations_in_blocks(table, pass.context, cancel);
  with_grouped(table, contexts, cancel,
               [&](const auto& counted) { add_groups(table, pass.context, &contexts, counted, places); });
}

void add_pairs(const PackedTable& table, const std::vector<Variables>& scopes,
               const std::vector<std::span<std::int64_t>>& outs, const std::vector<std::size_t>& pairs,
               Cancel& cancel) {
  if (pairs.empty()) return;
  table.count_pairs(cancel);
  std::map<std::uint32_t, std::vector<std::size_t>> by_first;
  for (const std::size_t i : pairs) by_first[std::min(scopes[i][0], scopes[i][1])].push_back(i);
  for (const auto& [x, some] : by_first) {
    PairRow row(table, x, cancel);
    for (const std::size_t i : some) {
      const std::uint32_t y = std::max(scopes[i][0], scopes[i][1]);
      const auto cells = row.cells(y);
      const std::size_t r_x = table.cardinality(x), r_y = table.cardinality(y);
      for (std::size_t a = 0; a < r_x; ++a)
        for (std::size_t b = 0; b < r_y; ++b)
          outs[i][scopes[i][0] == x ? a * r_y + b : b * r_x + a] += cells[a * r_y + b];
    }
  }
}

}  // namespace

CountPlan plan_counts(const PackedTable& table, const std::vector<std::vector<std::uint32_t>>& scopes) {
  CountPlan plan;
  std::vector<std::uint8_t> is_taken(scopes.size(), 0);
  plan.pairs = pairs_among(table, scopes);
  for (const std::size_t i : plan.pairs) is_taken[i] = 1;
  group_scopes(table, scopes, is_taken, plan);
  for (std::size_t i = 0; i < scopes.size(); ++i)
    if (!is_taken[i]) plan.alone.push_back(i);
  return plan;
}

void add_planned(const PackedTable& table, const std::vector<std::vector<std::uint32_t>>& scopes,
                 const std::vector<std::span<std::int64_t>>& outs, const CountPlan& plan, Cancel& cancel) {
  add_pairs(table, scopes, outs, plan.pairs, cancel);
  const std::size_t n = plan.passes.size() + plan.alone.size();
  const double expected = static_cast<double>(n) * static_cast<double>(table.n_rows()) * kCost.histogram_row;
  parallel_for(n, expected, cancel, [&](std::size_t i) {
    if (i < plan.passes.size()) return add_pass(table, scopes, outs, plan.passes[i], cancel);
    const std::size_t alone = plan.alone[i - plan.passes.size()];
    add_counts(table, scopes[alone], outs[alone], cancel);
  });
}

template <class Count>
void add_counts_many(const PackedTable& table, const std::vector<std::vector<std::uint32_t>>& scopes,
                     const std::vector<std::span<Count>>& outs, Cancel& cancel) {
  if constexpr (std::is_same_v<Count, std::int64_t>) {
    for (std::size_t i = 0; i < scopes.size(); ++i) {
      table.check_scope(scopes[i]);
      if (cells_of(table, scopes[i]) != static_cast<double>(outs[i].size()))
        throw std::invalid_argument("the output does not have the cells of the scope");
    }
    return add_planned(table, scopes, outs, plan_counts(table, scopes), cancel);
  }
  // sums of real weights follow the order of the rows, so every table is counted by itself
  const double expected =
      static_cast<double>(scopes.size()) * static_cast<double>(table.n_rows()) * kCost.histogram_row;
  parallel_for(scopes.size(), expected, cancel,
               [&](std::size_t i) { add_counts(table, scopes[i], outs[i], cancel); });
}
template void add_counts_many(const PackedTable&, const std::vector<std::vector<std::uint32_t>>&,
                              const std::vector<std::span<std::int64_t>>&, Cancel&);
template void add_counts_many(const PackedTable&, const std::vector<std::vector<std::uint32_t>>&,
                              const std::vector<std::span<double>>&, Cancel&);

}  // namespace treewright
