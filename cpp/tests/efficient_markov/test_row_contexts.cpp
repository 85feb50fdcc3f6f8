#include <algorithm>
#include <cmath>
#include <random>

#include "check.hpp"
#include "treewright/efficient_markov/cutset.hpp"
#include "treewright/efficient_markov/efficient_markov.hpp"
#include "treewright/efficient_markov/row_context.hpp"
#include "treewright/efficient_markov/row_likelihood.hpp"
#include "treewright/efficient_markov/set_information.hpp"

namespace tw = treewright;

namespace {

/// Columns that copy their neighbour more often than not.
struct Sample {
  Sample(std::size_t n, std::size_t n_rows, std::uint32_t states, unsigned seed) : codes(n) {
    std::mt19937 random(seed);
    for (std::size_t c = 0; c < n; ++c)
      for (std::size_t i = 0; i < n_rows; ++i) {
        const bool is_copy = c > 0 && random() % 10 < 7;
        codes[c].push_back(is_copy ? codes[c - 1][i] : static_cast<std::uint8_t>(random() % states));
      }
    for (std::uint32_t c = 0; c < n; ++c) order.push_back(c), columns.push_back({codes[c].data(), 1});
    table = std::make_unique<tw::PackedTable>(columns, std::vector<std::uint32_t>(n, states), n_rows);
  }
  tw::RowSet rows() {
    tw::Cancel cancel;
    return tw::RowSet(*table, order, cancel);
  }

  std::vector<std::vector<std::uint8_t>> codes;
  std::vector<std::uint32_t> order;
  std::vector<tw::CodeColumn> columns;
  std::unique_ptr<tw::PackedTable> table;
};

bool same(const tw::PairCounts& a, const tw::PairCounts& b) {
  return a.total == b.total && a.single == b.single && a.pair == b.pair;
}

}  // namespace

TEST(rows_are_distinct_sorted_and_keep_their_number) {
  const tw::RowSet rows = Sample(5, 300, 2, 1).rows();
  CHECK(rows.total() == 300);
  CHECK(rows.n_rows() <= 32);
  for (std::size_t i = 1; i < rows.n_rows(); ++i)
    CHECK(std::lexicographical_compare(rows.row(i - 1), rows.row(i - 1) + 5, rows.row(i), rows.row(i) + 5));
  const std::vector<double> held = rows.held_out_weights(0.1, 7);
  CHECK(held == rows.held_out_weights(0.1, 7));
  for (std::size_t i = 0; i < held.size(); ++i) CHECK(held[i] >= 0 && held[i] <= rows.weights()[i]);
}

TEST(both_ways_of_counting_agree) {
  for (const std::uint32_t states : {2u, 3u})
    for (unsigned seed = 0; seed < 4; ++seed) {
      Sample sample(12, seed % 2 ? 900 : 70, states, seed);
      const tw::RowSet rows = sample.rows();
      tw::Cancel cancel;
      const tw::RowContext whole(rows, rows.weights());
      std::vector<double> real = rows.weights();
      for (double& w : real) w *= 0.5;  // real weights are counted row by row
      const tw::RowContext halves(rows, real);
      tw::PairCounts doubled = halves.pairs(cancel), given = halves.pairs_given(3, 1, cancel);
      for (tw::PairCounts* counts : {&doubled, &given}) {
        counts->total *= 2;
        for (double& c : counts->single) c *= 2;
        for (double& c : counts->pair) c *= 2;
      }
      CHECK(same(whole.pairs(cancel), doubled));
      tw::PairCounts direct = whole.pairs_given(3, 1, cancel);
      CHECK(std::abs(direct.total - given.total) < 1e-9);
      CHECK(same(whole.where(3, 1).pairs(cancel), direct.without(3)));
    }
}

TEST(the_least_cut_is_that_of_all_cuts) {
  for (unsigned seed = 0; seed < 6; ++seed) {
    const tw::RowSet rows = Sample(7, 80, 2 + seed % 2, seed).rows();
    const tw::RowContext context(rows, rows.weights());
    const std::vector<std::uint32_t> scope{0, 1, 2, 3, 4, 5, 6};
    tw::SetInformation found(context, scope);
    double least = INFINITY;
    for (std::uint32_t part = 1; part + 1 < 128; ++part) least = std::min(least, found.across(part));
    CHECK(std::abs(found.least().value - least) < 1e-12);
  }
}

TEST(learned_graphs_are_valid_and_explain_their_rows) {
  for (const std::uint32_t states : {2u, 3u, 10u}) {
    const tw::RowSet rows = Sample(7, 600, states, states).rows();
    tw::Cancel cancel;
    tw::CutsetOptions cutset;
    cutset.shrinkage = 3;
    tw::MarkovOptions markov;
    markov.partition.min_rows = 40;
    markov.feature_length = states == 2 ? 2 : 1;
    const tw::features::Arena graphs[] = {learn_cutset(rows, rows.weights(), cutset, 0, cancel),
                                          learn_cutset_bag(rows, cutset, 3, true, 1, cancel),
                                          learn_efficient_markov(rows, markov, cancel).graph};
    for (const auto& graph : graphs) {
      tw::features::validate(graph);
      const double mean = tw::mean_log_likelihood(graph, rows, cancel);
      CHECK(std::isfinite(mean));
      CHECK(mean > -7 * std::log(static_cast<double>(states)));
    }
  }
}
