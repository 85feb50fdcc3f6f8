// Python face of treewright/tree_mixture.hpp: shapes, ownership and the GIL, nothing else.
#include "treewright/tree_mixture.hpp"

#include <nanobind/stl/optional.h>

#include "row_set.hpp"

namespace {

std::shared_ptr<tw::TreeMixture> make_mixture(const RowSetPointer& rows, const tw::Clusters& clusters,
                                              double alpha, double shrinkage) {
  checked(rows);
  return interruptible([&](tw::Cancel& cancel) {
    return std::make_shared<tw::TreeMixture>(rows, clusters, tw::TreeMixtureOptions{alpha, shrinkage},
                                             cancel);
  });
}

OutArray<double> logs_of(const tw::TreeMixture& self, const RowSetPointer& rows) {
  const tw::RowSet& asked = checked(rows);
  if (asked.cardinalities() != self.rows().cardinalities())
    throw std::invalid_argument("these rows have other columns than those learned from");
  return to_numpy(interruptible([&](tw::Cancel& cancel) { return self.log_likelihoods(asked, cancel); }));
}

}  // namespace

void bind_tree_mixture(nb::module_& m) {
  nb::class_<tw::TreeMixture>(m, "TreeMixture", "EM for a mixture of Chow-Liu trees.")
      .def(nb::new_(&make_mixture), "rows"_a, "clusters"_a, "alpha"_a, "shrinkage"_a)
      .def(
          "maximise",
          [](tw::TreeMixture& self) { interruptible([&](tw::Cancel& cancel) { self.maximise(cancel); }); },
          "Weights and trees from the responsibilities of now.")
      .def(
          "expect",
          [](tw::TreeMixture& self) {
            return interruptible([&](tw::Cancel& cancel) { return self.expect(cancel); });
          },
          "Responsibilities from the trees of now; the mean log-likelihood of the rows learned from.")
      .def("log_likelihoods", &logs_of, "rows"_a, "Of every distinct row.")
      .def_prop_ro("work", &tw::TreeMixture::work, "What was done so far, in nominal nanoseconds.")
      .def("keep", &tw::TreeMixture::keep, "Remember the trees of now.")
      .def("go_back", &tw::TreeMixture::go_back, "Return to the trees remembered.");
  m.def(
      "learn_edges",
      [](const RowSetPointer& rows, const tw::Clusters* clusters) {
        const tw::RowSet& from = checked(rows);
        return interruptible([&](tw::Cancel& cancel) { return tw::learn_edges(from, clusters, cancel); });
      },
      "rows"_a, "clusters"_a.none(), "Edges of the best tree, given clusters: on average within them.");
}
