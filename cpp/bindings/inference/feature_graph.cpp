// Python face of treewright/feature_graph.hpp: shapes and ownership, nothing else.
#include "treewright/inference/feature_graph.hpp"

#include "arena.hpp"
#include "rows.hpp"

namespace {

namespace ft = tw::features;
using Literals = std::vector<std::pair<std::uint32_t, std::uint32_t>>;

ft::Id add_tree(ft::ArenaBuilder& self, const Indices& variables, const std::vector<Indices>& parents,
                const Array<double>& numbers) {
  if (variables.size() != parents.size()) throw std::invalid_argument("every variable has a list of parents");
  std::vector<ft::TreeVariable> tree;
  for (std::size_t i = 0; i < variables.size(); ++i) tree.push_back({variables[i], parents[i]});
  return self.add_tree(tree, span_of(numbers));
}

ft::Id add_hidden(ft::ArenaBuilder& self, std::uint32_t states, bool autoregressive, const Indices& variables,
                  const Indices& parents, const Array<double>& numbers) {
  if (variables.size() != parents.size()) throw std::invalid_argument("every variable has a parent or none");
  std::vector<ft::HiddenVariable> tree;
  for (std::size_t i = 0; i < variables.size(); ++i) tree.push_back({variables[i], parents[i]});
  return self.add_hidden(states, autoregressive, tree, span_of(numbers));
}

// Scopes of all nodes, one after the other, and where each begins.
std::pair<OutArray<std::uint64_t>, OutArray<std::uint32_t>> scopes(const ft::Arena& arena) {
  std::vector<std::uint64_t> begin{0};
  std::vector<std::uint32_t> flat;
  for (const auto& scope : ft::scopes_of(arena)) {
    flat.insert(flat.end(), scope.begin(), scope.end());
    begin.push_back(flat.size());
  }
  return {to_numpy(std::move(begin)), to_numpy(std::move(flat))};
}

}  // namespace

void bind_feature_graph(nb::module_& m) {
  nb::class_<ft::Arena>(m, "FeatureArena", "A feature graph whose invariants have been checked.")
      .def(
          "__init__",
          [](ft::Arena* self, Indices cardinalities, const Array<std::uint8_t>& kinds,
             const Array<std::uint64_t>& child_begin, const Array<std::uint32_t>& children,
             const Array<std::uint64_t>& integer_begin, const Array<std::uint32_t>& integers,
             const Array<std::uint64_t>& number_begin, const Array<double>& numbers) {
            ft::Arena arena = arena_of(std::move(cardinalities), kinds, child_begin, children, integer_begin,
                                       integers, number_begin, numbers);
            interruptible([&](tw::Cancel&) { ft::validate(arena); });
            new (self) ft::Arena(std::move(arena));
          },
          "cardinalities"_a, "kinds"_a, "child_begin"_a, "children"_a, "integer_begin"_a, "integers"_a,
          "number_begin"_a, "numbers"_a)
      .def(
          "expanded", [](const ft::Arena& arena) { return arrays_of(ft::expanded(arena)); },
          "The arrays of the same graph with hidden trees written out.")
      .def_prop_ro("depth", &ft::depth_of)
      .def_prop_ro("is_deterministic", &ft::is_deterministic)
      .def(
          "interactions", [](const ft::Arena& arena) { return rows_of(ft::interactions_of(arena)); },
          "Rows of bits of the graph that joins variables which meet on a path.")
      .def("scopes", &scopes, "Where the scope of each node begins, and all scopes one after the other.");
  nb::class_<ft::ArenaBuilder>(m, "FeatureBuilder", "Builds a feature graph bottom up; equal nodes are one.")
      .def(nb::init<Indices>(), "cardinalities"_a)
      .def("one", &ft::ArenaBuilder::add_one)
      .def(
          "table",
          [](ft::ArenaBuilder& self, const Indices& scope, const Array<double>& numbers) {
            return self.add_table(scope, span_of(numbers));
          },
          "scope"_a, "numbers"_a)
      .def("tree", &add_tree, "variables"_a, "parents"_a, "numbers"_a)
      .def(
          "split",
          [](ft::ArenaBuilder& self, std::uint32_t variable, const Indices& states, const Indices& children,
             const Array<double>& numbers) {
            return self.add_split(variable, states, children, span_of(numbers));
          },
          "variable"_a, "states"_a, "children"_a, "numbers"_a)
      .def(
          "feature",
          [](ft::ArenaBuilder& self, Literals literals, std::uint32_t holds, std::uint32_t fails,
             double log_holds, double log_fails) {
            return self.add_feature(std::move(literals), holds, fails, log_holds, log_fails);
          },
          "literals"_a, "holds"_a, "fails"_a, "log_holds"_a, "log_fails"_a)
      .def(
          "product", [](ft::ArenaBuilder& self, const Indices& children) { return self.add_and(children); },
          "children"_a)
      .def(
          "mixture",
          [](ft::ArenaBuilder& self, const Indices& children, const Array<double>& numbers) {
            return self.add_mix(children, span_of(numbers));
          },
          "children"_a, "numbers"_a)
      .def("hidden", &add_hidden, "states"_a, "autoregressive"_a, "variables"_a, "parents"_a, "numbers"_a)
      .def(
          "rows",
          [](ft::ArenaBuilder& self, const Indices& scope, const Array<std::uint32_t>& codes,
             const Array<double>& numbers) { return self.add_rows(scope, span_of(codes), span_of(numbers)); },
          "scope"_a, "codes"_a, "numbers"_a)
      .def("append", &ft::ArenaBuilder::append, "arena"_a, "Join another graph; the id of its root here.")
      .def_prop_ro("n_nodes", &ft::ArenaBuilder::size)
      .def(
          "finish", [](const ft::ArenaBuilder& self, ft::Id root) { return arrays_of(self.finish(root)); },
          "root"_a, "The seven arrays of the graph under a node.");
}
