#include "treewright/gain_rows.hpp"

#include <algorithm>

namespace treewright {
namespace {

// Beyond this all rows are forgotten; the answers do not change, they are only counted again.
constexpr std::size_t kMostBytes = std::size_t{512} << 20;
// A row is filled when half of it is asked for; otherwise only what is asked for is counted.
constexpr std::size_t kShareOfRow = 2;

}  // namespace

const double* GainRows::Row::find(Vertex x) const {
  if (!all.empty()) return &all[x];
  const auto at = std::ranges::lower_bound(known, x, {}, &std::pair<Vertex, double>::first);
  return at != known.end() && at->first == x ? &at->second : nullptr;
}

const std::vector<double>& GainRows::pair_gains(Cancel& cancel) {
  if (pairs_.empty()) pairs_ = scores_.pair_gains(cancel);
  return pairs_;
}

GainRows::Row* GainRows::known_row(Vertex y, VertexSet base) {
  const std::uint32_t* place = places_.find(prints_.of(base) ^ prints_(y, 1));
  return place ? rows_[*place].get() : nullptr;
}

GainRows::Row& GainRows::row(Vertex y, VertexSet base, Cancel& cancel) {
  if (Row* known = known_row(y, base)) return *known;
  if (bytes_ > kMostBytes) {
    places_.clear();
    rows_.clear();
    bytes_ = 0;
  }
  places_.put(prints_.of(base) ^ prints_(y, 1), static_cast<std::uint32_t>(rows_.size()));
  rows_.push_back(std::make_unique<Row>());
  bytes_ += sizeof(Row) + 64;
  Row& fresh = *rows_.back();
  if (base.empty()) {  // counted for all pairs at once
    const std::size_t n = scores_.size();
    const std::vector<double>& pairs = pair_gains(cancel);
    fresh.all.resize(n);
    for (std::size_t x = 0; x < n; ++x) fresh.all[x] = pairs[x * n + y];
    bytes_ += n * sizeof(double);
    sort_useful(fresh);
  }
  return fresh;
}

void GainRows::sort_useful(Row& row) const {
  row.useful.clear();
  const double least = scores_.least_gain();
  const auto add = [&](Vertex x, double gain) {
    if (gain > least) row.useful.push_back({gain, x});
  };
  for (Vertex x = 0; x < row.all.size(); ++x) add(x, row.all[x] + discount_);
  for (const auto& [x, gain] : row.known) add(x, gain + discount_);
  std::ranges::sort(row.useful, [](const Useful& a, const Useful& b) {
    return a.gain != b.gain ? a.gain > b.gain : a.x < b.x;
  });
}

void GainRows::extend(Row& row, Vertex y, VertexSet base, std::span<const Vertex> candidates,
                      Cancel& cancel) {
  std::vector<double> values(candidates.size());
  const double own = scores_.additions(y, base, candidates, values, cancel);
  for (std::size_t i = 0; i < candidates.size(); ++i) row.known.emplace_back(candidates[i], values[i] - own);
  bytes_ += candidates.size() * sizeof(row.known.front());
  std::ranges::sort(row.known, {}, &std::pair<Vertex, double>::first);
  sort_useful(row);
}

void GainRows::fill(Row& row, Vertex y, VertexSet base, Cancel& cancel) {
  std::vector<Vertex> others;
  for (Vertex x = 0; x < scores_.size(); ++x)
    if (x != y && std::ranges::find(base, x) == base.end()) others.push_back(x);
  std::vector<double> values(others.size());
  const double own = scores_.additions(y, base, others, values, cancel);
  row.all.assign(scores_.size(), 0.0);
  for (std::size_t i = 0; i < others.size(); ++i) row.all[others[i]] = values[i] - own;
  row.known.clear();
  bytes_ += row.all.size() * sizeof(double);
  sort_useful(row);
}

void GainRows::set_discount(double discount) {
  if (discount == discount_) return;
  discount_ = discount;
  for (const auto& row : rows_) sort_useful(*row);
}

double GainRows::gain(Vertex x, Vertex y, VertexSet base, Cancel& cancel) {
  return full_gain(x, y, base, cancel) + discount_;
}

double GainRows::full_gain(Vertex x, Vertex y, VertexSet base, Cancel& cancel) {
  if (const Row* known = known_row(y, base))
    if (const double* value = known->find(x)) return *value;
  if (scores_.is_score_equivalent())
    if (const Row* known = known_row(x, base))
      if (const double* value = known->find(y)) return *value;
  Row& mine = row(y, base, cancel);
  if (const double* value = mine.find(x)) return *value;
  extend(mine, y, base, std::span(&x, 1), cancel);
  return *mine.find(x);
}

std::span<const GainRows::Useful> GainRows::useful(Vertex y, VertexSet base, const Word* asked,
                                                   Cancel& cancel) {
  Row& mine = row(y, base, cancel);
  if (!mine.all.empty()) return mine.useful;
  std::vector<Vertex> unknown;
  for_each_bit(asked, words_for(scores_.size()), [&](std::size_t x) {
    if (!mine.find(static_cast<Vertex>(x))) unknown.push_back(static_cast<Vertex>(x));
  });
  if (unknown.size() >= scores_.full_batch() && unknown.size() * kShareOfRow >= scores_.size())
    fill(mine, y, base, cancel);
  else if (!unknown.empty())
    extend(mine, y, base, unknown, cancel);
  return mine.useful;
}

}  // namespace treewright
