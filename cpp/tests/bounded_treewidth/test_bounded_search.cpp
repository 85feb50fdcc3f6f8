// The search under a width bound: what the state keeps is true after every change, whatever the change.
#include <random>

#include "check.hpp"
#include "treewright/bounded_treewidth/bounded_searches.hpp"
#include "treewright/graphs/elimination.hpp"

namespace tw = treewright;

namespace {

// Every parent adds its own gain, and each further parent costs more than the one before.
class Additive final : public tw::LocalScores {
 public:
  Additive(std::size_t n, unsigned seed) : n_(n), gains_(n * n, 0.0) {
    std::mt19937_64 rng(seed);
    for (double& gain : gains_) gain = static_cast<double>(rng() % 64) / 4;
  }

  std::size_t size() const override { return n_; }
  bool is_score_equivalent() const override { return false; }
  double resolution() const override { return 0.25; }
  double local(tw::Vertex child, tw::VertexSet parents, tw::Cancel&) override {
    double sum = -static_cast<double>(parents.size() * parents.size());
    for (const tw::Vertex p : parents) sum += gains_[p * n_ + child];
    return sum;
  }
  double additions(tw::Vertex child, tw::VertexSet parents, tw::VertexSet candidates, std::span<double> out,
                   tw::Cancel& cancel) override {
    std::vector<tw::Vertex> more(parents.begin(), parents.end());
    more.push_back(0);
    for (std::size_t i = 0; i < candidates.size(); ++i) {
      more.back() = candidates[i];
      out[i] = local(child, more, cancel);
    }
    return local(child, parents, cancel);
  }
  double deletions(tw::Vertex child, tw::VertexSet parents, std::span<double> out,
                   tw::Cancel& cancel) override {
    for (std::size_t i = 0; i < parents.size(); ++i) {
      std::vector<tw::Vertex> fewer(parents.begin(), parents.end());
      fewer.erase(fewer.begin() + static_cast<std::ptrdiff_t>(i));
      out[i] = local(child, fewer, cancel);
    }
    return local(child, parents, cancel);
  }
  std::vector<double> pair_gains(tw::Cancel&) override {
    std::vector<double> gains = gains_;
    for (std::size_t u = 0; u < n_; ++u)
      for (std::size_t v = 0; v < n_; ++v) gains[u * n_ + v] = u == v ? 0 : gains_[u * n_ + v] - 1;
    return gains;
  }

 private:
  std::size_t n_;
  std::vector<double> gains_;
};

tw::ArcRules open_rules(std::size_t n, std::size_t max_parents) {
  tw::ArcRules rules{tw::BitMatrix(n), tw::BitMatrix(n), max_parents};
  for (std::size_t u = 0; u < n; ++u)
    for (std::size_t v = 0; v < n; ++v)
      if (u != v) rules.allowed.set(u, v);
  return rules;
}

tw::Order rising(std::size_t n) {
  tw::Order order(n);
  for (std::size_t v = 0; v < n; ++v) order[v] = static_cast<tw::Vertex>(v);
  return order;
}

tw::BoundedSearch search_of(Additive& scores, std::size_t width, std::uint64_t seed, tw::Cancel& cancel) {
  const std::size_t n = scores.size();
  return {scores, open_rules(n, width), tw::DagBuilder(n), rising(n), {width, seed, 1.0, true}, cancel};
}

}  // namespace

