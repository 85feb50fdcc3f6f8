// Python face of treewright/searching.hpp: shapes, ownership and the GIL, nothing else.
#include "treewright/criteria/searching.hpp"

#include "packed.hpp"
#include "settings.hpp"

namespace {

tw::FamilyScore family_score(const tw::PackedTable& table, const std::string& kind, double ess) {
  // with real weights there may be more occupied cells than the weights add up to
  return {score_settings(kind, ess), table.real_total(),
          table.is_real() ? static_cast<double>(table.n_rows()) : 0};
}

using Answered = std::pair<OutArray<double>, OutArray<double>>;

Answered columns(const std::vector<tw::Deviation>& results) {
  std::vector<double> statistic, degrees;
  for (const auto& one : results) statistic.push_back(one.statistic), degrees.push_back(one.degrees);
  return {to_numpy(std::move(statistic)), to_numpy(std::move(degrees))};
}

Answered columns(const std::vector<tw::Posterior>& results) {
  std::vector<double> independent, dependent;
  for (const auto& one : results)
    independent.push_back(one.log_independent), dependent.push_back(one.log_dependent);
  return {to_numpy(std::move(independent)), to_numpy(std::move(dependent))};
}

template <class Settings>
Answered partners_of(const TablePointer& table, const Settings& settings, std::uint32_t x,
                     const Indices& given, const Indices& partners) {
  return columns(interruptible([&](tw::Cancel& cancel) {
    return tw::test_partners(checked(table), settings, x, given, partners, cancel);
  }));
}

using QueryTuple = std::tuple<std::uint32_t, std::uint32_t, Indices>;

template <class Settings>
Answered queries_of(const TablePointer& table, const Settings& settings,
                    const std::vector<QueryTuple>& asked) {
  std::vector<tw::Query> queries;
  queries.reserve(asked.size());
  for (const auto& [x, y, given] : asked) queries.push_back({x, y, given});
  return columns(interruptible(
      [&](tw::Cancel& cancel) { return tw::test_queries(checked(table), settings, queries, cancel); }));
}

}  // namespace

void bind_searching(nb::module_& m) {
  m.def(
      "score_child",
      [](const TablePointer& table, const std::string& kind, double ess, std::uint32_t child,
         const Indices& parents, const Indices& candidates) {
        const tw::FamilyScore score = family_score(checked(table), kind, ess);
        auto out = interruptible([&](tw::Cancel& cancel) {
          return tw::score_child(*table, score, child, parents, candidates, cancel);
        });
        return std::tuple{out.own, to_numpy(std::move(out.additions)), to_numpy(std::move(out.deletions))};
      },
      "table"_a, "kind"_a, "ess"_a, "child"_a, "parents"_a, "candidates"_a,
      "Local score of a family, with each candidate added, and with each parent removed.");

  m.def(
      "score_families",
      [](const TablePointer& table, const std::string& kind, double ess,
         const std::vector<std::pair<std::uint32_t, Indices>>& asked) {
        const tw::FamilyScore score = family_score(checked(table), kind, ess);
        std::vector<tw::Family> families;
        families.reserve(asked.size());
        for (const auto& [child, parents] : asked) families.push_back({child, parents});
        return to_numpy(interruptible(
            [&](tw::Cancel& cancel) { return tw::score_families(*table, score, families, cancel); }));
      },
      "table"_a, "kind"_a, "ess"_a, "families"_a, "Local scores of many (child, parents).");

  m.def(
      "score_pairs",
      [](const TablePointer& table, const std::string& kind, double ess, const Indices& variables) {
        const tw::FamilyScore score = family_score(checked(table), kind, ess);
        auto gains = interruptible(
            [&](tw::Cancel& cancel) { return tw::score_pairs(*table, score, variables, cancel); });
        return to_numpy(std::move(gains), variables.size(), variables.size());
      },
      "table"_a, "kind"_a, "ess"_a, "variables"_a,
      "What each variable as only parent adds to the score of each other.");

  m.def(
      "test_partners",
      [](const TablePointer& table, const std::string& statistic, const std::string& degrees, std::uint32_t x,
         const Indices& given, const Indices& partners) {
        return partners_of(table, test_settings(statistic, degrees), x, given, partners);
      },
      "table"_a, "statistic"_a, "degrees"_a, "x"_a, "given"_a, "partners"_a,
      "Statistic and degrees of freedom of x against each partner.");
  m.def(
      "test_queries",
      [](const TablePointer& table, const std::string& statistic, const std::string& degrees,
         const std::vector<QueryTuple>& queries) {
        return queries_of(table, test_settings(statistic, degrees), queries);
      },
      "table"_a, "statistic"_a, "degrees"_a, "queries"_a,
      "Statistic and degrees of freedom of many (x, y, given).");

  m.def(
      "posterior_partners",
      [](const TablePointer& table, double prior, double alpha, double beta, double gamma, bool all_slices,
         std::uint32_t x, const Indices& given, const Indices& partners) {
        return partners_of(table, tw::PosteriorSettings{prior, alpha, beta, gamma, all_slices}, x, given,
                           partners);
      },
      "table"_a, "prior"_a, "alpha"_a, "beta"_a, "gamma"_a, "all_slices"_a, "x"_a, "given"_a, "partners"_a,
      "log P(independent) and log P(dependent) of x against each partner.");
  m.def(
      "posterior_queries",
      [](const TablePointer& table, double prior, double alpha, double beta, double gamma, bool all_slices,
         const std::vector<QueryTuple>& queries) {
        return queries_of(table, tw::PosteriorSettings{prior, alpha, beta, gamma, all_slices}, queries);
      },
      "table"_a, "prior"_a, "alpha"_a, "beta"_a, "gamma"_a, "all_slices"_a, "queries"_a,
      "log P(independent) and log P(dependent) of many (x, y, given).");
}
