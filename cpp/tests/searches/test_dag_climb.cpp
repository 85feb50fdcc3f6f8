// Moves among DAGs: what is remembered equals what a fresh look finds, whatever the way there.
#include <cmath>
#include <random>

#include "check.hpp"
#include "treewright/graphs/elimination.hpp"
#include "treewright/graphs/strong.hpp"
#include "treewright/graphs/treewidth.hpp"
#include "treewright/searches/dag_climb.hpp"

namespace tw = treewright;

namespace {

struct Rows {
  std::vector<std::vector<std::uint8_t>> columns;
  std::vector<std::uint32_t> cardinalities;

  Rows(std::size_t n_rows, std::vector<std::uint32_t> states, unsigned seed)
      : cardinalities(std::move(states)) {
    std::mt19937_64 rng(seed);
    for (std::size_t v = 0; v < cardinalities.size(); ++v) {
      columns.emplace_back(n_rows);
      for (std::size_t i = 0; i < n_rows; ++i) {
        const std::uint64_t source = v > 0 && rng() % 2 ? columns[rng() % v][i] : rng();
        columns[v][i] = static_cast<std::uint8_t>(source % cardinalities[v]);
      }
    }
  }

  std::shared_ptr<tw::PackedTable> packed() const {
    std::vector<tw::CodeColumn> codes;
    for (const auto& column : columns) codes.push_back({column.data(), 1});
    return std::make_shared<tw::PackedTable>(codes, cardinalities, columns.front().size());
  }
};

std::shared_ptr<tw::PackedScores> scores_of(const Rows& rows) {
  std::vector<std::uint32_t> order(rows.cardinalities.size());
  for (std::uint32_t v = 0; v < order.size(); ++v) order[v] = v;
  return std::make_shared<tw::PackedScores>(rows.packed(), tw::ScoreSettings{}, 0.0, order);
}

tw::ArcRules open_rules(std::size_t n) {
  tw::ArcRules rules{tw::BitMatrix(n), tw::BitMatrix(n), n};
  for (std::size_t u = 0; u < n; ++u)
    for (std::size_t v = 0; v < n; ++v)
      if (u != v) rules.allowed.set(u, v);
  return rules;
}

tw::BitMatrix strong_moral(const tw::DagBuilder& graph, const std::vector<char>& is_number) {
  const std::vector<tw::Arc> arcs = graph.arcs();
  tw::BitMatrix moral(graph.size());
  for (const auto& [u, v] : tw::Dag(graph.size(), arcs).moral_edges()) moral.join(u, v);
  return tw::strong_graph(moral, is_number);
}

bool same(const tw::Move& a, const tw::Move& b) {
  return a.kind == b.kind && a.from == b.from && a.to == b.to && a.gain == b.gain;
}

const auto kNothing = [](const tw::Move&) { return false; };

}  // namespace

TEST(remembered_moves_are_those_of_a_fresh_look) {
  const Rows rows(200, {2, 3, 2, 2, 4, 2, 2}, 1);
  const auto scores = scores_of(rows);
  tw::Cancel cancel;
  std::mt19937_64 rng(2);
  tw::ArcRules rules = open_rules(7);
  rules.allowed.reset(3, 5);
  rules.max_parents = 3;
  tw::DagMoves moves(*scores, rules, tw::DagBuilder(7), false, cancel);
  for (int step = 0; step < 150; ++step) {
    tw::DagMoves fresh(*scores, rules, moves.graph(), false, cancel);
    const auto remembered = moves.best(kNothing, true), found = fresh.best(kNothing, true);
    CHECK(remembered.size() == found.size());
    for (std::size_t i = 0; i < found.size(); ++i) CHECK(same(remembered[i], found[i]));
    const auto all = moves.all();
    CHECK(all.size() == fresh.all().size());
    const tw::Move& drawn = all[rng() % all.size()];
    moves.apply(step % 3 ? drawn : remembered.front(), cancel);
    CHECK(!moves.graph().has_arc(3, 5));
  }
}

