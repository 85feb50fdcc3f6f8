// Python face of the questions to a feature graph: shapes, ownership and the GIL, nothing else.
#include "arena.hpp"
#include "bind_forest.hpp"
#include "columns.hpp"
#include "treewright/inference/feature_marginals.hpp"
#include "treewright/inference/feature_mpe.hpp"
#include "treewright/inference/feature_refit.hpp"
#include "treewright/inference/feature_sample.hpp"

namespace {

namespace ft = tw::features;
using Codes = nb::typed<nb::sequence, nb::object>;

ft::Evidence graph_evidence(const ft::Program& program, const Array<double>& common) {
  if (common.size() != program.n_states()) throw std::invalid_argument("there is one likelihood per state");
  return {{common.data(), common.data() + common.size()}, {}};
}

ft::Evidence graph_evidence(const ft::Program& program, const Array<double>& common, const BoundRows& bound) {
  const std::size_t n = program.arena().cardinalities.size();
  if (bound.rows.columns.size() != n || bound.rows.missing.size() != n)
    throw std::invalid_argument("there is one column and one mask per variable, or None");
  ft::Evidence evidence = graph_evidence(program, common);
  evidence.rows = bound.rows;
  return evidence;
}

const double* weights_of(const Array<double>& weights, std::size_t n_rows) {
  if (weights.size() == 0) return nullptr;
  if (weights.size() != n_rows) throw std::invalid_argument("there is one weight per row");
  return weights.data();
}

OutArray<double> log_probability(const ft::Program& self, const Codes& codes, std::size_t n_rows) {
  std::vector<AnyColumn> held;
  const auto columns = read_columns(codes, n_rows, held);
  std::vector<double> out(n_rows);
  interruptible(
      [&](tw::Cancel& cancel) { ft::log_probability_rows(self, columns, n_rows, out.data(), cancel); });
  return to_numpy(std::move(out));
}

OutArray<double> graph_log_mass(const ft::Program& self, const Array<double>& common, const Columns& codes,
                                const Columns& missing, std::size_t n_rows) {
  const BoundRows bound(codes, missing, n_rows);
  const ft::Evidence evidence = graph_evidence(self, common, bound);
  std::vector<double> out(n_rows);
  interruptible([&](tw::Cancel& cancel) { ft::log_mass_rows(self, evidence, out.data(), cancel); });
  return to_numpy(std::move(out));
}

std::pair<OutMatrix<double>, OutArray<double>> graph_marginals(const ft::Program& self,
                                                               const Array<double>& common,
                                                               const Columns& codes, const Columns& missing,
                                                               std::size_t n_rows, const Indices& wanted) {
  const BoundRows bound(codes, missing, n_rows);
  const ft::Evidence evidence = graph_evidence(self, common, bound);
  std::size_t width = 0;
  for (const std::uint32_t v : wanted) width += self.arena().cardinalities.at(v);
  std::vector<double> out(n_rows * width), logs(n_rows);
  interruptible([&](tw::Cancel& cancel) { ft::marginals_many(self, evidence, wanted, out, logs, cancel); });
  return {to_numpy(std::move(out), n_rows, width), to_numpy(std::move(logs))};
}

std::tuple<Indices, double, double> graph_most_probable(const ft::Program& self,
                                                        const Array<double>& common) {
  ft::Evidence evidence = graph_evidence(self, common);
  ft::BestRow best = interruptible(
      [&](tw::Cancel& cancel) { return ft::most_probable(self, std::move(evidence.common), cancel); });
  return {std::move(best.codes), best.log_mass, best.log_bound};
}

std::pair<Objects, double> graph_sample(const ft::Program& self, const Array<double>& common,
                                        std::uint64_t seed, std::uint64_t first_row, std::size_t n_rows) {
  ft::Evidence evidence = graph_evidence(self, common);
  std::vector<tw::Column> columns;
  Objects result = new_columns(self.arena().cardinalities, n_rows, columns);
  const double log = interruptible([&](tw::Cancel& cancel) {
    return ft::sample_rows(self, std::move(evidence.common), seed, first_row, n_rows, columns, cancel);
  });
  return {std::move(result), log};
}

std::pair<OutArray<double>, double> counts(const ft::Program& self, const Codes& codes, std::size_t n_rows,
                                           const Array<double>& weights) {
  std::vector<AnyColumn> held;
  const auto columns = read_columns(codes, n_rows, held);
  std::vector<double> out(self.arena().numbers.size());
  const double lost = interruptible([&](tw::Cancel& cancel) {
    return ft::add_counts(self, columns, n_rows, weights_of(weights, n_rows), out.data(), cancel);
  });
  return {to_numpy(std::move(out)), lost};
}

std::pair<OutArray<double>, double> expected_counts(const ft::Program& self, const Array<double>& common,
                                                    const Columns& codes, const Columns& missing,
                                                    std::size_t n_rows, const Array<double>& weights) {
  const BoundRows bound(codes, missing, n_rows);
  const ft::Evidence evidence = graph_evidence(self, common, bound);
  std::vector<double> out(self.arena().numbers.size());
  const double log = interruptible([&](tw::Cancel& cancel) {
    return ft::add_expected_counts(self, evidence, weights_of(weights, n_rows), out, cancel);
  });
  return {to_numpy(std::move(out)), log};
}

void check_numbers(const ft::Parameters& self, const Array<double>& numbers) {
  if (numbers.size() != self.share.size()) throw std::invalid_argument("there is one number per parameter");
}

}  // namespace

