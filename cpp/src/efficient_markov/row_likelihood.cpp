#include "treewright/efficient_markov/row_likelihood.hpp"

#include "treewright/inference/feature_eval.hpp"

namespace treewright {

std::vector<double> log_probabilities(const features::Arena& graph, const RowSet& rows, Cancel& cancel) {
  const std::size_t n = rows.n_columns(), n_rows = rows.n_rows();
  std::vector<RowSet::Code> codes(n * n_rows);  // column by column
  for (std::size_t i = 0; i < n_rows; ++i)
    for (std::size_t c = 0; c < n; ++c) codes[c * n_rows + i] = rows.row(i)[c];
  std::vector<ConstColumn> columns(rows.schema_cardinalities().size(), ConstColumn{nullptr, 0});
  for (std::size_t c = 0; c < n; ++c)
    columns[rows.variables()[c]] = {codes.data() + c * n_rows, sizeof(RowSet::Code)};
  std::vector<double> found(n_rows);
  features::log_probability_rows(graph, columns, n_rows, found.data(), cancel);
  return found;
}

double mean_log_likelihood(const features::Arena& graph, const RowSet& rows, Cancel& cancel) {
  const std::vector<double> found = log_probabilities(graph, rows, cancel);
  double sum = 0;
  for (std::size_t i = 0; i < found.size(); ++i) sum += rows.weights()[i] * found[i];
  return rows.total() > 0 ? sum / rows.total() : 0.0;
}

}  // namespace treewright
