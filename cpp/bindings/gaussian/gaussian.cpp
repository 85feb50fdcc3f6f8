// Python face of moments.hpp, gaussian.hpp, regression.hpp, partial_correlations.hpp and sigmoid.hpp: shapes,
// ownership and the GIL, nothing else.
#include "treewright/gaussian/gaussian.hpp"

#include <stdexcept>

#include "real_columns.hpp"
#include "treewright/gaussian/moments.hpp"
#include "treewright/gaussian/partial_correlations.hpp"
#include "treewright/gaussian/regression.hpp"
#include "treewright/gaussian/sigmoid.hpp"

namespace twg = treewright::gaussian;

namespace {

using Weights = Array<double>;  // empty: every row counts once
using RawFamily = std::pair<std::uint32_t, Indices>;
using RawQuestion = std::tuple<std::uint32_t, std::uint32_t, Indices>;
using RawMoments = std::tuple<double, Array<double>, Array<double>, Matrix<double>>;

std::vector<const double*> weighted_pointers(const RealColumns& columns, std::size_t n_rows,
                                             const Weights& weights) {
  std::vector<const double*> data = pointers_to(columns, n_rows);
  if (weights.size() != 0 && weights.size() != n_rows) throw std::invalid_argument("one weight per row");
  return data;
}

using OutMoments = std::tuple<double, OutArray<double>, OutArray<double>, OutMatrix<double>>;
using OutScores = std::tuple<OutArray<double>, OutArray<std::uint8_t>>;
using OutAnswers = std::tuple<OutArray<double>, OutArray<double>, OutArray<double>, OutArray<std::uint8_t>>;
using OutRegression = std::tuple<OutArray<double>, OutArray<std::uint8_t>, double, bool>;
using OutFit = std::tuple<double, double, double, OutArray<double>, double, double>;

OutMoments to_tuple(tw::MomentSums&& sums) {
  const std::size_t n = sums.columns();
  return OutMoments(sums.n, to_numpy(std::move(sums.mean)), to_numpy(std::move(sums.mean_tail)),
                    to_numpy(std::move(sums.scatter), n, n));
}

tw::MomentSums from_tuple(const RawMoments& raw) {
  const auto& [n, mean, tail, scatter] = raw;
  const auto copy = [](const auto& array) {
    return std::vector<double>(array.data(), array.data() + array.size());
  };
  return {n, copy(mean), copy(tail), copy(scatter)};
}

std::span<const double> span_of_matrix(const Matrix<double>& matrix) {
  return {matrix.data(), matrix.size()};
}

OutScores to_tuple(twg::GaussianScore::Values&& values) {
  return OutScores(to_numpy(std::move(values.scores)), to_numpy(std::move(values.floored)));
}

OutAnswers to_tuple(twg::PartialCorrelations::Answers&& answers) {
  return OutAnswers(to_numpy(std::move(answers.correlation)), to_numpy(std::move(answers.statistic)),
                    to_numpy(std::move(answers.freedom)), to_numpy(std::move(answers.snag)));
}

// Names are ranked in Python; families and questions arrive as positions and leave as ranks.
Indices ranked(const Indices& positions, const Indices& rank) {
  Indices out;
  for (const auto v : positions) out.push_back(rank.at(v));
  return out;
}

std::vector<twg::Family> ranked(const std::vector<RawFamily>& families, const Indices& rank) {
  std::vector<twg::Family> out;
  out.reserve(families.size());
  for (const auto& [child, parents] : families) out.emplace_back(rank.at(child), ranked(parents, rank));
  return out;
}

template <class Core>
struct Ranked {
  Core core;
  Indices rank;  // of each column's name
};

void bind_moments(nb::module_& m) {
  m.def(
      "non_finite",
      [](const RealColumns& columns, std::size_t n_rows) {
        const auto data = weighted_pointers(columns, n_rows, Weights());
        const auto found =
            interruptible([&](tw::Cancel& c) { return tw::count_non_finite(data, n_rows, c); });
        std::vector<std::pair<std::int64_t, std::int64_t>> out;
        for (const auto& one : found) out.emplace_back(one.nan, one.infinite);
        return out;
      },
      "columns"_a, "n_rows"_a, "Per column: how many values are NaN, how many infinite.");
  m.def(
      "column_moments",
      [](const RealColumns& columns, std::size_t n_rows, const Weights& weights) {
        const auto data = weighted_pointers(columns, n_rows, weights);
        return to_tuple(
            interruptible([&](tw::Cancel& c) { return tw::moments_of(data, n_rows, span_of(weights), c); }));
      },
      "columns"_a, "n_rows"_a, "weights"_a, "Rows, mean, tail of the mean, centred scatter.");
  m.def(
      "merge_moments",
      [](const std::vector<RawMoments>& parts) {
        std::vector<tw::MomentSums> sums;
        for (const auto& part : parts) sums.push_back(from_tuple(part));
        for (const auto& one : sums)
          if (one.columns() != sums.front().columns()) throw std::invalid_argument("parts differ in columns");
        return to_tuple(tw::merge(sums));
      },
      "parts"_a, "Merge moments as a binary tree in the order given.");
}

void bind_score(nb::module_& m) {
  using Score = Ranked<twg::GaussianScore>;
  nb::class_<Score>(m, "GaussianScore", "Gaussian BIC of families; `scatter` is in name order.")
      .def(
          "__init__",
          [](Score* self, const Matrix<double>& scatter, double n_rows, const Indices& rank) {
            new (self) Score{twg::GaussianScore(span_of_matrix(scatter), scatter.shape(0), n_rows), rank};
          },
          "scatter"_a, "n_rows"_a, "rank"_a)
      .def_prop_ro("unit", [](const Score& self) { return self.core.unit(); })
      .def(
          "local_many",
          [](const Score& self, const std::vector<RawFamily>& families) {
            const auto asked = ranked(families, self.rank);
            return to_tuple(interruptible([&](tw::Cancel& c) { return self.core.local_many(asked, c); }));
          },
          "families"_a, "Scores, and whether the floor of the variance bit.")
      .def(
          "local_additions",
          [](const Score& self, std::uint32_t child, const Indices& parents, const Indices& candidates) {
            const twg::Family family{self.rank.at(child), ranked(parents, self.rank)};
            const auto added = ranked(candidates, self.rank);
            return to_tuple(
                interruptible([&](tw::Cancel& c) { return self.core.local_additions(family, added, c); }));
          },
          "child"_a, "parents"_a, "candidates"_a);
}

void bind_regressions(nb::module_& m) {
  m.def(
      "regressions",
      [](const Matrix<double>& scatter, const std::vector<RawFamily>& families, const Indices& rank) {
        const auto asked = ranked(families, rank);
        auto found = interruptible([&](tw::Cancel& c) {
          return twg::regressions(twg::Correlations(span_of_matrix(scatter), scatter.shape(0)), asked, c);
        });
        std::vector<OutRegression> out;
        for (auto& one : found)
          out.emplace_back(to_numpy(std::move(one.slopes)), to_numpy(std::move(one.redundant)),
                           one.unexplained, one.floored);
        return out;
      },
      "scatter"_a, "families"_a, "rank"_a,
      "Standardised slopes, redundant parents, unexplained share of the variance, and whether that is a "
      "floor; `scatter` is in name order.");
}

void bind_test(nb::module_& m) {
  using Test = Ranked<twg::PartialCorrelations>;
  nb::class_<Test>(m, "PartialCorrelations", "Partial correlations and Fisher z; `scatter` is in name order.")
      .def(
          "__init__",
          [](Test* self, const Matrix<double>& scatter, double n_rows, const Indices& rank) {
            new (self)
                Test{twg::PartialCorrelations(span_of_matrix(scatter), scatter.shape(0), n_rows), rank};
          },
          "scatter"_a, "n_rows"_a, "rank"_a)
      .def(
          "ask",
          [](const Test& self, const std::vector<RawQuestion>& questions) {
            std::vector<twg::Question> asked;
            asked.reserve(questions.size());
            for (const auto& [x, y, given] : questions)
              asked.push_back({self.rank.at(x), self.rank.at(y), ranked(given, self.rank)});
            return to_tuple(interruptible([&](tw::Cancel& c) { return self.core.ask(asked, c); }));
          },
          "questions"_a, "Correlations, statistics, degrees of freedom, snags.")
      .def(
          "ask_partners",
          [](const Test& self, std::uint32_t x, const Indices& given, const Indices& partners) {
            const auto set = ranked(given, self.rank), others = ranked(partners, self.rank);
            const auto from = self.rank.at(x);
            return to_tuple(
                interruptible([&](tw::Cancel& c) { return self.core.ask_partners(from, set, others, c); }));
          },
          "x"_a, "given"_a, "partners"_a);
}

void bind_sigmoid(nb::module_& m) {
  using Fits = Ranked<std::unique_ptr<twg::SigmoidFamilies>>;
  nb::class_<Fits>(m, "SigmoidFamilies", "Sigmoid fits of families; `columns` are in name order.")
      .def(
          "__init__",
          [](Fits* self, const RealColumns& columns, std::size_t n_rows, const Weights& weights,
             const RawMoments& moments, const Indices& rank) {
            const auto data = weighted_pointers(columns, n_rows, weights);
            const auto sums = from_tuple(moments);
            if (sums.columns() != data.size()) throw std::invalid_argument("moments of other columns");
            auto families = interruptible([&](tw::Cancel&) {
              return std::make_unique<twg::SigmoidFamilies>(data, n_rows, span_of(weights), sums);
            });
            new (self) Fits{std::move(families), rank};
          },
          "columns"_a, "n_rows"_a, "weights"_a, "moments"_a, "rank"_a)
      .def(
          "log_likelihoods",
          [](Fits& self, const std::vector<RawFamily>& families) {
            const auto asked = ranked(families, self.rank);
            return to_numpy(
                interruptible([&](tw::Cancel& c) { return self.core->log_likelihoods(asked, c); }));
          },
          "families"_a)
      .def(
          "screen",
          [](const Fits& self, std::uint32_t child, const Indices& parents, const Indices& candidates,
             std::size_t keep) {
            const twg::Family family{self.rank.at(child), ranked(parents, self.rank)};
            return self.core->screen(family, ranked(candidates, self.rank), keep);
          },
          "child"_a, "parents"_a, "candidates"_a, "keep"_a,
          "Places of the candidates of largest linear gain.")
      .def(
          "fit_many",
          [](Fits& self, const std::vector<RawFamily>& families) {
            const auto asked = ranked(families, self.rank);
            auto fits = interruptible([&](tw::Cancel& c) { return self.core->fit_many(asked, c); });
            std::vector<OutFit> out;
            for (auto& fit : fits)
              out.emplace_back(fit.th0, fit.th1, fit.b, to_numpy(std::move(fit.w)), fit.variance,
                               fit.log_likelihood);
            return out;
          },
          "families"_a, "th0, th1, b, w, variance, log-likelihood of each.");
}

}  // namespace

void bind_gaussian(nb::module_& m) {
  bind_moments(m);
  bind_score(m);
  bind_regressions(m);
  bind_test(m);
  bind_sigmoid(m);
}
