#include "treewright/efficient_markov/mixture.hpp"
#include "treewright/inference/feature_eval.hpp"

namespace treewright {
namespace {

/// Column after column, in the order of the schema: what routing through a graph reads.
struct ColumnsPrepared : PreparedRows {
  std::vector<std::vector<std::uint16_t>> codes;
  std::vector<ConstColumn> columns;
  std::size_t n_rows;

  explicit ColumnsPrepared(const RowSet& rows)
      : codes(rows.n_columns(), std::vector<std::uint16_t>(rows.n_rows())),
        columns(rows.schema_cardinalities().size(), ConstColumn{nullptr, sizeof(std::uint16_t)}),
        n_rows(rows.n_rows()) {
    for (std::size_t i = 0; i < n_rows; ++i)
      for (std::size_t column = 0; column < codes.size(); ++column) codes[column][i] = rows.row(i)[column];
    for (std::size_t column = 0; column < codes.size(); ++column)
      columns[rows.variables()[column]].codes = codes[column].data();
  }
};

class CutsetComponent : public MixtureComponent {
 public:
  explicit CutsetComponent(features::Arena arena) : program_(std::move(arena)) {}

  void log_likelihoods(const PreparedRows& rows, std::size_t stride, double* out,
                       Cancel& cancel) const override {
    const auto& asked = static_cast<const ColumnsPrepared&>(rows);
    std::vector<double> logs(asked.n_rows);
    features::log_probability_rows(program_, asked.columns, asked.n_rows, logs.data(), cancel);
    for (std::size_t i = 0; i < logs.size(); ++i) out[i * stride] = logs[i];
  }

  features::Id add_to(features::ArenaBuilder& builder) const override {
    return builder.append(program_.arena());
  }

 private:
  features::Program program_;
};

class CutsetFamily : public ComponentFamily {
 public:
  CutsetFamily(std::shared_ptr<const RowSet> rows, CutsetOptions options)
      : ComponentFamily(std::move(rows)), options_(options) {
    double cells = 0;
    const RowSet& all = this->rows();
    for (std::size_t i = 0; i < all.n_rows(); ++i)
      for (std::size_t column = 0; column < all.n_columns(); ++column) cells += all.row(i)[column] != 0;
    set_ = all.n_rows() ? cells / static_cast<double>(all.n_rows()) : 0;
  }

  std::unique_ptr<const PreparedRows> prepare(const RowSet& asked) const override {
    return std::make_unique<ColumnsPrepared>(asked);
  }

  std::unique_ptr<const MixtureComponent> learn(std::span<const double> weights, std::uint64_t seed,
                                                double& work, Cancel& cancel) const override {
    features::Arena arena = learn_cutset(rows(), weights, options_, seed, cancel);
    work += work_of(arena, weights);
    return std::make_unique<CutsetComponent>(std::move(arena));
  }

 private:
  /// A context counts the pairs of its rows once per candidate and judges all pairs for each; there are as
  /// many contexts as splits, and every row passes one at each level.
  double work_of(const features::Arena& arena, std::span<const double> weights) const {
    double splits = 1, seen = 0;
    for (const features::Kind kind : arena.kinds) splits += kind == features::Kind::kSplit;
    for (const double w : weights) seen += w > 0;
    const auto n = static_cast<double>(rows().n_columns());
    const double levels = static_cast<double>(features::depth_of(arena)) / 2;
    const double tried = 1 + static_cast<double>(options_.candidates);
    return tried * (splits * n * n * 12 + seen * levels * (set_ * set_ * 0.5 + n));
  }

  CutsetOptions options_;
  double set_ = 0;  // states other than the first, in a row
};

}  // namespace

std::unique_ptr<const ComponentFamily> cutset_family(std::shared_ptr<const RowSet> rows,
                                                     CutsetOptions options) {
  return std::make_unique<CutsetFamily>(std::move(rows), options);
}

}  // namespace treewright
