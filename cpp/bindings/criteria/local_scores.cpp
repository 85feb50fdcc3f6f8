// Python face of treewright/local_scores.hpp, and the score that asks Python back.
#include "local_scores.hpp"

#include <nanobind/stl/optional.h>

#include <cmath>
#include <optional>

#include "arcs.hpp"
#include "packed.hpp"
#include "settings.hpp"
#include "table_memory.hpp"
#include "treewright/criteria/counted_scores.hpp"
#include "treewright/criteria/pooled_scores.hpp"

namespace {

// Any Python object with the methods of a LocalScore. The GIL is held for the length of a question.
class CallbackScores final : public tw::LocalScores {
 public:
  CallbackScores(nb::object score, Indices order, double resolution, double least_gain, bool equivalent)
      : score_(std::move(score)),
        order_(std::move(order)),
        resolution_(resolution),
        least_gain_(least_gain),
        equivalent_(equivalent) {
    if (!(resolution > 0)) throw std::invalid_argument("scores are counted in steps above 0");
  }

  std::size_t size() const override { return order_.size(); }
  bool is_score_equivalent() const override { return equivalent_; }
  double resolution() const override { return resolution_; }
  double least_gain() const override { return least_gain_; }

  double local(tw::Vertex child, tw::VertexSet parents, tw::Cancel&) override {
    ++tally_.families;
    const nb::gil_scoped_acquire locked;
    return rounded(nb::cast<double>(score_.attr("local")(order_[child], scope(parents))));
  }

  double additions(tw::Vertex child, tw::VertexSet parents, tw::VertexSet candidates, std::span<double> out,
                   tw::Cancel& cancel) override {
    if (!candidates.empty()) {
      const nb::gil_scoped_acquire locked;
      copy(score_.attr("local_additions")(order_[child], scope(parents), scope(candidates)), out,
           candidates.size());
    }
    return local(child, parents, cancel);
  }

  double deletions(tw::Vertex child, tw::VertexSet parents, std::span<double> out,
                   tw::Cancel& cancel) override {
    if (!parents.empty()) {
      const nb::gil_scoped_acquire locked;
      copy(score_.attr("local_deletions")(order_[child], scope(parents)), out, parents.size());
    }
    return local(child, parents, cancel);
  }

  std::vector<double> pair_gains(tw::Cancel& cancel) override {
    const std::size_t n = size();
    std::vector<double> gains(n * n, 0.0);
    {
      const nb::gil_scoped_acquire locked;
      const auto found = nb::cast<Matrix<double>>(score_.attr("pair_gains")());
      if (found.shape(0) != n || found.shape(1) != n)
        throw std::invalid_argument("pair_gains must give one row and one column for each variable");
      for (std::size_t i = 0; i < n; ++i)
        for (std::size_t j = 0; j < n; ++j)
          if (i != j) gains[i * n + j] = rounded(found(order_[i], order_[j]));
    }
    tally_.families += n * (n - 1);
    cancel.check();
    return gains;
  }

 private:
  nb::tuple scope(tw::VertexSet set) const {
    nb::list items;
    for (const tw::Vertex v : set) items.append(order_[v]);
    return nb::tuple(items);
  }
  // minus infinity (a prior that excludes what the data hold) becomes a price that sums can bear
  double rounded(double value) const {
    if (std::isnan(value)) throw std::invalid_argument("a local score is not a number");
    if (std::isinf(value)) return std::copysign(1e300, value);
    return std::nearbyint(value / resolution_) * resolution_;
  }
  void copy(const nb::object& answer, std::span<double> out, std::size_t n) {
    const auto values = nb::cast<Array<double>>(answer);
    if (values.size() != n) throw std::invalid_argument("a score must answer every family asked for");
    for (std::size_t i = 0; i < n; ++i) out[i] = rounded(values.data()[i]);
    tally_.families += n;
  }

