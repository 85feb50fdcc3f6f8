#include "treewright/efficient_markov/hidden_tree.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "efficient_markov/hidden_tree/hidden_pass.hpp"
#include "efficient_markov/hidden_tree/hidden_work.hpp"
#include "treewright/parallel/threads.hpp"

namespace treewright {

HiddenShape hidden_shape(std::size_t n_columns,
                         std::span<const std::pair<std::uint32_t, std::uint32_t>> edges, std::size_t states,
                         bool autoregressive) {
  std::vector<std::vector<std::uint32_t>> neighbours(n_columns);
  for (const auto& [u, v] : edges) {
    if (u >= n_columns || v >= n_columns) throw std::out_of_range("an edge names a column that is not there");
    neighbours[u].push_back(v), neighbours[v].push_back(u);
  }
  HiddenShape shape{states, autoregressive, {}, {}};
  std::vector<char> seen(n_columns, 0);
  for (std::uint32_t root = 0; root < n_columns; ++root) {
    if (seen[root]) continue;
    seen[root] = 1;
    shape.columns.push_back(root), shape.parents.push_back(features::kNoParent);
    for (std::size_t at = shape.columns.size() - 1; at < shape.columns.size(); ++at) {
      auto& around = neighbours[shape.columns[at]];
      std::sort(around.begin(), around.end());
      for (const std::uint32_t next : around) {
        if (seen[next]) continue;
        seen[next] = 1;
        shape.columns.push_back(next), shape.parents.push_back(static_cast<std::uint32_t>(at));
      }
    }
  }
  return shape;
}

HiddenTree::HiddenTree(HiddenShape shape, const std::vector<std::uint32_t>& cardinalities)
    : shape_(std::move(shape)), cardinalities_(cardinalities) {
  if (shape_.states == 0) throw std::invalid_argument("a hidden tree has at least one hidden state");
  std::size_t at = 0;
  for (std::size_t i = 0; i < size(); ++i) {
    if (!is_root(i) && shape_.parents[i] >= i)
      throw std::invalid_argument("parents come before their children");
    transition_.push_back(at);
    at += is_root(i) ? states() : states() * states();
    emission_.push_back(at);
    at += n_symbols(i) * states();
  }
  transition_.push_back(at);
  values.resize(at), turned.resize(at);
}

void HiddenTree::turn() {
  const std::size_t n = states();
  for (std::size_t i = 0; i < size(); ++i)
    if (!is_root(i))
      for (std::size_t a = 0; a < n; ++a)
        for (std::size_t b = 0; b < n; ++b)
          turned[transition_[i] + b * n + a] = values[transition_[i] + a * n + b];
}

namespace {

/// Logarithms of `count` numbers, `stride` apart, divided by their sum.
void add_logs(std::vector<double>& numbers, const float* from, std::size_t count, std::size_t stride) {
  double sum = 0;
  for (std::size_t k = 0; k < count; ++k) sum += from[k * stride];
  for (std::size_t k = 0; k < count; ++k) numbers.push_back(std::log(from[k * stride] / sum));
}

}  // namespace

features::Arena HiddenTree::arena(const RowSet& rows) const {
  std::vector<features::HiddenVariable> variables;
  std::vector<double> numbers;
  for (std::size_t i = 0; i < size(); ++i) {
    variables.push_back({rows.variables()[shape_.columns[i]], shape_.parents[i]});
    const float* transitions = values.data() + transition_[i];
    for (std::size_t a = 0; a < (is_root(i) ? 1 : states()); ++a)
      add_logs(numbers, transitions + a * states(), states(), 1);
    const std::size_t r = cardinality(i);
    for (std::size_t context = 0; context < contexts(i); ++context)
      for (std::size_t h = 0; h < states(); ++h)
        add_logs(numbers, values.data() + emission_[i] + context * r * states() + h, r, states());
  }
  features::ArenaBuilder builder(rows.schema_cardinalities());
  return builder.finish(
      builder.add_hidden(static_cast<std::uint32_t>(states()), shape_.autoregressive, variables, numbers));
}

std::vector<double> log_likelihoods(const HiddenTree& tree, const RowSet& rows, Cancel& cancel) {
  std::vector<double> found(rows.n_rows());
  const std::size_t blocks = blocks_for(rows.n_rows()), lanes = std::min(blocks, threads());
  parallel_for(lanes, up_nanoseconds(tree, rows.n_rows()), cancel, [&](std::size_t lane) {
    HiddenPass pass(tree);
    for (std::size_t block = lane; block < blocks; block += lanes) {
      cancel.check();
      pass.rows.load_run(rows, block);
      pass.up();
      std::copy_n(pass.logs, pass.rows.n_rows, found.data() + block * kRowBlock);
    }
  });
  return found;
}

}  // namespace treewright
