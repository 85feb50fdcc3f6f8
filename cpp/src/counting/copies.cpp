#include "treewright/counting/copies.hpp"

#include <algorithm>
#include <map>

namespace treewright {
namespace {

constexpr std::uint32_t kUnseen = ~std::uint32_t{0};

bool counts_row(const PackedTable& table, std::size_t i) {
  return table.is_real() ? table.weights().reals[i] != 0
                         : !table.is_weighted() || table.weights().integers[i] != 0;
}

// How often each state occurs, most often first: copies agree in it.
std::vector<double> profile(const PackedTable& table, std::uint32_t v) {
  std::vector<double> counts(table.cardinality(v), 0.0);
  table.codes(v).visit([&](const auto* codes) {
    for (std::size_t i = 0; i < table.n_rows(); ++i)
      counts[codes[i]] += table.is_real()       ? table.weights().reals[i]
                          : table.is_weighted() ? static_cast<double>(table.weights().integers[i])
                                                : 1.0;
  });
  std::erase(counts, 0.0);
  std::ranges::sort(counts, std::greater<>());
  return counts;
}

// The same from counts that are there already.
std::vector<double> profile(const std::vector<std::int64_t>& marginal) {
  std::vector<double> counts(marginal.begin(), marginal.end());
  std::erase(counts, 0.0);
  std::ranges::sort(counts, std::greater<>());
  return counts;
}

bool is_relabelled(const PackedTable& table, std::uint32_t u, std::uint32_t v, Cancel& cancel) {
  std::vector<std::uint32_t> there(table.cardinality(u), kUnseen), back(table.cardinality(v), kUnseen);
  return table.codes(u).visit([&](const auto* first) {
    return table.codes(v).visit([&](const auto* second) {
      for (std::size_t i = 0; i < table.n_rows(); ++i) {
        if (i % kBlockRows == 0) cancel.check();
        if (!counts_row(table, i)) continue;
        std::uint32_t &to = there[first[i]], &from = back[second[i]];
        if (to == kUnseen && from == kUnseen) to = second[i], from = first[i];
        if (to != second[i] || from != first[i]) return false;
      }
      return true;
    });
  });
}

}  // namespace

std::vector<std::vector<std::uint32_t>> find_copies(const PackedTable& table, Cancel& cancel) {
  std::map<std::vector<double>, std::vector<std::uint32_t>> alike;
  for (std::uint32_t v = 0; v < table.n_variables(); ++v) {
    if (table.cardinality(v) == 0) continue;  // continuous
    auto counts = table.is_real() ? profile(table, v) : profile(table.marginals(cancel)[v]);
    if (counts.size() > 1) alike[std::move(counts)].push_back(v);
  }
  std::vector<std::vector<std::uint32_t>> groups;
  for (const auto& [counts, columns] : alike) {
    std::vector<std::vector<std::uint32_t>> found;
    for (const std::uint32_t v : columns) {
      const auto home = std::ranges::find_if(
          found, [&](const auto& group) { return is_relabelled(table, group.front(), v, cancel); });
      if (home == found.end())
        found.push_back({v});
      else
        home->push_back(v);
    }
    for (auto& group : found)
      if (group.size() > 1) groups.push_back(std::move(group));
  }
  std::ranges::sort(groups);
  return groups;
}

}  // namespace treewright
