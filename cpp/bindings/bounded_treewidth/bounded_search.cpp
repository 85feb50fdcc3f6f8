// Python face of treewright/bounded_search.hpp: shapes, ownership and the GIL, nothing else.
#include "treewright/bounded_treewidth/bounded_search.hpp"

#include "arcs.hpp"
#include "local_scores.hpp"
#include "rows.hpp"
#include "treewright/graphs/elimination.hpp"
#include "treewright/parallel/threads.hpp"

namespace {

/// A search and the scores that it asks, which must live as long.
struct Search {
  ScoresPointer scores;
  tw::BoundedSearch inner;
};

tw::DagBuilder start_of(std::size_t n, const Pairs& arcs) {
  tw::DagBuilder graph(n);
  for (const auto& [from, to] : arcs_of(arcs)) {
    require_vertex(from, n), require_vertex(to, n);
    graph.add(from, to);
  }
  return graph;
}

void make_search(Search* self, const ScoresPointer& scores, const Pairs& arcs, const Indices& order,
                 const Rows& allowed, const Rows& required, std::size_t max_parents, std::size_t width,
                 std::uint64_t seed, double temperature, bool checks) {
  const tw::DagBuilder start = start_of(checked(scores).size(), arcs);
  tw::ArcRules rules{graph_of(allowed), graph_of(required), max_parents};
  const tw::BoundedSettings settings{width, seed, temperature, checks};
  interruptible([&](tw::Cancel& cancel) {
    new (self) Search{scores, {*scores, std::move(rules), start, order, settings, cancel}};
  });
}

void set_seconds(Search& search, double seconds) {
  const auto span =
      std::chrono::duration_cast<std::chrono::steady_clock::duration>(std::chrono::duration<double>(seconds));
  search.inner.set_deadline(std::chrono::steady_clock::now() + span);
}

/// Kicks of several searches, each in its own thread if there are some; how many each made.
std::vector<std::size_t> kick_all(const std::vector<Search*>& searches, std::size_t most) {
  std::vector<std::size_t> done(searches.size(), 0);
  interruptible([&](tw::Cancel& cancel) {
    tw::parallel_for(searches.size(), 1e12, cancel,
                     [&](std::size_t i) { done[i] = searches[i]->inner.kick(most, cancel); });
  });
  return done;
}

/// The same second start for several searches; whether each found something better.
std::vector<bool> begin_all_again(const std::vector<Search*>& searches, const Pairs& arcs,
                                  std::size_t patience) {
  std::vector<char> better(searches.size(), 0);
  const auto wide = arcs_of(arcs);
  interruptible([&](tw::Cancel& cancel) {
    tw::parallel_for(searches.size(), 1e12, cancel, [&](std::size_t i) {
      better[i] = searches[i]->inner.begin_again(wide, patience, cancel);
    });
  });
  return {better.begin(), better.end()};
}

}  // namespace

void bind_bounded_search(nb::module_& m) {
  nb::class_<Search>(m, "BoundedSearch", "A network under a width bound; numbers are ranks of names.")
      .def("__init__", &make_search, "scores"_a, "arcs"_a, "order"_a, "allowed"_a, "required"_a,
           "max_parents"_a, "width"_a, "seed"_a, "temperature"_a, "checks"_a)
      .def_prop_ro("score", [](const Search& self) { return self.inner.state().total(); })
      .def_prop_ro("best_score", [](const Search& self) { return self.inner.best_score(); })
      .def_prop_ro(
          "width",
          [](const Search& self) {
            const tw::BoundedState& state = self.inner.state();
            return tw::eliminate(state.moral(), state.order()).width;
          },
          "What the elimination order proves of the present network.")
      .def("arcs", [](const Search& self) { return pairs_to_numpy(self.inner.state().dag().arcs()); })
      .def(
          "order", [](const Search& self) { return self.inner.state().order(); },
          "The elimination order that proves the width.")
      .def("cover",
           [](const Search& self) {
             const tw::BoundedState& state = self.inner.state();
             return rows_of(tw::eliminate(state.moral(), state.order()).filled);
           })
      .def_prop_ro(
          "tallies",
          [](const Search& self) {
            const tw::BoundedTally& tally = self.inner.tally();
            const tw::BoundedState& state = self.inner.state();
            return std::tuple{tally.moves,     tally.redrawn,     tally.kicks,          tally.accepted,
                              state.n_tests(), state.n_refused(), self.inner.n_scored()};
          },
          "Moves, redraws, kicks, accepted kicks, width tests, refusals, families scored.")
      .def_prop_ro("expired", [](const Search& self) { return self.inner.expired(); })
      .def("set_seconds", &set_seconds, "seconds"_a, "Stop so many seconds from now.")
      .def(
          "climb",
          [](Search& self, bool swaps, bool afresh) {
            interruptible([&](tw::Cancel& cancel) { self.inner.climb(swaps, afresh, cancel); });
          },
          "swaps"_a, "afresh"_a)
      .def(
          "redraw",
          [](Search& self, std::size_t patience) {
            return interruptible([&](tw::Cancel& cancel) { return self.inner.redraw(patience, cancel); });
          },
          "patience"_a, "Families anew along the cover, until so many draws in a row bring nothing.")
      .def(
          "settle",
          [](Search& self, std::size_t first, std::size_t last) {
            return interruptible([&](tw::Cancel& cancel) { return self.inner.settle(first, last, cancel); });
          },
          "first"_a, "last"_a, "Cut these vertices off in turn and climb; true if that was better.")
      .def(
          "return_to_best",
          [](Search& self) { interruptible([&](tw::Cancel& cancel) { self.inner.return_to_best(cancel); }); })
      .def(
          "narrow",
          [](Search& self) { interruptible([&](tw::Cancel& cancel) { self.inner.state().narrow(cancel); }); },
          "Look for a narrower proof of the same network.")
      .def(
          "check",
          [](Search& self) { interruptible([&](tw::Cancel& cancel) { self.inner.state().check(cancel); }); },
          "Raise unless everything kept agrees with what is counted anew.");
  m.def("begin_all_again", &begin_all_again, "searches"_a, "arcs"_a, "patience"_a,
        "Begin again with what the bound lets in of these arcs; whether each search found something better.");
  m.def("kick_all", &kick_all, "searches"_a, "most"_a, "Kicks of several searches; how many each made.");
}