void bind_feature_program(nb::module_& m) {
  nb::class_<ft::Program>(m, "FeatureProgram", "A feature graph made ready for questions.")
      .def(
          "__init__", [](ft::Program* self, const ft::Arena& arena) { new (self) ft::Program(arena); },
          "arena"_a)
      .def_prop_ro("row_cost", &ft::Program::row_cost, "Nanoseconds of one evaluation, roughly.")
      .def("log_probability", &log_probability, "codes"_a, "n_rows"_a, "Log-probability of complete rows.")
      .def("log_mass", &graph_log_mass, "common"_a, "codes"_a, "missing"_a, "n_rows"_a,
           "Log of the mass of each row of evidence.")
      .def("marginals", &graph_marginals, "common"_a, "codes"_a, "missing"_a, "n_rows"_a, "wanted"_a,
           "Distributions of the wanted variables given each row (rows by states), and log masses.")
      .def("most_probable", &graph_most_probable, "common"_a,
           "The best row, the log of its mass, and a bound that no row exceeds.")
      .def("sample", &graph_sample, "common"_a, "seed"_a, "first_row"_a, "n_rows"_a,
           "Rows given the evidence, one array of codes per variable, and the log of its mass.")
      .def("counts", &counts, "codes"_a, "n_rows"_a, "weights"_a,
           "How often complete rows use each parameter, and the weight of rows without a place.")
      .def("expected_counts", &expected_counts, "common"_a, "codes"_a, "missing"_a, "n_rows"_a, "weights"_a,
           "Expected counts of each parameter, and the log-likelihood.");
  nb::class_<ft::Parameters>(m, "FeatureParameters", "The distributions among the numbers of a graph.")
      .def(
          "__init__",
          [](ft::Parameters* self, const ft::Arena& arena) {
            new (self) ft::Parameters(ft::parameters_of(arena));
          },
          "arena"_a)
      .def_prop_ro("n_free",
                   [](const ft::Parameters& self) {
                     std::size_t allowed = 0;
                     for (const double share : self.share) allowed += share > 0;
                     return allowed - std::min(allowed, self.begin.size() - 1);
                   })
      .def(
          "allowed",
          [](const ft::Parameters& self) {
            std::vector<double> allowed(self.share.size());
            for (std::size_t i = 0; i < allowed.size(); ++i) allowed[i] = self.share[i] > 0 ? 1 : 0;
            return to_numpy(std::move(allowed));
          },
          "One where a parameter may be more than zero.")
      .def(
          "estimate",
          [](const ft::Parameters& self, const Array<double>& counts, double alpha) {
            check_numbers(self, counts);
            return to_numpy(ft::estimate(self, span_of(counts), alpha));
          },
          "counts"_a, "alpha"_a, "Log-probabilities from counts and a prior of this weight per node.")
      .def(
          "log_prior",
          [](const ft::Parameters& self, const Array<double>& numbers, double alpha) {
            check_numbers(self, numbers);
            return ft::log_prior(self, span_of(numbers), alpha);
          },
          "numbers"_a, "alpha"_a, "What a prior of this weight adds to the log-likelihood.");
}
