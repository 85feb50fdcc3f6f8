// Python face of treewright/class_search.hpp, class_graph.hpp and copies.hpp.
#include "treewright/searches/class_search.hpp"

#include <nanobind/stl/array.h>
#include <nanobind/stl/optional.h>

#include "arcs.hpp"
#include "local_scores.hpp"
#include "packed.hpp"
#include "treewright/counting/copies.hpp"

namespace {

using Marks = std::pair<OutMatrix<tw::Vertex>, OutMatrix<tw::Vertex>>;  // directed, undirected
using Taken = std::tuple<std::string, tw::Vertex, tw::Vertex, Indices, double>;

constexpr const char* kNames[] = {"insert", "delete", "turn"};

tw::ClassMove move_of(const std::string& name) {
  for (std::size_t i = 0; i < tw::kMoves; ++i)
    if (name == kNames[i]) return static_cast<tw::ClassMove>(i);
  throw std::invalid_argument("there is no step '" + name + "'; there are insert, delete, turn");
}

Marks marks_of(const tw::SharedPdag& graph) {
  return {pairs_to_numpy(graph.directed_edges()), pairs_to_numpy(graph.undirected_edges())};
}

tw::BitMatrix both_ways(const Matrix<std::uint8_t>& pairs) {
  const std::size_t n = pairs.shape(0);
  if (pairs.shape(1) != n) throw std::invalid_argument("allowed pairs are a square matrix");
  tw::BitMatrix bits(n);
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t j = 0; j < n; ++j)
      if (i != j && pairs(i, j) && pairs(j, i)) bits.set(i, j);
  return bits;
}

void bind_search(nb::module_& m) {
  using Search = tw::ClassSearch;
  nb::enum_<tw::Return>(m, "Return", "How a variable that lost its edges gets new ones.")
      .value("STEP_BY_STEP", tw::Return::step_by_step)
      .value("AS_SINK", tw::Return::as_sink)
      .value("AS_SOURCE", tw::Return::as_source);
  nb::class_<Search>(m, "ClassSearch",
                     "Greedy search over equivalence classes; variables are numbered in name order.")
      .def(
          "__init__",
          [](Search* self, const ScoresPointer& scores, std::size_t max_parents, std::size_t largest_set,
             std::size_t most_steps) {
            checked(scores);
            new (self) Search(scores, {max_parents, largest_set, most_steps});
          },
          "scores"_a, "max_parents"_a, "largest_set"_a, "most_steps"_a = ~std::size_t{0})
      .def(
          "start_from",
          [](Search& search, const Pairs& directed, const Pairs& undirected) {
            search.start_from(tw::Pdag(search.size(), arcs_of(directed), arcs_of(undirected)));
          },
          "directed"_a, "undirected"_a, "Begin with the class of the DAGs that extend these marks.")
      .def(
          "allow", [](Search& search, const Matrix<std::uint8_t>& pairs) { search.allow(both_ways(pairs)); },
          "pairs"_a, "Edges may appear between these pairs only.")
      .def(
          "set_clusters",
          [](Search& search, const Array<std::uint32_t>& cluster_of) {
            search.set_clusters({cluster_of.data(), cluster_of.data() + cluster_of.size()});
          },
          "cluster_of"_a, "The cluster of each variable: work in different ones goes on side by side.")
      .def(
          "useful_pairs",
          [](Search& search) {
            const auto pairs = interruptible([&](tw::Cancel& c) { return search.useful_pairs(c); });
            std::vector<std::uint8_t> out(search.size() * search.size(), 0);
            for (tw::Vertex x = 0; x < search.size(); ++x)
              tw::for_each_bit(pairs.row(x), pairs.words(),
                               [&](std::size_t y) { out[x * search.size() + y] = 1; });
            return to_numpy(std::move(out), search.size(), search.size());
          },
          "Which pairs gain in a graph of two variables.")
      .def(
          "pair_gain",
          [](Search& search, tw::Vertex x, tw::Vertex y) {
            if (x >= search.size() || y >= search.size()) throw std::invalid_argument("no such variable");
            return interruptible([&](tw::Cancel& c) { return search.rows().pair_gain(x, y, c); });
          },
          "x"_a, "y"_a)
      .def("run", [](Search& search) { return interruptible([&](tw::Cancel& c) { return search.run(c); }); })
      .def(
          "step",
          [](Search& search, const std::string& name) -> std::optional<Taken> {
            const tw::ClassMove move = move_of(name);
            const auto taken = interruptible([&](tw::Cancel& c) { return search.step(move, c); });
            if (!taken) return std::nullopt;
            return Taken{name, taken->step.x, taken->step.y, taken->step.set, taken->gain};
          },
          "move"_a, "Take the best improving step of one kind: kind, x, y, set, gain.")
      .def(
          "reopen_nodes",
          [](Search& search, tw::Return how) {
            interruptible([&](tw::Cancel& c) { search.reopen_nodes(how, c); });
          },
          "how"_a = tw::Return::step_by_step)
      .def("start_again",
           [](Search& search) { return interruptible([&](tw::Cancel& c) { return search.start_again(c); }); })
      .def(
          "loosen",
          [](Search& search, double discount) {
            return interruptible([&](tw::Cancel& c) { return search.loosen(discount, c); });
          },
          "discount"_a, "Search with cheaper edges, then at their price; whether a better class was found.")
      .def("reopen_edges",
           [](Search& search) { interruptible([&](tw::Cancel& c) { search.reopen_edges(c); }); })
      .def(
          "member",
          [](Search& search, const Pairs& hung) {
            const auto parents = tw::canonical_member(search.graph(), arcs_of(hung));
            const double score = interruptible([&](tw::Cancel& c) { return search.score(parents, c); });
            std::vector<tw::Arc> arcs;
            for (tw::Vertex v = 0; v < parents.size(); ++v)
              tw::for_each_bit(parents.row(v), parents.words(),
                               [&](std::size_t p) { arcs.emplace_back(static_cast<tw::Vertex>(p), v); });
            return std::pair{pairs_to_numpy(arcs), score};
          },
          "hung"_a, "Arcs and score of the canonical member, with copies hung on their originals.")
      .def("marks", [](const Search& search) { return marks_of(search.graph().marks); })
      .def_prop_ro("gained", &Search::gained)
      .def_prop_ro("tallies", [](const Search& search) {
        const auto& tally = search.tally();
        const tw::ScoreTally& scores = search.scores().tally();
        nb::dict out;
        out["inserts"] = tally.steps[0], out["deletes"] = tally.steps[1], out["turns"] = tally.steps[2];
        out["reopened"] = tally.reopened, out["improved"] = tally.improved;
        out["checks"] = tally.checks, out["lists"] = tally.lists;
        out["scores"] = scores.families, out["sets"] = scores.sets, out["passes"] = scores.passes;
        out["tables"] = scores.tables;
        return out;
      });
}

}  // namespace

void bind_class_search(nb::module_& m) {
  bind_search(m);
  m.def(
      "find_copies",
      [](const TablePointer& table) {
        return interruptible([&](tw::Cancel& c) { return tw::find_copies(checked(table), c); });
      },
      "table"_a, "Groups of columns that are one-to-one relabellings of each other.");
}
