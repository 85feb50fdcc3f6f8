// Python face of treewright/spanning.hpp: shapes, ownership and the GIL, nothing else.
#include "treewright/graphs/spanning.hpp"

#include "arcs.hpp"

namespace {

template <class T>
tw::Weights<T> square(const Matrix<T>& weights) {
  if (weights.shape(0) != weights.shape(1)) throw std::invalid_argument("weights form a square matrix");
  return {weights.data(), weights.shape(0)};
}

template <class T>
void bind_forest(nb::module_& m) {
  m.def(
      "first_asymmetry", [](const Matrix<T>& weights) { return tw::first_asymmetry(square(weights)); },
      "weights"_a.noconvert(), "The first pair whose two weights differ; (n, n) when there is none.");
  m.def(
      "maximum_spanning_forest",
      [](const Matrix<T>& weights, const Array<T>& threshold, const Array<tw::Vertex>& ranks) {
        const auto matrix = square(weights);
        const auto by = ranks_of(ranks, matrix.n);
        const T* bound = threshold.size() ? threshold.data() : nullptr;
        return pairs_to_numpy(interruptible(
            [&](tw::Cancel& cancel) { return tw::maximum_spanning_forest(matrix, bound, by, cancel); }));
      },
      "weights"_a.noconvert(), "threshold"_a.noconvert(), "ranks"_a,
      "Edges of the maximum spanning forest; `threshold` holds one number or none.");
}

}  // namespace

void bind_spanning(nb::module_& m) {
  bind_forest<double>(m);
  bind_forest<std::int64_t>(m);
  m.def(
      "maximum_branching",
      [](const Matrix<double>& weights, const Array<double>& root, const Array<tw::Vertex>& ranks) {
        const auto matrix = square(weights);
        const auto by = ranks_of(ranks, matrix.n);
        const auto roots = span_of(root);
        if (roots.size() != matrix.n) throw std::invalid_argument("every vertex needs one root weight");
        return to_numpy(interruptible(
            [&](tw::Cancel& cancel) { return tw::maximum_branching(matrix, roots, by, cancel); }));
      },
      "weights"_a.noconvert(), "root"_a.noconvert(), "ranks"_a,
      "The parent of each vertex in the maximum branching; -1 for a root.");
}
