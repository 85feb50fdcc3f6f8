#include <cmath>

#include "check.hpp"
#include "drawn_rows.hpp"
#include "treewright/efficient_markov/mixture.hpp"
#include "treewright/parallel/threads.hpp"

namespace {

struct LearnedMixture {
  std::vector<double> means, likelihoods;
  double work = 0;
  bool operator==(const LearnedMixture&) const = default;
};

template <class Family>
LearnedMixture learned(std::size_t threads, const std::shared_ptr<const tw::RowSet>& rows, Family&& family) {
  tw::set_threads(threads);
  tw::Cancel cancel;
  const auto clusters = tw::find_clusters(*rows, {.clusters = 3, .steps = 4, .seed = 3}, cancel);
  tw::Mixture mixture(family(cancel), clusters, 7, cancel);
  LearnedMixture out;
  for (int k = 0; k < 3; ++k) {
    mixture.maximise(cancel);
    out.means.push_back(mixture.expect(cancel));
  }
  out.likelihoods = mixture.log_likelihoods(*rows, cancel);
  out.work = mixture.work();
  CHECK(mixture.size() == 3);
  tw::set_threads(0);
  return out;
}

void check_probabilities(const LearnedMixture& found) {
  double mass = 0;  // rows are distinct
  for (const double log : found.likelihoods) mass += std::exp(log);
  CHECK(mass > 0.1 && mass < 1 + 1e-9);
}

}  // namespace

TEST(a_mixture_of_trees_is_the_same_for_any_threads) {
  const auto rows = drawn_rows(8, 900, 3, 1);
  const auto family = [&](tw::Cancel& cancel) { return tw::tree_family(rows, {}, cancel); };
  const LearnedMixture alone = learned(1, rows, family);
  CHECK(alone == learned(4, rows, family));
  check_probabilities(alone);
}

TEST(a_mixture_of_cutset_networks_is_the_same_for_any_threads) {
  const auto rows = drawn_rows(8, 600, 2, 2);
  const auto family = [&](tw::Cancel&) { return tw::cutset_family(rows, {}); };
  const LearnedMixture alone = learned(1, rows, family);
  CHECK(alone == learned(4, rows, family));
  check_probabilities(alone);
}

TEST(edges_within_clusters_are_the_same_for_any_threads) {
  const auto rows = drawn_rows(12, 900, 3, 4);
  tw::Cancel cancel;
  const auto clusters = tw::find_clusters(*rows, {.clusters = 3, .steps = 4, .seed = 3}, cancel);
  tw::set_threads(1);
  const auto alone = tw::learn_edges(*rows, &clusters, cancel);
  tw::set_threads(4);
  CHECK(alone == tw::learn_edges(*rows, &clusters, cancel));
  CHECK(alone.size() == 11);
  tw::set_threads(0);
}
