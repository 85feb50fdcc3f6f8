// Python face of treewright/clique_tree.hpp and proportional_fitting.hpp: shapes and the GIL, nothing else.
#include "treewright/inference/clique_tree.hpp"

#include "bind.hpp"
#include "treewright/inference/proportional_fitting.hpp"

namespace {

namespace fo = tw::forests;

void make_tree(fo::CliqueTree* self, Indices cardinalities, std::vector<Indices> cliques,
               const std::vector<std::int64_t>& parents, std::vector<Indices> scopes, Indices homes) {
  Indices above;
  for (const std::int64_t p : parents) above.push_back(p < 0 ? fo::kRoot : static_cast<std::uint32_t>(p));
  new (self) fo::CliqueTree(
      {std::move(cardinalities), std::move(cliques), std::move(above), std::move(scopes), std::move(homes)});
}

std::pair<OutArray<double>, double> clique_marginals(const fo::CliqueTree& self, const Array<double>& logs) {
  std::vector<double> out(self.offsets().back());
  const double log =
      interruptible([&](tw::Cancel& cancel) { return self.marginals(span_of(logs), out, cancel); });
  return {to_numpy(std::move(out)), log};
}

std::tuple<OutArray<double>, std::uint64_t, double> fit_proportionally(const fo::CliqueTree& self,
                                                                       const Array<double>& targets,
                                                                       double tolerance,
                                                                       std::uint64_t most_sweeps) {
  std::vector<double> factors(self.offsets().back());
  const fo::Fitted fitted = interruptible([&](tw::Cancel& cancel) {
    return fo::fit_proportionally(self, span_of(targets), tolerance, most_sweeps, factors, cancel);
  });
  return {to_numpy(std::move(factors)), fitted.sweeps, fitted.residual};
}

}  // namespace

void bind_clique_tree(nb::module_& m) {
  nb::class_<fo::CliqueTree>(m, "CliqueTree", "A junction tree that is visited again and again.")
      .def("__init__", &make_tree, "cardinalities"_a, "cliques"_a, "parents"_a, "scopes"_a, "homes"_a)
      .def("marginals", &clique_marginals, "logs"_a,
           "The joint distribution of every scope under exp(logs), side by side, and the log of the sum.")
      .def("fit_proportionally", &fit_proportionally, "targets"_a, "tolerance"_a, "most_sweeps"_a,
           "Factors whose product has the target marginals; sweeps taken, and the largest difference left.");
}
