// Python face of treewright/hidden_tree.hpp: shapes, ownership and the GIL, nothing else.
#include "treewright/efficient_markov/hidden_tree.hpp"

#include "arena.hpp"
#include "row_set.hpp"

namespace {

using Edges = std::vector<std::pair<std::uint32_t, std::uint32_t>>;

std::shared_ptr<tw::HiddenLearner> make_learner(const RowSetPointer& rows, const tw::Clusters& clusters,
                                                const Edges& edges, bool autoregressive, double transitions,
                                                double emissions, double diagonal, std::size_t batch,
                                                std::uint64_t seed) {
  const std::size_t n = checked(rows).n_columns();
  return interruptible([&](tw::Cancel&) {
    return std::make_shared<tw::HiddenLearner>(
        rows, tw::hidden_shape(n, edges, clusters.size, autoregressive), clusters,
        tw::HiddenOptions{transitions, emissions, diagonal, batch, seed});
  });
}

OutArray<double> hidden_logs_of(const tw::HiddenLearner& self, const RowSetPointer& rows) {
  const tw::RowSet& asked = checked(rows);
  if (asked.cardinalities() != self.rows().cardinalities())
    throw std::invalid_argument("these rows have other columns than those learned from");
  return to_numpy(
      interruptible([&](tw::Cancel& cancel) { return tw::log_likelihoods(self.tree(), asked, cancel); }));
}

}  // namespace

void bind_hidden_tree(nb::module_& m) {
  nb::class_<tw::Clusters>(m, "Clusters", "A mixture of products of independent variables.")
      .def_ro("size", &tw::Clusters::size)
      .def_ro("work", &tw::Clusters::work, "What finding them took, in nominal nanoseconds.")
      .def_prop_ro(
          "weights", [](const tw::Clusters& self) { return to_numpy(std::vector<double>(self.weights)); },
          nb::rv_policy::automatic)
      .def("emissions",
           [](const tw::Clusters& self, std::size_t column) {
             if (column >= self.emissions.size()) throw std::out_of_range("there is no such column");
             const auto& cells = self.emissions[column];
             return to_numpy(std::vector<double>(cells), cells.size() / self.size, self.size);
           })
      .def(
          "responsibilities",
          [](const tw::Clusters& self, const RowSetPointer& rows) {
            const tw::RowSet& asked = checked(rows);
            auto found =
                interruptible([&](tw::Cancel& cancel) { return self.responsibilities(asked, cancel); });
            return to_numpy(std::move(found), asked.n_rows(), self.size);
          },
          "rows"_a, "Posterior of the clusters, one row per distinct row.");
  m.def(
      "find_clusters",
      [](const RowSetPointer& rows, std::size_t clusters, std::size_t steps, std::uint64_t seed) {
        const tw::RowSet& from = checked(rows);
        return interruptible(
            [&](tw::Cancel& cancel) { return tw::find_clusters(from, {clusters, steps, seed}, cancel); });
      },
      "rows"_a, "clusters"_a, "steps"_a, "seed"_a, "Cluster the rows by a few steps of EM.");
  nb::class_<tw::HiddenLearner>(m, "HiddenLearner", "EM for a tree of hidden states.")
      .def(nb::new_(&make_learner), "rows"_a, "clusters"_a, "edges"_a, "autoregressive"_a, "transitions"_a,
           "emissions"_a, "diagonal"_a, "batch"_a, "seed"_a)
      .def(
          "epoch",
          [](tw::HiddenLearner& self, double first, double last) {
            interruptible([&](tw::Cancel& cancel) { self.epoch(first, last, cancel); });
          },
          "first"_a, "last"_a, "One pass over the rows.")
      .def("log_likelihoods", &hidden_logs_of, "rows"_a, "Of every distinct row.")
      .def(
          "arrays", [](const tw::HiddenLearner& self) { return arrays_of(self.tree().arena(self.rows())); },
          "The seven arrays of the feature graph.")
      .def_prop_ro("work", &tw::HiddenLearner::work, "What was done so far, in nominal nanoseconds.")
      .def_prop_ro("epoch_work", &tw::HiddenLearner::epoch_work, "What one epoch costs, likewise.")
      .def_prop_ro("is_finite", &tw::HiddenLearner::is_finite)
      .def("keep", &tw::HiddenLearner::keep, "Remember the parameters of now.")
      .def("go_back", &tw::HiddenLearner::go_back, "Return to the parameters remembered.");
}
