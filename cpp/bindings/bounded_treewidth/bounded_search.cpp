// Python face of treewright/bounded_searches.hpp: shapes, ownership and the GIL, nothing else.
#include <nanobind/stl/optional.h>

#include <array>

#include "arcs.hpp"
#include "local_scores.hpp"
#include "rows.hpp"
#include "treewright/bounded_treewidth/bounded_searches.hpp"

namespace {

/// Searches and the scores that they ask, which must live as long.
struct Searches {
  std::vector<ScoresPointer> scores;
  tw::BoundedSearches inner;
};

tw::DagBuilder start_of(std::size_t n, const Pairs& arcs) {
  tw::DagBuilder graph(n);
  for (const auto& [from, to] : arcs_of(arcs)) {
    require_vertex(from, n), require_vertex(to, n);
    graph.add(from, to);
  }
  return graph;
}

void make_searches(Searches* self, const ScoresPointer& scores, const Pairs& arcs,
                   const std::optional<Indices>& order, const Rows& allowed, const Rows& required,
                   std::size_t max_parents, std::size_t width, std::uint64_t seed, double temperature,
                   bool checks, bool anneals) {
  const tw::DagBuilder start = start_of(checked(scores).size(), arcs);
  tw::ArcRules rules{graph_of(allowed), graph_of(required), max_parents};
  const tw::BoundedSettings settings{width, seed, temperature, checks, anneals};
  interruptible([&](tw::Cancel& cancel) {
    new (self) Searches{{scores}, {*scores, std::move(rules), start, order, settings, cancel}};
  });
}

void set_seconds(Searches& self, double seconds) {
  const auto span =
      std::chrono::duration_cast<std::chrono::steady_clock::duration>(std::chrono::duration<double>(seconds));
  self.inner.set_deadline(std::chrono::steady_clock::now() + span);
}

/// The listener is called with the GIL held; what it raises ends the work.
void listen(Searches& self, nb::object listener) {
  self.inner.listen([listener = std::move(listener)](const tw::BoundedNews& news) {
    const nb::gil_scoped_acquire locked;
    listener(news.kicks, news.width, news.score);
  });
}

void spread(Searches& self, const std::vector<ScoresPointer>& scores,
            const std::vector<std::uint64_t>& seeds) {
  std::vector<tw::LocalScores*> asked;
  for (const ScoresPointer& one : scores) asked.push_back(&checked(one));
  self.scores.insert(self.scores.end(), scores.begin(), scores.end());
  interruptible([&](tw::Cancel& cancel) { self.inner.spread(asked, seeds, cancel); });
}

std::vector<tw::BoundedSearch*> each(Searches& self) {
  std::vector<tw::BoundedSearch*> searches;
  for (std::size_t i = 0; i < self.inner.size(); ++i) searches.push_back(&self.inner[i]);
  return searches;
}

auto tallies(const Searches& self) { return std::tuple_cat(self.inner.tallies()); }

auto rounds(const Searches& self) {
  std::vector<std::tuple<std::vector<tw::Arc>, std::uint64_t, std::int64_t, double, double>> rounds;
  for (const tw::BoundedRound& round : self.inner.rounds())
    rounds.emplace_back(round.added, round.refused, round.width, round.score, round.seconds);
  return rounds;
}

auto as_tuple(tw::BoundedProof proof) {
  std::vector<std::pair<std::size_t, std::size_t>> joints;
  for (const tw::TreeEdge& edge : proof.joints) joints.emplace_back(edge.first, edge.second);
  return std::tuple{to_numpy(std::move(proof.cliques.offsets)), to_numpy(std::move(proof.cliques.members)),
                    joints};
}

auto certificate(Searches& self) {
  return as_tuple(interruptible([&](tw::Cancel& cancel) { return self.inner.prove(cancel); }));
}

auto best_met(const Searches& self, bool canonical) {
  tw::BoundedMet met = interruptible([&](tw::Cancel& cancel) { return self.inner.best_met(cancel); });
  return std::tuple{met.score, canonical ? tw::canonical_arcs(met.dag) : met.dag.arcs(),
                    as_tuple(std::move(met.proof))};
}

void bind_one(nb::class_<Searches>& all) {
  nb::class_<tw::BoundedSearch>(all, "Search", "One of them, to look into.")
      .def_prop_ro("score", [](const tw::BoundedSearch& self) { return self.state().total(); })
      .def_prop_ro("best_score", &tw::BoundedSearch::best_score)
      .def_prop_ro(
          "width", [](const tw::BoundedSearch& self) { return tw::width_of(self.state()); },
          "What the elimination order proves of the present network.")
      .def("arcs", [](const tw::BoundedSearch& self) { return self.state().dag().arcs(); })
      .def(
          "order", [](const tw::BoundedSearch& self) { return self.state().order(); },
          "The elimination order that proves the width.")
      .def(
          "settle",
          [](tw::BoundedSearch& self, std::size_t first, std::size_t last) {
            return interruptible([&](tw::Cancel& cancel) { return self.settle(first, last, cancel); });
          },
          "first"_a, "last"_a, "Cut these vertices off in turn and climb; true if that was better.")
      .def(
          "kick",
          [](tw::BoundedSearch& self, std::size_t most) {
            return interruptible([&](tw::Cancel& cancel) { return self.kick(most, cancel); });
          },
          "most"_a, "So many kicks, or fewer at the deadline; how many.")
      .def(
          "begin_again",
          [](tw::BoundedSearch& self, const Pairs& arcs, std::size_t patience) {
            const auto wide = arcs_of(arcs);
            return interruptible(
                [&](tw::Cancel& cancel) { return self.begin_again(wide, patience, cancel); });
          },
          "arcs"_a, "patience"_a,
          "Begin again with what the bound lets in of these arcs; true if that was better.")
      .def(
          "check",
          [](tw::BoundedSearch& self) {
            interruptible([&](tw::Cancel& cancel) { self.state().check(cancel); });
          },
          "Raise unless everything kept agrees with what is counted anew.");
}

}  // namespace