  nb::object score_;
  Indices order_;
  double resolution_, least_gain_;
  bool equivalent_;
};

void check_family(const tw::LocalScores& scores, tw::Vertex child, const Indices& parents) {
  require_vertex(child, scores.size());
  require_vertices(parents, scores.size());
}

void bind_questions(nb::module_& m) {
  using Answers = std::pair<double, OutArray<double>>;
  nb::class_<tw::LocalScores>(m, "LocalScores",
                              "Local scores for native searches; variables are numbered in name order.")
      .def("__len__", &tw::LocalScores::size)
      .def_prop_ro("is_score_equivalent", &tw::LocalScores::is_score_equivalent)
      .def_prop_ro("resolution", &tw::LocalScores::resolution)
      .def_prop_ro("least_gain", &tw::LocalScores::least_gain)
      .def_prop_ro("tally",
                   [](const tw::LocalScores& scores) {
                     const tw::ScoreTally& tally = scores.tally();
                     return std::tuple{tally.families, tally.sets, tally.passes};
                   })
      .def("is_hopeless",
           [](const tw::LocalScores& scores, tw::Vertex child, const Indices& parents) {
             check_family(scores, child, parents);
             return scores.is_hopeless(child, parents);
           })
      .def(
          "local",
          [](tw::LocalScores& scores, tw::Vertex child, const Indices& parents) {
            check_family(scores, child, parents);
            return interruptible([&](tw::Cancel& c) { return scores.local(child, parents, c); });
          },
          "child"_a, "parents"_a)
      .def(
          "additions",
          [](tw::LocalScores& scores, tw::Vertex child, const Indices& parents, const Indices& candidates) {
            check_family(scores, child, parents);
            require_vertices(candidates, scores.size());
            std::vector<double> out(candidates.size());
            const double own = interruptible(
                [&](tw::Cancel& c) { return scores.additions(child, parents, candidates, out, c); });
            return Answers{own, to_numpy(std::move(out))};
          },
          "child"_a, "parents"_a, "candidates"_a)
      .def(
          "deletions",
          [](tw::LocalScores& scores, tw::Vertex child, const Indices& parents) {
            check_family(scores, child, parents);
            std::vector<double> out(parents.size());
            const double own =
                interruptible([&](tw::Cancel& c) { return scores.deletions(child, parents, out, c); });
            return Answers{own, to_numpy(std::move(out))};
          },
          "child"_a, "parents"_a)
      .def("pair_gains", [](tw::LocalScores& scores) {
        auto gains = interruptible([&](tw::Cancel& c) { return scores.pair_gains(c); });
        return to_numpy(std::move(gains), scores.size(), scores.size());
      });
}

// A part is made by Python, which joins the tables and packs them; the GIL is held for that long.
tw::PooledScores::Maker made_by(nb::object make) {
  return [make = std::move(make)](tw::TableSet tables) {
    const nb::gil_scoped_acquire locked;
    auto [scores, place, n_rows] = nb::cast<std::tuple<ScoresPointer, Indices, double>>(make(tables));
    checked(scores);
    return tw::ScoredPart{std::move(scores), std::move(place), n_rows};
  };
}

}  // namespace

void bind_local_scores(nb::module_& m) {
  bind_questions(m);
  m.def(
      "packed_scores",
      [](const TablePointer& table, const std::string& kind, double ess, double edge_price,
         const Indices& order, const std::optional<Matrix<double>>& pair_prices) -> ScoresPointer {
        checked(table);
        std::vector<double> prices;
        if (pair_prices) prices.assign(pair_prices->data(), pair_prices->data() + pair_prices->size());
        return std::make_shared<tw::PackedScores>(table, score_settings(kind, ess), edge_price, order,
                                                  std::move(prices));
      },
      "table"_a, "kind"_a, "ess"_a, "edge_price"_a, "order"_a, "pair_prices"_a = nb::none(),
      "`order` lists the columns by name; `pair_prices` is a matrix in that order.");
  m.def(
      "counted_scores",
      [](const MemoryPointer& memory, nb::object counter, const std::string& kind, double ess,
         double edge_price, const Indices& order,
         const std::optional<Matrix<double>>& pair_prices) -> ScoresPointer {
        std::vector<double> prices;
        if (pair_prices) prices.assign(pair_prices->data(), pair_prices->data() + pair_prices->size());
        return std::make_shared<tw::CountedScores>(owned(memory, std::move(counter)),
                                                   score_settings(kind, ess), edge_price, order,
                                                   std::move(prices));
      },
      "memory"_a, "counter"_a, "kind"_a, "ess"_a, "edge_price"_a, "order"_a, "pair_prices"_a = nb::none(),
      "The same scores from the tables of a counter, which are remembered.");
  m.def(
      "gaussian_scores",
      [](const Matrix<double>& scatter, double n_rows, double edge_price) -> ScoresPointer {
        const std::span<const double> cells{scatter.data(), scatter.size()};
        return std::make_shared<tw::GaussianScores>(
            std::make_shared<tw::gaussian::GaussianScore>(cells, scatter.shape(0), n_rows), edge_price);
      },
      "scatter"_a, "n_rows"_a, "edge_price"_a = 0.0, "`scatter` is in name order.");
  m.def(
      "pooled_scores",
      [](std::vector<tw::TableSet> tables, std::vector<double> rows, double scale, double resolution,
         double least_gain, nb::object make) -> ScoresPointer {
        return std::make_shared<tw::PooledScores>(std::move(tables), std::move(rows), scale, resolution,
                                                  least_gain, made_by(std::move(make)));
      },
      "tables"_a, "rows"_a, "scale"_a, "resolution"_a, "least_gain"_a, "make"_a,
      "`tables` has the tables of each variable as bits; `make` gives the scores of a set of tables.");
  m.def(
      "callback_scores",
      [](nb::object score, const Indices& order, double resolution, double least_gain,
         bool equivalent) -> ScoresPointer {
        return std::make_shared<CallbackScores>(std::move(score), order, resolution, least_gain, equivalent);
      },
      "score"_a, "order"_a, "resolution"_a, "least_gain"_a, "equivalent"_a,
      "Asks the methods of a Python score.");
}
