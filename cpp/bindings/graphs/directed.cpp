// Python face of dag.hpp, dag_builder.hpp, d_separation.hpp, pdag.hpp, meek.hpp and cpdag.hpp.
#include <nanobind/stl/optional.h>

#include "arcs.hpp"
#include "treewright/graphs/cpdag.hpp"
#include "treewright/graphs/d_separation.hpp"
#include "treewright/graphs/dag.hpp"
#include "treewright/graphs/dag_builder.hpp"
#include "treewright/graphs/meek.hpp"

namespace {

using Ranks = Array<tw::Vertex>;
using Marks = std::pair<OutMatrix<tw::Vertex>, OutMatrix<tw::Vertex>>;  // directed, undirected

std::vector<tw::Vertex> listed(std::span<const tw::Vertex> vertices) {
  return {vertices.begin(), vertices.end()};
}

Marks marks_of(const tw::Pdag& graph) {
  return {pairs_to_numpy(graph.directed_edges()), pairs_to_numpy(graph.undirected_edges())};
}

std::vector<std::uint8_t> connected(const tw::Dag& dag, const Indices& sources, const Indices& given) {
  require_vertices(sources, dag.size());
  require_vertices(given, dag.size());
  std::vector<std::uint8_t> reached(dag.size(), 0);
  tw::DSeparation(dag).for_each_connected(sources, given, [&](tw::Vertex v) { reached[v] = 1; });
  return reached;
}

tw::BitMatrix parent_rows(const tw::Dag& dag) {
  tw::BitMatrix rows(dag.size());
  for (tw::Vertex v = 0; v < dag.size(); ++v)
    for (const tw::Vertex p : dag.parents(v)) rows.set(v, p);
  return rows;
}

std::vector<tw::Arc> arcs_of_rows(const tw::BitMatrix& parents) {
  std::vector<tw::Arc> arcs;
  for (tw::Vertex v = 0; v < parents.size(); ++v)
    tw::for_each_bit(parents.row(v), parents.words(),
                     [&](std::size_t p) { arcs.emplace_back(static_cast<tw::Vertex>(p), v); });
  return arcs;
}

void bind_dag(nb::module_& m) {
  m.def(
      "find_cycle",
      [](std::size_t n, const Pairs& pairs, const Ranks& ranks) {
        return tw::find_cycle(n, arcs_of(pairs), ranks_of(ranks, n));
      },
      "n"_a, "arcs"_a, "ranks"_a, "The vertices of one directed cycle, or an empty list.");

  nb::class_<tw::Dag>(m, "Dag", "A directed acyclic graph as neighbour lists.")
      .def(
          "__init__",
          [](tw::Dag* self, std::size_t n, const Pairs& pairs) { new (self) tw::Dag(n, arcs_of(pairs)); },
          "n"_a, "arcs"_a)
      .def("parents",
           [](const tw::Dag& dag, tw::Vertex v) {
             require_vertex(v, dag.size());
             return listed(dag.parents(v));
           })
      .def("children",
           [](const tw::Dag& dag, tw::Vertex v) {
             require_vertex(v, dag.size());
             return listed(dag.children(v));
           })
      .def("ancestors",
           [](const tw::Dag& dag, const Indices& vertices) {
             require_vertices(vertices, dag.size());
             return dag.ancestors(vertices);
           })
      .def("descendants",
           [](const tw::Dag& dag, const Indices& vertices) {
             require_vertices(vertices, dag.size());
             return dag.descendants(vertices);
           })
      .def("topological_order",
           [](const tw::Dag& dag, const Ranks& ranks) {
             return dag.topological_order(ranks_of(ranks, dag.size()));
           })
      .def("moral_edges", [](const tw::Dag& dag) { return pairs_to_numpy(dag.moral_edges()); })
      .def("v_structures",
           [](const tw::Dag& dag) {
             auto flat = dag.v_structures();
             const std::size_t rows = flat.size() / 3;
             return to_numpy(std::move(flat), rows, 3);
           })
      .def("covered_arcs", [](const tw::Dag& dag) { return pairs_to_numpy(dag.covered_arcs()); })
      .def("separated", [](const tw::Dag& dag, tw::Vertex x, tw::Vertex y,
                           const Indices& given) { return tw::DSeparation(dag).separated(x, y, given); })
      .def("connected", [](const tw::Dag& dag, const Indices& sources,
                           const Indices& given) { return to_numpy(connected(dag, sources, given)); })
      .def("separated_many", [](const tw::Dag& dag, const std::vector<tw::SeparationQuery>& queries) {
        return to_numpy(
            interruptible([&](tw::Cancel& cancel) { return tw::separated_many(dag, queries, cancel); }));
      });
}

void bind_dag_builder(nb::module_& m) {
  using Builder = tw::DagBuilder;
  const auto safe = [](const Builder& b, tw::Vertex u, tw::Vertex v) {
    require_vertex(u, b.size()), require_vertex(v, b.size());
  };
  nb::class_<Builder>(m, "DagBuilder", "A directed acyclic graph that is edited one arc at a time.")
      .def(nb::init<std::size_t>(), "n"_a)
      .def("copy", [](const Builder& b) { return Builder(b); })
      .def_prop_ro("n_arcs", &Builder::n_arcs)
      .def("has_arc",
           [safe](const Builder& b, tw::Vertex u, tw::Vertex v) { return safe(b, u, v), b.has_arc(u, v); })
      .def("is_ancestor", [safe](const Builder& b, tw::Vertex u,
                                 tw::Vertex v) { return safe(b, u, v), b.is_ancestor(u, v); })
      .def("can_add",
           [safe](const Builder& b, tw::Vertex u, tw::Vertex v) { return safe(b, u, v), b.can_add(u, v); })
      .def("can_reverse", [safe](const Builder& b, tw::Vertex u,
                                 tw::Vertex v) { return safe(b, u, v), b.can_reverse(u, v); })
      .def("add", [safe](Builder& b, tw::Vertex u, tw::Vertex v) { safe(b, u, v), b.add(u, v); })
      .def("remove", [safe](Builder& b, tw::Vertex u, tw::Vertex v) { safe(b, u, v), b.remove(u, v); })
      .def("reverse", [safe](Builder& b, tw::Vertex u, tw::Vertex v) { safe(b, u, v), b.reverse(u, v); })
      .def("path",
           [safe](const Builder& b, tw::Vertex u, tw::Vertex v) { return safe(b, u, v), b.path(u, v); })
      .def("parents",
           [](const Builder& b, tw::Vertex v) {
             require_vertex(v, b.size());
             std::vector<tw::Vertex> parents;
             tw::for_each_bit(b.parents().row(v), b.parents().words(),
                              [&](std::size_t p) { parents.push_back(static_cast<tw::Vertex>(p)); });
             return parents;
           })
      .def("arcs", [](const Builder& b) { return pairs_to_numpy(b.arcs()); });
}

void bind_classes(nb::module_& m) {
  m.def(
      "cpdag_of",
      [](const tw::Dag& dag, const Ranks& ranks) {
        return marks_of(tw::cpdag_of(parent_rows(dag), dag.topological_order(ranks_of(ranks, dag.size()))));
      },
      "dag"_a, "ranks"_a, "Directed and undirected edges of the equivalence class of a DAG.");
  m.def(
      "close_under_meek",
      [](std::size_t n, const Pairs& directed, const Pairs& undirected, const Ranks& ranks) {
        tw::Pdag graph(n, arcs_of(directed), arcs_of(undirected));
        const auto by = ranks_of(ranks, n);
        const auto skipped =
            interruptible([&](tw::Cancel& cancel) { return tw::close_under_meek(graph, by, cancel); });
        auto [arrows, lines] = marks_of(graph);
        return std::make_tuple(std::move(arrows), std::move(lines), pairs_to_numpy(skipped));
      },
      "n"_a, "directed"_a, "undirected"_a, "ranks"_a,
      "Directed and undirected edges after Meek's rules, and the orientations left out.");
  m.def(
      "consistent_extension",
      [](std::size_t n, const Pairs& directed, const Pairs& undirected,
         const Ranks& ranks) -> std::optional<OutMatrix<tw::Vertex>> {
        const auto found =
            tw::consistent_extension(tw::Pdag(n, arcs_of(directed), arcs_of(undirected)), ranks_of(ranks, n));
        if (!found) return std::nullopt;
        return pairs_to_numpy(arcs_of_rows(found->parents));
      },
      "n"_a, "directed"_a, "undirected"_a, "ranks"_a,
      "The arcs of the canonical extension to a DAG, or None.");
  m.def(
      "obstruction",
      [](std::size_t n, const Pairs& directed, const Pairs& undirected) {
        return tw::obstruction(tw::Pdag(n, arcs_of(directed), arcs_of(undirected)));
      },
      "n"_a, "directed"_a, "undirected"_a, "The vertices that stand in the way of a consistent extension.");
  m.def(
      "nearest_extension",
      [](std::size_t n, const Pairs& directed, const Pairs& undirected, const Ranks& ranks) {
        const tw::Pdag graph(n, arcs_of(directed), arcs_of(undirected));
        return pairs_to_numpy(arcs_of_rows(tw::nearest_extension(graph, ranks_of(ranks, n)).parents));
      },
      "n"_a, "directed"_a, "undirected"_a, "ranks"_a,
      "The arcs of a DAG with these arrows and few further v-structures.");
}

}  // namespace

void bind_directed(nb::module_& m) {
  bind_dag(m);
  bind_dag_builder(m);
  bind_classes(m);
}
