// Python face of bounded_network.hpp, chains.hpp and chain_search.hpp.
#include <nanobind/stl/optional.h>

#include <algorithm>
#include <numeric>

#include "arcs.hpp"
#include "local_scores.hpp"
#include "rows.hpp"
#include "treewright/bounded_treewidth/chain_search.hpp"

namespace {

/// A network and the scores that it asks, which must live as long.
struct Network {
  ScoresPointer scores;
  tw::BoundedNetwork inner;
};

/// Candidates for one chain, and the number of positions that they lie in.
struct Candidates {
  std::vector<tw::Candidate> all;
  std::size_t n;
};

void make_network(Network* self, const ScoresPointer& scores, const Pairs& arcs, const Rows& cover,
                  bool block_wise, std::size_t max_parents, const Rows& allowed) {
  tw::BoundedNetwork::Settings settings;
  settings.rule = block_wise ? tw::UpdateRule::block_wise : tw::UpdateRule::single_source;
  settings.max_parents = max_parents == 0 ? tw::kNone : max_parents;
  settings.allowed = graph_of(allowed);
  if (settings.allowed.size() != 0 && settings.allowed.size() != checked(scores).size())
    throw std::invalid_argument("what is allowed has one row for each variable, or none");
  const auto listed = arcs_of(arcs);
  tw::BitMatrix graph = graph_of(cover);
  interruptible([&](tw::Cancel& cancel) {
    new (self) Network{scores, {checked(scores), listed, std::move(graph), std::move(settings), cancel}};
  });
}

void require_arc(const Network& network, tw::Vertex s, tw::Vertex t) {
  require_vertex(s, network.inner.size()), require_vertex(t, network.inner.size());
  if (!network.inner.dag().can_add(s, t)) throw std::invalid_argument("this arc cannot be added");
}

auto propose(Network& network, tw::Vertex s, tw::Vertex t) {
  require_arc(network, s, t);
  const tw::CoverUpdate update = network.inner.propose(s, t);
  std::vector<Indices> path;
  for (const tw::BlockId id : update.path) path.push_back(network.inner.cover().block(id).members());
  return std::tuple(pairs_to_numpy(update.edges), std::move(path),
                    std::max(network.inner.width(), update.block_width));
}

std::vector<Indices> blocks(const Network& network) {
  const tw::ChordalCover& cover = network.inner.cover();
  std::vector<Indices> found;
  for (tw::BlockId id = 0; id < cover.n_ids(); ++id)
    if (cover.alive(id)) found.push_back(cover.block(id).members());
  std::ranges::sort(found);
  return found;
}

tw::Triangulation triangulation_named(const std::string& name) {
  if (name == "none") return tw::Triangulation::none;
  if (name == "own") return tw::Triangulation::own;
  if (name == "own_first") return tw::Triangulation::own_first;
  if (name == "narrowest") return tw::Triangulation::narrowest;
  throw std::invalid_argument("a triangulation is none, own, own_first or narrowest");
}

auto node_order(const Network& network, const std::optional<Array<tw::Vertex>>& rank) {
  tw::Order ranks(network.inner.size());
  std::iota(ranks.begin(), ranks.end(), tw::Vertex{0});
  if (rank) {
    tw::check_permutation(span_of(*rank), ranks.size());
    std::ranges::copy(span_of(*rank), ranks.begin());
  }
  return to_numpy(tw::node_order(network.inner.cover(), network.inner.dag(), ranks));
}

Candidates candidates(Network& network, const Array<tw::Vertex>& order, std::optional<std::int64_t> limit) {
  tw::check_permutation(span_of(order), network.inner.size());
  return {interruptible([&](tw::Cancel& cancel) {
            return tw::chain_candidates(network.inner, span_of(order), limit, cancel);
          }),
          network.inner.size()};
}

OutMatrix<std::uint32_t> best_chain(const Candidates& candidates) {
  std::vector<tw::Arc> chain;
  for (const std::size_t e : tw::best_chain(candidates.all, candidates.n))
    chain.emplace_back(candidates.all[e].s, candidates.all[e].t);
  return pairs_to_numpy(chain);
}

/// What the arcs of a chain gain together.
double total_gain(const Candidates& candidates, const Pairs& chain) {
  double total = 0;
  for (const auto& [s, t] : arcs_of(chain)) {
    const auto key = [](const tw::Candidate& one) { return std::pair(one.t, one.s); };
    const auto found = std::ranges::lower_bound(candidates.all, std::pair(t, s), {}, key);
    if (found == candidates.all.end() || key(*found) != std::pair(t, s))
      throw std::invalid_argument("this arc is no candidate");
    total += found->gain;
  }
  return total;
}

/// (arcs, gains, first and last positions) of all candidates.
auto listed(const Candidates& candidates) {
  std::vector<tw::Arc> arcs, ranges;
  std::vector<double> gains;
  for (const auto& one : candidates.all) {
    arcs.emplace_back(one.s, one.t);
    ranges.emplace_back(one.reach.range.first, one.reach.range.last);
    gains.push_back(one.gain);
  }
  return std::tuple(pairs_to_numpy(arcs), to_numpy(std::move(gains)), pairs_to_numpy(ranges));
}

auto apply(Network& network, const Pairs& pairs, std::int64_t limit) {
  const auto chain = arcs_of(pairs);
  for (const auto& [s, t] : chain) require_arc(network, s, t);
  const auto done =
      interruptible([&](tw::Cancel& cancel) { return tw::apply_chain(network.inner, chain, limit, cancel); });
  return std::pair(pairs_to_numpy(done.added), pairs_to_numpy(done.skipped));
}

}  // namespace

