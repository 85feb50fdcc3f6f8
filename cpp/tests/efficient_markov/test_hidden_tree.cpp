#include <cmath>

#include "check.hpp"
#include "drawn_rows.hpp"
#include "treewright/efficient_markov/hidden_tree.hpp"
#include "treewright/efficient_markov/mixture.hpp"
#include "treewright/parallel/threads.hpp"

namespace {

struct LearnedTree {
  std::vector<float> values;
  std::vector<double> likelihoods;
  double work = 0;
  bool operator==(const LearnedTree&) const = default;
};

LearnedTree learned(std::size_t threads, const std::shared_ptr<const tw::RowSet>& rows, std::size_t batch,
                    bool autoregressive) {
  tw::set_threads(threads);
  tw::Cancel cancel;
  const auto clusters = tw::find_clusters(*rows, {.clusters = 4, .steps = 4, .seed = 3}, cancel);
  const auto edges = tw::learn_edges(*rows, &clusters, cancel);
  auto shape = tw::hidden_shape(8, edges, 4, autoregressive);
  tw::HiddenLearner learner(rows, std::move(shape), clusters, {.batch = batch, .seed = 5});
  for (const double eta : {1.0, 0.5}) learner.epoch(batch ? eta : 1, batch ? eta / 2 : 1, cancel);
  const auto& values = learner.tree().values;
  LearnedTree out{
      {values.begin(), values.end()}, tw::log_likelihoods(learner.tree(), *rows, cancel), learner.work()};
  CHECK(learner.is_finite());
  learner.keep();
  learner.go_back();
  tw::set_threads(0);
  return out;
}

double mean(const tw::RowSet& rows, const std::vector<double>& logs) {
  double sum = 0;
  for (std::size_t i = 0; i < logs.size(); ++i) sum += rows.weights()[i] * logs[i];
  return sum / rows.total();
}

}  // namespace

TEST(a_hidden_tree_is_the_same_for_any_threads) {
  const auto rows = drawn_rows(8, 900, 3, 1);
  for (const std::size_t batch : {std::size_t{0}, std::size_t{200}})
    for (const bool autoregressive : {false, true}) {
      const LearnedTree alone = learned(1, rows, batch, autoregressive);
      CHECK(alone == learned(4, rows, batch, autoregressive));
      double mass = 0;  // rows are distinct, so that their probabilities sum to no more than one
      for (const double log : alone.likelihoods) mass += std::exp(log);
      CHECK(mass > 0.1 && mass < 1 + 1e-6);
    }
}

TEST(plain_em_gains) {
  const auto rows = drawn_rows(8, 900, 3, 2);
  tw::set_threads(4);
  tw::Cancel cancel;
  const auto clusters = tw::find_clusters(*rows, {.clusters = 4, .steps = 4, .seed = 3}, cancel);
  const auto edges = tw::learn_edges(*rows, nullptr, cancel);
  tw::HiddenOptions options{.transitions = 0, .emissions = 0, .batch = 0};
  tw::HiddenLearner learner(rows, tw::hidden_shape(8, edges, 4, false), clusters, options);
  double before = mean(*rows, tw::log_likelihoods(learner.tree(), *rows, cancel));
  for (int k = 0; k < 5; ++k) {
    learner.epoch(1, 1, cancel);
    const double now = mean(*rows, tw::log_likelihoods(learner.tree(), *rows, cancel));
    CHECK(now > before - 1e-5);
    before = now;
  }
  tw::set_threads(0);
}
