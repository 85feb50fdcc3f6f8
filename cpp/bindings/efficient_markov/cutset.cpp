// Python face of treewright/cutset.hpp.
#include "treewright/efficient_markov/cutset.hpp"

#include "arena.hpp"
#include "row_set.hpp"

namespace {

tw::CutsetOptions options_of(double alpha, double shrinkage, double min_rows, std::int64_t max_depth,
                             std::size_t candidates, double candidate_share, bool bic, std::size_t treewidth,
                             double leaf_penalty) {
  tw::CutsetOptions options;
  options.alpha = alpha;
  options.shrinkage = shrinkage;
  options.min_rows = min_rows;
  if (max_depth >= 0) options.max_depth = static_cast<std::size_t>(max_depth);
  options.candidates = candidates;
  options.candidate_share = candidate_share;
  options.penalty = bic ? tw::SplitPenalty::kBic : tw::SplitPenalty::kNone;
  options.treewidth = treewidth;
  options.leaf_penalty = leaf_penalty;
  return options;
}

}  // namespace

void bind_cutset(nb::module_& m) {
  nb::class_<tw::CutsetOptions>(m, "CutsetOptions", "How a cutset network is learned.")
      .def(
          "__init__",
          [](tw::CutsetOptions* self, double alpha, double shrinkage, double min_rows, std::int64_t max_depth,
             std::size_t candidates, double candidate_share, bool bic, std::size_t treewidth,
             double leaf_penalty) {
            new (self) tw::CutsetOptions(options_of(alpha, shrinkage, min_rows, max_depth, candidates,
                                                    candidate_share, bic, treewidth, leaf_penalty));
          },
          nb::kw_only(), "alpha"_a, "shrinkage"_a, "min_rows"_a, "max_depth"_a, "candidates"_a,
          "candidate_share"_a, "bic"_a, "treewidth"_a, "leaf_penalty"_a);
  m.def(
      "learn_cutset",
      [](const RowSetPointer& rows, const tw::CutsetOptions& options, std::uint64_t seed) {
        const tw::RowSet& given = checked(rows);
        return arrays_of(interruptible([&](tw::Cancel& cancel) {
          return tw::learn_cutset(given, given.weights(), options, seed, cancel);
        }));
      },
      "rows"_a, "options"_a, "seed"_a, "Learn a cutset network; max_depth below 0 is no limit.");
  m.def(
      "learn_cutset_bag",
      [](const RowSetPointer& rows, const tw::CutsetOptions& options, std::size_t n_networks, bool resample,
         std::uint64_t seed) {
        const tw::RowSet& given = checked(rows);
        return arrays_of(interruptible([&](tw::Cancel& cancel) {
          return tw::learn_cutset_bag(given, options, n_networks, resample, seed, cancel);
        }));
      },
      "rows"_a, "options"_a, "n_networks"_a, "resample"_a, "seed"_a,
      "An even mixture of cutset networks whose candidates are drawn.");
}
