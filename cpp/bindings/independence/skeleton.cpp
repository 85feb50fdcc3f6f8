// Python face of treewright/skeleton.hpp, node_skeletons.hpp, blanket_rounds.hpp, tpda.hpp, test_answers.hpp
// and what remembers answers: shapes, ownership, the GIL, and answers that come from Python.
#include "treewright/independence/skeleton.hpp"

#include <nanobind/stl/optional.h>

#include "packed.hpp"
#include "settings.hpp"
#include "table_memory.hpp"
#include "treewright/criteria/counted_answers.hpp"
#include "treewright/criteria/shared_answers.hpp"
#include "treewright/independence/blanket_rounds.hpp"
#include "treewright/independence/node_skeletons.hpp"
#include "treewright/independence/tpda.hpp"

namespace {

/// Answers from Python callables; each takes a list of (x, y, given) and returns one number for each.
class CalledAnswers final : public tw::TestAnswers {
 public:
  CalledAnswers(nb::callable independent, nb::callable separation, nb::callable strength,
                nb::callable p_value, nb::callable information)
      : independent_(std::move(independent)),
        separation_(std::move(separation)),
        strength_(std::move(strength)),
        p_value_(std::move(p_value)),
        information_(std::move(information)) {}

  tw::Answers independent(const std::vector<tw::Query>& queries, tw::Cancel&) override {
    return ask<bool, std::uint8_t>(independent_, queries);
  }
  std::vector<double> separation(const std::vector<tw::Query>& queries, tw::Cancel&) override {
    return ask<double, double>(separation_, queries);
  }
  tw::PairAnswers pairs(const std::vector<tw::Query>& queries, tw::Cancel&) override {
    return {ask<bool, std::uint8_t>(independent_, queries), ask<double, double>(strength_, queries)};
  }
  std::vector<tw::Strongest> strongest(const std::vector<tw::PartnerTask>& tasks, tw::Cancel&) override {
    const auto queries = tw::questions_of(tasks);
    const auto apart = ask<bool, std::uint8_t>(independent_, queries);
    std::vector<tw::Query> dependent;
    for (std::size_t i = 0; i < queries.size(); ++i)
      if (!apart[i]) dependent.push_back(queries[i]);
    std::vector<double> p(queries.size()), strength(queries.size());
    const auto some_p = ask<double, double>(p_value_, dependent);
    const auto some_strength = ask<double, double>(strength_, dependent);
    for (std::size_t i = 0, k = 0; i < queries.size(); ++i)
      if (!apart[i]) p[i] = some_p[k], strength[i] = some_strength[k], ++k;
    return tw::strongest_of(tasks, apart, p, strength);
  }
  std::vector<tw::Dependence> dependence(const std::vector<tw::Query>& queries, tw::Cancel&) override {
    const auto apart = ask<bool, std::uint8_t>(independent_, queries);
    const auto nats = ask<double, double>(information_, queries);
    std::vector<tw::Dependence> out(queries.size());
    for (std::size_t i = 0; i < out.size(); ++i) out[i] = {apart[i] != 0, nats[i]};
    return out;
  }
  std::size_t candidates_per_pair(std::size_t round) const override {
    return round < 4 ? 1 : std::size_t{1} << std::min<std::size_t>(round - 3, 6);
  }

 private:
  template <class Given, class T>
  static std::vector<T> ask(const nb::callable& answer, const std::vector<tw::Query>& queries) {
    const nb::gil_scoped_acquire locked;
    nb::list asked;
    for (const tw::Query& query : queries) {
      nb::list given;
      for (const std::uint32_t v : query.given) given.append(v);
      asked.append(nb::make_tuple(query.x, query.y, nb::tuple(given)));
    }
    const auto answers = nb::cast<Array<Given>>(answer(asked));
    if (answers.size() != queries.size())
      throw std::invalid_argument("a test was asked " + std::to_string(queries.size()) +
                                  " questions and gave " + std::to_string(answers.size()) + " answers");
    return {answers.data(), answers.data() + answers.size()};
  }

