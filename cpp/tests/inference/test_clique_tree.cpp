#include <cmath>
#include <stdexcept>
#include <vector>

#include "check.hpp"
#include "treewright/inference/clique_tree.hpp"
#include "treewright/inference/proportional_fitting.hpp"

namespace fo = treewright::forests;

namespace {

// a - b - c: cliques (a, b) and (b, c)
fo::CliqueTree chain_of_cliques() {
  return fo::CliqueTree({{2, 3, 2}, {{0, 1}, {1, 2}}, {fo::kRoot, 0}, {{0, 1}, {2, 1}, {1}}, {0, 1, 0}});
}

bool within(double a, double b, double tolerance = 1e-12) { return std::abs(a - b) <= tolerance; }

template <class F>
bool refuses(F&& f) {
  try {
    f();
  } catch (const std::invalid_argument&) {
    return true;
  }
  return false;
}

}  // namespace

TEST(marginals_are_those_of_the_full_product) {
  treewright::Cancel cancel;
  const fo::CliqueTree tree = chain_of_cliques();
  std::vector<double> logs(15), found(15), wanted(15, 0.0);
  for (std::size_t k = 0; k < 15; ++k) logs[k] = std::sin(static_cast<double>(7 * k + 1));
  double total = 0;
  for (std::size_t a = 0; a < 2; ++a)
    for (std::size_t b = 0; b < 3; ++b)
      for (std::size_t c = 0; c < 2; ++c) {
        const std::size_t ab = 3 * a + b, cb = 6 + 3 * c + b;
        const double p = std::exp(logs[ab] + logs[cb] + logs[12 + b]);
        total += p, wanted[ab] += p, wanted[cb] += p, wanted[12 + b] += p;
      }
  const double log_mass = tree.marginals(logs, found, cancel);
  CHECK(within(log_mass, std::log(total)));
  for (std::size_t k = 0; k < 15; ++k) CHECK(within(found[k], wanted[k] / total));
}

TEST(numbers_too_small_are_summed_as_logarithms) {
  treewright::Cancel cancel;
  const fo::CliqueTree tree({{2}, {{0}}, {fo::kRoot}, {{0}, {0}}, {0, 0}});
  std::vector<double> found(4);
  const double log_mass = tree.marginals(std::vector<double>{0, -800, -800, 0}, found, cancel);
  CHECK(within(log_mass, -800 + std::log(2.0), 1e-9));
  CHECK(within(found[0], 0.5) && within(found[1], 0.5));
}

TEST(a_chordal_fit_is_exact_after_one_sweep) {
  treewright::Cancel cancel;
  const fo::CliqueTree tree({{2, 2, 2}, {{0, 1}, {1, 2}}, {fo::kRoot, 0}, {{0, 1}, {1, 2}}, {0, 1}});
  const std::vector<double> targets{0.1, 0.2, 0.3, 0.4, 0.3, 0.1, 0.0, 0.6};
  std::vector<double> factors(8), logs(8), found(8);
  const fo::Fitted fitted = fo::fit_proportionally(tree, targets, 1e-12, 100, factors, cancel);
  CHECK(fitted.sweeps == 2);  // the second finds nothing to do
  CHECK(fitted.residual <= 1e-12);
  for (std::size_t k = 0; k < 8; ++k) logs[k] = std::log(factors[k]);
  tree.marginals(logs, found, cancel);
  for (std::size_t k = 0; k < 8; ++k) CHECK(within(found[k], targets[k]));
}

TEST(shapes_that_do_not_fit_are_refused) {
  CHECK(refuses([] { fo::CliqueTree({{2, 2}, {{0}, {1}}, {1, fo::kRoot}, {}, {}}); }));
  CHECK(refuses([] { fo::CliqueTree({{2, 2}, {{0}, {1}}, {fo::kRoot, fo::kRoot}, {{0, 1}}, {0}}); }));
  CHECK(refuses([] { fo::CliqueTree({{2}, {{0}}, {fo::kRoot}, {{0}}, {1}}); }));
  // parts that are interleaved
  CHECK(refuses([] { fo::CliqueTree({{2, 2, 2}, {{0}, {1}, {0, 2}}, {fo::kRoot, fo::kRoot, 0}, {}, {}}); }));
  treewright::Cancel cancel;
  std::vector<double> wrong(3);
  CHECK(refuses([&] { chain_of_cliques().marginals(wrong, wrong, cancel); }));
  CHECK(refuses([&] { fo::fit_proportionally(chain_of_cliques(), wrong, 0, 1, wrong, cancel); }));
}
