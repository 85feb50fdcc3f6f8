// Python face of treewright/{blanket_tests,graph_scores,graph_search}.hpp: shapes, ownership, the GIL, and
// tests that come from Python.
//
// Graphs come as rows of bits in the order of the columns; inside, vertices are numbered by the rank of their
// names, so that names break ties.
#include "treewright/blanket_scores/graph_search.hpp"

#include <nanobind/stl/optional.h>
#include <nanobind/stl/shared_ptr.h>

#include "local_scores.hpp"
#include "packed.hpp"
#include "rows.hpp"

namespace {

using TestsPointer = std::shared_ptr<tw::RememberedTests>;
using QueryTuple = std::tuple<std::uint32_t, std::uint32_t, Indices>;

/// Tests by a Python callable: a list of (owner, partner, given), columns, to two arrays of logarithms.
class CalledBlanketTests final : public tw::BlanketTests {
 public:
  CalledBlanketTests(nb::callable test, Indices cardinalities, double n_rows, bool symmetric, Indices order)
      : test_(std::move(test)),
        cardinalities_(std::move(cardinalities)),
        n_rows_(n_rows),
        symmetric_(symmetric),
        order_(std::move(order)) {}

  std::size_t size() const override { return order_.size(); }
  std::uint32_t cardinality(tw::Vertex v) const override { return cardinalities_[order_[v]]; }
  double n_rows() const override { return n_rows_; }
  bool is_symmetric() const override { return symmetric_; }

  void answer(std::span<tw::OwnerQuestions> asked, tw::Cancel& cancel) override {
    cancel.check();
    const nb::gil_scoped_acquire locked;
    std::vector<QueryTuple> queries;
    for (const tw::OwnerQuestions& one : asked) {
      for (const tw::Vertex y : one.outsiders) queries.push_back(query(one, y));
      for (const tw::Vertex y : one.members) queries.push_back(query(one, y));
    }
    const auto found = nb::cast<std::pair<Array<double>, Array<double>>>(test_(queries));
    if (found.first.size() != queries.size() || found.second.size() != queries.size())
      throw std::invalid_argument("a test must answer every question");
    std::size_t next = 0;
    const auto take = [&](std::vector<tw::Posterior>& out, std::size_t n) {
      out.clear();
      for (std::size_t i = 0; i < n; ++i, ++next)
        out.push_back({found.first.data()[next], found.second.data()[next]});
    };
    for (tw::OwnerQuestions& one : asked) {
      take(one.outside, one.outsiders.size());
      take(one.inside, one.members.size());
    }
  }

 private:
  QueryTuple query(const tw::OwnerQuestions& one, tw::Vertex y) const {
    Indices given;
    for (const tw::Vertex v : one.blanket)
      if (v != y) given.push_back(order_[v]);
    return {order_[one.owner], order_[y], given};
  }

  nb::callable test_;
  Indices cardinalities_;
  double n_rows_;
  bool symmetric_;
  Indices order_;
};

/// A score with the numbers that its caller gives to variables.
struct Judge {
  std::shared_ptr<tw::GraphScore> score;
  TestsPointer tests;  // none for sums of local scores
  tw::Order order;

