// Parts of the core that only tests call by themselves: `_core.testing`.
#include "arcs.hpp"
#include "packed.hpp"
#include "row_set.hpp"
#include "treewright/counting/counts.hpp"
#include "treewright/counting/pair_counts.hpp"
#include "treewright/counting/pair_planes.hpp"
#include "treewright/criteria/chance_prices.hpp"
#include "treewright/efficient_markov/row_context.hpp"
#include "treewright/efficient_markov/set_information.hpp"
#include "treewright/searches/class_search.hpp"
#include "treewright/text/fields.hpp"

namespace {

tw::CountKernel kernel_named(const std::string& name) {
  if (name == "masks") return tw::CountKernel::masks;
  if (name == "grouped") return tw::CountKernel::grouped;
  if (name == "histogram") return tw::CountKernel::histogram;
  if (name == "automatic") return tw::CountKernel::automatic;
  throw std::invalid_argument("kernels are automatic, masks, grouped and histogram");
}

std::pair<Indices, double> least_information(const RowSetPointer& rows, const Indices& columns) {
  const tw::RowSet& given = checked(rows);
  if (columns.size() < 2) throw std::invalid_argument("a cut needs two columns or more");
  for (const std::uint32_t column : columns)
    if (column >= given.n_columns()) throw std::out_of_range("there is no such column");
  return interruptible([&](tw::Cancel&) {
    tw::SetInformation found(tw::RowContext(given, given.weights()), columns);
    const tw::Cut cut = found.least();
    Indices side;
    for (std::size_t m = 0; m < columns.size(); ++m)
      if (cut.side >> m & 1) side.push_back(columns[m]);
    return std::pair(side, cut.value);
  });
}

using Edges = std::pair<OutMatrix<tw::Vertex>, OutMatrix<tw::Vertex>>;  // directed, undirected

Edges edges_of(const tw::SharedPdag& graph) {
  return {pairs_to_numpy(graph.directed_edges()), pairs_to_numpy(graph.undirected_edges())};
}

}  // namespace

void bind_testing(nb::module_& core) {
  nb::module_ m = core.def_submodule("testing", "Parts of the core that only tests call by themselves.");

  m.def(
      "is_compressed",
      [](const TablePointer& table) {
        return interruptible(
            [&](tw::Cancel& cancel) { return checked(table).compressed(cancel) != nullptr; });
      },
      "table"_a, "Whether searches work on distinct rows with weights.");
  m.def(
      "chance_gain",
      [](const Array<std::int64_t>& x, const Array<std::int64_t>& y, double strata) {
        const tw::ChanceGain gain = tw::chance_gain(span_of(x), span_of(y), strata);
        return std::pair(gain.mean, gain.deviation);
      },
      "x"_a, "y"_a, "strata"_a = 1.0,
      "Mean and deviation of what a shuffled column gains on another, from their margins.");
  m.def(
      "bdeu_gain",
      [](const Array<std::int64_t>& x, const Array<std::int64_t>& y, double ess, double strata) {
        return tw::bdeu_gain(span_of(x), span_of(y), ess, strata);
      },
      "x"_a, "y"_a, "ess"_a, "strata"_a = 1.0,
      "Mean of what BDeu gains when a shuffled column becomes the parent of another.");
  m.def(
      "counts_by",
      [](const TablePointer& table, const Indices& scope, const std::string& kernel) {
        checked(table).check_scope(scope);
        std::vector<std::int64_t> cells(static_cast<std::size_t>(tw::cells_of(*table, scope)), 0);
        interruptible(
            [&](tw::Cancel& cancel) { tw::add_counts(*table, scope, cells, cancel, kernel_named(kernel)); });
        return shaped(std::move(cells), *table, scope);
      },
      "table"_a, "scope"_a, "kernel"_a, "One contingency table by a named kernel.");

  m.def(
      "pair_counts",
      [](const TablePointer& table, const Indices& variables) {
        checked(table).check_scope(variables);
        return to_numpy(interruptible([&](tw::Cancel& cancel) {
          std::vector<std::int64_t> all;
          for (std::size_t i = 0; i < variables.size(); ++i) {
            tw::PairRow row(*table, variables[i], cancel);
            for (std::size_t j = i + 1; j < variables.size(); ++j)
              std::ranges::copy(row.cells(variables[j]), std::back_inserter(all));
          }
          return all;
        }));
      },
      "table"_a, "variables"_a,
      "The tables of all pairs of rising variables, each in C order, one after the other.");

  m.def(
      "class_steps",
      [](std::size_t n, const Pairs& directed, const Pairs& undirected) {
        constexpr const char* names[] = {"insert", "delete", "turn"};
        const auto graph = tw::ClassGraph::completed(tw::Pdag(n, arcs_of(directed), arcs_of(undirected)));
        std::vector<std::pair<std::tuple<std::string, tw::Vertex, tw::Vertex, Indices>, Edges>> out;
        for (const auto& step : tw::all_steps(graph))
          out.emplace_back(
              std::tuple{std::string(names[static_cast<std::size_t>(step.move)]), step.x, step.y, step.set},
              edges_of(tw::ClassGraph::completed(tw::applied(graph, step)).marks));
        return out;
      },
      "n"_a, "directed"_a, "undirected"_a, "Every step from a class, and the class it leads to.");

  m.def("least_information", &least_information, "rows"_a, "columns"_a,
        "The cut of some columns across which there is least information: one side, and nats.");
  m.def(
      "kind_of_field",
      [](const nb::bytes& text) { return static_cast<int>(tw::kind_of_field({text.c_str(), text.size()})); },
      "text"_a, "1: a whole number, 2: a real number, 3: no number.");
}