TEST(changes_are_made_whole_or_not_at_all) {
  Additive scores(7, 1);
  tw::Cancel cancel;
  tw::FamilyColumns columns(scores, open_rules(7, 2), cancel);
  tw::BoundedState state(columns, tw::DagBuilder(7), rising(7), 2, cancel);
  state.check_always();
  std::mt19937_64 rng(3);
  std::size_t made = 0, refused = 0;
  for (int step = 0; step < 400; ++step) {
    const auto s = static_cast<tw::Vertex>(rng() % 7), t = static_cast<tw::Vertex>(rng() % 7);
    if (step % 9 == 0) state.remember();
    if (step % 9 == 8) state.roll_back(cancel);
    if (state.parents(t).size() == 2) state.shrink(t, {state.parents(t).front()}, cancel);
    if (!state.dag().can_add(s, t)) continue;
    tw::Order parents = state.parents(t);
    parents.insert(std::ranges::lower_bound(parents, s), s);
    const tw::BoundedSnapshot before = state.snapshot();
    if (state.change({{t, parents}}, cancel)) {
      ++made;
      CHECK(state.parents(t) == parents);
    } else {
      ++refused;
      CHECK(state.snapshot().parents == before.parents && state.order() == before.order);
    }
  }
  CHECK(made > 50 && refused > 0);
}

TEST(a_search_never_leaves_the_bound_and_never_loses) {
  tw::Cancel cancel;
  for (std::size_t width = 1; width <= 4; ++width) {
    Additive scores(10, static_cast<unsigned>(width));
    tw::BoundedSearch search = search_of(scores, width, 5, cancel);
    search.climb(true, false, cancel);
    double best = search.best_score();
    search.redraw(5, cancel);
    for (int round = 0; round < 5; ++round) {
      CHECK(search.kick(8, cancel) == 8);
      search.return_to_best(cancel);
      CHECK(search.state().total() >= best);
      best = search.state().total();
      const tw::BoundedState& state = search.state();
      CHECK(tw::eliminate(state.moral(), state.order()).width <= static_cast<std::int64_t>(width));
    }
  }
}

TEST(a_second_start_keeps_the_bound_and_is_left_where_it_loses) {
  tw::Cancel cancel;
  tw::DagBuilder wide(10);
  for (tw::Vertex v = 1; v < 10; ++v)
    for (tw::Vertex u = 0; u < v; ++u) wide.add(u, v);
  for (std::size_t width = 1; width <= 4; ++width) {
    Additive scores(10, static_cast<unsigned>(width));
    tw::BoundedSearch search = search_of(scores, width, 5, cancel);
    search.climb(true, false, cancel);
    for (const auto& arcs : {wide.arcs(), std::vector<tw::Arc>{}}) {
      const double before = search.best_score();
      const bool better = search.begin_again(arcs, 5, cancel);
      const tw::BoundedState& state = search.state();
      CHECK(better == (state.total() > before) && state.total() >= before);
      CHECK(tw::eliminate(state.moral(), state.order()).width <= static_cast<std::int64_t>(width));
    }
  }
}

TEST(few_guesses_refuse_more_and_keep_the_proof) {
  tw::Cancel cancel;
  std::uint64_t refused[2] = {0, 0}, tests[2] = {0, 0};
  for (const int few : {0, 1}) {
    Additive scores(24, 1);
    tw::FamilyColumns columns(scores, open_rules(24, 5), cancel);
    tw::BoundedState state(columns, tw::DagBuilder(24), rising(24), 5, cancel);
    state.check_always();
    state.let_guess(few ? 0 : tw::BoundedState::kAlways);
    std::mt19937_64 rng(7);
    for (int step = 0; step < 300; ++step) {
      const auto u = static_cast<tw::Vertex>(rng() % 24), v = static_cast<tw::Vertex>(rng() % 24);
      if (state.dag().can_add(u, v) && state.parents(v).size() < 3)
        state.change({{v, tw::with_parent(state.parents(v), u)}}, cancel);
    }
    refused[few] = state.n_refused(), tests[few] = state.n_tests();
  }
  CHECK(refused[1] > 0 && tests[1] < tests[0]);
}

TEST(one_seed_leads_one_way) {
  tw::Cancel cancel;
  std::vector<tw::Arc> found[3];
  for (int run = 0; run < 3; ++run) {
    Additive scores(9, 2);
    tw::BoundedSearch search = search_of(scores, 3, 11, cancel);
    search.climb(true, false, cancel);
    if (run < 2) {
      search.kick(30, cancel);
    } else {
      for (int i = 0; i < 30; ++i) search.kick(1, cancel);
    }
    found[run] = search.state().dag().arcs();
  }
  CHECK(found[0] == found[1] && found[0] == found[2]);
}