TEST(gains_add_up_to_the_difference_of_scores) {
  const Rows rows(300, {2, 3, 2, 2, 3}, 3);
  const auto scores = scores_of(rows);
  tw::Cancel cancel;
  const auto total = [&](const std::vector<tw::Arc>& arcs) {
    double sum = 0;
    for (tw::Vertex v = 0; v < 5; ++v) {
      std::vector<tw::Vertex> parents;
      for (const auto& [from, to] : arcs)
        if (to == v) parents.push_back(from);
      sum += scores->local(v, parents, cancel);
    }
    return sum;
  };
  tw::ClimbSettings settings;
  settings.tabu = 10, settings.patience = 5, settings.perturbations = 3, settings.seed = 9;
  for (const bool look_ahead : {false, true}) {
    settings.look_ahead = look_ahead;
    const tw::Climb climb = tw::climb_dags(*scores, open_rules(5), tw::DagBuilder(5), settings, cancel);
    CHECK(total(climb.arcs) - total({}) == climb.gain);
    double sum = 0, most = 0;
    for (const tw::Move& move : climb.moves) sum += move.gain, most = std::max(most, sum);
    CHECK(most == climb.gain);
    CHECK(climb.tally.perturbations >= 3);
  }
}

TEST(no_graph_on_the_way_is_wider_than_the_bound) {
  const Rows rows(400, {2, 3, 2, 2, 3, 2, 2}, 11);
  const auto scores = scores_of(rows);
  tw::Cancel cancel;
  tw::ClimbSettings settings;
  settings.tabu = 10, settings.patience = 5, settings.perturbations = 2, settings.seed = 3;
  for (const std::size_t bound : {1, 2, 3}) {
    settings.treewidth = bound;
    settings.is_number = {0, 1, 0, 1, 1, 0, 0};
    const tw::Climb climb = tw::climb_dags(*scores, open_rules(7), tw::DagBuilder(7), settings, cancel);
    tw::DagBuilder graph(7);
    for (const tw::Move& move : climb.moves) {
      if (move.kind == tw::MoveKind::add) graph.add(move.from, move.to);
      if (move.kind == tw::MoveKind::remove) graph.remove(move.from, move.to);
      if (move.kind == tw::MoveKind::reverse) graph.reverse(move.from, move.to);
      const tw::BitMatrix strong = strong_moral(graph, settings.is_number);
      CHECK(tw::fits(strong, static_cast<std::int64_t>(bound), cancel).has_value());
    }
    tw::DagBuilder best(7);
    for (const auto& [from, to] : climb.arcs) best.add(from, to);
    const tw::BitMatrix strong = strong_moral(best, settings.is_number);
    CHECK(tw::eliminate(strong, climb.order).width <= static_cast<std::int64_t>(bound));
  }
  tw::DagBuilder wide(7);
  for (const tw::Vertex parent : {1, 2, 3}) wide.add(parent, 0);
  settings.treewidth = 2;
  CHECK(check::throws<std::invalid_argument>(
      [&] { tw::climb_dags(*scores, open_rules(7), wide, settings, cancel); }));
}

TEST(covered_arcs_are_turned_for_nothing) {
  const Rows rows(400, {2, 2, 2, 2, 2, 2}, 4);
  const auto scores = scores_of(rows);
  tw::Cancel cancel;
  tw::ClimbSettings settings;
  settings.covered_tries = 6, settings.covered_rounds = 5, settings.seed = 1;
  const tw::Climb climb = tw::climb_dags(*scores, open_rules(6), tw::DagBuilder(6), settings, cancel);
  const tw::Climb plain = tw::climb_dags(*scores, open_rules(6), tw::DagBuilder(6), {}, cancel);
  CHECK(climb.tally.covered > 0);
  CHECK(climb.gain > 0 && plain.gain > 0);
  // nothing is left to gain from where it ended
  tw::DagBuilder end(6);
  for (const auto& [from, to] : climb.arcs) end.add(from, to);
  const auto left = tw::DagMoves(*scores, open_rules(6), end, false, cancel).best(kNothing, false);
  CHECK(left.empty() || left.front().gain <= 0);
}
