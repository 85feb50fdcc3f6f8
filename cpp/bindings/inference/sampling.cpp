// Python face of treewright/sampling.hpp: shapes, ownership and the GIL, nothing else.
#include "treewright/inference/sampling.hpp"

#include "columns.hpp"

namespace {

tw::NetworkTables tables_of(Indices cardinalities, std::vector<Indices> parents,
                            const std::vector<Array<double>>& tables) {
  tw::NetworkTables network{std::move(cardinalities), std::move(parents), {}};
  for (const auto& table : tables) network.tables.push_back(span_of(table));
  return network;
}

Objects sample_rows(Indices cardinalities, std::vector<Indices> parents,
                    const std::vector<Array<double>>& tables, const Indices& order, std::uint64_t seed,
                    std::uint64_t first_row, std::size_t n_rows) {
  const tw::NetworkTables network = tables_of(std::move(cardinalities), std::move(parents), tables);
  std::vector<tw::Column> columns;
  Objects result = new_columns(network.cardinalities, n_rows, columns);
  interruptible(
      [&](tw::Cancel& cancel) { tw::sample_rows(network, order, seed, first_row, n_rows, columns, cancel); });
  return result;
}

OutArray<double> log_probability_rows(Indices cardinalities, std::vector<Indices> parents,
                                      const std::vector<Array<double>>& tables,
                                      const nb::typed<nb::sequence, nb::object>& codes, std::size_t n_rows) {
  const tw::NetworkTables network = tables_of(std::move(cardinalities), std::move(parents), tables);
  std::vector<AnyColumn> held;
  const auto columns = read_columns(codes, n_rows, held);
  std::vector<double> out(n_rows);
  interruptible([&](tw::Cancel& cancel) { tw::log_probability_rows(network, columns, out, cancel); });
  return to_numpy(std::move(out));
}

OutArray<double> log_product_rows(Indices cardinalities, std::vector<Indices> scopes,
                                  const std::vector<Array<double>>& tables,
                                  const nb::typed<nb::sequence, nb::object>& codes, std::size_t n_rows) {
  tw::ScopedTables product{std::move(cardinalities), std::move(scopes), {}};
  for (const auto& table : tables) product.tables.push_back(span_of(table));
  std::vector<AnyColumn> held;
  const auto columns = read_columns(codes, n_rows, held);
  std::vector<double> out(n_rows);
  interruptible([&](tw::Cancel& cancel) { tw::log_product_rows(product, columns, out, cancel); });
  return to_numpy(std::move(out));
}

}  // namespace

void bind_sampling(nb::module_& m) {
  m.def("sample_rows", &sample_rows, "cardinalities"_a, "parents"_a, "tables"_a, "order"_a, "seed"_a,
        "first_row"_a, "n_rows"_a,
        "Draw rows of a Bayesian network, one array of codes per variable; row r depends on the seed and r "
        "alone.");
  m.def("log_probability_rows", &log_probability_rows, "cardinalities"_a, "parents"_a, "tables"_a, "codes"_a,
        "n_rows"_a, "Log-probability of every row, in nats; minus infinity where a table holds zero.");
  m.def("log_product_rows", &log_product_rows, "cardinalities"_a, "scopes"_a, "tables"_a, "codes"_a,
        "n_rows"_a, "Logarithm of the product of tables over scopes, for every row.");
}
