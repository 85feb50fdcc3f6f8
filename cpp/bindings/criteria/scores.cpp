// Python face of treewright/scores.hpp: shapes, ownership and the GIL, nothing else.
#include "treewright/criteria/scores.hpp"

#include <cmath>

#include "bind.hpp"
#include "settings.hpp"
#include "treewright/criteria/chance_prices.hpp"

namespace {

template <class T>
OutMatrix<double> score(const std::vector<std::pair<std::string, double>>& scores, double n_rows,
                        const std::vector<Array<std::int64_t>>& codes, const std::vector<Cells<T>>& counts,
                        const Array<std::int64_t>& r, const Array<double>& q) {
  const std::size_t n = counts.size();
  if (r.size() != n || q.size() != n || (!codes.empty() && codes.size() != n))
    throw std::invalid_argument("one r, one q and one array of codes for each table");
  std::vector<tw::FamilyTable<T>> tables;
  tables.reserve(n);
  for (std::size_t i = 0; i < n; ++i)
    tables.push_back({codes.empty() ? std::span<const std::int64_t>{} : span_of(codes[i]),
                      {counts[i].data(), counts[i].size()},
                      static_cast<std::size_t>(r.data()[i]),
                      q.data()[i]});
  std::vector<double> local(scores.size() * n);
  std::vector<tw::FamilyScore> family_scores;
  for (const auto& [kind, ess] : scores) family_scores.emplace_back(score_settings(kind, ess), n_rows);
  interruptible([&](tw::Cancel& cancel) {
    for (std::size_t i = 0; i < scores.size(); ++i)
      tw::score_tables<T>(family_scores[i], tables, std::span(local).subspan(i * n, n), cancel);
  });
  return to_numpy(std::move(local), scores.size(), n);
}

template <class T>
void bind_scores_of(nb::module_& m) {
  m.def("score_tables", &score<T>, "scores"_a, "n_rows"_a, "codes"_a.noconvert(), "counts"_a.noconvert(),
        "r"_a, "q"_a,
        "Local scores of families, a row for each kind and ess, from tables with the child on the last axis; "
        "`codes` is empty for dense tables.");
}

std::vector<std::vector<std::int64_t>> counts_of(const std::vector<Array<std::int64_t>>& margins) {
  std::vector<std::vector<std::int64_t>> counts;
  for (const auto& margin : margins) counts.emplace_back(margin.data(), margin.data() + margin.size());
  return counts;
}

}  // namespace

void bind_scores(nb::module_& m) {
  bind_scores_of<std::int64_t>(m);
  bind_scores_of<double>(m);
  m.def(
      "dirichlet_table",
      [](double n_rows, const Array<double>& counts, const Array<double>& prior) {
        const tw::FamilyScore score({tw::ScoreKind::bdeu, 1}, n_rows);
        return tw::dirichlet_table(score, span_of(counts), span_of(prior));
      },
      "n_rows"_a, "counts"_a.noconvert(), "prior"_a.noconvert(),
      "Sum over cells of ln Gamma(prior + count) - ln Gamma(prior).");
  m.def(
      "score_resolution",
      [](double n_rows) {
        return std::ldexp(1.0, -tw::FamilyScore({tw::ScoreKind::bic, 1}, n_rows).grid().bits());
      },
      "n_rows"_a, "The step of which every score of so many rows is a multiple.");
  m.def(
      "bdeu_asked",
      [](const std::vector<Array<std::int64_t>>& margins, double ess, double dense_rows) {
        const auto counts = counts_of(margins);
        std::vector<double> asked;
        interruptible([&](tw::Cancel& cancel) { asked = tw::bdeu_asked(counts, ess, dense_rows, cancel); });
        return to_numpy(std::move(asked), counts.size(), counts.size());
      },
      "margins"_a, "ess"_a, "dense_rows"_a,
      "What BDeu asks for an edge of each pair below the diagonal; -1 for pairs with fewer rows for each "
      "cell.");
  m.def(
      "chance_prices",
      [](const std::vector<Array<std::int64_t>>& margins, double ess, double edge_price, double level,
         double dense_rows, double step) {
        const auto counts = counts_of(margins);
        std::vector<double> prices;
        interruptible([&](tw::Cancel& cancel) {
          prices = tw::chance_prices(counts, ess, edge_price, level, dense_rows, step, cancel);
        });
        return to_numpy(std::move(prices), counts.size(), counts.size());
      },
      "margins"_a, "ess"_a, "edge_price"_a, "level"_a, "dense_rows"_a, "step"_a,
      "What an edge of each pair must cost beside BDeu (qNML where ess is 0) and `edge_price` so that chance "
      "does not pay for it.");
  m.def(
      "rare_prices",
      [](const std::vector<Array<std::int64_t>>& margins, double ess, double edge_price, double level,
         double dense_rows, double step) {
        const auto counts = counts_of(margins);
        std::vector<double> prices;
        interruptible([&](tw::Cancel& cancel) {
          prices = tw::rare_prices(counts, ess, edge_price, level, dense_rows, step, cancel);
        });
        return to_numpy(std::move(prices), counts.size(), counts.size());
      },
      "margins"_a, "ess"_a, "edge_price"_a, "level"_a, "dense_rows"_a, "step"_a,
      "What an edge of each pair of rare states must cost beside BDeu and `edge_price`, lest chance pay "
      "for it.");
  m.def("multinomial_regret", &tw::multinomial_regret, "n"_a, "k"_a,
        "ln of the normaliser of the multinomial NML distribution over k cells and n rows.");
  m.def(
      "multinomial_regrets",
      [](double n, const std::vector<double>& cells) {
        std::vector<double> out;
        for (const double k : cells) out.push_back(tw::multinomial_regret(n, k));
        return out;
      },
      "n"_a, "cells"_a, "The same for several numbers of cells.");
}
