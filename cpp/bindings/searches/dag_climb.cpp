// Python face of treewright/dag_climb.hpp: shapes, ownership and the GIL, nothing else.
#include "treewright/searches/dag_climb.hpp"

#include "arcs.hpp"
#include "local_scores.hpp"

namespace {

tw::BitMatrix rules_of(const Matrix<bool>& matrix) {
  if (matrix.shape(0) != matrix.shape(1)) throw std::invalid_argument("rules form a square matrix");
  tw::BitMatrix bits(matrix.shape(0));
  for (std::size_t u = 0; u < matrix.shape(0); ++u)
    for (std::size_t v = 0; v < matrix.shape(0); ++v)
      if (matrix(u, v)) bits.set(u, v);
  return bits;
}

tw::DagBuilder builder_of(std::size_t n, const Pairs& arcs) {
  tw::DagBuilder graph(n);
  for (const auto& [from, to] : arcs_of(arcs)) {
    require_vertex(from, n), require_vertex(to, n);
    graph.add(from, to);
  }
  return graph;
}

using MoveTuple = std::tuple<int, tw::Vertex, tw::Vertex, double>;

std::vector<MoveTuple> tuples_of(const std::vector<tw::Move>& moves) {
  std::vector<MoveTuple> out;
  out.reserve(moves.size());
  for (const tw::Move& move : moves)
    out.emplace_back(static_cast<int>(move.kind), move.from, move.to, move.gain);
  return out;
}

// Tell Python now and then; what it raises ends the climb.
std::function<void(std::size_t, double)> reporter(const nb::object& progress) {
  if (progress.is_none()) return {};
  auto last = std::chrono::steady_clock::now();
  return [&progress, last](std::size_t steps, double gain) mutable {
    const auto now = std::chrono::steady_clock::now();
    if (now - last < tw::Cancel::interval) return;
    last = now;
    const nb::gil_scoped_acquire locked;
    progress(steps, gain);
  };
}

}  // namespace

void bind_dag_climb(nb::module_& m) {
  nb::class_<tw::ClimbSettings>(m, "ClimbSettings", "How to climb; see treewright/dag_climb.hpp.")
      .def(nb::init<>())
      .def_rw("look_ahead", &tw::ClimbSettings::look_ahead)
      .def_rw("tabu", &tw::ClimbSettings::tabu)
      .def_rw("patience", &tw::ClimbSettings::patience)
      .def_rw("perturbations", &tw::ClimbSettings::perturbations)
      .def_rw("perturbed_share", &tw::ClimbSettings::perturbed_share)
      .def_rw("covered_tries", &tw::ClimbSettings::covered_tries)
      .def_rw("covered_rounds", &tw::ClimbSettings::covered_rounds)
      .def_rw("seed", &tw::ClimbSettings::seed)
      .def(
          "bound_width",
          [](tw::ClimbSettings& settings, std::size_t treewidth, const Array<bool>& is_number) {
            settings.treewidth = treewidth;
            settings.is_number.assign(is_number.data(), is_number.data() + is_number.size());
          },
          "treewidth"_a, "is_number"_a, "No graph may be wider, with numbers eliminated first.");
  nb::class_<tw::Climb>(m, "Climb", "What a climb found, and its way there.")
      .def(nb::init<>())
      .def_prop_ro(
          "arcs", [](const tw::Climb& climb) { return pairs_to_numpy(climb.arcs); }, nb::rv_policy::automatic)
      .def_ro("gain", &tw::Climb::gain)
      .def_prop_ro(
          "order", [](const tw::Climb& climb) { return to_numpy(tw::Order(climb.order)); },
          nb::rv_policy::automatic)
      .def_prop_ro("moves", [](const tw::Climb& climb) { return tuples_of(climb.moves); })
      .def_prop_ro("tallies", [](const tw::Climb& climb) {
        const tw::ClimbTally& tally = climb.tally;
        return std::tuple{tally.steps, tally.ties, tally.covered, tally.perturbations};
      });
  m.def(
      "climb_dags",
      [](const ScoresPointer& scores, const Pairs& start, const Matrix<bool>& allowed,
         const Matrix<bool>& required, std::size_t max_parents, const tw::ClimbSettings& settings,
         const nb::object& progress, tw::Climb* kept) {
        tw::LocalScores& asked = checked(scores);
        tw::ArcRules rules{rules_of(allowed), rules_of(required), max_parents};
        tw::DagBuilder graph = builder_of(asked.size(), start);
        const auto report = reporter(progress);
        return interruptible([&](tw::Cancel& cancel) {
          return tw::climb_dags(asked, std::move(rules), std::move(graph), settings, cancel, report, kept);
        });
      },
      "scores"_a, "start"_a, "allowed"_a, "required"_a, "max_parents"_a, "settings"_a,
      "progress"_a = nb::none(), "kept"_a.none() = nb::none(),
      "Climb from a graph; vertices are numbered in name order. What was best when it is stopped is `kept`.");
}
