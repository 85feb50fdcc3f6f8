// Blanket scores under flips and searches over graphs: what the native layer promises by itself.
#include <cmath>
#include <memory>
#include <vector>

#include "check.hpp"
#include "treewright/blanket_scores/graph_search.hpp"
#include "treewright/graphs/elimination.hpp"
#include "treewright/parallel/seeded_draws.hpp"

namespace tw = treewright;

namespace {

// The hub of four binary variables: a leaf agrees with variable 0 three times out of four.
struct HubRows {
  std::vector<std::vector<std::uint8_t>> columns{4};
  HubRows() {
    for (int code = 0; code < 16; ++code) {
      int agree = 0, copies = 1;
      for (int leaf = 1; leaf < 4; ++leaf) agree += (code >> leaf & 1) == (code & 1);
      for (int i = 0; i < agree; ++i) copies *= 3;
      for (int copy = 0; copy < copies; ++copy)
        for (int v = 0; v < 4; ++v) columns[v].push_back(static_cast<std::uint8_t>(code >> v & 1));
    }
  }
  std::shared_ptr<const tw::PackedTable> table() const {
    std::vector<tw::CodeColumn> codes;
    for (const auto& column : columns) codes.push_back({column.data(), 1});
    return std::make_shared<tw::PackedTable>(codes, std::vector<std::uint32_t>(4, 2), columns[0].size());
  }
};

std::shared_ptr<tw::RememberedTests> tests_of(const HubRows& rows) {
  return std::make_shared<tw::RememberedTests>(std::make_shared<tw::PackedBlanketTests>(
      rows.table(), tw::BlanketTestSettings{}, std::vector<std::uint32_t>{0, 1, 2, 3}));
}

tw::BitMatrix all_pairs(std::size_t n) {
  tw::BitMatrix pairs(n);
  for (std::size_t u = 0; u < n; ++u)
    for (std::size_t v = u + 1; v < n; ++v) pairs.join(u, v);
  return pairs;
}

}  // namespace

TEST(climbing_finds_the_hub) {
  const HubRows rows;
  tw::Cancel cancel;
  tw::BlanketScore score(tests_of(rows), {});
  const tw::FlipRules rules{all_pairs(4), tw::kNone, std::nullopt};
  const tw::FoundGraph found = tw::FlipSearch(score, rules, tw::BitMatrix(4), cancel).climb(1, 1000);
  CHECK(found.flips.size() == 3);
  CHECK(std::abs(found.flips[0].total + 39.391283008156286) < 1e-9);
  CHECK(std::abs(found.flips[1].total + 21.413199319763756) < 1e-9);
  CHECK(std::abs(found.total + 0.790120108194209) < 1e-9);
  for (tw::Vertex leaf = 1; leaf < 4; ++leaf) CHECK(found.graph.test(0, leaf));
}

TEST(flips_give_what_a_fresh_judge_gives_to_the_last_bit) {
  const HubRows rows;
  tw::Cancel cancel;
  for (const auto kind : {tw::BlanketKind::joint, tw::BlanketKind::independent})
    for (const auto tie : {tw::OwnerTie::index, tw::OwnerTie::mean}) {
      tw::BlanketScore score(tests_of(rows), {kind, tie, tw::OwnerRule::degree, 0.25});
      score.start(tw::BitMatrix(4), cancel);
      tw::Draws draws(7);
      for (int step = 0; step < 100; ++step) {
        const auto x = static_cast<tw::Vertex>(draws.below(4));
        const auto y = static_cast<tw::Vertex>((x + 1 + draws.below(3)) % 4);
        score.flip(x, y, cancel);
        tw::BlanketScore fresh(tests_of(rows), {kind, tie, tw::OwnerRule::degree, 0.25});
        fresh.start(score.graph(), cancel);
        CHECK(fresh.total() == score.total());
      }
    }
}

TEST(all_graphs_have_one_best) {
  const HubRows rows;
  tw::Cancel cancel;
  tw::BlanketScore score(tests_of(rows), {});
  const tw::FlipRules rules{all_pairs(4), tw::kNone, std::nullopt};
  const tw::BestGraphs best = tw::search_all(score, rules, tw::BitMatrix(4), cancel);
  CHECK(best.judged == 64);
  CHECK(best.graphs.size() == 1);
  CHECK(std::abs(best.total + 0.790120108194206) < 1e-9);
}

TEST(a_bounded_width_comes_with_its_proof) {
  const HubRows rows;
  tw::Cancel cancel;
  tw::BlanketScore score(tests_of(rows), {});
  const tw::FlipRules rules{all_pairs(4), 2, std::int64_t{1}};
  for (const tw::FoundGraph& found :
       {tw::FlipSearch(score, rules, tw::BitMatrix(4), cancel).walk(10, 3, 100),
        tw::FlipSearch(score, rules, tw::BitMatrix(4), cancel).tabu(3, 10, 3, 100)}) {
    CHECK(found.order.size() == 4);
    CHECK(tw::eliminate(found.graph, found.order).width <= 1);
    for (tw::Vertex v = 0; v < 4; ++v) CHECK(tw::count_bits(found.graph.row(v), found.graph.words()) <= 2);
  }
}

TEST(sampling_visits_graphs_by_their_score) {
  const HubRows rows;
  tw::Cancel cancel;
  tw::BlanketScore score(tests_of(rows), {});
  const tw::FlipRules rules{all_pairs(4), tw::kNone, std::nullopt};
  // exact shares of the 64 graphs
  std::vector<double> wanted(16, 0);
  double mass = 0;
  for (int code = 0; code < 64; ++code) {
    tw::BitMatrix graph(4);
    int bit = 0;
    for (tw::Vertex u = 0; u < 4; ++u)
      for (tw::Vertex v = u + 1; v < 4; ++v, ++bit)
        if (code >> bit & 1) graph.join(u, v);
    score.start(graph, cancel);
    const double weight = std::exp(score.total());
    mass += weight;
    for (tw::Vertex u = 0; u < 4; ++u)
      for (tw::Vertex v = 0; v < 4; ++v)
        if (graph.test(u, v)) wanted[u * 4 + v] += weight;
  }
  const tw::FlipSample found = tw::sample_flips(score, rules, tw::BitMatrix(4), 1000, 100000, 1.0, 3, cancel);
  for (std::size_t i = 0; i < 16; ++i) CHECK(std::abs(found.shares[i] - wanted[i] / mass) < 0.02);
  CHECK(found.accepted > 0);
}
