// Independence of x from many partners: kernel B and the test in one call.
#include <map>

#include "treewright/partners.hpp"
#include "treewright/searching.hpp"
#include "treewright/threads.hpp"

namespace treewright {
namespace {

// What differs between the tests: the accumulator of one table, and what it says in the end.
struct FrequentistTest {
  using Result = Deviation;
  const TestSettings& settings;
  double n_rows;

  template <class Sum, class Feed>
  Result judge(std::size_t r_x, std::size_t r_y, double slices, std::int64_t largest, Feed&& feed) const {
    const auto run = [&](auto accumulator) {
      feed([&](const auto* cells) { accumulator.stratum(cells, r_x, r_y); });
      return accumulator.finish();
    };
    Deviation out = settings.statistic == Statistic::g2 ? run(G2Accumulator<Sum>(x_log_x_scale(n_rows), largest))
                                                        : run(X2Accumulator<Sum>(n_rows, r_x, r_y));
    if (settings.degrees == Degrees::full) out.degrees = full_degrees(r_x, r_y, slices);
    return out;
  }
};

struct BayesianTest {
  using Result = Posterior;
  const PosteriorSettings& settings;
  double n_rows;

  template <class Sum, class Feed>
  Result judge(std::size_t r_x, std::size_t r_y, double slices, std::int64_t largest, Feed&& feed) const {
    PosteriorAccumulator<Sum> accumulator(settings, n_rows, r_x, r_y, slices, largest);
    feed([&](const auto* cells) { accumulator.stratum(cells, r_x, r_y); });
    return accumulator.finish();
  }
};

// The rows that sums of n ln n may run over: with real weights there can be more cells than weight.
double rows_bound(const PackedTable& table) {
  return table.is_real() ? std::max(table.real_total(), static_cast<double>(table.n_rows())) : table.real_total();
}

void check_query(const PackedTable& table, std::uint32_t x, std::uint32_t y, ScopeView given) {
  std::vector<std::uint32_t> scope(given.begin(), given.end());
  scope.push_back(x);
  scope.push_back(y);
  table.check_scope(scope);
}

// A single test: the strata of one table, counted by whatever is cheapest.
template <class Test>
typename Test::Result judge_one(const PackedTable& table, const Test& test, std::uint32_t x, std::uint32_t y,
                                ScopeView given, Cancel& cancel) {
  const std::size_t r_x = table.cardinality(x), r_y = table.cardinality(y);
  const double slices = cells_of(table, given), size = static_cast<double>(r_x * r_y);
  if (!table.is_real() && slices * size <= std::max(65536.0, kSparseFactor * static_cast<double>(table.n_rows()))) {
    std::vector<std::uint32_t> scope(given.begin(), given.end());
    scope.push_back(x);
    scope.push_back(y);
    std::vector<std::int64_t> cells(static_cast<std::size_t>(slices * size), 0);
    add_counts(table, scope, cells, cancel);
    return test.template judge<std::int64_t>(r_x, r_y, slices, table.total(), [&](auto&& stratum) {
      for (std::size_t first = 0; first < cells.size(); first += r_x * r_y) stratum(cells.data() + first);
    });
  }
  const PartnerContext context(table, x, given, cancel);
  if (table.is_real())
    return test.template judge<double>(r_x, r_y, slices, 0, [&](auto&& stratum) {
      visit_partner<double>(context, y, cancel, stratum);
    });
  return test.template judge<std::int64_t>(r_x, r_y, slices, table.total(), [&](auto&& stratum) {
    visit_partner<std::int64_t>(context, y, cancel, stratum);
  });
}

template <class Test>
std::vector<typename Test::Result> judge_partners(const PackedTable& raw, const Test& test, std::uint32_t x,
                                                  ScopeView given, ScopeView partners, Cancel& cancel) {
  std::vector<typename Test::Result> out(partners.size());
  for (std::uint32_t y : partners) check_query(raw, x, y, given);
  const auto one_by_one = [&] {
    for (std::size_t i = 0; i < partners.size(); ++i) out[i] = judge_one(raw, test, x, partners[i], given, cancel);
  };
  // popcounts win while masks x planes are few; the declared masks bound the occupied ones
  const double masks = cells_of(raw, given) * raw.cardinality(x);
  double planes = 0;
  for (std::uint32_t y : partners) planes += raw.cardinality(y) - 1.0;
  if (raw.is_real() || partners.size() < 4 || masks * planes < 100) {
    one_by_one();
    return out;
  }
  const PackedTable& table = rows_to_search(raw, cancel);
  const PartnerContext context(table, x, given, cancel);
  if (!context.groups_pay(partners.size(), given.size() + 1, cancel)) {
    one_by_one();
    return out;
  }
  const double slices = cells_of(table, given);
  const Planes& all = table.planes(cancel);
  std::vector<std::int64_t> cells;
  with_grouped(table, context.contexts, cancel, [&](const auto& counted) {
    for (std::size_t i = 0; i < partners.size(); ++i) {
      const std::size_t r_y = table.cardinality(partners[i]);
      out[i] = test.template judge<std::int64_t>(context.r_x, r_y, slices, table.total(), [&](auto&& stratum) {
        if (table.is_wide(partners[i]))
          visit_partner<std::int64_t>(context, partners[i], cancel, stratum);
        else
          visit_grouped(context, counted, all, partners[i], cells, stratum);
      });
    }
  });
  return out;
}

template <class Test>
std::vector<typename Test::Result> judge_queries(const PackedTable& table, const Test& test,
                                                 const std::vector<Query>& queries, Cancel& cancel) {
  std::map<std::pair<std::uint32_t, std::vector<std::uint32_t>>, std::vector<std::size_t>> shared;
  for (std::size_t i = 0; i < queries.size(); ++i) {
    check_query(table, queries[i].x, queries[i].y, queries[i].given);
    shared[{queries[i].x, queries[i].given}].push_back(i);
  }
  std::vector<const std::pair<const std::pair<std::uint32_t, std::vector<std::uint32_t>>, std::vector<std::size_t>>*> tasks;
  for (const auto& group : shared) tasks.push_back(&group);
  std::vector<typename Test::Result> out(queries.size());
  const double expected = static_cast<double>(queries.size()) * (100 + 0.1 * static_cast<double>(table.n_rows()));
  parallel_for(tasks.size(), expected, cancel, [&](std::size_t t) {
    const auto& [key, members] = *tasks[t];
    std::vector<std::uint32_t> partners;
    for (std::size_t i : members) partners.push_back(queries[i].y);
    const auto results = judge_partners(table, test, key.first, key.second, partners, cancel);
    for (std::size_t k = 0; k < members.size(); ++k) out[members[k]] = results[k];
  });
  return out;
}

}  // namespace

std::vector<Deviation> test_partners(const PackedTable& table, const TestSettings& settings, std::uint32_t x,
                                     ScopeView given, ScopeView partners, Cancel& cancel) {
  return judge_partners(table, FrequentistTest{settings, rows_bound(table)}, x, given, partners, cancel);
}

std::vector<Posterior> test_partners(const PackedTable& table, const PosteriorSettings& settings, std::uint32_t x,
                                     ScopeView given, ScopeView partners, Cancel& cancel) {
  return judge_partners(table, BayesianTest{settings, rows_bound(table)}, x, given, partners, cancel);
}

std::vector<Deviation> test_queries(const PackedTable& table, const TestSettings& settings,
                                    const std::vector<Query>& queries, Cancel& cancel) {
  return judge_queries(table, FrequentistTest{settings, rows_bound(table)}, queries, cancel);
}

std::vector<Posterior> test_queries(const PackedTable& table, const PosteriorSettings& settings,
                                    const std::vector<Query>& queries, Cancel& cancel) {
  return judge_queries(table, BayesianTest{settings, rows_bound(table)}, queries, cancel);
}

}  // namespace treewright
