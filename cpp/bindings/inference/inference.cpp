// Python face of treewright/forest.hpp: shapes, ownership, the GIL and refusals, nothing else.
#include "bind_forest.hpp"
#include "columns.hpp"
#include "treewright/inference/forest.hpp"

namespace {

namespace fo = tw::forests;
using Likelihoods = std::vector<std::vector<double>>;

// The engine reads the tables where NumPy holds them.
struct BoundForest {
  std::vector<Array<double>> held;
  std::unique_ptr<fo::Forest> forest;
};

fo::Evidence forest_evidence(Indices observed, Indices states, Indices weighted, Likelihoods likelihoods) {
  return {std::move(observed), std::move(states), std::move(weighted), std::move(likelihoods)};
}

fo::Strategy strategy_of(const std::string& name) {
  if (name == "automatic") return fo::Strategy::kAutomatic;
  if (name == "masked") return fo::Strategy::kMasked;
  if (name == "sliced") return fo::Strategy::kSliced;
  if (name == "pruned") return fo::Strategy::kPruned;
  if (name == "parts") return fo::Strategy::kParts;
  throw std::invalid_argument("there is no strategy called " + name);
}

void make_forest(BoundForest* self, Indices cardinalities, std::vector<Indices> scopes,
                 std::vector<Array<double>> tables, bool directed, Indices order, Indices factor_order,
                 const std::string& strategy, bool hubs, std::uint64_t stored_cells,
                 std::uint64_t streamed_above, std::uint64_t tile) {
  fo::FactorSet set{std::move(cardinalities), {}, directed};
  set.order = std::move(order);
  set.factor_order = std::move(factor_order);
  if (scopes.size() != tables.size()) throw std::invalid_argument("every scope needs a table");
  for (std::size_t f = 0; f < scopes.size(); ++f)
    set.factors.push_back({std::move(scopes[f]), span_of(tables[f]), false});
  fo::ForestOptions options;
  options.strategy = strategy_of(strategy);
  options.hubs = hubs;
  options.stored_cells = stored_cells;
  options.streamed_above = streamed_above;
  options.tile = tile;
  new (self) BoundForest{std::move(tables), std::make_unique<fo::Forest>(std::move(set), options)};
}

std::pair<OutArray<double>, double> forest_marginals(BoundForest& self, Indices observed, Indices states,
                                                     Indices weighted, Likelihoods likelihoods,
                                                     double limit) {
  const auto evidence =
      forest_evidence(std::move(observed), std::move(states), std::move(weighted), std::move(likelihoods));
  std::vector<double> out(self.forest->offsets().back());
  const double log =
      refusable([&](tw::Cancel& cancel) { return self.forest->marginals(evidence, out, limit, cancel); });
  return {to_numpy(std::move(out)), log};
}

std::pair<OutArray<double>, double> joint(BoundForest& self, const Indices& targets, Indices observed,
                                          Indices states, Indices weighted, Likelihoods likelihoods,
                                          double limit) {
  const auto evidence =
      forest_evidence(std::move(observed), std::move(states), std::move(weighted), std::move(likelihoods));
  std::vector<double> out;
  const double log = refusable(
      [&](tw::Cancel& cancel) { return self.forest->joint(targets, evidence, out, limit, cancel); });
  return {to_numpy(std::move(out)), log};
}

double forest_log_mass(BoundForest& self, Indices observed, Indices states, Indices weighted,
                       Likelihoods likelihoods, double limit) {
  const auto evidence =
      forest_evidence(std::move(observed), std::move(states), std::move(weighted), std::move(likelihoods));
  return refusable([&](tw::Cancel& cancel) { return self.forest->log_mass(evidence, limit, cancel); });
}

std::pair<Indices, double> forest_most_probable(BoundForest& self, Indices observed, Indices states,
                                                Indices weighted, Likelihoods likelihoods, double limit) {
  const auto evidence =
      forest_evidence(std::move(observed), std::move(states), std::move(weighted), std::move(likelihoods));
  Indices best(self.forest->factors().size());
  const double log = refusable(
      [&](tw::Cancel& cancel) { return self.forest->most_probable(evidence, best, limit, cancel); });
  return {std::move(best), log};
}

std::vector<std::size_t> conflict(BoundForest& self, Indices observed, Indices states, Indices weighted,
                                  Likelihoods likelihoods, double limit) {
  const auto evidence =
      forest_evidence(std::move(observed), std::move(states), std::move(weighted), std::move(likelihoods));
  return refusable([&](tw::Cancel& cancel) { return self.forest->conflict(evidence, limit, cancel); });
}

std::pair<Objects, double> forest_sample(BoundForest& self, Indices observed, Indices states,
                                         Indices weighted, Likelihoods likelihoods, double limit,
                                         std::uint64_t seed, std::uint64_t first_row, std::size_t n_rows) {
  const auto evidence =
      forest_evidence(std::move(observed), std::move(states), std::move(weighted), std::move(likelihoods));
  std::vector<tw::Column> columns;
  Objects result = new_columns(self.forest->factors().cardinalities, n_rows, columns);
  const double log = refusable([&](tw::Cancel& cancel) {
    return self.forest->sample(evidence, seed, first_row, n_rows, columns, limit, cancel);
  });
  return {std::move(result), log};
}

// Codes and masks of the variables that have a column; the others are None.
std::pair<OutMatrix<double>, OutArray<double>> marginals_many(BoundForest& self, const Columns& codes,
                                                              const Columns& missing, std::size_t n_rows,
                                                              const Indices& wanted, double limit) {
  const BoundRows bound(codes, missing, n_rows);
  std::size_t width = 0;
  for (const std::uint32_t v : wanted) width += self.forest->factors().cardinalities.at(v);
  std::vector<double> out(n_rows * width), logs(n_rows);
  refusable([&](tw::Cancel& cancel) {
    fo::marginals_many(*self.forest, bound.rows, wanted, out, logs, limit, cancel);
    return 0;
  });
  return {to_numpy(std::move(out), n_rows, width), to_numpy(std::move(logs))};
}

// Scopes (residual variables first), how many are residual, and parents; -1 of a root.
std::tuple<std::vector<Indices>, Indices, std::vector<int>> plan(BoundForest& self, double most_cells) {
  const auto found =
      refusable([&](tw::Cancel& cancel) { return self.forest->clique_plan(most_cells, cancel); });
  std::tuple<std::vector<Indices>, Indices, std::vector<int>> out;
  for (const fo::Node& node : found->nodes) {
    const auto scope = found->scopes.begin() + node.scope;
    std::get<0>(out).emplace_back(scope, scope + node.n_scope);
    std::get<1>(out).push_back(node.n_residual);
    std::get<2>(out).push_back(node.parent == fo::kNobody ? -1 : static_cast<int>(node.parent));
  }
  return out;
}

nb::typed<nb::dict, nb::str, nb::object> cost(BoundForest& self, Indices observed, Indices states,
                                              Indices weighted, Likelihoods likelihoods, double limit,
                                              const Indices& targets) {
  const auto evidence =
      forest_evidence(std::move(observed), std::move(states), std::move(weighted), std::move(likelihoods));
  const fo::Cost cost =
      interruptible([&](tw::Cancel& cancel) { return self.forest->cost(evidence, targets, limit, cancel); });
  nb::typed<nb::dict, nb::str, nb::object> out;
  out["width"] = cost.width;
  out["largest_scope"] = cost.largest_scope;
  out["largest_cells"] = cost.largest_cells;
  out["bytes"] = cost.bytes;
  out["operations"] = cost.operations;
  out["seconds"] = cost.seconds();
  out["masked"] = cost.masked;
  return out;
}

}  // namespace

