// Branches of scores, of gains and of a search: they answer like their trunk, which learns what they learned.
#include <algorithm>
#include <atomic>
#include <optional>
#include <random>
#include <stdexcept>

#include "check.hpp"
#include "treewright/parallel/threads.hpp"
#include "treewright/searches/class_search.hpp"

namespace tw = treewright;

namespace {

// Columns that follow one or two earlier ones.
class BinaryRows {
 public:
  BinaryRows(std::size_t n, std::size_t n_rows, unsigned seed) : columns_(n), cardinalities_(n, 2) {
    std::mt19937_64 rng(seed);
    for (std::size_t v = 0; v < n; ++v) {
      const std::size_t a = v ? rng() % v : 0, b = v ? rng() % v : 0;
      columns_[v].resize(n_rows);
      for (std::size_t i = 0; i < n_rows; ++i)
        columns_[v][i] =
            v == 0 || rng() % 4 == 0 ? rng() % 2 : columns_[a][i] ^ (columns_[b][i] & (rng() % 8 != 0));
    }
    std::vector<tw::CodeColumn> codes;
    for (const auto& column : columns_) codes.push_back({column.data(), 1});
    table_ = std::make_shared<tw::PackedTable>(codes, cardinalities_, n_rows, tw::RowWeights{});
  }

  std::shared_ptr<tw::PackedScores> scores() const {
    std::vector<std::uint32_t> order(columns_.size());
    for (std::uint32_t v = 0; v < order.size(); ++v) order[v] = v;
    return std::make_shared<tw::PackedScores>(table_, tw::ScoreSettings{}, 0.0, order);
  }

 private:
  std::vector<std::vector<std::uint8_t>> columns_;
  std::vector<std::uint32_t> cardinalities_;
  std::shared_ptr<const tw::PackedTable> table_;
};

struct Broken : std::runtime_error {
  Broken() : std::runtime_error("broken") {}
};

// Scores that break at some question, whichever branch asks it.
class Fragile final : public tw::LocalScores {
 public:
  using Left = std::shared_ptr<std::atomic<std::int64_t>>;
  Fragile(std::shared_ptr<tw::LocalScores> inner, Left left)
      : inner_(std::move(inner)), left_(std::move(left)) {}

  std::size_t size() const override { return inner_->size(); }
  bool is_score_equivalent() const override { return true; }
  double resolution() const override { return inner_->resolution(); }
  double local(tw::Vertex child, tw::VertexSet parents, tw::Cancel& cancel) override {
    return asked().local(child, parents, cancel);
  }
  double additions(tw::Vertex child, tw::VertexSet parents, tw::VertexSet candidates, std::span<double> out,
                   tw::Cancel& cancel) override {
    return asked().additions(child, parents, candidates, out, cancel);
  }
  double deletions(tw::Vertex child, tw::VertexSet parents, std::span<double> out,
                   tw::Cancel& cancel) override {
    return asked().deletions(child, parents, out, cancel);
  }
  std::vector<double> pair_gains(tw::Cancel& cancel) override { return asked().pair_gains(cancel); }
  std::unique_ptr<tw::LocalScores> branch() const override {
    return std::make_unique<Fragile>(inner_->branch(), left_);
  }

 private:
  LocalScores& asked() {
    if (left_->fetch_sub(1) == 0) throw Broken();
    return *inner_;
  }
  void take_over(LocalScores& branch) override { inner_->join(*static_cast<Fragile&>(branch).inner_); }
  void forget_answers() override { inner_->forget(); }

  std::shared_ptr<tw::LocalScores> inner_;
  Left left_;
};

}  // namespace

TEST(a_branch_of_scores_answers_like_its_trunk) {
  tw::Cancel cancel;
  const BinaryRows rows(12, 300, 1);
  const auto alone = rows.scores(), trunk = rows.scores();
  const std::vector<tw::Vertex> parents{3, 7}, few{0, 1, 2, 4, 5};
  std::vector<tw::Vertex> others;
  for (tw::Vertex v = 0; v < 12; ++v)
    if (v != 9 && v != 3 && v != 7) others.push_back(v);
  trunk->local(6, few, cancel);
  const auto branch = trunk->branch();
  for (const std::vector<tw::Vertex>& candidates : {few, others}) {
    std::vector<double> expected(candidates.size()), found(candidates.size());
    const double own = alone->additions(9, parents, candidates, expected, cancel);
    CHECK(branch->additions(9, parents, candidates, found, cancel) == own);
    CHECK(found == expected);
  }
  CHECK(branch->tally().tables > 0);
  const auto counted = trunk->tally().tables + branch->tally().tables;
  trunk->join(*branch);
  CHECK(trunk->tally().tables == counted);
  CHECK(branch->tally().tables == 0);
  for (const auto& scores :
       {std::shared_ptr<tw::LocalScores>(trunk), std::shared_ptr<tw::LocalScores>(trunk->branch())}) {
    std::vector<double> expected(others.size()), found(others.size());
    alone->additions(9, parents, others, expected, cancel);
    scores->additions(9, parents, others, found, cancel);
    CHECK(found == expected);
  }
  CHECK(trunk->tally().tables == counted);  // known by now
  CHECK(trunk->branch()->branch() == nullptr);
}

