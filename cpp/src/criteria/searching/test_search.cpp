// Independence of x from many partners: kernel B and the test in one call.
#include <algorithm>
#include <numeric>
#include <stdexcept>
#include <string>

#include "parallel/kept.hpp"
#include "treewright/counting/partners.hpp"
#include "treewright/criteria/searching.hpp"
#include "treewright/parallel/threads.hpp"

namespace treewright {
namespace {

// The rows that sums of n ln n may run over: with real weights there can be more cells than weight.
double rows_bound(const PackedTable& table) {
  return table.is_real() ? std::max(table.real_total(), static_cast<double>(table.n_rows()))
                         : table.real_total();
}

/// Hands the strata of one table to a visitor.
template <class Sum>
using Feed = FunctionRef<void(StratumVisitor<Sum>)>;

// What differs between the tests: the accumulator of one table, and what it says in the end.
struct FrequentistTest {
  using Result = Deviation;
  FrequentistTest(const TestSettings& settings, const PackedTable& table)
      : settings(settings),
        n_rows(rows_bound(table)),
        scale(x_log_x_scale(n_rows)),
        term(CellTerm::x_log_x(scale, table.total())) {}

  TestSettings settings;
  double n_rows;
  FixedPoint scale;
  CellTerm term;  // one for the whole batch

  template <class Sum>
  Result judge(std::size_t r_x, std::size_t r_y, double slices, std::int64_t, Feed<Sum> feed) const {
    const auto run = [&](auto accumulator) {
      feed([&](const Sum* cells) { accumulator.stratum(cells, r_x, r_y); });
      return accumulator.finish();
    };
    Deviation out = settings.statistic == Statistic::g2 ? run(G2Accumulator<Sum>(scale, term))
                                                        : run(X2Accumulator<Sum>(n_rows, r_x, r_y));
    if (settings.degrees == Degrees::full) out.degrees = full_degrees(r_x, r_y, slices);
    return out;
  }
};

struct BayesianTest {
  using Result = Posterior;
  BayesianTest(const PosteriorSettings& settings, const PackedTable& table)
      : settings(settings), n_rows(rows_bound(table)) {}

  PosteriorSettings settings;
  double n_rows;

