// Python face of treewright/consistent_tree.hpp: shapes, ownership and the GIL, nothing else.
#include "treewright/independence/consistent_tree.hpp"

#include <nanobind/stl/optional.h>

#include "bind.hpp"

void bind_consistent_tree(nb::module_& m) {
  m.def(
      "consistent_tree",
      [](const Array<std::uint64_t>& separators, const Matrix<double>& information, std::size_t n,
         double threshold) {
        if (information.shape(0) != separators.size() || information.shape(1) != n * n)
          throw std::invalid_argument("every separator has one square of informations");
        return interruptible([&](tw::Cancel& cancel) -> std::optional<std::vector<tw::Mask>> {
          std::vector<std::vector<tw::Mask>> partitions;
          for (std::size_t i = 0; i < separators.size(); ++i)
            partitions.push_back(tw::partition_above(separators.data()[i],
                                                     {information.data() + i * n * n, n * n}, n, threshold));
          return tw::consistent_tree(span_of(separators), partitions, cancel);
        });
      },
      "separators"_a, "information"_a, "n"_a, "threshold"_a,
      "Cliques, as bits, of a junction tree whose separators part what stays below the threshold; or None.");
}
