#include "treewright/searches/gain_rows.hpp"

#include <algorithm>
#include <iterator>

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

void GainRows::count_pairs(Cancel& cancel) {
  if (has_pairs_ || trunk_) return;
  pairs_ = scores_.pair_gains(cancel);
  has_pairs_ = true;
  if (!is_thin_) return;
  const std::size_t n = scores_.size();
  for (Vertex y = 0; y < n; ++y) {  // scores without rounding give both directions the same
    auto row = std::make_unique<Row>();
    keep(*row, {pairs_.begin() + static_cast<std::ptrdiff_t>(y * n),
                pairs_.begin() + static_cast<std::ptrdiff_t>((y + 1) * n)});
    put(key(y, {}), std::move(row));
  }
  pairs_ = {};
}

const GainRows::Row* GainRows::known_row(const Fingerprint& key) const {
  if (const std::uint32_t* place = places_.find(key)) return rows_[*place].get();
  return trunk_ ? trunk_->known_row(key) : nullptr;
}

void GainRows::put(const Fingerprint& key, std::unique_ptr<Row> row) {
  if (bytes_ > kMostBytes) forget();
  bytes_ += sizeof(Row) + 64 + row->bytes();
  places_.put(key, static_cast<std::uint32_t>(rows_.size()));
  rows_.push_back(std::move(row));
}

void GainRows::forget() {
  places_.clear();
  rows_.clear();
  bytes_ = 0;
  has_pairs_ = has_pairs_ && !is_thin_;
}

// A row to be added to; a branch adds to a copy.
GainRows::Row& GainRows::own_row(Vertex y, VertexSet base, Cancel& cancel) {
  if (base.empty()) count_pairs(cancel);
  const Fingerprint print = key(y, base);
  if (const std::uint32_t* place = places_.find(print)) return *rows_[*place];
  const Row* known = known_row(print);
  auto fresh = known ? std::make_unique<Row>(*known) : std::make_unique<Row>();
  if (!known && base.empty() && !is_thin_) {  // counted for all pairs at once
    const std::size_t n = scores_.size();
    const std::vector<double>& pairs = trunk_ ? trunk_->pairs_ : pairs_;
    std::vector<double> gains(n);
    for (std::size_t x = 0; x < n; ++x) gains[x] = pairs[x * n + y];
    keep(*fresh, std::move(gains));
  }
  put(print, std::move(fresh));
  return *rows_.back();
}

void GainRows::join(GainRows& branch) {
  branch.places_.for_each([&](const Fingerprint& key, std::uint32_t place) {
    std::unique_ptr<Row>& learned = branch.rows_[place];
    if (const std::uint32_t* mine = places_.find(key))
      join(*rows_[*mine], *learned);
    else
      put(key, std::move(learned));
  });
  branch.forget();
}

void GainRows::join(Row& mine, Row& learned) {
  if (!mine.all.empty()) return;
  const std::size_t before = mine.bytes();
  if (learned.all.empty()) {
    constexpr auto vertex = &std::pair<Vertex, double>::first;  // gains may differ by a rounding
    mine.has_useful = mine.has_useful || learned.has_useful;
    std::vector<std::pair<Vertex, double>> known;
    std::ranges::set_union(mine.known, learned.known, std::back_inserter(known), {}, vertex, vertex);
    if (known.size() == mine.known.size()) return;
    mine.known = std::move(known);
    sort_useful(mine);
  } else {
    mine = std::move(learned);
  }
  bytes_ += mine.bytes() - before;
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
  std::vector<double> gains(scores_.size(), 0.0);
  for (std::size_t i = 0; i < others.size(); ++i) gains[others[i]] = values[i] - own;
  bytes_ -= row.bytes();
  keep(row, std::move(gains));
  bytes_ += row.bytes();
}

// Everything is known now; a thin row keeps what is useful, beside what it was asked for before.
void GainRows::keep(Row& row, std::vector<double> gains) {
  row.has_useful = true;
  if (is_thin_) {
    std::vector<std::pair<Vertex, double>> known;
    for (Vertex x = 0; x < gains.size(); ++x)
      if (gains[x] + discount_ > scores_.least_gain() || row.find(x)) known.emplace_back(x, gains[x]);
    known.shrink_to_fit();
    row.known = std::move(known);
  } else {
    row.all = std::move(gains);
    row.known.clear();
  }
  sort_useful(row);
}

void GainRows::set_discount(double discount) {
  if (discount == discount_) return;
  discount_ = discount;
  if (is_thin_) return forget();  // what was useless may be useful now
  for (const auto& row : rows_) sort_useful(*row);
}

double GainRows::gain(Vertex x, Vertex y, VertexSet base, Cancel& cancel) {
  return full_gain(x, y, base, cancel) + discount_;
}

double GainRows::full_gain(Vertex x, Vertex y, VertexSet base, Cancel& cancel) {
  if (const Row* known = known_row(key(y, base)))
    if (const double* value = known->find(x)) return *value;
  if (scores_.is_score_equivalent())
    if (const Row* known = known_row(key(x, base)))
      if (const double* value = known->find(y)) return *value;
  Row& mine = own_row(y, base, cancel);
  if (const double* value = mine.find(x)) return *value;
  if (scores_.prefers_rows())
    fill(mine, y, base, cancel);
  else
    extend(mine, y, base, std::span(&x, 1), cancel);
  return *mine.find(x);
}

std::span<const GainRows::Useful> GainRows::useful(Vertex y, VertexSet base, const Word* asked,
                                                   Cancel& cancel) {
  const Row* known = known_row(key(y, base));
  if (!known) known = &own_row(y, base, cancel);
  if (known->has_useful) return known->useful;
  std::vector<Vertex> unknown;
  for_each_bit(asked, words_for(scores_.size()), [&](std::size_t x) {
    if (!known->find(static_cast<Vertex>(x))) unknown.push_back(static_cast<Vertex>(x));
  });
  if (unknown.empty()) return known->useful;
  Row& mine = own_row(y, base, cancel);
  const bool is_large =
      unknown.size() >= scores_.full_batch() && unknown.size() * kShareOfRow >= scores_.size();
  if (is_large || scores_.prefers_rows())
    fill(mine, y, base, cancel);
  else
    extend(mine, y, base, unknown, cancel);
  return mine.useful;
}

}  // namespace treewright
