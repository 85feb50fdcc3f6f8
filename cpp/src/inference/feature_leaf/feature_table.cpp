// Dense tables as leaves: every cell is weighed by the likelihoods of its states.
#include <algorithm>

#include "treewright/inference/feature_leaf.hpp"

namespace treewright::features {

namespace {

class TableLeaf final : public Leaf {
 public:
  TableLeaf(const Arena& arena, Id node) : logs_(arena.numbers_of(node)) {
    const auto scope = arena.integers_of(node);
    scope_.assign(scope.begin(), scope.end());
    strides_.resize(scope_.size());
    std::size_t stride = 1;
    for (std::size_t i = scope_.size(); i-- > 0;) {
      strides_[i] = stride;
      cardinalities_.push_back(arena.cardinalities[scope_[i]]);
      stride *= cardinalities_.back();
    }
    std::reverse(cardinalities_.begin(), cardinalities_.end());
    for (const double log : logs_) cells_.push_back(std::exp(log));
  }

  std::span<const std::uint32_t> scope() const override { return scope_; }

  void add_log(const CodeBlock& rows, Picks picks, double* out) const override {
    if (scope_.size() == 1) {
      const std::uint32_t* codes = rows.of(scope_[0]);
      for (const auto row : picks) out[row] += logs_[codes[row]];
      return;
    }
    for (const auto row : picks) out[row] += logs_[cell_of(rows, row)];
  }

  void add_counts(const CodeBlock& rows, Picks picks, const double* weights, double* counts) const override {
    for (const auto row : picks) counts[cell_of(rows, row)] += weights[row];
  }

  std::size_t room(std::size_t width) const override { return (cells_.size() + 1) * width; }

  void up(const Block& block, double* room, double* out) const override {
    weigh(block, room);
    const std::size_t w = block.width;
    double* total = room + cells_.size() * w;
    std::fill_n(total, w, 0.0);
    for (std::size_t cell = 0; cell < cells_.size(); ++cell)
      for (std::size_t r = 0; r < w; ++r) total[r] += room[cell * w + r];
    for (std::size_t r = 0; r < w; ++r) out[r] = std::log(total[r]);
  }

  void flow(const Block& block, double* room, const double* weight, const Flows& flows) const override {
    const std::size_t w = block.width;
    double* factor = room + cells_.size() * w;
    for (std::size_t r = 0; r < w; ++r) factor[r] = weight[r] > 0 ? weight[r] / factor[r] : 0;
    for (std::size_t cell = 0; cell < cells_.size(); ++cell) {
      double* here = room + cell * w;
      double sum = 0;
      for (std::size_t r = 0; r < w; ++r) sum += here[r] *= factor[r];
      if (flows.counts) flows.counts[cell] += sum;
      if (!flows.marginals || sum == 0) continue;
      for (std::size_t i = 0; i < scope_.size(); ++i) {
        double* states = flows.marginals + (block.first_state[scope_[i]] + state(cell, i)) * w;
        for (std::size_t r = 0; r < w; ++r) states[r] += here[r];
      }
    }
  }

  void up_max(const Block& block, double* room, double* out) const override {
    weigh(block, room);
    const std::size_t w = block.width;
    for (std::size_t r = 0; r < w; ++r) {
      double best = 0;
      for (std::size_t cell = 0; cell < cells_.size(); ++cell) best = std::max(best, room[cell * w + r]);
      out[r] = std::log(best);
    }
  }

  void decode(const Block&, const double* room, std::uint32_t* codes) const override {
    write(static_cast<std::size_t>(std::max_element(room, room + cells_.size()) - room), codes);
  }

  void prepare(double* room) const override {
    for (std::size_t cell = 1; cell < cells_.size(); ++cell) room[cell] += room[cell - 1];
  }

  void draw(const Block&, const double* room, RowDraws& draws, std::uint32_t* codes) const override {
    const double* end = room + cells_.size();
    const double* found = std::upper_bound(room, end, draws.uniform() * end[-1]);
    // rounding may point behind the last cell: then the first that reaches the total
    if (found == end) found = std::lower_bound(room, end, end[-1]);
    write(static_cast<std::size_t>(found - room), codes);
  }

 private:
  std::size_t state(std::size_t cell, std::size_t i) const { return cell / strides_[i] % cardinalities_[i]; }

  std::size_t cell_of(const CodeBlock& rows, std::size_t row) const {
    std::size_t cell = 0;
    for (std::size_t i = 0; i < scope_.size(); ++i) cell += strides_[i] * rows.of(scope_[i])[row];
    return cell;
  }

  void write(std::size_t cell, std::uint32_t* codes) const {
    for (std::size_t i = 0; i < scope_.size(); ++i)
      codes[scope_[i]] = static_cast<std::uint32_t>(state(cell, i));
  }

  void weigh(const Block& block, double* room) const {
    const std::size_t w = block.width;
    for (std::size_t cell = 0; cell < cells_.size(); ++cell) {
      double* here = room + cell * w;
      std::fill_n(here, w, cells_[cell]);
      if (cells_[cell] == 0) continue;
      for (std::size_t i = 0; i < scope_.size(); ++i) {
        const double* likelihood = block.of(scope_[i], state(cell, i));
        for (std::size_t r = 0; r < w; ++r) here[r] *= likelihood[r];
      }
    }
  }

  std::span<const double> logs_;
  std::vector<std::uint32_t> scope_, cardinalities_;
  std::vector<std::size_t> strides_;
  std::vector<double> cells_;
};

}  // namespace

std::unique_ptr<Leaf> make_table_leaf(const Arena& arena, Id node) {
  return std::make_unique<TableLeaf>(arena, node);
}

std::unique_ptr<Leaf> make_leaf(const Arena& arena, Id node) {
  switch (arena.kinds[node]) {
    case Kind::kTable:
      return make_table_leaf(arena, node);
    case Kind::kTree:
      return make_tree_leaf(arena, node);
    case Kind::kHidden:
      return make_hidden_leaf(arena, node);
    case Kind::kRows:
      return make_rows_leaf(arena, node);
    default:
      return nullptr;
  }
}

}  // namespace treewright::features