void bind_inference(nb::module_& m) {
  refused_type() = nb::exception<fo::TooLarge>(m, "TooLarge", PyExc_MemoryError);
  nb::class_<BoundForest>(m, "Forest", "Exact answers from a product of tables, over junction forests.")
      .def("__init__", &make_forest, "cardinalities"_a, "scopes"_a, "tables"_a, "directed"_a = false,
           "order"_a = Indices{}, "factor_order"_a = Indices{}, "strategy"_a = "automatic", "hubs"_a = true,
           "stored_cells"_a = 1ull << 21, "streamed_above"_a = 1ull << 17, "tile"_a = 2048)
      .def("marginals", &forest_marginals, "observed"_a, "states"_a, "weighted"_a, "likelihoods"_a, "limit"_a,
           "Every variable's distribution, one flat array, and the log of the evidence's mass.")
      .def("joint", &joint, "targets"_a, "observed"_a, "states"_a, "weighted"_a, "likelihoods"_a, "limit"_a,
           "The joint distribution of the targets in C order, and the log of the evidence's mass.")
      .def("log_mass", &forest_log_mass, "observed"_a, "states"_a, "weighted"_a, "likelihoods"_a, "limit"_a,
           "The log of the evidence's mass; minus infinity when it is impossible.")
      .def("most_probable", &forest_most_probable, "observed"_a, "states"_a, "weighted"_a, "likelihoods"_a,
           "limit"_a, "The most probable joint state, and the log of its mass.")
      .def("conflict", &conflict, "observed"_a, "states"_a, "weighted"_a, "likelihoods"_a, "limit"_a,
           "A minimal impossible part of impossible evidence, as positions; observed ones first.")
      .def("sample", &forest_sample, "observed"_a, "states"_a, "weighted"_a, "likelihoods"_a, "limit"_a,
           "seed"_a, "first_row"_a, "n_rows"_a, "Rows given the evidence, one array of codes per variable.")
      .def("marginals_many", &marginals_many, "codes"_a, "missing"_a, "n_rows"_a, "wanted"_a, "limit"_a,
           "Distributions of the wanted variables given each row (rows by states), and log masses.")
      .def("plan", &plan, "most_cells"_a,
           "Cliques of a junction forest, children first: scopes, residuals, parents; all evidence is masks.")
      .def("cost", &cost, "observed"_a, "states"_a, "weighted"_a, "likelihoods"_a, "limit"_a, "targets"_a,
           "What a question costs, before any work.");
}
