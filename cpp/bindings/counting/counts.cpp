// Python face of treewright/packed.hpp, counts.hpp and contexts.hpp: shapes, ownership and the GIL, nothing
// else.
#include "treewright/counting/counts.hpp"

#include <nanobind/stl/optional.h>

#include "keep_alive.hpp"
#include "packed.hpp"
#include "treewright/counting/contexts.hpp"
#include "treewright/counting/sparse_counts.hpp"

namespace {

using AnyArray = nb::ndarray<nb::ro, nb::ndim<1>, nb::c_contig, nb::device::cpu>;

tw::CodeColumn to_column(const AnyArray& array, std::size_t n_rows) {
  if (array.shape(0) != n_rows) throw std::invalid_argument("columns differ in length");
  const tw::CodeColumn column{array.data(), static_cast<std::uint8_t>(array.itemsize())};
  if (array.dtype().code != static_cast<std::uint8_t>(nb::dlpack::dtype_code::UInt) ||
      (column.width != 1 && column.width != 2 && column.width != 4))
    throw std::invalid_argument("codes are uint8, uint16 or uint32");
  return column;
}

// `limit`: bytes that one table may take; the caller knows the names for a better message.
template <class T>
std::vector<nb::object> counts_many(const tw::PackedTable& table, const std::vector<Indices>& scopes,
                                    double limit) {
  std::vector<std::vector<T>> cells;
  cells.reserve(scopes.size());
  for (const Indices& scope : scopes) {
    table.check_scope(scope);
    const double size = tw::cells_of(table, scope);
    if (size * sizeof(T) > limit) throw std::invalid_argument("a table exceeds the memory limit");
    cells.emplace_back(static_cast<std::size_t>(size), T{0});
  }
  interruptible([&](tw::Cancel& cancel) {
    tw::add_counts_many<T>(table, scopes, {cells.begin(), cells.end()}, cancel);
  });
  std::vector<nb::object> out;
  out.reserve(scopes.size());
  for (std::size_t i = 0; i < scopes.size(); ++i)
    out.push_back(shaped(std::move(cells[i]), table, scopes[i]));
  return out;
}

}  // namespace

void bind_counts(nb::module_& m) {
  nb::class_<tw::PackedTable>(m, "PackedTable", "Columns of codes, bit-packed on first use; see counts.")
      .def_prop_ro("n_rows", &tw::PackedTable::n_rows)
      .def_prop_ro("total", &tw::PackedTable::total)
      .def_prop_ro("real_total", &tw::PackedTable::real_total)
      .def_prop_ro("is_real", &tw::PackedTable::is_real)
      .def_prop_ro("bytes", &tw::PackedTable::bytes);

  m.def(
      "pack",
      [](const std::vector<std::optional<AnyArray>>& columns, const Indices& cardinalities,
         std::size_t n_rows, std::optional<Array<std::int64_t>> integer_weights,
         std::optional<Array<double>> real_weights) {
        if (columns.size() != cardinalities.size()) throw std::invalid_argument("one cardinality a column");
        std::vector<tw::CodeColumn> codes;
        std::vector<nb::object> kept;
        for (std::size_t v = 0; v < columns.size(); ++v) {
          if (cardinalities[v] > 0 && !columns[v])
            throw std::invalid_argument("a discrete column has no codes");
          codes.push_back(cardinalities[v] ? to_column(*columns[v], n_rows) : tw::CodeColumn{});
          if (columns[v]) kept.push_back(nb::cast(*columns[v]));
        }
        tw::RowWeights weights;
        if (integer_weights) {
          if (integer_weights->size() != n_rows) throw std::invalid_argument("one weight a row");
          weights.integers = integer_weights->data();
          kept.push_back(nb::cast(*integer_weights));
        }
        if (real_weights) {
          if (real_weights->size() != n_rows) throw std::invalid_argument("one weight a row");
          weights.reals = real_weights->data();
          kept.push_back(nb::cast(*real_weights));
        }
        return std::make_shared<tw::PackedTable>(codes, cardinalities, n_rows, weights,
                                                 keep_alive(std::move(kept)));
      },
      "columns"_a, "cardinalities"_a, "n_rows"_a, "integer_weights"_a = nb::none(),
      "real_weights"_a = nb::none(),
      "Borrow columns of codes (None where the variable is continuous, cardinality 0).");

  m.def(
      "counts",
      [](const TablePointer& table, const std::vector<Indices>& scopes, double limit) {
        return checked(table).is_real() ? counts_many<double>(*table, scopes, limit)
                                        : counts_many<std::int64_t>(*table, scopes, limit);
      },
      "table"_a, "scopes"_a, "limit"_a,
      "The contingency tables of many scopes, each of at most `limit` bytes.");

  m.def(
      "sparse_counts",
      [](const TablePointer& table, const Indices& scope) {
        checked(table).check_scope(scope);
        if (table->is_real()) {
          auto sparse = interruptible(
              [&](tw::Cancel& cancel) { return tw::sparse_real_counts(*table, scope, cancel); });
          return nb::make_tuple(to_numpy(std::move(sparse.codes)), to_numpy(std::move(sparse.counts)));
        }
        auto sparse =
            interruptible([&](tw::Cancel& cancel) { return tw::sparse_counts(*table, scope, cancel); });
        return nb::make_tuple(to_numpy(std::move(sparse.codes)), to_numpy(std::move(sparse.counts)));
      },
      "table"_a, "scope"_a, "Codes (rising) and counts of the occupied cells.");

  m.def(
      "count_partners",
      [](const TablePointer& table, const Indices& context, const Indices& partners) {
        auto out = interruptible([&](tw::Cancel& cancel) {
          return tw::count_partners(checked(table), context, partners, cancel);
        });
        return nb::make_tuple(to_numpy(std::move(out.configurations), out.n_groups, context.size()),
                              to_numpy(std::move(out.cells), out.n_groups, out.n_states));
      },
      "table"_a, "context"_a, "partners"_a,
      "Every occupied configuration of `context`, with its counts of all states of all partners.");

  m.def(
      "pairwise_information",
      [](const TablePointer& table, const Indices& variables) {
        auto matrix = interruptible(
            [&](tw::Cancel& cancel) { return tw::pairwise_information(checked(table), variables, cancel); });
        return to_numpy(std::move(matrix), variables.size(), variables.size());
      },
      "table"_a, "variables"_a, "Mutual information of all pairs, in nats.");
}