TEST(rows_of_gains_are_joined) {
  tw::Cancel cancel;
  const BinaryRows rows(70, 200, 2);
  const auto scores = rows.scores(), other = rows.scores();
  tw::GainRows trunk(*scores, 100), alone(*other, 100);
  trunk.count_pairs(cancel);
  const auto left_scores = scores->branch(), right_scores = scores->branch();
  tw::GainRows left(*left_scores, trunk), right(*right_scores, trunk);
  const std::vector<tw::Vertex> base{4, 9};
  for (tw::Vertex x = 10; x < 20; ++x) CHECK(left.gain(x, 1, base, cancel) == alone.gain(x, 1, base, cancel));
  for (tw::Vertex x = 15; x < 30; ++x)
    CHECK(right.gain(x, 1, base, cancel) == alone.gain(x, 1, base, cancel));
  trunk.join(left), scores->join(*left_scores);
  trunk.join(right), scores->join(*right_scores);
  const auto before = scores->tally().families;
  for (tw::Vertex x = 10; x < 30; ++x)
    CHECK(trunk.gain(x, 1, base, cancel) == alone.gain(x, 1, base, cancel));
  CHECK(scores->tally().families == before);
  std::vector<tw::Word> asked(tw::words_for(70), 0);
  for (tw::Vertex x = 10; x < 70; ++x) asked[x / 64] |= tw::Word{1} << (x % 64);
  const auto found = right.useful(1, base, asked.data(), cancel);  // the trunk's part, and what is missing
  std::vector<tw::GainRows::Useful> kept(found.begin(), found.end());
  const auto expected = alone.useful(1, base, asked.data(), cancel);
  CHECK(std::ranges::equal(kept, expected,
                           [](const auto& a, const auto& b) { return a.x == b.x && a.gain == b.gain; }));
  CHECK(!kept.empty());
}

TEST(thin_rows_answer_like_whole_ones) {
  tw::Cancel cancel;
  const BinaryRows rows(30, 200, 5);
  const auto scores = rows.scores(), other = rows.scores();
  tw::GainRows thin(*scores, 29), whole(*other, 30);
  std::vector<tw::Word> asked(1);
  const auto same = [](const auto& a, const auto& b) { return a.x == b.x && a.gain == b.gain; };
  for (const double discount : {0.0, 0.75, 0.0}) {
    thin.set_discount(discount), whole.set_discount(discount);
    for (const std::vector<tw::Vertex>& base : {std::vector<tw::Vertex>{}, {4}, {4, 9}, {17, 20, 21}})
      for (tw::Vertex y = 0; y < 4; ++y) {
        asked[0] = (tw::Word{1} << 30) - 1;
        asked[0] &= ~(tw::Word{1} << y);
        for (const tw::Vertex b : base) asked[0] &= ~(tw::Word{1} << b);
        for (tw::Vertex x = 22; x < 30; ++x) {  // before all of them are asked for, and after
          CHECK(thin.gain(x, y, base, cancel) == whole.gain(x, y, base, cancel));
          if (x != 25) continue;
          const auto found = thin.useful(y, base, asked.data(), cancel);
          const std::vector<tw::GainRows::Useful> kept(found.begin(), found.end());
          CHECK(std::ranges::equal(kept, whole.useful(y, base, asked.data(), cancel), same));
        }
      }
  }
  tw::ClassSearch few(scores, {.whole_rows = 29}), all(other, {});
  for (tw::ClassSearch* search : {&few, &all}) {
    search->run(cancel);
    search->reopen_nodes(tw::Return::step_by_step, cancel);
    search->loosen(1.5, cancel);
    search->start_again(cancel);
  }
  CHECK(few.graph().marks == all.graph().marks && few.gained() == all.gained());
}