TEST(rounds_that_brought_something_are_kept_and_all_are_told) {
  tw::Cancel cancel;
  Additive scores(10, 8), others(10, 8);
  tw::BoundedSearches searches(scores, open_rules(10, 2), tw::DagBuilder(10), {}, {2, 4, 1.0, true}, cancel);
  std::vector<tw::BoundedNews> heard;
  searches.listen([&](const tw::BoundedNews& news) { heard.push_back(news); });
  searches.climb(false, false, cancel);
  CHECK(searches.rounds().size() == 1 && searches.rounds()[0].added == searches.best().state().dag().arcs());
  searches.reoptimise(cancel);
  searches.settle(cancel);
  searches.spread({&others}, {9}, cancel);
  searches.kick(40, cancel);
  CHECK(searches.size() == 2 && heard.back().kicks == 80);
  CHECK(heard.size() >= searches.rounds().size());
  double score = 0;
  for (const tw::BoundedRound& round : searches.rounds()) {
    CHECK(round.score > score && round.width <= 2);
    score = round.score;
  }
  CHECK(score == searches.best().state().total());
  const tw::BoundedProof proof = searches.prove(cancel);
  CHECK(proof.cliques.size() == proof.joints.size() + 1);  // one tree
  CHECK(tw::canonical_arcs(searches.best().state().dag()).size() == searches.best().state().dag().n_arcs());
}

TEST(a_deadline_that_has_passed_leaves_everything_as_it_is) {
  tw::Cancel cancel;
  Additive scores(6, 4);
  tw::BoundedSearch search = search_of(scores, 2, 1, cancel);
  search.set_deadline(std::chrono::steady_clock::now());
  search.climb(true, false, cancel);
  CHECK(search.kick(5, cancel) == 0 && !search.redraw(5, cancel));
  CHECK(search.state().dag().n_arcs() == 0);
}

TEST(annealing_is_never_worse_and_its_network_is_narrow) {
  tw::Cancel cancel;
  for (unsigned seed = 0; seed < 12; ++seed) {
    const std::size_t n = 5 + seed % 5, width = 2 + seed % 2;
    Additive scores(n, seed);
    tw::BoundedSearch search = search_of(scores, width, seed, cancel);
    search.climb(true, false, cancel);
    tw::FamilyColumns columns(scores, open_rules(n, width), cancel);
    tw::BoundedState state(columns, tw::DagBuilder(n), rising(n), width, cancel);
    state.check_always();
    tw::CoverAnneal anneal(columns, width, seed, cancel);
    const tw::BitMatrix cover = tw::complete_cover(search.state(), columns);
    CHECK(tw::edges_of(cover).size() / 2 == width * n - width * (width + 1) / 2);
    anneal.plant(cover, cancel);
    for (int round = 0; round < 4; ++round) {
      const double before = anneal.total();
      const tw::BitMatrix graph = anneal.tree().graph();
      const bool accepted = anneal.anneal_part(cancel);
      CHECK(accepted ? anneal.total() >= before : anneal.total() == before && anneal.tree().graph() == graph);
      state.adopt(anneal.network(cancel), cancel);  // checks everything
      CHECK(state.total() == anneal.total());
    }
  }
}

TEST(rules_leave_annealing_out) {
  tw::Cancel cancel;
  Additive scores(9, 6);
  tw::ArcRules rules = open_rules(9, 2);
  rules.allowed.reset(3, 4);
  rules.required.set(1, 2);
  tw::DagBuilder start(9);
  start.add(1, 2);
  tw::BoundedSearch search(scores, rules, start, rising(9), {2, 3, 1.0, true}, cancel);
  CHECK(search.kick(60, cancel) == 60);
  CHECK(search.state().dag().has_arc(1, 2) && !search.state().dag().has_arc(3, 4));
}
