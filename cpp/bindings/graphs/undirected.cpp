// Python face of treewright/{undirected,elimination,chordal,cliques,treewidth,blocks,strong}.hpp: shapes,
// ownership and the GIL.
//
// A graph comes as rows of 64-bit words. `ties` lists the vertices in the order that breaks ties (their
// names'); the core breaks ties by number, so the graph is relabelled on the way in and the answer on the way
// out.
#include <nanobind/stl/optional.h>

#include <algorithm>
#include <optional>
#include <stdexcept>

#include "rows.hpp"
#include "treewright/graphs/blocks.hpp"
#include "treewright/graphs/chordal.hpp"
#include "treewright/graphs/cliques.hpp"
#include "treewright/graphs/elimination.hpp"
#include "treewright/graphs/strong.hpp"
#include "treewright/graphs/treewidth.hpp"

namespace {

using Ties = Array<std::uint32_t>;
using OutOrder = OutArray<std::uint32_t>;
using OutSets = std::pair<OutArray<std::int64_t>, OutArray<std::uint32_t>>;

OutMatrix<std::uint32_t> pairs_of(std::vector<std::uint32_t>&& ends) {
  const std::size_t pairs = ends.size() / 2;
  return to_numpy(std::move(ends), pairs, 2);
}

tw::SetList sets_of(std::size_t n, const Array<std::int64_t>& offsets, const Array<std::uint32_t>& members) {
  tw::SetList sets;
  sets.offsets.assign(offsets.data(), offsets.data() + offsets.size());
  sets.members.assign(members.data(), members.data() + members.size());
  const bool whole = !sets.offsets.empty() && sets.offsets.front() == 0 &&
                     sets.offsets.back() == static_cast<std::int64_t>(members.size()) &&
                     std::is_sorted(sets.offsets.begin(), sets.offsets.end());
  if (!whole) throw std::invalid_argument("offsets must rise from 0 to the number of members");
  for (const tw::Vertex v : sets.members)
    if (v >= n) throw std::invalid_argument("a set holds a vertex that the graph lacks");
  return sets;
}

OutSets to_python(tw::SetList&& sets) {
  return {to_numpy(std::move(sets.offsets)), to_numpy(std::move(sets.members))};
}

/// A graph whose vertex numbers are ranks in the tie order, and the way back.
struct Ranked {
  tw::Order ties;
  tw::BitMatrix graph;

  Ranked(const Rows& rows, const Ties& order) : ties(order.data(), order.data() + order.size()) {
    tw::check_permutation(ties, rows.shape(0));
    graph = tw::relabelled(graph_of(rows), ties);
  }