  tw::BitMatrix ranked(const Rows& rows) const {
    if (rows.shape(0) != order.size()) throw std::invalid_argument("one row for each variable");
    return tw::relabelled(graph_of(rows), order);
  }
  OutRows back(const tw::BitMatrix& graph) const {
    return rows_of(tw::relabelled(graph, tw::inverse(order)));
  }
  /// Whoever shares the memory of the tests waits.
  template <class Work>
  auto run(Work&& work) const {
    return interruptible([&](tw::Cancel& cancel) {
      if (!tests) return work(cancel);
      const tw::ForkLock lock = tests->locked();
      return work(cancel);
    });
  }
};

tw::FlipRules rules_of(const Judge& judge, const Rows& movable, std::optional<std::size_t> max_blanket,
                       std::optional<std::int64_t> max_width) {
  return {judge.ranked(movable), max_blanket.value_or(tw::kNone), max_width};
}

using FoundTuple = std::tuple<OutRows, double, OutMatrix<std::uint32_t>, OutArray<double>, std::uint64_t,
                              OutArray<std::uint32_t>>;

FoundTuple to_python(const Judge& judge, tw::FoundGraph&& found) {
  std::vector<std::uint32_t> ends;
  std::vector<double> totals;
  for (const tw::Flip& flip : found.flips) {
    ends.push_back(judge.order[flip.x]);
    ends.push_back(judge.order[flip.y]);
    totals.push_back(flip.total);
  }
  for (tw::Vertex& v : found.order) v = judge.order[v];
  const std::size_t n = totals.size();
  return {judge.back(found.graph),     found.total,     to_numpy(std::move(ends), n, 2),
          to_numpy(std::move(totals)), found.proposals, to_numpy(std::move(found.order))};
}

/// An elimination order by column numbers, as ranks.
tw::Order ranks_of(const Judge& judge, const Indices& columns) {
  if (columns.empty()) return {};
  tw::check_permutation(columns, judge.order.size());
  const tw::Order rank = tw::inverse(judge.order);
  tw::Order out;
  for (const std::uint32_t v : columns) out.push_back(rank[v]);
  return out;
}

/// What interrupts the search carries the best graph so far, as its attribute `found`.
template <class Search>
FoundTuple search_with(const Judge& judge, const Rows& start, const Rows& movable,
                       std::optional<std::size_t> max_blanket, std::optional<std::int64_t> max_width,
                       const Indices& proof, const nb::object& listener, Search&& search) {
  const tw::FlipRules rules = rules_of(judge, movable, max_blanket, max_width);
  const tw::BitMatrix from = judge.ranked(start);
  const tw::Order order = ranks_of(judge, proof);
  std::optional<tw::FoundGraph> best;
  try {
    return to_python(judge, judge.run([&](tw::Cancel& cancel) {
      tw::FlipSearch running(*judge.score, rules, from, cancel, order);
      if (!listener.is_none())
        running.listen([&](std::size_t flips, double total) {
          const nb::gil_scoped_acquire locked;
          listener(flips, total);
        });
      try {
        return search(running);
      } catch (...) {
        best = running.best();
        throw;
      }
    }));
  } catch (nb::python_error& stop) {
    if (best) stop.value().attr("found") = nb::cast(to_python(judge, std::move(*best)));
    throw;
  }
}

std::shared_ptr<tw::GraphScore> made(TestsPointer tests, const std::string& kind, const std::string& tie,
                                     const std::string& owner, double edge_price) {
  if ((kind != "joint" && kind != "independent") || (tie != "index" && tie != "mean") ||
      (owner != "degree" && owner != "cells"))
    throw std::invalid_argument("no such blanket score");
  return std::make_shared<tw::BlanketScore>(
      std::move(tests),
      tw::BlanketScoreSettings{kind == "joint" ? tw::BlanketKind::joint : tw::BlanketKind::independent,
                               tie == "index" ? tw::OwnerTie::index : tw::OwnerTie::mean,
                               owner == "degree" ? tw::OwnerRule::degree : tw::OwnerRule::cells, edge_price});
}

void bind_tests(nb::module_& m) {
  nb::class_<tw::RememberedTests>(m, "BlanketTests", "Tests of blankets, remembered.")
      .def_prop_ro("asked", &tw::RememberedTests::asked)
      .def_prop_ro("fresh", &tw::RememberedTests::fresh);
  m.def(
      "packed_blanket_tests",
      [](const TablePointer& table, double prior, double alpha, double beta, double gamma, bool matched,
         bool all_slices, const Indices& order) -> TestsPointer {
        checked(table);
        const tw::BlanketTestSettings settings{{prior, alpha, beta, gamma, all_slices}, matched};
        return std::make_shared<tw::RememberedTests>(
            std::make_shared<tw::PackedBlanketTests>(table, settings, order));
      },
      "table"_a, "prior"_a, "alpha"_a, "beta"_a, "gamma"_a, "matched"_a, "all_slices"_a, "order"_a,
      "Tests of packed rows; `order` lists the columns by name.");
  m.def(
      "called_blanket_tests",
      [](nb::callable test, const Indices& cardinalities, double n_rows, bool symmetric,
         const Indices& order) -> TestsPointer {
        return std::make_shared<tw::RememberedTests>(
            std::make_shared<CalledBlanketTests>(std::move(test), cardinalities, n_rows, symmetric, order));
      },
      "test"_a, "cardinalities"_a, "n_rows"_a, "symmetric"_a, "order"_a, "Tests by a Python callable.");
}

}  // namespace

