#include <cmath>
#include <random>

#include "check.hpp"
#include "treewright/inference/expected_tables.hpp"
#include "treewright/parallel/threads.hpp"

namespace tw = treewright;

namespace {

using Scopes = std::vector<std::vector<tw::forests::Var>>;

/// A chain of six variables of three states, and rows of which a third of the cells is missing.
struct Chain {
  Chain() : codes(n), gaps(n) {
    std::mt19937 random(11);
    for (std::uint32_t v = 0; v < n; ++v) {
      for (std::size_t i = 0; i < n_rows; ++i) {
        codes[v].push_back(static_cast<std::uint8_t>(random() % 3));
        gaps[v].push_back(random() % 3 == 0);
      }
      scopes.push_back(v ? std::vector<tw::forests::Var>{v - 1, v} : std::vector<tw::forests::Var>{v});
      for (std::size_t k = 0; k < (v ? 3u : 1u); ++k) {
        double row[3], sum = 0;
        for (double& p : row) sum += p = 1.0 + static_cast<double>(random() % 8);
        for (const double p : row) tables.push_back(p / sum);
      }
    }
    rows.n_rows = n_rows;
    for (std::size_t v = 0; v < n; ++v) {
      rows.columns.push_back({codes[v].data(), 1});
      rows.missing.push_back(gaps[v].data());
    }
  }

  double probability(const std::vector<std::uint32_t>& states) const {
    double out = tables[states[0]];
    for (std::size_t v = 1; v < n; ++v) out *= tables[3 + 9 * (v - 1) + 3 * states[v - 1] + states[v]];
    return out;
  }

  /// By going through all states of all rows.
  std::vector<double> plain_counts(const std::vector<tw::forests::Var>& scope) const {
    std::size_t cells = 1;
    for (std::size_t k = 0; k < scope.size(); ++k) cells *= 3;
    std::vector<double> out(cells);
    for (std::size_t i = 0; i < n_rows; ++i) {
      std::vector<double> share(cells);
      double mass = 0;
      for (std::size_t code = 0; code < 729; ++code) {
        std::vector<std::uint32_t> states;
        for (std::size_t v = 0, rest = code; v < n; ++v, rest /= 3)
          states.push_back(static_cast<std::uint32_t>(rest % 3));
        bool fits = true;
        for (std::size_t v = 0; v < n; ++v) fits = fits && (gaps[v][i] || states[v] == codes[v][i]);
        if (!fits) continue;
        std::size_t cell = 0;
        for (const auto v : scope) cell = 3 * cell + states[v];
        const double p = probability(states);
        share[cell] += p, mass += p;
      }
      for (std::size_t c = 0; c < cells; ++c) out[c] += share[c] / mass;
    }
    return out;
  }

  static constexpr std::size_t n = 6, n_rows = 150;
  std::vector<std::vector<std::uint8_t>> codes, gaps;
  Scopes scopes;
  std::vector<double> tables;
  tw::forests::EvidenceRows rows;
};

std::vector<std::vector<double>> counted(const Chain& chain, const Scopes& asked, std::size_t threads) {
  tw::set_threads(threads);
  tw::Cancel cancel;
  tw::forests::ExpectedTables tables(std::vector<std::uint32_t>(Chain::n, 3), chain.scopes, chain.tables,
                                     chain.rows, {}, 1e9, cancel);
  auto out = tables.counts_many(asked, cancel);
  tw::set_threads(0);
  return out;
}

const Scopes kAsked{{0}, {5}, {0, 1}, {1, 4}, {0, 2, 5}, {2, 3, 4}, {3, 5}, {0, 1, 2, 3}};

}  // namespace

TEST(expected_counts_are_those_of_enumeration_for_any_threads) {
  const Chain chain;
  const auto alone = counted(chain, kAsked, 1);
  CHECK(alone == counted(chain, kAsked, 4));
  for (std::size_t k = 0; k < kAsked.size(); ++k) {
    const auto expected = chain.plain_counts(kAsked[k]);
    for (std::size_t c = 0; c < expected.size(); ++c) CHECK(std::abs(alone[k][c] - expected[c]) < 1e-6);
  }
}

TEST(several_threads_ask_at_once) {
  const Chain chain;
  const auto alone = counted(chain, kAsked, 1);
  tw::set_threads(4);
  tw::Cancel cancel;
  tw::forests::ExpectedTables tables(std::vector<std::uint32_t>(Chain::n, 3), chain.scopes, chain.tables,
                                     chain.rows, {}, 1e9, cancel);
  std::vector<int> same(4);
  check::side_by_side(4, [&](std::size_t t) { same[t] = tables.counts_many(kAsked, cancel) == alone; });
  for (const int one : same) CHECK(one);
  tw::set_threads(0);
}
