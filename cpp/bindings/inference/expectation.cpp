// Python face of treewright/expectation.hpp: shapes, ownership, the GIL and refusals, nothing else.
#include "treewright/inference/expectation.hpp"

#include "bind_forest.hpp"

namespace {

using tw::forests::Expectation;

void make_expectation(Expectation* self, Indices cardinalities, std::vector<Indices> scopes,
                      const Columns& codes, const Columns& missing, std::size_t n_rows,
                      const Array<double>& weights) {
  const BoundRows bound(codes, missing, n_rows);
  interruptible([&](tw::Cancel& cancel) {
    new (self) Expectation(std::move(cardinalities), std::move(scopes), bound.rows, span_of(weights), cancel);
    return 0;
  });
}

std::pair<OutArray<double>, double> step(Expectation& self, const Array<double>& tables, double limit) {
  std::vector<double> counts(self.n_cells());
  const double log_likelihood =
      refusable([&](tw::Cancel& cancel) { return self.step(span_of(tables), counts, limit, cancel); });
  return {to_numpy(std::move(counts)), log_likelihood};
}

}  // namespace

void bind_expectation(nb::module_& m) {
  nb::class_<Expectation>(m, "Expectation", "Expected counts of families, given rows with missing cells.")
      .def("__init__", &make_expectation, "cardinalities"_a, "scopes"_a, "codes"_a, "missing"_a, "n_rows"_a,
           "weights"_a, "Read the rows; an empty array of weights counts each once.")
      .def(
          "observed",
          [](const Expectation& self) {
            return to_numpy(std::vector<double>(self.observed().begin(), self.observed().end()));
          },
          "Counts from the rows that show the whole family, all families in one flat array.")
      .def("step", &step, "tables"_a, "limit"_a,
           "Expected counts under the tables, and the log-likelihood of what the rows show.")
      .def_prop_ro("n_parts", &Expectation::n_parts, "Distinct sets of joined missing cells.")
      .def_prop_ro("n_runs", &Expectation::n_runs, "Propagations per step.");
}
