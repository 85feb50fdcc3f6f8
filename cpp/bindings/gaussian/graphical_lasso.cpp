// Python face of treewright/graphical_lasso.hpp: shapes, ownership and the GIL, nothing else.
#include "treewright/gaussian/graphical_lasso.hpp"

#include "bind.hpp"

void bind_graphical_lasso(nb::module_& m) {
  m.def(
      "graphical_lasso",
      [](const Matrix<double>& sample, const Matrix<double>& prices, const Matrix<double>& start,
         double tolerance, std::size_t most_sweeps) {
        const std::size_t n = sample.shape(0);
        auto found = interruptible([&](tw::Cancel& cancel) {
          return tw::graphical_lasso({sample.data(), sample.size()}, {prices.data(), prices.size()}, n,
                                     {start.data(), start.size()}, tolerance, most_sweeps, cancel);
        });
        return std::tuple{to_numpy(std::move(found.covariance), n, n),
                          to_numpy(std::move(found.precision), n, n), found.gap, found.log_determinant,
                          found.sweeps};
      },
      "sample"_a, "prices"_a, "start"_a, "tolerance"_a, "most_sweeps"_a,
      "Covariance, sparse precision, gap, log-determinant of the precision and sweeps.");
}
