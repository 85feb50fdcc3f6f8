// Python face of treewright/feature_design.hpp: shapes, ownership and the GIL, nothing else.
#include "treewright/searches/feature_design.hpp"

#include "bind.hpp"

namespace {

using tw::FeatureDesign;
using Conjunctions = std::vector<FeatureDesign::Conjunction>;

void make_feature_design(FeatureDesign* self, const Matrix<std::uint32_t>& codes,
                         const Array<double>& weights, const Indices& cardinalities) {
  if (codes.shape(0) != cardinalities.size() || codes.shape(1) != weights.size())
    throw std::invalid_argument("codes are variables x rows, weights one per row");
  new (self) FeatureDesign({codes.data(), codes.size()}, span_of(weights), cardinalities);
}

std::pair<double, OutArray<double>> evaluate(FeatureDesign& self, const Array<double>& weights) {
  std::vector<double> gradient(self.n_features());
  const double value =
      interruptible([&](tw::Cancel& cancel) { return self.evaluate(span_of(weights), gradient, cancel); });
  return {value, to_numpy(std::move(gradient))};
}

Conjunctions candidates(const FeatureDesign& self, std::size_t most_literals) {
  return interruptible([&](tw::Cancel& cancel) { return self.candidates(most_literals, cancel); });
}

std::pair<OutArray<double>, OutArray<double>> gains(const FeatureDesign& self,
                                                    const Conjunctions& conjunctions, double variance) {
  const auto found =
      interruptible([&](tw::Cancel& cancel) { return self.gains(conjunctions, variance, cancel); });
  std::vector<double> gain, weight;
  for (const auto& one : found) gain.push_back(one.gain), weight.push_back(one.weight);
  return {to_numpy(std::move(gain)), to_numpy(std::move(weight))};
}

}  // namespace

void bind_feature_design(nb::module_& m) {
  nb::class_<FeatureDesign>(m, "FeatureDesign", "Conjunctions of literals and their pseudo-likelihood.")
      .def("__init__", &make_feature_design, "codes"_a, "weights"_a, "cardinalities"_a)
      .def("add", &FeatureDesign::add, "feature"_a, "Add a conjunction; the rows that it holds in.")
      .def("evaluate", &evaluate, "weights"_a, "Pseudo-log-likelihood and its gradient.")
      .def("candidates", &candidates, "most_literals"_a,
           "Features with one more literal that hold somewhere.")
      .def("gains", &gains, "conjunctions"_a, "variance"_a,
           "What each conjunction would gain with its best weight, and that weight.");
}
