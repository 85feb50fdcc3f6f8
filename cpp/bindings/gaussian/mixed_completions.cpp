// Python face of treewright/mixed_completions.hpp: shapes, ownership, the GIL and refusals, nothing else.
#include "treewright/gaussian/mixed_completions.hpp"

#include "bind_forest.hpp"
#include "real_columns.hpp"

namespace {

namespace mx = treewright::mixed;

using StateColumns = std::vector<Array<std::int32_t>>;
using MixedTables = std::vector<std::tuple<Indices, Array<double>>>;
using MixedLines =
    std::vector<std::tuple<std::uint32_t, Indices, Indices, Array<double>, Array<double>, Array<double>>>;

std::vector<double> copied(const Array<double>& array) { return {array.data(), array.data() + array.size()}; }

mx::Network mixed_network(Indices cardinalities, const MixedTables& tables, const MixedLines& lines,
                          std::size_t n_numbers) {
  mx::Network network;
  network.cardinalities = std::move(cardinalities);
  network.n_numbers = n_numbers;
  for (const auto& [states, cells] : tables) network.tables.push_back({states, copied(cells)});
  for (const auto& [child, states, numbers, intercepts, slopes, variances] : lines)
    network.lines.push_back({child, states, numbers, copied(intercepts), copied(slopes), copied(variances)});
  return network;
}

/// The rows are kept by the object, for they are asked again.
struct HeldCompletions {
  StateColumns states;
  RealColumns numbers, weights;
  std::unique_ptr<mx::Completions> made;
};

void make_completions(HeldCompletions* self, Indices cardinalities, const MixedTables& tables,
                      const MixedLines& lines, StateColumns states, RealColumns numbers, RealColumns weights,
                      std::size_t n_rows, double limit) {
  mx::Network network = mixed_network(std::move(cardinalities), tables, lines, numbers.size());
  if (states.size() != network.cardinalities.size() || weights.size() > 1)
    throw std::invalid_argument("every variable needs a column");
  mx::Rows rows{n_rows, {}, pointers_to(numbers, n_rows), pointers_to(weights, n_rows)};
  for (std::size_t v = 0; v < states.size(); ++v) {
    if (states[v].size() != n_rows) throw std::invalid_argument("columns differ in length");
    rows.states.push_back(states[v].data());
    for (const std::int32_t code : span_of(states[v]))
      if (code >= static_cast<std::int32_t>(network.cardinalities[v]))
        throw std::out_of_range("a code is beyond the states of its variable");
  }
  auto made = refusable([&](tw::Cancel& cancel) {
    return std::make_unique<mx::Completions>(std::move(network), std::move(rows), limit, cancel);
  });
  new (self) HeldCompletions{std::move(states), std::move(numbers), std::move(weights), std::move(made)};
}

auto moments_in_states(const HeldCompletions& self, const Indices& states, const Indices& numbers) {
  for (const auto v : states)
    if (v >= self.states.size()) throw std::out_of_range("no such variable");
  for (const auto v : numbers)
    if (v >= self.numbers.size()) throw std::out_of_range("no such variable");
  auto found =
      interruptible([&](tw::Cancel& cancel) { return self.made->in_states(states, numbers, cancel); });
  return std::make_tuple(to_numpy(std::move(found.cells)), to_numpy(std::move(found.n)),
                         to_numpy(std::move(found.mean)), to_numpy(std::move(found.scatter)));
}

}  // namespace

void bind_mixed_completions(nb::module_& m) {
  nb::class_<HeldCompletions>(m, "MixedCompletions",
                              "Rows of states and numbers with gaps, as one network completes them.")
      .def("__init__", &make_completions, "cardinalities"_a, "tables"_a, "lines"_a, "states"_a, "numbers"_a,
           "weights"_a, "n_rows"_a, "limit"_a,
           "Codes are -1 and numbers NaN where a cell is missing; `weights` is one column or none.")
      .def(
          "log_densities",
          [](const HeldCompletions& self) {
            const auto found = self.made->log_densities();
            return to_numpy(std::vector<double>(found.begin(), found.end()));
          },
          "Of what each row shows.")
      .def("in_states", &moments_in_states, "states"_a, "numbers"_a,
           "Cells, rows, means and scatters of the joint states that occur.")
      .def(
          "state_shares",
          [](const HeldCompletions& self, std::uint32_t variable) {
            if (variable >= self.states.size()) throw std::out_of_range("no such variable");
            return to_numpy(
                interruptible([&](tw::Cancel& c) { return self.made->state_shares(variable, c); }));
          },
          "variable"_a, "Probabilities of every state of one variable, row after row.")
      .def(
          "number_moments",
          [](const HeldCompletions& self, std::uint32_t number) {
            if (number >= self.numbers.size()) throw std::out_of_range("no such variable");
            return to_numpy(
                interruptible([&](tw::Cancel& c) { return self.made->number_moments(number, c); }));
          },
          "number"_a, "Mean and variance of one number, row after row.");
}
