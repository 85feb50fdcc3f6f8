// Python face of treewright/nodewise.hpp: shapes, ownership and the GIL, nothing else.
#include "treewright/searches/nodewise.hpp"

#include <atomic>
#include <thread>

#include "bind.hpp"
#include "treewright/parallel/threads.hpp"

namespace {

using tw::nodewise::Design;
using tw::nodewise::Fit;
using tw::nodewise::PathSettings;

void make_node_design(Design* self, const Matrix<std::uint32_t>& codes, const Array<double>& weights,
                      const Indices& cardinalities) {
  if (codes.shape(0) != cardinalities.size() || codes.shape(1) != weights.size())
    throw std::invalid_argument("codes are variables x rows, weights one per row");
  new (self) Design({codes.data(), codes.size()}, span_of(weights), cardinalities);
}

double expected_nanoseconds(const Design& design) {
  return 60.0 * static_cast<double>(design.length()) * static_cast<double>(design.width()) *
         static_cast<double>(design.n_variables());
}

using Found = std::tuple<OutMatrix<double>, OutArray<double>, OutArray<double>, OutArray<double>,
                         OutMatrix<std::uint8_t>, OutArray<std::uint32_t>>;

// Weights as one matrix: contrasts of the targets x contrasts of the others.
Found collect(const Design& design, const std::vector<Fit>& fits) {
  const std::size_t width = design.width(), n = design.n_variables();
  std::vector<double> weights(width * width), intercepts(width), penalties(n), criteria(n);
  std::vector<std::uint8_t> joined(n * n);
  std::vector<std::uint32_t> steps(n);
  for (std::uint32_t v = 0; v < n; ++v) {
    const std::size_t classes = design.width(v);
    for (std::size_t c = 0; c < classes; ++c) {
      intercepts[design.offset(v) + c] = fits[v].intercept[c];
      for (std::size_t k = 0; k < width; ++k)
        weights[(design.offset(v) + c) * width + k] = fits[v].weights[k * classes + c];
    }
    for (const std::uint32_t u : fits[v].support) joined[v * n + u] = 1;
    penalties[v] = fits[v].penalty, criteria[v] = fits[v].criterion;
    steps[v] = static_cast<std::uint32_t>(fits[v].n_penalties);
  }
  return {to_numpy(std::move(weights), width, width),
          to_numpy(std::move(intercepts)),
          to_numpy(std::move(penalties)),
          to_numpy(std::move(criteria)),
          to_numpy(std::move(joined), n, n),
          to_numpy(std::move(steps))};
}

/// The listener is called with the number of regressions that are done, by the thread that asked for them.
template <class FitOne>
Found fit_all(const Design& design, const nb::object& listener, FitOne&& fit_one) {
  std::vector<Fit> fits(design.n_variables());
  std::atomic<std::size_t> done{0};
  const auto asked_by = std::this_thread::get_id();
  const bool listens = !listener.is_none();
  interruptible([&](tw::Cancel& cancel) {
    tw::parallel_for(fits.size(), expected_nanoseconds(design), cancel, [&](std::size_t v) {
      fits[v] = fit_one(static_cast<std::uint32_t>(v), cancel);
      const std::size_t now = ++done;
      if (!listens || std::this_thread::get_id() != asked_by) return;
      const nb::gil_scoped_acquire locked;
      listener(now);
    });
  });
  return collect(design, fits);
}

Found by_ebic(const Design& design, std::size_t n_penalties, double ratio, double gamma, std::size_t patience,
              double tolerance, const nb::object& listener) {
  const PathSettings settings{n_penalties, ratio, gamma, patience, tolerance};
  return fit_all(design, listener, [&](std::uint32_t v, tw::Cancel& cancel) {
    return tw::nodewise::fit_by_ebic(design, v, settings, cancel);
  });
}

Found at_penalty(const Design& design, double penalty, double tolerance, const nb::object& listener) {
  PathSettings settings;
  settings.tolerance = tolerance;
  return fit_all(design, listener, [&](std::uint32_t v, tw::Cancel& cancel) {
    return tw::nodewise::fit_at(design, v, penalty, settings, cancel);
  });
}

OutMatrix<double> held_out(const Design& design, const Design& valid, const std::vector<double>& penalties,
                           double tolerance) {
  PathSettings settings;
  settings.tolerance = tolerance;
  const std::size_t n = design.n_variables();
  if (valid.width() != design.width() || valid.n_variables() != n)
    throw std::invalid_argument("both sets of rows must have the same variables and states");
  std::vector<double> out(n * penalties.size());
  interruptible([&](tw::Cancel& cancel) {
    tw::parallel_for(n, expected_nanoseconds(design), cancel, [&](std::size_t v) {
      const auto found =
          tw::nodewise::held_out(design, valid, static_cast<std::uint32_t>(v), penalties, settings, cancel);
      std::copy(found.begin(), found.end(), out.begin() + static_cast<std::ptrdiff_t>(v * found.size()));
    });
  });
  return to_numpy(std::move(out), n, penalties.size());
}

}  // namespace

void bind_nodewise(nb::module_& m) {
  nb::class_<Design>(m, "NodewiseDesign", "Weighted rows as contrasts of states.")
      .def("__init__", &make_node_design, "codes"_a, "weights"_a, "cardinalities"_a);
  m.def(
      "state_contrasts",
      [](std::uint32_t n_states) {
        if (n_states == 0) throw std::invalid_argument("a variable has at least one state");
        return to_numpy(tw::nodewise::contrasts(n_states), n_states, n_states - 1);
      },
      "n_states"_a, "States x contrasts: columns of length one, orthogonal to each other and the constant.");
  m.def("nodewise_by_ebic", &by_ebic, "design"_a, "n_penalties"_a, "ratio"_a, "gamma"_a, "patience"_a,
        "tolerance"_a, "listener"_a.none() = nb::none(),
        "Weights (target contrasts x contrasts), intercepts, penalties, criteria, supports and steps.");
  m.def("nodewise_at_penalty", &at_penalty, "design"_a, "penalty"_a, "tolerance"_a,
        "listener"_a.none() = nb::none(), "The same for one penalty.");
  m.def("nodewise_held_out", &held_out, "design"_a, "valid"_a, "penalties"_a, "tolerance"_a,
        "Log-likelihood of each variable (lines) in other rows, at each of falling penalties.");
}
