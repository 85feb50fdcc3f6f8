// Python face of treewright/packed.hpp, counts.hpp and contexts.hpp: shapes, ownership and the GIL, nothing
// else.
#include "treewright/counting/counts.hpp"

#include <nanobind/stl/optional.h>

#include "packed.hpp"
#include "treewright/counting/contexts.hpp"

namespace {

using AnyArray = nb::ndarray<nb::ro, nb::ndim<1>, nb::c_contig, nb::device::cpu>;

// Arrays are released with the GIL held, whichever thread drops the last reference.
std::shared_ptr<const void> keep_alive(std::vector<nb::object>&& objects) {
  return {new std::vector<nb::object>(std::move(objects)), [](const void* p) {
            const nb::gil_scoped_acquire locked;
            delete static_cast<const std::vector<nb::object>*>(p);
          }};
}

tw::CodeColumn to_column(const AnyArray& array, std::size_t n_rows) {
  if (array.shape(0) != n_rows) throw std::invalid_argument("columns differ in length");
  const tw::CodeColumn column{array.data(), static_cast<std::uint8_t>(array.itemsize())};
  if (array.dtype().code != static_cast<std::uint8_t>(nb::dlpack::dtype_code::UInt) ||
      (column.width != 1 && column.width != 2 && column.width != 4))
    throw std::invalid_argument("codes are uint8, uint16 or uint32");
  return column;
}

template <class T>
nb::object shaped(std::vector<T>&& values, const tw::PackedTable& table, const Indices& scope) {
  std::vector<std::size_t> shape;
  for (std::uint32_t v : scope) shape.push_back(table.cardinality(v));
  auto* owned = new std::vector<T>(std::move(values));
  nb::capsule free(owned, [](void* p) noexcept { delete static_cast<std::vector<T>*>(p); });
  return nb::cast(nb::ndarray<nb::numpy, T>(owned->data(), shape.size(), shape.data(), free));
}

tw::CountKernel kernel_named(const std::string& name) {
  if (name == "masks") return tw::CountKernel::masks;
  if (name == "grouped") return tw::CountKernel::grouped;
  if (name == "histogram") return tw::CountKernel::histogram;
  if (name == "automatic") return tw::CountKernel::automatic;
  throw std::invalid_argument("kernels are automatic, masks, grouped and histogram");
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
      "restrict_rows",
      [](const TablePointer& table, const Array<std::uint32_t>& rows) {
        for (std::size_t i = 0; i < rows.size(); ++i)
          if (rows.data()[i] >= checked(table).n_rows()) throw std::out_of_range("there is no such row");
        return std::const_pointer_cast<tw::PackedTable>(
            checked(table).restricted({rows.data(), rows.data() + rows.size()}, table));
      },
      "table"_a, "rows"_a, "The table of some rows.");

  m.def(
      "is_compressed",
      [](const TablePointer& table) {
        return interruptible(
            [&](tw::Cancel& cancel) { return checked(table).compressed(cancel) != nullptr; });
      },
      "table"_a, "Whether searches work on distinct rows with weights.");

  m.def(
      "counts",
      [](const TablePointer& table, const std::vector<Indices>& scopes, double limit) {
        return checked(table).is_real() ? counts_many<double>(*table, scopes, limit)
                                        : counts_many<std::int64_t>(*table, scopes, limit);
      },
      "table"_a, "scopes"_a, "limit"_a,
      "The contingency tables of many scopes, each of at most `limit` bytes.");

  m.def(
      "counts_by",
      [](const TablePointer& table, const Indices& scope, const std::string& kernel) {
        checked(table).check_scope(scope);
        std::vector<std::int64_t> cells(static_cast<std::size_t>(tw::cells_of(*table, scope)), 0);
        interruptible(
            [&](tw::Cancel& cancel) { tw::add_counts(*table, scope, cells, cancel, kernel_named(kernel)); });
        return shaped(std::move(cells), *table, scope);
      },
      "table"_a, "scope"_a, "kernel"_a, "One contingency table by a named kernel, for tests and benchmarks.");

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
      "pair_counts",
      [](const TablePointer& table, const Indices& variables) {
        checked(table).check_scope(variables);
        return to_numpy(interruptible([&](tw::Cancel& cancel) {
          std::vector<std::int64_t> all, row;
          for (std::size_t i = 0; i < variables.size(); ++i) {
            tw::count_pair_row(*table, variables, i, row, cancel);
            all.insert(all.end(), row.begin(), row.end());
          }
          return all;
        }));
      },
      "table"_a, "variables"_a, "The tables of all pairs (i < j), each in C order, one after the other.");

  m.def(
      "pairwise_information",
      [](const TablePointer& table, const Indices& variables) {
        auto matrix = interruptible(
            [&](tw::Cancel& cancel) { return tw::pairwise_information(checked(table), variables, cancel); });
        return to_numpy(std::move(matrix), variables.size(), variables.size());
      },
      "table"_a, "variables"_a, "Mutual information of all pairs, in nats.");
}
