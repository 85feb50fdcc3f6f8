// Python face of treewright/expected_tables.hpp: shapes, ownership, the GIL and refusals, nothing else.
#include "treewright/inference/expected_tables.hpp"

#include "bind_forest.hpp"

namespace {

using tw::forests::ExpectedTables;

void make_expected_tables(ExpectedTables* self, Indices cardinalities, std::vector<Indices> scopes,
                          const Array<double>& tables, const Columns& codes, const Columns& missing,
                          std::size_t n_rows, const Array<double>& weights, double limit) {
  const BoundRows bound(codes, missing, n_rows);
  std::vector<double> cells(tables.data(), tables.data() + tables.size());
  refusable([&](tw::Cancel& cancel) {
    new (self) ExpectedTables(std::move(cardinalities), std::move(scopes), std::move(cells), bound.rows,
                              span_of(weights), limit, cancel);
    return 0;
  });
}

void check_rising(const ExpectedTables& self, const Indices& scope) {
  for (std::size_t k = 0; k < scope.size(); ++k)
    if (scope[k] >= self.size() || (k && scope[k] <= scope[k - 1]))
      throw std::invalid_argument("a scope names variables by rising numbers");
}

nb::list tables_of_scopes(ExpectedTables& self, const std::vector<Indices>& scopes) {
  for (const Indices& scope : scopes) check_rising(self, scope);
  auto found = refusable([&](tw::Cancel& cancel) { return self.counts_many(scopes, cancel); });
  nb::list out;
  for (auto& cells : found) out.append(to_numpy(std::move(cells)));
  return out;
}

}  // namespace

void bind_expected_tables(nb::module_& m) {
  nb::class_<ExpectedTables>(m, "ExpectedTables",
                             "Expected counts of any scope under one model, given rows with missing cells.")
      .def("__init__", &make_expected_tables, "cardinalities"_a, "scopes"_a, "tables"_a, "codes"_a,
           "missing"_a, "n_rows"_a, "weights"_a, "limit"_a,
           "Read the rows and work out what they miss; an empty array of weights counts each once.")
      .def("counts", &tables_of_scopes, "scopes"_a,
           "Tables of scopes of rising variables, each a flat array in C order.")
      .def_prop_ro("n_runs", &ExpectedTables::n_runs, "Different joined missing cells and surroundings.")
      .def_prop_ro("n_large", &ExpectedTables::n_large, "Those that are propagated when they are asked for.");
}