TEST(threads_change_nothing_but_the_time) {
  tw::Cancel cancel;
  const BinaryRows rows(32, 300, 3);
  std::vector<std::uint32_t> clusters(32);
  for (std::uint32_t v = 0; v < 32; ++v) clusters[v] = v % 11;
  std::optional<tw::SharedPdag> marks;
  double gained = 0;
  tw::ClassSearchTally tally;
  std::uint64_t tables = 0;
  for (const std::size_t threads : {1, 4, 3}) {
    tw::set_threads(threads);
    tw::ClassSearch search(rows.scores(), {});
    search.set_clusters(clusters);
    search.run(cancel);
    for (const auto how : {tw::Return::step_by_step, tw::Return::as_source, tw::Return::as_sink})
      search.reopen_nodes(how, cancel);
    search.reopen_edges(cancel);
    if (!marks) {
      marks = search.graph().marks, gained = search.gained(), tally = search.tally();
      tables = search.scores().tally().tables;
      CHECK(tally.improved > 0);
    }
    CHECK(search.graph().marks == *marks);
    CHECK(search.gained() == gained);
    CHECK(search.tally().steps == tally.steps && search.tally().reopened == tally.reopened);
    CHECK(search.tally().checks == tally.checks && search.tally().lists == tally.lists);
    CHECK(search.scores().tally().tables == tables);
  }
  tw::set_threads(0);
}

TEST(a_search_that_is_stopped_can_go_on) {
  const BinaryRows rows(32, 300, 4);
  tw::Cancel cancel, stopped;
  stopped.request();
  std::vector<std::uint32_t> clusters(32);
  for (std::uint32_t v = 0; v < 32; ++v) clusters[v] = v / 6;
  tw::ClassSearch expected(rows.scores(), {}), search(rows.scores(), {});
  for (tw::ClassSearch* one : {&expected, &search}) one->set_clusters(clusters);
  CHECK(check::throws<tw::Cancelled>([&] { search.run(stopped); }));
  for (tw::ClassSearch* one : {&expected, &search}) one->run(cancel);
  CHECK(check::throws<tw::Cancelled>([&] { search.reopen_nodes(tw::Return::step_by_step, stopped); }));
  for (tw::ClassSearch* one : {&expected, &search}) one->reopen_nodes(tw::Return::step_by_step, cancel);
  CHECK(search.graph().marks == expected.graph().marks);
  CHECK(check::throws<std::invalid_argument>([&] { search.set_clusters({0, 1}); }));
}

// Wherever a score breaks, with clusters and without: the class is no worse, what it gained is what it says,
// and the search goes on from there as any other would.
TEST(a_search_whose_score_breaks_can_go_on) {
  tw::Cancel cancel;
  const BinaryRows rows(32, 300, 3);
  std::vector<std::uint32_t> clusters(32);
  for (std::uint32_t v = 0; v < 32; ++v) clusters[v] = v;  // more pieces of work than begin at once
  const tw::BitMatrix nothing(32);
  std::size_t n_broken = 0;
  for (const bool side_by_side : {true, false})
    for (const std::int64_t at : {1, 20, 60, 90, 200, 450, 1000, 2500}) {
      const auto left = std::make_shared<std::atomic<std::int64_t>>(at);
      tw::ClassSearch search(std::make_shared<Fragile>(rows.scores(), left), {});
      tw::ClassSearch fresh(rows.scores(), {});
      if (side_by_side) search.set_clusters(clusters);
      const auto attempt = [&](auto&& work) {
        const double before = search.gained();
        if (check::throws<Broken>(work)) {
          ++n_broken;
          CHECK(search.gained() >= before);
          left->store(at);
          check::throws<Broken>(work);
          left->store(-1);
          work();
        }
        left->store(at);
      };
      attempt([&] { search.run(cancel); });
      attempt([&] { search.reopen_nodes(tw::Return::step_by_step, cancel); });
      attempt([&] { search.reopen_edges(cancel); });
      attempt([&] { search.loosen(4.0, cancel); });
      attempt([&] { search.start_again(cancel); });
      left->store(-1);
      const double own = fresh.score(tw::canonical_member(search.graph()), cancel);
      CHECK(own - fresh.score(nothing, cancel) == search.gained());
      fresh.start_from(tw::Pdag(search.graph().marks));
      CHECK(!fresh.run(cancel));
    }
  CHECK(n_broken > 30);
}
