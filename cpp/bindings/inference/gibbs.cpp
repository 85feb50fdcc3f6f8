// Python face of treewright/gibbs.hpp: shapes, ownership and the GIL, nothing else.
#include "treewright/inference/gibbs.hpp"

#include <nanobind/stl/optional.h>

#include "columns.hpp"

namespace {

struct BoundSampler {
  Indices cardinalities;
  std::unique_ptr<tw::GibbsSampler> sampler;
};

void make_sampler(BoundSampler* self, const Indices& cardinalities, std::vector<Indices> scopes,
                  const std::vector<Array<double>>& tables, Indices order) {
  tw::ScopedTables product{cardinalities, std::move(scopes), {}};
  for (const auto& table : tables) product.tables.push_back(span_of(table));
  auto sampler = std::make_unique<tw::GibbsSampler>(std::move(product), std::move(order));
  new (self) BoundSampler{cardinalities, std::move(sampler)};
}

void check_states(const BoundSampler& self, const Indices& states) {
  const std::size_t n = self.cardinalities.size();
  if (n == 0 ? !states.empty() : states.size() % n != 0)
    throw std::invalid_argument("a joint state has one code per variable");
  for (std::size_t k = 0; k < states.size(); ++k)
    if (states[k] >= self.cardinalities[k % n])
      throw std::out_of_range("a joint state holds a code that is no state of its variable");
}

std::optional<Indices> find_start(const BoundSampler& self, std::uint64_t seed, std::uint32_t chain,
                                  Indices states) {
  check_states(self, states);
  const bool found = interruptible(
      [&](tw::Cancel& cancel) { return self.sampler->find_start(seed, chain, states, cancel); });
  return found ? std::optional(std::move(states)) : std::nullopt;
}

std::optional<std::size_t> violated(const BoundSampler& self, const Indices& states) {
  check_states(self, states);
  return self.sampler->violated(states);
}

std::pair<Objects, OutMatrix<double>> run(const BoundSampler& self, const Indices& states,
                                          std::size_t n_chains, std::size_t n_rows, std::uint64_t burn_in,
                                          std::uint64_t thinning, std::uint64_t seed) {
  check_states(self, states);
  std::vector<tw::Column> columns;
  Objects result = new_columns(self.cardinalities, n_chains * n_rows, columns);
  std::size_t width = 0;
  for (const std::uint32_t r : self.cardinalities) width += r;
  std::vector<double> estimates(n_chains * width);
  interruptible([&](tw::Cancel& cancel) {
    self.sampler->run({n_chains, n_rows, burn_in, thinning, seed}, states, columns, estimates, cancel);
  });
  return {std::move(result), to_numpy(std::move(estimates), n_chains, width)};
}

}  // namespace

void bind_gibbs(nb::module_& m) {
  nb::class_<BoundSampler>(m, "GibbsSampler", "Redraws one variable at a time given all others.")
      .def("__init__", &make_sampler, "cardinalities"_a, "scopes"_a, "tables"_a, "order"_a)
      .def("find_start", &find_start, "seed"_a, "chain"_a, "states"_a,
           "A joint state without a zero that keeps the states off the order, or None.")
      .def("violated", &violated, "states"_a, "The first table that is zero at a joint state, or None.")
      .def("run", &run, "states"_a, "n_chains"_a, "n_rows"_a, "burn_in"_a, "thinning"_a, "seed"_a,
           "Rows of all chains, column by column, and per chain the mean conditional distributions.");
}
