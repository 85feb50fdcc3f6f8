// Python face of treewright/row_set.hpp.
#include "row_set.hpp"

#include "packed.hpp"
#include "treewright/efficient_markov/row_likelihood.hpp"

namespace {

using Pair = std::pair<RowSetPointer, RowSetPointer>;

RowSetPointer row_set(const TablePointer& table, const Indices& order) {
  const tw::PackedTable& packed = checked(table);
  return interruptible(
      [&](tw::Cancel& cancel) { return RowSetPointer(std::make_shared<tw::RowSet>(packed, order, cancel)); });
}

RowSetPointer join_rows(const std::vector<RowSetPointer>& parts) {
  std::vector<const tw::RowSet*> sets;
  for (const RowSetPointer& part : parts) sets.push_back(&checked(part));
  return interruptible([&](tw::Cancel& cancel) {
    return RowSetPointer(std::make_shared<tw::RowSet>(tw::RowSet::joined(sets, cancel)));
  });
}

Pair hold_out(const RowSetPointer& rows, double share, std::uint64_t seed) {
  const tw::RowSet& whole = checked(rows);
  return interruptible([&](tw::Cancel&) {
    const std::vector<double> held = whole.held_out_weights(share, seed);
    std::vector<double> kept = whole.weights();
    for (std::size_t i = 0; i < kept.size(); ++i) kept[i] -= held[i];
    return Pair(std::make_shared<tw::RowSet>(whole.reweighted(kept)),
                std::make_shared<tw::RowSet>(whole.reweighted(held)));
  });
}

}  // namespace

void bind_row_set(nb::module_& m) {
  nb::class_<tw::RowSet>(m, "RowSet", "Distinct rows with weights, sorted, columns in a given order.")
      .def_prop_ro("n_rows", &tw::RowSet::n_rows, "Distinct rows.")
      .def_prop_ro("total", &tw::RowSet::total, "Sum of the weights.")
      .def_prop_ro("is_whole", &tw::RowSet::is_whole, "Whether every weight is a whole number.")
      .def_prop_ro("variables", &tw::RowSet::variables, "The variable behind each column.")
      .def_prop_ro(
          "weights", [](const tw::RowSet& rows) { return to_numpy(std::vector<double>(rows.weights())); },
          nb::rv_policy::automatic)
      .def_prop_ro(
          "codes",
          [](const tw::RowSet& rows) {
            std::vector<std::uint16_t> codes;
            if (rows.n_rows()) codes.assign(rows.row(0), rows.row(0) + rows.n_rows() * rows.n_columns());
            return to_numpy(std::move(codes), rows.n_rows(), rows.n_columns());
          },
          nb::rv_policy::automatic);
  m.def("row_set", &row_set, "table"_a, "order"_a,
        "The distinct rows of a table; `order` lists the variables that become columns.");
  m.def("join_rows", &join_rows, "parts"_a, "The rows of several sets over the same columns.");
  m.def(
      "mean_log_likelihood",
      [](const tw::features::Arena& graph, const RowSetPointer& rows) {
        const tw::RowSet& given = checked(rows);
        return interruptible(
            [&](tw::Cancel& cancel) { return tw::mean_log_likelihood(graph, given, cancel); });
      },
      "graph"_a, "rows"_a, "Weighted mean of the log-probabilities of the rows, in nats.");
  m.def("hold_out", &hold_out, "rows"_a, "share"_a, "seed"_a,
        "Rows kept and rows held out: a share of the copies, drawn by content and seed.");
}
