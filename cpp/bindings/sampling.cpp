// Python face of treewright/sampling.hpp: shapes, ownership and the GIL, nothing else.
#include "treewright/sampling.hpp"

#include "bind.hpp"

namespace {

using Objects = nb::typed<nb::list, nb::object>;
using AnyColumn = nb::ndarray<nb::ro, nb::ndim<1>, nb::c_contig, nb::device::cpu>;

tw::NetworkTables tables_of(Indices cardinalities, std::vector<Indices> parents,
                            const std::vector<Array<double>>& tables) {
  tw::NetworkTables network{std::move(cardinalities), std::move(parents), {}};
  for (const auto& table : tables) network.tables.push_back(span_of(table));
  return network;
}

template <class Code>
nb::object new_column(std::size_t n_rows, std::vector<tw::Column>& columns) {
  auto* codes = new Code[n_rows];
  nb::capsule free(codes, [](void* p) noexcept { delete[] static_cast<Code*>(p); });
  columns.push_back({codes, sizeof(Code)});
  return OutArray<Code>(codes, {n_rows}, free).cast();
}

Objects sample_rows(Indices cardinalities, std::vector<Indices> parents,
                    const std::vector<Array<double>>& tables, const Indices& order, std::uint64_t seed,
                    std::uint64_t first_row, std::size_t n_rows) {
  const tw::NetworkTables network = tables_of(std::move(cardinalities), std::move(parents), tables);
  Objects result;
  std::vector<tw::Column> columns;
  for (const std::uint32_t cardinality : network.cardinalities) {
    const std::size_t width = tw::code_width(cardinality);
    result.append(width == 1   ? new_column<std::uint8_t>(n_rows, columns)
                  : width == 2 ? new_column<std::uint16_t>(n_rows, columns)
                               : new_column<std::uint32_t>(n_rows, columns));
  }
  interruptible(
      [&](tw::Cancel& cancel) { tw::sample_rows(network, order, seed, first_row, n_rows, columns, cancel); });
  return result;
}

OutArray<double> log_probability_rows(Indices cardinalities, std::vector<Indices> parents,
                                      const std::vector<Array<double>>& tables,
                                      const nb::typed<nb::sequence, nb::object>& codes, std::size_t n_rows) {
  const tw::NetworkTables network = tables_of(std::move(cardinalities), std::move(parents), tables);
  std::vector<tw::ConstColumn> columns;
  std::vector<AnyColumn> held;
  for (const auto item : codes) {
    const auto& column = held.emplace_back(nb::cast<AnyColumn>(item, false));
    if (column.dtype().code != static_cast<std::uint8_t>(nb::dlpack::dtype_code::UInt) ||
        column.dtype().lanes != 1 || column.dtype().bits > 32)
      throw std::invalid_argument("codes must be uint8, uint16 or uint32");
    if (column.size() != n_rows) throw std::invalid_argument("every column must have n_rows codes");
    columns.push_back({column.data(), column.dtype().bits / std::size_t{8}});
  }
  std::vector<double> out(n_rows);
  interruptible([&](tw::Cancel& cancel) { tw::log_probability_rows(network, columns, out, cancel); });
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
}