void bind_graph_search(nb::module_& m) {
  bind_tests(m);
  using Size = std::optional<std::size_t>;
  using Width = std::optional<std::int64_t>;
  nb::class_<Judge>(m, "GraphScore", "A score of undirected graphs that follows flips of edges.")
      .def(
          "total",
          [](const Judge& self, const Rows& graph) {
            const tw::BitMatrix ranked = self.ranked(graph);
            return self.run([&](tw::Cancel& cancel) {
              self.score->start(ranked, cancel);
              return self.score->total();
            });
          },
          "graph"_a)
      .def(
          "flip",
          [](const Judge& self, std::uint32_t x, std::uint32_t y) {
            const tw::Order rank = tw::inverse(self.order);
            if (x >= rank.size() || y >= rank.size() || x == y)
              throw std::invalid_argument("a flip takes two different variables");
            return self.run([&](tw::Cancel& cancel) {
              self.score->flip(rank[x], rank[y], cancel);
              return self.score->total();
            });
          },
          "x"_a, "y"_a, "Flip an edge of the graph judged last; gives the new total.")
      .def(
          "standings",
          [](const Judge& self) {
            const std::size_t n = self.order.size();
            std::vector<double> out(n * n, 0);
            for (tw::Vertex u = 0; u < n; ++u)
              for (tw::Vertex v = u + 1; v < n; ++v)
                out[self.order[u] * n + self.order[v]] = out[self.order[v] * n + self.order[u]] =
                    self.score->standing(u, v);
            return to_numpy(std::move(out), n, n);
          },
          "How well every pair of the graph judged last fits.")
      .def(
          "climb",
          [](const Judge& self, const Rows& start, const Rows& movable, Size max_blanket, Width max_width,
             const Indices& proof, std::size_t patience, std::size_t max_steps, const nb::object& listener) {
            return search_with(self, start, movable, max_blanket, max_width, proof, listener,
                               [&](tw::FlipSearch& search) { return search.climb(patience, max_steps); });
          },
          "start"_a, "movable"_a, "max_blanket"_a.none(), "max_width"_a.none(), "proof"_a, "patience"_a,
          "max_steps"_a, "listener"_a.none() = nb::none())
      .def(
          "walk",
          [](const Judge& self, const Rows& start, const Rows& movable, Size max_blanket, Width max_width,
             const Indices& proof, std::size_t stall, std::size_t tenure, std::size_t max_steps,
             const nb::object& listener) {
            return search_with(self, start, movable, max_blanket, max_width, proof, listener,
                               [&](tw::FlipSearch& search) { return search.walk(stall, tenure, max_steps); });
          },
          "start"_a, "movable"_a, "max_blanket"_a.none(), "max_width"_a.none(), "proof"_a, "stall"_a,
          "tenure"_a, "max_steps"_a, "listener"_a.none() = nb::none())
      .def(
          "tabu",
          [](const Judge& self, const Rows& start, const Rows& movable, Size max_blanket, Width max_width,
             const Indices& proof, std::size_t breadth, std::size_t stall, std::size_t tenure,
             std::size_t max_steps, const nb::object& listener) {
            return search_with(
                self, start, movable, max_blanket, max_width, proof, listener,
                [&](tw::FlipSearch& search) { return search.tabu(breadth, stall, tenure, max_steps); });
          },
          "start"_a, "movable"_a, "max_blanket"_a.none(), "max_width"_a.none(), "proof"_a, "breadth"_a,
          "stall"_a, "tenure"_a, "max_steps"_a, "listener"_a.none() = nb::none())
      .def(
          "search_all",
          [](const Judge& self, const Rows& required, const Rows& movable, Size max_blanket,
             Width max_width) {
            const tw::FlipRules rules = rules_of(self, movable, max_blanket, max_width);
            const tw::BitMatrix always = self.ranked(required);
            const tw::BestGraphs found = self.run(
                [&](tw::Cancel& cancel) { return tw::search_all(*self.score, rules, always, cancel); });
            std::vector<OutRows> graphs;
            for (const tw::BitMatrix& graph : found.graphs) graphs.push_back(self.back(graph));
            return std::tuple{graphs, found.total, found.judged};
          },
          "required"_a, "movable"_a, "max_blanket"_a.none(), "max_width"_a.none())
      .def(
          "sample",
          [](const Judge& self, const Rows& start, const Rows& movable, Size max_blanket, Width max_width,
             std::uint64_t burn_in, std::uint64_t steps, double temperature, std::uint64_t seed) {
            const tw::FlipRules rules = rules_of(self, movable, max_blanket, max_width);
            const tw::BitMatrix from = self.ranked(start);
            const tw::FlipSample found = self.run([&](tw::Cancel& cancel) {
              return tw::sample_flips(*self.score, rules, from, burn_in, steps, temperature, seed, cancel);
            });
            const std::size_t n = self.order.size();
            std::vector<double> shares(n * n, 0);
            for (std::size_t u = 0; u < n; ++u)
              for (std::size_t v = 0; v < n; ++v)
                shares[self.order[u] * n + self.order[v]] = found.shares[u * n + v];
            return std::tuple{to_numpy(std::move(shares), n, n), found.accepted, self.back(found.best),
                              found.total};
          },
          "start"_a, "movable"_a, "max_blanket"_a.none(), "max_width"_a.none(), "burn_in"_a, "steps"_a,
          "temperature"_a, "seed"_a);
  m.def(
      "blanket_score",
      [](TestsPointer tests, const std::string& kind, const std::string& tie, const std::string& owner,
         double edge_price, const Indices& order) {
        if (!tests || tests->size() != order.size()) throw std::invalid_argument("one test of all variables");
        return Judge{made(tests, kind, tie, owner, edge_price), tests, order};
      },
      "tests"_a, "kind"_a, "tie"_a, "owner"_a, "edge_price"_a, "order"_a);
  m.def(
      "pseudo_score",
      [](const ScoresPointer& scores, const Rows& movable, const Indices& order) {
        checked(scores);
        Judge judge{nullptr, nullptr, order};
        judge.score = std::make_shared<tw::PseudoScore>(scores, judge.ranked(movable));
        return judge;
      },
      "scores"_a, "movable"_a, "order"_a);
  m.def(
      "blankets_apart",
      [](const ScoresPointer& scores, const Rows& movable, Size max_blanket, const Indices& order,
         const nb::object& listener) {
        checked(scores);
        const Judge judge{nullptr, nullptr, order};
        const tw::FlipRules rules = rules_of(judge, movable, max_blanket, std::nullopt);
        std::function<void(std::size_t)> tell;
        if (!listener.is_none())
          tell = [&](std::size_t done) {
            const nb::gil_scoped_acquire locked;
            listener(done);
          };
        return judge.back(interruptible(
            [&](tw::Cancel& cancel) { return tw::blankets_apart(*scores, rules, cancel, tell); }));
      },
      "scores"_a, "movable"_a, "max_blanket"_a.none(), "order"_a, "listener"_a.none() = nb::none(),
      "The blanket that each variable finds for itself, row by row.");
}
