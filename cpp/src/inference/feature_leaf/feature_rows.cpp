// Stored rows as a leaf: each row that agrees with the evidence counts by its weight.
#include <algorithm>
#include <numeric>
#include <unordered_map>

#include "treewright/inference/feature_leaf.hpp"

namespace treewright::features {

namespace {

std::uint64_t hash_of(const std::uint32_t* words, std::size_t n) {
  std::uint64_t hash = 0xCBF29CE484222325;
  for (std::size_t i = 0; i < n; ++i) {
    hash = (hash ^ words[i]) * 0x9E3779B97F4A7C15;
    hash ^= hash >> 29;
  }
  return hash;
}

class RowsLeaf final : public Leaf {
 public:
  RowsLeaf(const Arena& arena, Id node)
      : logs_(arena.numbers_of(node)),
        scope_(arena.integers_of(node).subspan(1, arena.integers_of(node)[0])),
        stored_(arena.integers_of(node).subspan(1 + scope_.size())),
        layout_(scope_, arena.cardinalities) {
    for (const double log : logs_) weights_.push_back(std::exp(log));
    for (const std::uint32_t v : scope_) cardinalities_.push_back(arena.cardinalities[v]);
    index_.reserve(logs_.size());
    for (std::size_t row = 0; row < logs_.size(); ++row)
      index_.emplace(hash_of(row_at(row), layout_.words), row);
  }

  std::span<const std::uint32_t> scope() const override { return scope_; }

  void add_log(const CodeBlock& rows, Picks picks, double* out) const override {
    std::vector<std::uint32_t> packed(layout_.words);
    for (const auto row : picks) {
      const std::size_t found = find(rows, row, packed);
      out[row] += found < logs_.size() ? logs_[found] : kNever;
    }
  }

  void add_counts(const CodeBlock& rows, Picks picks, const double* weights, double* counts) const override {
    std::vector<std::uint32_t> packed(layout_.words);
    for (const auto row : picks) {
      const std::size_t found = find(rows, row, packed);
      if (found < logs_.size()) counts[found] += weights[row];
    }
  }

  std::size_t room(std::size_t width) const override { return (logs_.size() + 1) * width; }

  void up(const Block& block, double* room, double* out) const override {
    for (std::size_t r = 0; r < block.width; ++r) {
      double* here = room + r * (logs_.size() + 1);
      weigh(block, r, here);
      const double total = std::accumulate(here, here + logs_.size(), 0.0);
      here[logs_.size()] = total;
      out[r] = std::log(total);
    }
  }

  void up_max(const Block& block, double* room, double* out) const override {
    for (std::size_t r = 0; r < block.width; ++r) {
      double* here = room + r * (logs_.size() + 1);
      weigh(block, r, here);
      out[r] = std::log(*std::max_element(here, here + logs_.size()));
    }
  }

  void flow(const Block& block, double* room, const double* weight, const Flows& flows) const override {
    const std::size_t w = block.width;
    for (std::size_t r = 0; r < w; ++r) {
      if (!(weight[r] > 0)) continue;
      const double* here = room + r * (logs_.size() + 1);
      const double factor = weight[r] / here[logs_.size()];
      for (std::size_t row = 0; row < logs_.size(); ++row) {
        if (here[row] == 0) continue;
        const double mass = here[row] * factor;
        if (flows.counts) flows.counts[row] += mass;
        if (!flows.marginals) continue;
        for (std::size_t i = 0; i < scope_.size(); ++i)
          flows.marginals[(block.first_state[scope_[i]] + layout_.get(row_at(row), i)) * w + r] += mass;
      }
    }
  }

  void decode(const Block&, const double* room, std::uint32_t* codes) const override {
    write(static_cast<std::size_t>(std::max_element(room, room + logs_.size()) - room), codes);
  }

  void prepare(double* room) const override { std::partial_sum(room, room + logs_.size(), room); }

  void draw(const Block&, const double* room, RowDraws& draws, std::uint32_t* codes) const override {
    const double* end = room + logs_.size();
    const double* found = std::upper_bound(room, end, draws.uniform() * end[-1]);
    if (found == end) found = std::lower_bound(room, end, end[-1]);
    write(static_cast<std::size_t>(found - room), codes);
  }

 private:
  const std::uint32_t* row_at(std::size_t row) const { return stored_.data() + row * layout_.words; }

  std::size_t find(const CodeBlock& rows, std::size_t row, std::vector<std::uint32_t>& packed) const {
    std::fill(packed.begin(), packed.end(), 0);
    for (std::size_t i = 0; i < scope_.size(); ++i) layout_.set(packed.data(), i, rows.of(scope_[i])[row]);
    const auto [begin, end] = index_.equal_range(hash_of(packed.data(), packed.size()));
    for (auto known = begin; known != end; ++known)
      if (std::equal(packed.begin(), packed.end(), row_at(known->second))) return known->second;
    return logs_.size();
  }

  void write(std::size_t row, std::uint32_t* codes) const {
    for (std::size_t i = 0; i < scope_.size(); ++i) codes[scope_[i]] = layout_.get(row_at(row), i);
  }

  /// Observed variables are compared by words, under a mask; the likelihoods of the others are multiplied in.
  void weigh(const Block& block, std::size_t r, double* weights) const {
    std::vector<std::uint32_t> mask(layout_.words), value(layout_.words);
    std::vector<std::size_t> soft;
    bool possible = true;
    for (std::size_t i = 0; i < scope_.size(); ++i) {
      std::size_t ones = 0, zeros = 0, state = 0;
      for (std::size_t x = 0; x < cardinalities_[i]; ++x) {
        const double likelihood = block.of(scope_[i], x)[r];
        ones += likelihood == 1, zeros += likelihood == 0;
        if (likelihood == 1) state = x;
      }
      if (ones == cardinalities_[i]) continue;
      if (zeros == cardinalities_[i]) possible = false;
      if (ones == 1 && zeros + 1 == cardinalities_[i]) {
        layout_.set(mask.data(), i, layout_.fields[i].mask);
        layout_.set(value.data(), i, static_cast<std::uint32_t>(state));
      } else {
        soft.push_back(i);
      }
    }
    for (std::size_t row = 0; row < logs_.size(); ++row) {
      const std::uint32_t* words = row_at(row);
      bool agrees = possible;
      for (std::size_t j = 0; j < layout_.words; ++j) agrees &= ((words[j] ^ value[j]) & mask[j]) == 0;
      weights[row] = agrees ? weights_[row] : 0;
      if (!agrees) continue;
      for (const std::size_t i : soft) weights[row] *= block.of(scope_[i], layout_.get(words, i))[r];
    }
  }

  std::span<const double> logs_;
  std::span<const std::uint32_t> scope_, stored_;
  RowLayout layout_;
  std::vector<double> weights_;
  std::vector<std::uint32_t> cardinalities_;
  std::unordered_multimap<std::uint64_t, std::size_t> index_;
};

}  // namespace

std::unique_ptr<Leaf> make_rows_leaf(const Arena& arena, Id node) {
  return std::make_unique<RowsLeaf>(arena, node);
}

}  // namespace treewright::features
