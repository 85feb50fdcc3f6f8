// Python face of normal_network.hpp and conditioning.hpp: shapes, ownership and the GIL, nothing else.
#include "treewright/gaussian/normal_network.hpp"

#include <nanobind/stl/optional.h>

#include <stdexcept>

#include "real_columns.hpp"
#include "treewright/gaussian/conditioning.hpp"

namespace twn = treewright::normal;

namespace {

using OutColumns = nb::typed<nb::list, OutArray<double>>;
using Lists = std::vector<std::vector<double>>;
using Levels = std::vector<std::pair<double, double>>;

std::vector<double*> new_columns(std::size_t n_columns, std::size_t n_rows, OutColumns& list) {
  std::vector<double*> data;
  for (std::size_t k = 0; k < n_columns; ++k) {
    std::unique_ptr<double[]> owned(new double[n_rows]);
    data.push_back(owned.get());
    list.append(OutArray<double>(data.back(), {n_rows}, owner_of(owned)).cast());
  }
  return data;
}

twn::Network network_of(const Indices& order, const Indices& rank, const std::vector<Indices>& parents,
                        const Lists& weights, const std::vector<double>& offsets,
                        const std::vector<double>& variances, const Levels& levels) {
  const std::size_t n = parents.size();
  if (weights.size() != n || offsets.size() != n || variances.size() != n ||
      (!levels.empty() && levels.size() != n))
    throw std::invalid_argument("every variable needs parents, weights, an offset and a variance");
  twn::Network network;
  network.order = order;
  network.rank = rank;
  for (std::size_t v = 0; v < n; ++v) {
    twn::Family family{parents[v], weights[v], offsets[v], variances[v]};
    if (!levels.empty()) {
      family.bends = true;
      std::tie(family.low, family.height) = levels[v];
    }
    network.families.push_back(std::move(family));
  }
  network.validate();
  return network;
}

OutColumns sample(const twn::Network& network, std::uint64_t seed, std::size_t n_rows,
                  const std::vector<std::pair<std::uint32_t, double>>& fixed) {
  OutColumns out;
  const auto columns = new_columns(network.size(), n_rows, out);
  std::vector<bool> held(network.size());
  for (const auto& [v, value] : fixed) {
    held.at(v) = true;
    std::fill_n(columns[v], n_rows, value);
  }
  interruptible([&](tw::Cancel& c) { twn::sample_rows(network, seed, n_rows, held, columns, c); });
  return out;
}

OutArray<double> log_density_rows(const twn::Network& network, const RealColumns& columns,
                                  std::size_t n_rows) {
  const auto data = pointers_to(columns, n_rows);
  std::vector<double> out(n_rows);
  interruptible([&](tw::Cancel& c) { twn::log_density_rows(network, data, out, c); });
  return to_numpy(std::move(out));
}

void bind_network(nb::module_& m) {
  nb::class_<twn::Network>(m, "NormalNetwork",
                           "Variables that are Normal around a line of their parents, or a sigmoid of one.")
      .def(
          "__init__",
          [](twn::Network* self, const Indices& order, const Indices& rank,
             const std::vector<Indices>& parents, const Lists& weights, const std::vector<double>& offsets,
             const std::vector<double>& variances, const Levels& levels) {
            new (self) twn::Network(network_of(order, rank, parents, weights, offsets, variances, levels));
          },
          "order"_a, "rank"_a, "parents"_a, "weights"_a, "offsets"_a, "variances"_a, "levels"_a = Levels())
      .def("log_density_rows", &log_density_rows, "columns"_a, "n_rows"_a)
      .def("sample", &sample, "seed"_a, "n_rows"_a, "fixed"_a,
           "Draw rows, parents before children; fixed variables keep their value.")
      .def(
          "blocks_given",
          [](const twn::Network& self, const Indices& observed, const Indices& wanted) {
            std::vector<std::pair<Indices, Indices>> out;
            for (auto& block : twn::blocks_given(self, observed, wanted))
              out.emplace_back(std::move(block.members), std::move(block.observed));
            return out;
          },
          "observed"_a, "wanted"_a, "Members and observed members of every block that matters.");
}

// The network a conditioning refers to lives as long as it does.
void bind_conditioning(nb::module_& m) {
  using Self = twn::Conditioning;
  nb::class_<Self>(m, "Conditioning", "A linear network given some of its variables.")
      .def(
          "__init__",
          [](Self* self, const twn::Network& network, const Indices& observed, const Indices& wanted) {
            auto made = interruptible([&](tw::Cancel& c) { return Self(network, observed, wanted, c); });
            new (self) Self(std::move(made));
          },
          "network"_a, "observed"_a, "wanted"_a, nb::keep_alive<1, 2>())
      .def(
          "at",
          [](const Self& self, const std::vector<double>& values) {
            auto found = interruptible([&](tw::Cancel&) { return self.at(values); });
            return std::make_tuple(to_numpy(std::move(found.mean)), found.log_density, found.contradicted);
          },
          "values"_a, "Means, the log-density of what is observed, and a contradicted variable, if any.")
      .def(
          "variances",
          [](const Self& self, const Indices& targets) {
            return to_numpy(interruptible([&](tw::Cancel& c) { return self.variances(targets, c); }));
          },
          "targets"_a)
      .def(
          "covariance",
          [](const Self& self, const Indices& targets) {
            return to_numpy(interruptible([&](tw::Cancel& c) { return self.covariance(targets, c); }),
                            targets.size(), targets.size());
          },
          "targets"_a)
      .def(
          "predict",
          [](const Self& self, const RealColumns& columns, std::uint32_t target, std::size_t n_rows) {
            const auto data = pointers_to(columns, n_rows);
            std::vector<double> out(n_rows);
            interruptible([&](tw::Cancel& c) { self.predict(data, target, out, c); });
            return to_numpy(std::move(out));
          },
          "columns"_a, "target"_a, "n_rows"_a, "Means of the target; NaN where a row is impossible.")
      .def(
          "sample",
          [](const Self& self, const std::vector<double>& values, std::size_t n_variables, std::uint64_t seed,
             std::size_t n_rows) {
            OutColumns out;
            const auto columns = new_columns(n_variables, n_rows, out);
            interruptible([&](tw::Cancel& c) { self.sample(values, seed, n_rows, columns, c); });
            return out;
          },
          "values"_a, "n_variables"_a, "seed"_a, "n_rows"_a);
}

}  // namespace

void bind_normal_network(nb::module_& m) {
  bind_network(m);
  bind_conditioning(m);
}
