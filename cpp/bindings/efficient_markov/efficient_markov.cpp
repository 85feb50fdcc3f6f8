// Python face of treewright/efficient_markov.hpp, and of the partitions and cuts it is made of.
#include "treewright/efficient_markov/efficient_markov.hpp"

#include "arena.hpp"
#include "row_set.hpp"
#include "treewright/efficient_markov/row_context.hpp"
#include "treewright/efficient_markov/set_information.hpp"

namespace {

tw::InformationThreshold threshold_of(double delta, double level) {
  return level > 0 ? tw::InformationThreshold::g_test(level) : tw::InformationThreshold::fixed(delta);
}

void construct(tw::MarkovOptions* self, double delta, double level, std::size_t largest_set,
               std::size_t feature_length, bool exhaustive, std::int64_t candidates, double min_rows,
               std::size_t min_variables, double alpha, bool tree, bool exponential, double balance_tolerance,
               std::int64_t max_depth, double seconds) {
  new (self) tw::MarkovOptions;
  self->partition = {threshold_of(delta, level), largest_set, min_rows, true};
  self->feature_length = feature_length;
  self->search = exhaustive ? tw::FeatureSearch::kExhaustive : tw::FeatureSearch::kGreedy;
  if (candidates > 0) self->candidates = static_cast<std::size_t>(candidates);
  self->min_variables = min_variables;
  self->alpha = alpha;
  self->leaf = tree ? tw::MarkovLeaf::kTree : tw::MarkovLeaf::kIndependent;
  self->score = exponential ? tw::PartitionScore::kInverseExponential : tw::PartitionScore::kInverseSquare;
  self->balance_tolerance = balance_tolerance;
  if (max_depth >= 0) self->max_depth = static_cast<std::size_t>(max_depth);
  self->seconds = seconds;
}

using Learned = std::tuple<ArenaArrays, std::uint64_t, std::uint64_t, bool>;

Learned learn(const RowSetPointer& rows, const tw::MarkovOptions& options) {
  const tw::RowSet& given = checked(rows);
  tw::LearnedMarkov learned =
      interruptible([&](tw::Cancel& cancel) { return tw::learn_efficient_markov(given, options, cancel); });
  return {arrays_of(std::move(learned.graph)), learned.features_tried, learned.partitions,
          learned.out_of_time};
}

/// LMIP over all rows and columns; blocks of positions in the row set.
tw::Blocks partition(const RowSetPointer& rows, double delta, double level, std::size_t largest_set,
                     double min_rows, const tw::Blocks& premerged, bool with_shortcuts) {
  const tw::RowSet& given = checked(rows);
  return interruptible([&](tw::Cancel& cancel) {
    const tw::RowContext all(given, given.weights());
    const tw::PartitionOptions options{threshold_of(delta, level), largest_set, min_rows, with_shortcuts};
    tw::ContextSide every(all);
    return tw::low_information_blocks(all.pairs(cancel), premerged, options, tw::CountTerm(0), every, cancel);
  });
}

}  // namespace

void bind_efficient_markov(nb::module_& m) {
  nb::class_<tw::MarkovOptions>(m, "MarkovOptions", "How an efficient Markov network is learned.")
      .def("__init__", &construct, nb::kw_only(), "delta"_a, "level"_a, "largest_set"_a, "feature_length"_a,
           "exhaustive"_a, "candidates"_a, "min_rows"_a, "min_variables"_a, "alpha"_a, "tree"_a,
           "exponential"_a, "balance_tolerance"_a, "max_depth"_a, "seconds"_a,
           "A level above 0 replaces delta by a G test; max_depth below 0, candidates of 0: no limit.");
  m.def("learn_efficient_markov", &learn, "rows"_a, "options"_a,
        "The graph, features tried, partitions made, and whether time ran out.");
  m.def("low_information_blocks", &partition, "rows"_a, nb::kw_only(), "delta"_a, "level"_a, "largest_set"_a,
        "min_rows"_a, "premerged"_a, "with_shortcuts"_a,
        "Blocks of columns that tell little about each other (LMIP).");
}