  nb::callable independent_, separation_, strength_, p_value_, information_;
};

using Flags = Matrix<bool>;

tw::BitMatrix bits_of(const Flags& flags, std::size_t n) {
  if (flags.shape(0) != n || flags.shape(1) != n)
    throw std::invalid_argument("one row and one column for each variable");
  tw::BitMatrix bits(n);
  for (std::size_t u = 0; u < n; ++u)
    for (std::size_t v = 0; v < n; ++v)
      if (u != v && flags.data()[u * n + v]) bits.set(u, v);
  return bits;
}

tw::CandidateOrder order_of(const std::string& name) {
  if (name == "strong") return tw::CandidateOrder::strong;
  if (name == "weak") return tw::CandidateOrder::weak;
  if (name == "names") return tw::CandidateOrder::names;
  throw std::invalid_argument("candidates are ordered strong, weak or names, not '" + name + "'");
}

using QueryTuple = std::tuple<std::uint32_t, std::uint32_t, Indices>;
using Triple = std::tuple<std::uint32_t, std::uint32_t, std::uint32_t>;
using Evidence = std::tuple<std::vector<Triple>, OutArray<std::int64_t>, OutArray<std::int64_t>,
                            OutArray<double>, OutArray<double>, std::int64_t>;

Evidence evidence_of(const std::vector<tw::TripleEvidence>& found, std::int64_t n_tests) {
  std::vector<Triple> triples;
  std::vector<std::int64_t> n_with, n_without;
  std::vector<double> p_with, p_without;
  for (const tw::TripleEvidence& one : found) {
    triples.emplace_back(one.u, one.w, one.v);
    n_with.push_back(one.n_with), n_without.push_back(one.n_without);
    p_with.push_back(one.p_with), p_without.push_back(one.p_without);
  }
  return {std::move(triples),          to_numpy(std::move(n_with)),    to_numpy(std::move(n_without)),
          to_numpy(std::move(p_with)), to_numpy(std::move(p_without)), n_tests};
}

OutMatrix<std::uint32_t> edges_of(const tw::BitMatrix& adjacency) {
  std::vector<std::uint32_t> edges;
  for (std::uint32_t u = 0; u < adjacency.size(); ++u)
    tw::for_each_bit(adjacency.row(u), adjacency.words(), [&](std::size_t v) {
      if (u < v) edges.push_back(u), edges.push_back(static_cast<std::uint32_t>(v));
    });
  const std::size_t n = edges.size() / 2;
  return to_numpy(std::move(edges), n, 2);
}

template <class Search>
std::tuple<std::int64_t, std::int64_t, std::int64_t> settled(Search& search, std::size_t level,
                                                             tw::TestAnswers& answers) {
  const auto report =
      interruptible([&](tw::Cancel& cancel) { return search.settle(level, answers, cancel); });
  return {report.pairs, report.tests, report.removed};
}

using Targets = std::vector<std::pair<std::uint32_t, Indices>>;

std::vector<tw::BlanketTask> tasks_of(const Targets& targets) {
  std::vector<tw::BlanketTask> tasks;
  for (const auto& [target, others] : targets) tasks.push_back({target, others});
  return tasks;
}

void bind_node_skeletons(nb::module_& m) {
  nb::class_<tw::NodeSkeletons>(m, "NodeSkeletons", "Skeletons inside nodes, level by level.")
      .def(
          "__init__",
          [](tw::NodeSkeletons* self, const Array<std::uint32_t>& rank, const std::vector<Indices>& nodes,
             const Flags& possible, const Flags& certain, bool exhaustive) {
            const auto local = exhaustive ? tw::LocalSearch::everybody : tw::LocalSearch::neighbours;
            new (self)
                tw::NodeSkeletons({rank.data(), rank.data() + rank.size()}, nodes,
                                  bits_of(possible, rank.size()), bits_of(certain, rank.size()), local);
          },
          "rank"_a, "nodes"_a, "possible"_a, "certain"_a, "exhaustive"_a)
      .def("settle", &settled<tw::NodeSkeletons>, "level"_a, "answers"_a,
           "Settle one level: pairs that had candidates, tests, pairs removed; each for every node.")
      .def("has_candidates", &tw::NodeSkeletons::has_candidates, "level"_a)
      .def(
          "weigh_triples",
          [](const tw::NodeSkeletons& self, bool around, std::optional<std::size_t> depth,
             tw::TestAnswers& answers) {
            std::int64_t n_tests = 0;
            const auto found = interruptible([&](tw::Cancel& cancel) {
              return self.weigh_triples(around, depth, answers, cancel, n_tests);
            });
            return evidence_of(found, n_tests);
          },
          "around"_a, "depth"_a.none(), "answers"_a)
      .def("edges", [](const tw::NodeSkeletons& self) { return edges_of(self.adjacency()); })
      .def("part", &tw::NodeSkeletons::part, "u"_a, "v"_a, "given"_a)
      .def("local_edges", &tw::NodeSkeletons::local_edges, "node"_a)
      .def("separators",
           [](const tw::NodeSkeletons& self) {
             std::vector<std::tuple<std::uint32_t, std::uint32_t, std::uint32_t, Indices>> out;
             for (const tw::SeparatedPair& one : self.separators())
               out.emplace_back(one.node, one.u, one.v, one.given);
             return out;
           })
      .def("strength", &tw::NodeSkeletons::strength, "u"_a, "v"_a);
  m.def(
      "grow_blankets",
      [](const Targets& targets, std::size_t largest, tw::TestAnswers& answers) {
        const auto tasks = tasks_of(targets);
        std::int64_t n_tests = 0;
        auto found = interruptible(
            [&](tw::Cancel& cancel) { return tw::grow_blankets(tasks, largest, answers, cancel, n_tests); });
        std::vector<std::pair<Indices, std::vector<double>>> out;
        for (tw::GrownBlanket& one : found) out.emplace_back(std::move(one.members), std::move(one.p_values));
        return std::pair(std::move(out), n_tests);
      },
      "targets"_a, "largest"_a, "answers"_a,
      "For each (target, candidates by name) who joined its blanket, and with which p-value; the tests.");
  m.def(
      "shrink_blankets",
      [](const Targets& blankets, tw::TestAnswers& answers) {
        const auto tasks = tasks_of(blankets);
        std::int64_t n_tests = 0;
        auto found = interruptible(
            [&](tw::Cancel& cancel) { return tw::shrink_blankets(tasks, answers, cancel, n_tests); });
        return std::pair(std::move(found), n_tests);
      },
      "blankets"_a, "answers"_a, "What stays of each (target, members by name); the tests.");
}

std::vector<tw::Query> queries_of(const std::vector<QueryTuple>& asked) {
  std::vector<tw::Query> queries;
  for (const auto& [x, y, given] : asked) queries.push_back({x, y, given});
  return queries;
}

void bind_shared_answers(nb::module_& m) {
  nb::class_<tw::AnswerMemory>(m, "AnswerMemory", "Answers that are remembered, each question once.")
      .def(nb::init<tw::TestAnswers&, std::size_t>(), "answers"_a, "n_variables"_a, nb::keep_alive<1, 2>())
      .def_prop_ro(
          "tally",
          [](const tw::AnswerMemory& self) {
            const auto tally = self.tally();
            return std::tuple{tally.asked, tally.conditional, tally.marginal};
          },
          "Questions asked; distinct ones with something given, and with nothing.");
  nb::class_<tw::PartAnswers, tw::TestAnswers>(m, "PartAnswers", "Answers about some of the variables.")
      .def(nb::init<tw::AnswerMemory&, Indices>(), "memory"_a, "members"_a, nb::keep_alive<1, 2>())
      .def_prop_ro("n_asked", [](const tw::PartAnswers& self) { return self.memory().tally().asked; })
      .def_prop_ro("n_evaluated",
                   [](const tw::PartAnswers& self) { return self.memory().tally().distinct(); });
}

void bind_tpda(nb::module_& m) {
  using Phase = tw::TpdaReport (tw::TpdaSearch::*)(tw::TestAnswers&, tw::Cancel&);
  const auto run = [](Phase phase) {
    return [phase](tw::TpdaSearch& self, tw::TestAnswers& answers) {
      const auto report = interruptible([&](tw::Cancel& cancel) { return (self.*phase)(answers, cancel); });
      return std::tuple{report.pairs, report.tests, report.changed};
    };
  };
  nb::class_<tw::TpdaSearch>(m, "TpdaSearch", "Three-phase dependency analysis, phase by phase.")
      .def(
          "__init__",
          [](tw::TpdaSearch* self, const Array<std::uint32_t>& rank, const Flags& possible,
             const Flags& certain, std::optional<double> threshold, std::size_t largest_given,
             double tolerance) {
            new (self)
                tw::TpdaSearch({rank.data(), rank.data() + rank.size()}, bits_of(possible, rank.size()),
                               bits_of(certain, rank.size()), {threshold, largest_given, tolerance});
          },
          "rank"_a, "possible"_a, "certain"_a, "threshold"_a.none(), "largest_given"_a, "tolerance"_a)
      .def("draft", run(&tw::TpdaSearch::draft), "answers"_a, "Pairs looked at, questions, edges added.")
      .def("thicken", run(&tw::TpdaSearch::thicken), "answers"_a, "The same.")
      .def("thin", run(&tw::TpdaSearch::thin), "answers"_a, "Edges looked at, questions, edges removed.")
      .def("thin_again", run(&tw::TpdaSearch::thin_again), "answers"_a, "The same.")
      .def("edges", &tw::TpdaSearch::edges, "In the order they were found, each with the smaller name first.")
      .def(
          "cutsets",
          [](const tw::TpdaSearch& self) {
            std::vector<QueryTuple> out;
            for (const tw::Separator& one : self.cutsets()) out.emplace_back(one.u, one.v, one.given);
            return out;
          },
          "The pairs that were cut: (u, v, set), u before v by name.")
      .def("information", &tw::TpdaSearch::information, "u"_a, "v"_a);
}

}  // namespace

