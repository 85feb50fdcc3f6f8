// Python face of treewright/loopy.hpp: shapes, ownership and the GIL, nothing else.
#include "treewright/inference/loopy.hpp"

#include "columns.hpp"

namespace {

tw::ScopedTables product_of(const Indices& cardinalities, std::vector<Indices> scopes,
                            const std::vector<Array<double>>& tables) {
  tw::ScopedTables product{cardinalities, std::move(scopes), {}};
  for (const auto& table : tables) product.tables.push_back(span_of(table));
  return product;
}

std::tuple<OutArray<double>, double, double, std::size_t> propagate(
    const Indices& cardinalities, std::vector<Indices> scopes, const std::vector<Array<double>>& tables,
    const Indices& order, double damping, double tolerance, std::size_t most_sweeps) {
  const auto product = product_of(cardinalities, std::move(scopes), tables);
  for (const std::uint32_t f : order)
    if (f >= product.scopes.size()) throw std::out_of_range("the order names a table that does not exist");
  auto found = interruptible([&](tw::Cancel& cancel) {
    return tw::propagate_loopily(product, order, {damping, tolerance, most_sweeps}, cancel);
  });
  return {to_numpy(std::move(found.marginals)), found.log_partition, found.residual, found.sweeps};
}

OutArray<double> pseudo_log_rows(const Indices& cardinalities, std::vector<Indices> scopes,
                                 const std::vector<Array<double>>& tables,
                                 const nb::typed<nb::sequence, nb::object>& codes, std::size_t n_rows) {
  const auto product = product_of(cardinalities, std::move(scopes), tables);
  std::vector<AnyColumn> held;
  const auto columns = read_columns(codes, n_rows, held);
  if (columns.size() != cardinalities.size()) throw std::invalid_argument("one column per variable");
  std::vector<double> out(n_rows);
  interruptible([&](tw::Cancel& cancel) { tw::pseudo_log_rows(product, columns, out, cancel); });
  return to_numpy(std::move(out));
}

}  // namespace

void bind_loopy(nb::module_& m) {
  m.def("propagate_loopily", &propagate, "cardinalities"_a, "scopes"_a, "tables"_a, "order"_a, "damping"_a,
        "tolerance"_a, "most_sweeps"_a, "Marginals, Bethe log-partition, residual and sweeps.");
  m.def("pseudo_log_rows", &pseudo_log_rows, "cardinalities"_a, "scopes"_a, "tables"_a, "codes"_a, "n_rows"_a,
        "Per row the sum over variables of the log-probability of its state given the others.");
}