  tw::Order ranks(std::span<const std::uint32_t> vertices) const {
    const tw::Order rank = tw::inverse(ties);
    tw::Order result;
    for (const auto v : vertices) {
      if (v >= rank.size()) throw std::invalid_argument("a vertex that the graph lacks");
      result.push_back(rank[v]);
    }
    return result;
  }
  tw::Order back(tw::Order order) const {
    for (auto& v : order) v = ties[v];
    return order;
  }
  tw::SetList back(tw::SetList sets) const {
    for (auto& v : sets.members) v = ties[v];
    return sets;
  }
  tw::BitMatrix back(const tw::BitMatrix& ranked) const { return tw::relabelled(ranked, tw::inverse(ties)); }
};

void bind_shapes(nb::module_& m) {
  m.def(
      "graph_rows",
      [](std::size_t n, const Matrix<std::uint32_t>& edges) {
        if (edges.shape(1) != 2) throw std::invalid_argument("an edge has two ends");
        return rows_of(tw::from_edges(n, {edges.data(), edges.size()}));
      },
      "n"_a, "edges"_a, "Rows of bits of the graph with these edges, one pair of vertices per line.");
  m.def(
      "graph_edges", [](const Rows& rows) { return pairs_of(tw::edges_of(graph_of(rows))); }, "rows"_a,
      "The edges of a graph, smaller end first, in lexicographic order.");
  m.def(
      "graph_components",
      [](const Rows& rows, const Ties& ties) {
        const Ranked ranked(rows, ties);
        return to_python(ranked.back(tw::components(ranked.graph)));
      },
      "rows"_a, "ties"_a, "Connected components.");
  m.def(
      "two_section",
      [](std::size_t n, const Array<std::int64_t>& offsets, const Array<std::uint32_t>& members) {
        return rows_of(tw::two_section(n, sets_of(n, offsets, members)));
      },
      "n"_a, "offsets"_a, "members"_a, "The graph in which every set is a clique.");
  m.def(
      "set_containers",
      [](std::size_t n, const Array<std::int64_t>& offsets, const Array<std::uint32_t>& members) {
        return to_numpy(tw::containers(n, sets_of(n, offsets, members)));
      },
      "n"_a, "offsets"_a, "members"_a, "For every set one that contains it, or -1.");
  m.def(
      "biconnected_components",
      [](const Rows& rows, const Ties& ties) {
        const Ranked ranked(rows, ties);
        return to_python(ranked.back(interruptible(
            [&](tw::Cancel& cancel) { return tw::biconnected_components(ranked.graph, cancel); })));
      },
      "rows"_a, "ties"_a, "Blocks: maximal sets that no single vertex disconnects.");
}

void bind_elimination(nb::module_& m) {
  m.def(
      "elimination_order",
      [](const Rows& rows, const Ties& ties, const std::string& method) {
        const Ranked ranked(rows, ties);
        return to_numpy(ranked.back(interruptible(
            [&](tw::Cancel& cancel) { return tw::elimination_order(ranked.graph, method, cancel); })));
      },
      "rows"_a, "ties"_a, "method"_a, "An elimination order by a named rule.");
  m.def(
      "eliminate",
      [](const Rows& rows, const Ties& ties, const Array<std::uint32_t>& order) {
        const Ranked ranked(rows, ties);
        const tw::Order ranks = ranked.ranks(span_of(order));
        tw::check_permutation(ranks, ranked.graph.size());
        auto result = interruptible([&](tw::Cancel&) { return tw::eliminate(ranked.graph, ranks); });
        auto [offsets, members] = to_python(ranked.back(std::move(result.cliques)));
        return std::tuple(rows_of(ranked.back(result.filled)), offsets, members, result.width);
      },
      "rows"_a, "ties"_a, "order"_a,
      "Filled graph, maximal cliques (offsets, members) and width of an order.");
}

void bind_chordal(nb::module_& m) {
  m.def(
      "perfect_order",
      [](const Rows& rows, const Ties& ties) -> std::optional<OutOrder> {
        const Ranked ranked(rows, ties);
        auto order =
            interruptible([&](tw::Cancel& cancel) { return tw::perfect_order(ranked.graph, cancel); });
        if (!order) return std::nullopt;
        return to_numpy(ranked.back(std::move(*order)));
      },
      "rows"_a, "ties"_a, "A perfect elimination order, or None.");
  m.def(
      "chordless_cycle",
      [](const Rows& rows, const Ties& ties) {
        const Ranked ranked(rows, ties);
        return to_numpy(ranked.back(
            interruptible([&](tw::Cancel& cancel) { return tw::chordless_cycle(ranked.graph, cancel); })));
      },
      "rows"_a, "ties"_a, "A cycle of four or more without a chord; empty for chordal graphs.");
  m.def(
      "maximal_cliques",
      [](const Rows& rows, const Ties& ties, std::size_t limit) -> std::optional<OutSets> {
        const Ranked ranked(rows, ties);
        auto cliques = interruptible(
            [&](tw::Cancel& cancel) { return tw::maximal_cliques(ranked.graph, limit, cancel); });
        if (!cliques) return std::nullopt;
        return to_python(ranked.back(std::move(*cliques)));
      },
      "rows"_a, "ties"_a, "limit"_a,
      "Maximal cliques (offsets, members); None if there are more than `limit`.");
  m.def(
      "join_tree",
      [](std::size_t n, const Array<std::int64_t>& offsets, const Array<std::uint32_t>& members) {
        const tw::SetList clusters = sets_of(n, offsets, members);
        const auto edges =
            interruptible([&](tw::Cancel& cancel) { return tw::join_tree(clusters, n, cancel); });
        std::vector<std::uint32_t> ends;
        std::vector<std::int64_t> weights;
        for (const auto& edge : edges) {
          ends.push_back(static_cast<std::uint32_t>(edge.first));
          ends.push_back(static_cast<std::uint32_t>(edge.second));
          weights.push_back(static_cast<std::int64_t>(edge.weight));
        }
        return std::pair(pairs_of(std::move(ends)), to_numpy(std::move(weights)));
      },
      "n"_a, "offsets"_a, "members"_a,
      "Maximum spanning tree of the sets by intersection: pairs and weights.");
  m.def(
      "make_minimal",
      [](const Rows& rows, const Rows& chordal, const Ties& ties) {
        const Ranked ranked(rows, ties), cover(chordal, ties);
        return rows_of(ranked.back(interruptible(
            [&](tw::Cancel& cancel) { return tw::make_minimal(ranked.graph, cover.graph, cancel); })));
      },
      "rows"_a, "chordal"_a, "ties"_a, "The chordal supergraph without the edges that can be spared.");
  m.def(
      "induced_nodes",
      [](const Rows& rows, const Array<std::uint32_t>& perfect_order, std::uint32_t s, std::uint32_t t) {
        const tw::BitMatrix graph = graph_of(rows);
        tw::check_permutation(span_of(perfect_order), graph.size());
        if (s >= graph.size() || t >= graph.size())
          throw std::invalid_argument("a vertex that the graph lacks");
        return to_numpy(tw::InducedNodes(graph, span_of(perfect_order)).between(s, t));
      },
      "rows"_a, "perfect_order"_a, "s"_a, "t"_a,
      "Inner vertices of the chordless s-t paths of a chordal graph.");
}

void bind_treewidth(nb::module_& m) {
  m.def(
      "degeneracy", [](const Rows& rows) { return tw::degeneracy(graph_of(rows)); }, "rows"_a,
      "The largest minimum degree over subgraphs.");
  m.def(
      "contraction_bound",
      [](const Rows& rows, const Ties& ties) {
        const Ranked ranked(rows, ties);
        return interruptible([&](tw::Cancel& cancel) { return tw::contraction_bound(ranked.graph, cancel); });
      },
      "rows"_a, "ties"_a, "A lower bound of the treewidth, by contraction (least-c).");
  m.def(
      "fits",
      [](const Rows& rows, const Ties& ties, std::int64_t width) -> std::optional<OutOrder> {
        const Ranked ranked(rows, ties);
        auto order = interruptible([&](tw::Cancel& cancel) { return tw::fits(ranked.graph, width, cancel); });
        if (!order) return std::nullopt;
        return to_numpy(ranked.back(std::move(*order)));
      },
      "rows"_a, "ties"_a, "width"_a, "An elimination order of at most this width, or None.");
  m.def(
      "bound_treewidth",
      [](const Rows& rows, const Ties& ties, std::size_t limit) {
        const Ranked ranked(rows, ties);
        auto found = interruptible(
            [&](tw::Cancel& cancel) { return tw::bound_treewidth(ranked.graph, limit, cancel); });
        return std::tuple(found.lower, found.upper, to_numpy(ranked.back(std::move(found.order))),
                          found.unresolved);
      },
      "rows"_a, "ties"_a, "limit"_a, "Lower bound, upper bound, an order of that width, vertices left open.");
}

/// Flags by vertex as flags by rank.
std::vector<char> ranked_flags(const Ranked& ranked, const Array<bool>& flags) {
  if (flags.size() != ranked.ties.size()) throw std::invalid_argument("a flag for each vertex is needed");
  std::vector<char> found;
  for (const tw::Vertex v : ranked.ties) found.push_back(flags.data()[v]);
  return found;
}

void bind_strong(nb::module_& m) {
  m.def(
      "strong_graph",
      [](const Rows& rows, const Ties& ties, const Array<bool>& is_number) {
        const Ranked ranked(rows, ties);
        const auto flags = ranked_flags(ranked, is_number);
        return rows_of(ranked.back(tw::strong_graph(ranked.graph, flags)));
      },
      "rows"_a, "ties"_a, "is_number"_a, "The graph with the labels around each set of numbers joined.");
  m.def(
      "strong_order",
      [](const Rows& rows, const Ties& ties, const Array<bool>& is_number,
         const Array<std::uint32_t>& order) {
        const Ranked ranked(rows, ties);
        const auto flags = ranked_flags(ranked, is_number);
        return to_numpy(ranked.back(tw::strong_order(ranked.graph, flags, ranked.ranks(span_of(order)))));
      },
      "rows"_a, "ties"_a, "is_number"_a, "order"_a,
      "Numbers first, then labels, as narrow as this order of the strong graph.");
}

}  // namespace

void bind_undirected(nb::module_& m) {
  bind_shapes(m);
  bind_elimination(m);
  bind_chordal(m);
  bind_treewidth(m);
  bind_strong(m);
}