  template <class Sum>
  Result judge(std::size_t r_x, std::size_t r_y, double slices, std::int64_t largest, Feed<Sum> feed) const {
    PosteriorAccumulator<Sum> accumulator(settings, n_rows, r_x, r_y, slices, largest);
    feed([&](const Sum* cells) { accumulator.stratum(cells, r_x, r_y); });
    return accumulator.finish();
  }
};

// x and Z are checked once, then each partner against them.
void check_partners(const PackedTable& table, std::uint32_t x, ScopeView given, ScopeView partners) {
  std::vector<std::uint32_t> scope(given.begin(), given.end());
  scope.push_back(x);
  table.check_scope(scope);
  for (const std::uint32_t& y : partners) {
    table.check_scope(std::span(&y, 1));
    if (std::ranges::find(scope, y) != scope.end())
      throw std::invalid_argument("variable number " + std::to_string(y) + " is listed twice");
  }
}

struct SmallTest {
  std::vector<std::uint32_t> scope;
  std::vector<std::int64_t> cells;
};

// A single test: the strata of one table, counted by whatever is cheapest.
template <class Test>
typename Test::Result judge_one(const PackedTable& table, const Test& test, std::uint32_t x, std::uint32_t y,
                                ScopeView given, Cancel& cancel) {
  const std::size_t r_x = table.cardinality(x), r_y = table.cardinality(y);
  const double slices = cells_of(table, given), size = static_cast<double>(r_x * r_y);
  if (!table.is_real() &&
      slices * size <= std::max(65536.0, kSparseFactor * static_cast<double>(table.n_rows()))) {
    // a search asks thousands of small tests in a row: their buffers are kept
    const Kept<SmallTest> kept;
    auto& [scope, cells] = *kept;
    scope.assign(given.begin(), given.end());
    scope.push_back(x);
    scope.push_back(y);
    cells.assign(static_cast<std::size_t>(slices * size), 0);
    add_counts(table, scope, cells, cancel);
    return test.template judge<std::int64_t>(
        r_x, r_y, slices, table.total(), [&](StratumVisitor<std::int64_t> stratum) {
          for (std::size_t first = 0; first < cells.size(); first += r_x * r_y) stratum(cells.data() + first);
        });
  }
  const PartnerContext context(table, x, given, cancel);
  if (table.is_real())
    return test.template judge<double>(r_x, r_y, slices, 0, [&](StratumVisitor<double> stratum) {
      visit_partner<double>(context, y, cancel, stratum);
    });
  return test.template judge<std::int64_t>(r_x, r_y, slices, table.total(),
                                           [&](StratumVisitor<std::int64_t> stratum) {
                                             visit_partner<std::int64_t>(context, y, cancel, stratum);
                                           });
}

template <class Test>
std::vector<typename Test::Result> judge_partners(const PackedTable& raw, const Test& test, std::uint32_t x,
                                                  ScopeView given, ScopeView partners, Cancel& cancel) {
  std::vector<typename Test::Result> out(partners.size());
  check_partners(raw, x, given, partners);
  const auto one_by_one = [&] {
    for (std::size_t i = 0; i < partners.size(); ++i)
      out[i] = judge_one(raw, test, x, partners[i], given, cancel);
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
      out[i] = test.template judge<std::int64_t>(
          context.r_x, r_y, slices, table.total(), [&](StratumVisitor<std::int64_t> stratum) {
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
  // tests that share x and Z stand side by side after sorting
  std::vector<std::size_t> order(queries.size());
  std::iota(order.begin(), order.end(), 0);
  const auto same = [&](std::size_t a, std::size_t b) {
    return queries[a].x == queries[b].x && queries[a].given == queries[b].given;
  };
  std::ranges::sort(order, [&](std::size_t a, std::size_t b) {
    if (queries[a].x != queries[b].x) return queries[a].x < queries[b].x;
    if (queries[a].given != queries[b].given) return queries[a].given < queries[b].given;
    return a < b;
  });
  std::vector<std::span<const std::size_t>> tasks;
  for (std::size_t begin = 0, end = 0; begin < order.size(); begin = end) {
    while (end < order.size() && same(order[begin], order[end])) ++end;
    tasks.emplace_back(order.data() + begin, end - begin);
  }
  std::vector<typename Test::Result> out(queries.size());
  const double expected =
      static_cast<double>(queries.size()) * (100 + 0.1 * static_cast<double>(table.n_rows()));
  parallel_for(tasks.size(), expected, cancel, [&](std::size_t t) {
    const Query& first = queries[tasks[t].front()];
    if (tasks[t].size() == 1) {
      check_partners(table, first.x, first.given, std::span(&first.y, 1));
      out[tasks[t].front()] = judge_one(table, test, first.x, first.y, first.given, cancel);
      return;
    }
    std::vector<std::uint32_t> partners;
    for (std::size_t i : tasks[t]) partners.push_back(queries[i].y);
    const auto results = judge_partners(table, test, first.x, first.given, partners, cancel);
    for (std::size_t k = 0; k < partners.size(); ++k) out[tasks[t][k]] = results[k];
  });
  return out;
}

}  // namespace

std::vector<Deviation> test_partners(const PackedTable& table, const TestSettings& settings, std::uint32_t x,
                                     ScopeView given, ScopeView partners, Cancel& cancel) {
  return judge_partners(table, FrequentistTest(settings, table), x, given, partners, cancel);
}

std::vector<Posterior> test_partners(const PackedTable& table, const PosteriorSettings& settings,
                                     std::uint32_t x, ScopeView given, ScopeView partners, Cancel& cancel) {
  return judge_partners(table, BayesianTest(settings, table), x, given, partners, cancel);
}

std::vector<Deviation> test_queries(const PackedTable& table, const TestSettings& settings,
                                    const std::vector<Query>& queries, Cancel& cancel) {
  return judge_queries(table, FrequentistTest(settings, table), queries, cancel);
}

std::vector<Posterior> test_queries(const PackedTable& table, const PosteriorSettings& settings,
                                    const std::vector<Query>& queries, Cancel& cancel) {
  return judge_queries(table, BayesianTest(settings, table), queries, cancel);
}

}  // namespace treewright
