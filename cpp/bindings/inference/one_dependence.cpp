// Python face of treewright/one_dependence.hpp: shapes and the GIL, nothing else.
#include "treewright/inference/one_dependence.hpp"

#include "bind.hpp"

namespace {

OutMatrix<double> one_dependence_logs(const Indices& starts, const Matrix<double>& joint,
                                      const Cells<double>& given, const Matrix<std::int32_t>& cells) {
  const std::size_t size = joint.shape(0), classes = joint.shape(1), rows = cells.shape(0);
  if (starts.size() != cells.shape(1) + 1 || starts.back() != size || given.size() != size * size * classes)
    throw std::invalid_argument("tables of all states of the columns are needed");
  for (std::size_t u = 0; u + 1 < starts.size(); ++u)
    if (starts[u] > starts[u + 1]) throw std::invalid_argument("states of columns begin one after the other");
  const tw::OneDependence tables{starts, {joint.data(), joint.size()}, {given.data(), given.size()}, classes};
  std::vector<double> out(rows * classes);
  interruptible([&](tw::Cancel& cancel) {
    tw::one_dependence_logs(tables, {cells.data(), cells.size()}, out, cancel);
  });
  return to_numpy(std::move(out), rows, classes);
}

}  // namespace

void bind_one_dependence(nb::module_& m) {
  m.def("one_dependence_logs", &one_dependence_logs, "starts"_a, "joint"_a, "given"_a, "cells"_a,
        "For each row and class the log of the sum over all one-dependence networks, not normalised.");
}
