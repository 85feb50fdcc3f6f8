#include "treewright/criteria/counted_answers.hpp"

#include <algorithm>

namespace treewright {
namespace {

// Tables of so many questions are asked for and judged together.
constexpr std::size_t kQuestionsAtOnce = 4096;

}  // namespace

CountedAnswers::CountedAnswers(std::shared_ptr<TableMemory> memory, TestSettings settings, double alpha,
                               LimitRules rules)
    : LimitAnswers(settings, alpha, rules, static_cast<double>(memory->source().total())),
      memory_(std::move(memory)) {}

// Where every round is a journey, asking ahead of the answers is cheaper.
std::size_t CountedAnswers::candidates_per_pair(std::size_t round) const {
  return round < 4 ? 1 : std::size_t{1} << std::min<std::size_t>(round - 3, 6);
}

std::vector<Deviation> CountedAnswers::deviations(const std::vector<Query>& queries, Cancel& cancel) {
  const std::vector<std::uint32_t>& states = memory_->source().cardinalities();
  std::vector<Deviation> out;
  out.reserve(queries.size());
  for (std::size_t begin = 0; begin < queries.size(); begin += kQuestionsAtOnce) {
    const std::size_t end = std::min(begin + kQuestionsAtOnce, queries.size());
    std::vector<std::vector<std::uint32_t>> sets;
    for (std::size_t i = begin; i < end; ++i) {
      std::vector<std::uint32_t>& set = sets.emplace_back(queries[i].given);
      set.push_back(queries[i].x);
      set.push_back(queries[i].y);
      std::ranges::sort(set);
    }
    const std::vector<TablePtr> tables = memory_->tables(sets, cancel);
    for (std::size_t i = begin; i < end; ++i) {
      cancel.check();
      const Query& query = queries[i];
      std::vector<std::uint32_t> scope = query.given;
      scope.push_back(query.x);
      scope.push_back(query.y);
      const CountTable found = in_order(*tables[i - begin], scope, states);
      out.push_back(test_table(settings_, static_cast<double>(memory_->source().total()),
                               TestTable<std::int64_t>{found.codes, found.counts, states[query.x],
                                                       states[query.y], memory_->cells(query.given)}));
    }
  }
  return out;
}

CountTable in_order(const CountTable& table, std::span<const std::uint32_t> scope,
                    const std::vector<std::uint32_t>& cardinalities) {
  const std::size_t n = table.scope.size();
  std::vector<std::int64_t> step(n);
  std::int64_t stride = 1;
  for (std::size_t k = scope.size(); k-- > 0; stride *= cardinalities[scope[k]])
    step[static_cast<std::size_t>(std::ranges::lower_bound(table.scope, scope[k]) - table.scope.begin())] =
        stride;
  CountTable out{{scope.begin(), scope.end()}, table.is_sparse, {}, {}};
  const auto place = [&](std::int64_t code) {
    std::int64_t at = 0;
    for (std::size_t k = n; k-- > 0; code /= cardinalities[table.scope[k]])
      at += code % cardinalities[table.scope[k]] * step[k];
    return at;
  };
  if (!table.is_sparse) {
    out.counts.assign(table.counts.size(), 0);
    for (std::size_t i = 0; i < table.counts.size(); ++i)
      if (table.counts[i] != 0)
        out.counts[static_cast<std::size_t>(place(static_cast<std::int64_t>(i)))] = table.counts[i];
    return out;
  }
  std::vector<std::pair<std::int64_t, std::int64_t>> cells;
  for (std::size_t i = 0; i < table.codes.size(); ++i)
    cells.emplace_back(place(table.codes[i]), table.counts[i]);
  std::ranges::sort(cells);
  for (const auto& [code, count] : cells) out.codes.push_back(code), out.counts.push_back(count);
  return out;
}

}  // namespace treewright
