// Python face of treewright/mixture.hpp: shapes, ownership and the GIL, nothing else.
#include "treewright/efficient_markov/mixture.hpp"

#include "arena.hpp"
#include "row_set.hpp"

namespace {

using MixturePointer = std::shared_ptr<tw::Mixture>;

MixturePointer mixture_of_trees(const RowSetPointer& rows, const tw::Clusters& clusters, double alpha,
                                double shrinkage) {
  checked(rows);
  return interruptible([&](tw::Cancel& cancel) {
    auto family = tw::tree_family(rows, {alpha, shrinkage}, cancel);
    return std::make_shared<tw::Mixture>(std::move(family), clusters, 0, cancel);
  });
}

MixturePointer mixture_of_cutsets(const RowSetPointer& rows, const tw::Clusters& clusters,
                                  const tw::CutsetOptions& options, std::uint64_t seed) {
  checked(rows);
  return interruptible([&](tw::Cancel& cancel) {
    return std::make_shared<tw::Mixture>(tw::cutset_family(rows, options), clusters, seed, cancel);
  });
}

MixturePointer bag_of_cutsets(const RowSetPointer& rows, std::size_t size, const tw::CutsetOptions& options,
                              std::uint64_t seed) {
  checked(rows);
  return interruptible([&](tw::Cancel& cancel) {
    return std::make_shared<tw::Mixture>(tw::cutset_family(rows, options), size, seed, cancel);
  });
}

OutArray<double> mixture_logs_of(const tw::Mixture& self, const RowSetPointer& rows) {
  const tw::RowSet& asked = checked(rows);
  if (asked.cardinalities() != self.rows().cardinalities())
    throw std::invalid_argument("these rows have other columns than those learned from");
  return to_numpy(interruptible([&](tw::Cancel& cancel) { return self.log_likelihoods(asked, cancel); }));
}

}  // namespace

void bind_mixture(nb::module_& m) {
  nb::class_<tw::Mixture>(m, "Mixture", "EM for a mixture whose components are learned from weighted rows.")
      .def(
          "maximise",
          [](tw::Mixture& self) { interruptible([&](tw::Cancel& cancel) { self.maximise(cancel); }); },
          "Weights and components from the responsibilities of now.")
      .def(
          "expect",
          [](tw::Mixture& self) {
            return interruptible([&](tw::Cancel& cancel) { return self.expect(cancel); });
          },
          "Responsibilities from the components of now; the mean log-likelihood of the rows learned from.")
      .def("log_likelihoods", &mixture_logs_of, "rows"_a, "Of every distinct row.")
      .def(
          "arrays", [](const tw::Mixture& self) { return arrays_of(self.arena()); },
          "The seven arrays of the feature graph.")
      .def_prop_ro("size", &tw::Mixture::size, "Components.")
      .def_prop_ro("work", &tw::Mixture::work, "What was done so far, in nominal nanoseconds.")
      .def("keep", &tw::Mixture::keep, "Remember the components of now.")
      .def("go_back", &tw::Mixture::go_back, "Return to the components remembered.");
  m.def("mixture_of_trees", &mixture_of_trees, "rows"_a, "clusters"_a, "alpha"_a, "shrinkage"_a,
        "Chow-Liu trees, one for each cluster; `maximise` learns them.");
  m.def("mixture_of_cutsets", &mixture_of_cutsets, "rows"_a, "clusters"_a, "options"_a, "seed"_a,
        "Cutset networks, one for each cluster; `maximise` learns them.");
  m.def("bag_of_cutsets", &bag_of_cutsets, "rows"_a, "size"_a, "options"_a, "seed"_a,
        "Cutset networks of all rows that differ by the candidates drawn, in equal shares.");
  m.def(
      "learn_edges",
      [](const RowSetPointer& rows, const tw::Clusters* clusters) {
        const tw::RowSet& from = checked(rows);
        return interruptible([&](tw::Cancel& cancel) { return tw::learn_edges(from, clusters, cancel); });
      },
      "rows"_a, "clusters"_a.none(), "Edges of the best tree; given clusters, on average within them.");
}