void bind_bounded_search(nb::module_& m) {
  nb::class_<Searches> all(m, "BoundedSearches", "Networks under a width bound; numbers are ranks of names.");
  bind_one(all);
  all.def("__init__", &make_searches, "scores"_a, "arcs"_a, "order"_a.none(), "allowed"_a, "required"_a,
          "max_parents"_a, "width"_a, "seed"_a, "temperature"_a, "checks"_a, "anneals"_a)
      .def("set_seconds", &set_seconds, "seconds"_a, "Stop so many seconds from now.")
      .def("listen", &listen, "listener"_a, "After every round call it with kicks, width and best score.")
      .def_prop_ro(
          "best", [](Searches& self) { return &self.inner.best(); }, nb::rv_policy::reference_internal)
      .def_prop_ro("searches", &each, nb::rv_policy::reference_internal)
      .def_prop_ro("score", [](const Searches& self) { return self.inner.best().state().total(); })
      .def_prop_ro("expired", [](const Searches& self) { return self.inner.expired(); })
      .def_prop_ro("tallies", &tallies,
                   "Moves, redraws, kicks, accepted kicks, width tests, refusals, families scored.")
      .def(
          "climb",
          [](Searches& self, bool swaps, bool afresh) {
            interruptible([&](tw::Cancel& cancel) { self.inner.climb(swaps, afresh, cancel); });
          },
          "swaps"_a, "afresh"_a)
      .def(
          "reoptimise",
          [](Searches& self) {
            return interruptible([&](tw::Cancel& cancel) { return self.inner.reoptimise(cancel); });
          },
          "Families anew along the cover and a climb, while that helps; true if it did.")
      .def(
          "settle",
          [](Searches& self) { interruptible([&](tw::Cancel& cancel) { self.inner.settle(cancel); }); },
          "Cut every vertex off in turn and climb; twice, if there are not too many.")
      .def(
          "restart",
          [](Searches& self, const Pairs& arcs, const std::optional<Indices>& order, std::size_t max_parents,
             std::size_t width) {
            const tw::DagBuilder start = start_of(self.inner.best().state().size(), arcs);
            interruptible(
                [&](tw::Cancel& cancel) { self.inner.restart(start, order, width, max_parents, cancel); });
          },
          "arcs"_a, "order"_a.none(), "max_parents"_a, "width"_a,
          "Begin anew under another bound, with what is known about families.")
      .def("spread", &spread, "scores"_a, "seeds"_a, "From here on one search more for each seed.")
      .def(
          "begin_again",
          [](Searches& self, const Pairs& arcs) {
            const auto wide = arcs_of(arcs);
            interruptible([&](tw::Cancel& cancel) { self.inner.begin_again(wide, cancel); });
          },
          "arcs"_a, "Begin again with what the bound lets in of these arcs; the better of two stays.")
      .def(
          "kick",
          [](Searches& self, std::size_t wanted) {
            interruptible([&](tw::Cancel& cancel) { self.inner.kick(wanted, cancel); });
          },
          "wanted"_a, "Kick each search so many times, and return to its best.")
      .def("rounds", &rounds, "Rounds that brought something: new arcs, refusals, width, score, seconds.")
      .def(
          "arcs",
          [](const Searches& self, bool canonical) {
            const tw::DagBuilder& dag = self.inner.best().state().dag();
            return canonical ? tw::canonical_arcs(dag) : dag.arcs();
          },
          "canonical"_a, "Of the best network, or of the canonical member of its class.")
      .def("best_met", &best_met, "canonical"_a,
           "Score, arcs and certificate of the best network met, also after work that was stopped.")
      .def("certificate", &certificate,
           "Cliques (offsets, members) of a narrow cover, and pairs that join them.");
}