void bind_skeleton(nb::module_& m) {
  nb::class_<tw::TestAnswers>(m, "TestAnswers", "Somebody who answers independence questions.")
      .def(
          "separation",
          [](tw::TestAnswers& self, const std::vector<QueryTuple>& asked) {
            const auto queries = queries_of(asked);
            return to_numpy(
                interruptible([&](tw::Cancel& cancel) { return self.separation(queries, cancel); }));
          },
          "queries"_a, "The p-value of every (x, y, given) that is independent, -1 for the others.")
      .def(
          "dependence",
          [](tw::TestAnswers& self, const std::vector<QueryTuple>& asked) {
            const auto queries = queries_of(asked);
            std::vector<std::uint8_t> apart;
            std::vector<double> nats;
            for (const tw::Dependence& found :
                 interruptible([&](tw::Cancel& cancel) { return self.dependence(queries, cancel); }))
              apart.push_back(found.independent), nats.push_back(found.information);
            return std::pair{to_numpy(std::move(apart)), to_numpy(std::move(nats))};
          },
          "queries"_a, "Whether each (x, y, given) is independent, and the information in nats.");
  nb::class_<CalledAnswers, tw::TestAnswers>(m, "CalledAnswers", "Answers from Python.")
      .def(nb::init<nb::callable, nb::callable, nb::callable, nb::callable, nb::callable>(), "independent"_a,
           "separation"_a, "strength"_a, "p_value"_a, "information"_a);
  nb::class_<tw::PackedAnswers, tw::TestAnswers>(m, "PackedAnswers", "Answers from packed rows.")
      .def(
          "__init__",
          [](tw::PackedAnswers* self, const TablePointer& table, const std::string& statistic,
             const std::string& degrees, double alpha, bool constant_is_independent,
             bool unreliable_is_independent, double reliability) {
            checked(table);
            new (self) tw::PackedAnswers(table, test_settings(statistic, degrees), alpha,
                                         {constant_is_independent, unreliable_is_independent, reliability});
          },
          "table"_a, "statistic"_a, "degrees"_a, "alpha"_a, "constant_is_independent"_a,
          "unreliable_is_independent"_a, "reliability"_a);
  nb::class_<tw::CountedAnswers, tw::TestAnswers>(m, "CountedAnswers", "Answers from remembered tables.")
      .def(
          "__init__",
          [](tw::CountedAnswers* self, const MemoryPointer& memory, nb::object counter,
             const std::string& statistic, const std::string& degrees, double alpha,
             bool constant_is_independent, bool unreliable_is_independent, double reliability) {
            new (self)
                tw::CountedAnswers(owned(memory, std::move(counter)), test_settings(statistic, degrees),
                                   alpha, {constant_is_independent, unreliable_is_independent, reliability});
          },
          "memory"_a, "counter"_a, "statistic"_a, "degrees"_a, "alpha"_a, "constant_is_independent"_a,
          "unreliable_is_independent"_a, "reliability"_a);

  nb::class_<tw::SkeletonSearch>(m, "SkeletonSearch", "The skeleton of a DAG, level by level.")
      .def(
          "__init__",
          [](tw::SkeletonSearch* self, const Array<std::uint32_t>& rank, const Flags& possible,
             const Flags& certain, const std::string& order, bool early_exit) {
            new (self)
                tw::SkeletonSearch({rank.data(), rank.data() + rank.size()}, bits_of(possible, rank.size()),
                                   bits_of(certain, rank.size()), order_of(order), early_exit);
          },
          "rank"_a, "possible"_a, "certain"_a, "order"_a, "early_exit"_a)
      .def("settle", &settled<tw::SkeletonSearch>, "level"_a, "answers"_a,
           "Settle one level: pairs that had candidates, tests, pairs removed.")
      .def("has_candidates", &tw::SkeletonSearch::has_candidates, "level"_a,
           "Whether any pair has candidate separators of this size.")
      .def(
          "weigh_triples",
          [](const tw::SkeletonSearch& self, std::optional<std::size_t> depth, tw::TestAnswers& answers) {
            std::int64_t n_tests = 0;
            const auto found = interruptible(
                [&](tw::Cancel& cancel) { return self.weigh_triples(depth, answers, cancel, n_tests); });
            return evidence_of(found, n_tests);
          },
          "depth"_a.none(), "answers"_a,
          "Unshielded triples; separators of their ends with and without the middle: how many, largest p.")
      .def("edges", [](const tw::SkeletonSearch& self) { return edges_of(self.adjacency()); })
      .def(
          "separators",
          [](const tw::SkeletonSearch& self) {
            std::vector<QueryTuple> out;
            for (const tw::Separator& one : self.separators())
              if (!one.given.empty()) out.emplace_back(one.u, one.v, one.given);
            return out;
          },
          "The pairs that a set with members separated: (u, v, set), u before v by name.")
      .def("strength", &tw::SkeletonSearch::strength, "u"_a, "v"_a);
  bind_node_skeletons(m);
  bind_shared_answers(m);
  bind_tpda(m);
}