void bind_chains(nb::module_& m) {
  nb::class_<Candidates>(m, "ChainCandidates", "Arcs that gain, and the positions that each contaminates.")
      .def("__len__", [](const Candidates& self) { return self.all.size(); })
      .def("listed", &listed, "Arcs, gains, first and last positions.")
      .def("best_chain", &best_chain, "The arcs of the chain of largest gain, in turn.")
      .def("total_gain", &total_gain, "chain"_a, "What the arcs of a chain gain together.");

  nb::class_<Network>(m, "BoundedNetwork", "A network that grows inside a chordal cover; numbers are ranks.")
      .def("__init__", &make_network, "scores"_a, "arcs"_a, "cover"_a, "block_wise"_a, "max_parents"_a,
           "allowed"_a)
      .def_prop_ro("width", [](const Network& self) { return self.inner.width(); })
      .def_prop_ro("score", [](const Network& self) { return self.inner.gains().total(); })
      .def("arcs", [](const Network& self) { return pairs_to_numpy(self.inner.dag().arcs()); })
      .def("cover", [](const Network& self) { return rows_of(self.inner.cover().graph()); })
      .def("blocks", &blocks, "The blocks of the cover, sorted.")
      .def("propose", &propose, "s"_a, "t"_a, "New edges of the cover, block path and width of one arc.")
      .def("node_order", &node_order, "rank"_a.none() = nb::none(),
           "Parents first, blocks depth first; ties by rank.")
      .def("candidates", &candidates, "order"_a, "limit"_a.none() = nb::none(),
           "Arcs that gain; with a limit those alone whose own update keeps the width within it.")
      .def(
          "retriangulate",
          [](Network& self) {
            return interruptible([&](tw::Cancel& cancel) { return self.inner.retriangulate(cancel); });
          },
          "Exchange the cover for a narrower or sparser one; tells whether there is one.")
      .def("apply", &apply, "chain"_a, "limit"_a, "Arcs added and arcs skipped.");

  nb::class_<tw::GreedyArcs>(m, "GreedyArcs", "Single arcs, best first, that keep the width.")
      .def(
          "__init__",
          [](tw::GreedyArcs* self, Network& network, std::int64_t limit, const std::string& triangulation) {
            new (self) tw::GreedyArcs(network.inner, limit, triangulation_named(triangulation));
          },
          "network"_a, "limit"_a, "triangulation"_a, nb::keep_alive<1, 2>())
      .def_prop_ro("n_refused", &tw::GreedyArcs::n_refused)
      .def(
          "step",
          [](tw::GreedyArcs& self) {
            return interruptible([&](tw::Cancel& cancel) { return self.step(cancel); });
          },
          "The arc added, or None.");
}
