#include "treewright/efficient_markov/row_context.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <stdexcept>

#include "treewright/counting/dispatch.hpp"

namespace treewright {
namespace {

using Code = RowSet::Code;

constexpr std::uint32_t kAbsent = 0xffffffff;
constexpr std::size_t kWordsAtOnce = 512;  // of every column, so that the columns of one step fit the cache
constexpr double kMostCopies = 1u << 28;

void set_range(Word* bits, std::size_t begin, std::size_t end) {
  for (; begin < end && begin % 64; ++begin) bits[begin / 64] |= Word{1} << (begin % 64);
  for (; begin + 64 <= end; begin += 64) bits[begin / 64] = ~Word{0};
  for (; begin < end; ++begin) bits[begin / 64] |= Word{1} << (begin % 64);
}

}  // namespace

RowContext::RowContext(const RowSet& rows, std::span<const double> weights) : rows_(&rows) {
  if (weights.size() != rows.n_rows())
    throw std::invalid_argument("there must be one weight per distinct row");
  for (std::uint32_t c = 0; c < rows.n_columns(); ++c) {
    LocalVariable local{c, std::vector<Code>(rows.cardinalities()[c])};
    std::iota(local.states.begin(), local.states.end(), Code{0});
    locals_.push_back(std::move(local));
  }
  for (std::size_t i = 0; i < weights.size(); ++i) {
    if (weights[i] == 0) continue;
    ids_.push_back(static_cast<std::uint32_t>(i));
    weights_.push_back(weights[i]);
  }
  is_whole_ = are_whole(weights_);
  choose_way();
}

std::vector<std::uint32_t> RowContext::cardinalities() const {
  std::vector<std::uint32_t> found;
  for (const LocalVariable& local : locals_) found.push_back(static_cast<std::uint32_t>(local.states.size()));
  return found;
}

std::size_t RowContext::position(std::uint32_t column) const {
  const auto at = std::find_if(locals_.begin(), locals_.end(),
                               [column](const LocalVariable& local) { return local.column == column; });
  return static_cast<std::size_t>(at - locals_.begin());
}

/// Bits where all copies of the rows take fewer steps than the pairs of each distinct row.
void RowContext::choose_way() {
  total_ = std::accumulate(weights_.begin(), weights_.end(), 0.0);
  by_bits_ = false;
  if (!is_whole_ || total_ > kMostCopies || ids_.empty()) return;
  double planes = 0, others = 0;
  for (const LocalVariable& local : locals_) planes += static_cast<double>(local.states.size() - 1);
  const std::size_t step = std::max<std::size_t>(1, ids_.size() / 64);
  std::size_t looked = 0;
  for (std::size_t k = 0; k < ids_.size(); k += step, ++looked)
    for (const LocalVariable& local : locals_) others += rows_->row(ids_[k])[local.column] != local.states[0];
  const double set = others / static_cast<double>(looked), n = static_cast<double>(locals_.size());
  by_bits_ = planes * planes / 2 * (total_ / 64 / 4 + 2) < static_cast<double>(ids_.size()) * (n + set * set);
}

std::vector<std::vector<std::uint32_t>> RowContext::code_to_local() const {
  std::vector<std::vector<std::uint32_t>> found;
  for (const LocalVariable& local : locals_) {
    auto& map = found.emplace_back(rows_->cardinalities()[local.column], kAbsent);
    for (std::uint32_t s = 0; s < local.states.size(); ++s) map[local.states[s]] = s;
  }
  return found;
}

BitColumns RowContext::bit_columns() const {
  const std::size_t words = words_for(static_cast<std::size_t>(total_)), stride = (words + 7) / 8 * 8;
  if (bits_) return {words, stride, bits_->data()};
  const PairCounts layout = PairCounts::layout(cardinalities());
  const auto local_state = code_to_local();
  auto built = std::make_shared<AlignedVector<Word>>(layout.n_planes() * stride, Word{0});
  std::size_t position = 0;
  for (std::size_t k = 0; k < ids_.size(); ++k) {
    const Code* row = rows_->row(ids_[k]);
    const std::size_t end = position + static_cast<std::size_t>(weights_[k]);
    for (std::size_t i = 0; i < locals_.size(); ++i) {
      const std::uint32_t s = local_state[i][row[locals_[i].column]];
      if (s > 0) set_range(built->data() + (layout.first_plane(i) + s - 1) * stride, position, end);
    }
    position = end;
  }
  bits_ = std::move(built);
  return {words, stride, bits_->data()};
}

AlignedVector<Word> RowContext::rows_with(std::size_t i, std::uint32_t state) const {
  const BitColumns all = bit_columns();
  const PairCounts layout = PairCounts::layout(cardinalities());
  if (state > 0) {
    const Word* plane = all.plane(layout.first_plane(i) + state - 1);
    return AlignedVector<Word>(plane, plane + all.words);
  }
  AlignedVector<Word> first(all.words, ~Word{0});
  if (const auto tail = static_cast<std::size_t>(total_) % 64) first.back() = (Word{1} << tail) - 1;
  for (std::size_t p = layout.first_plane(i); p < layout.first_plane(i + 1); ++p)
    for (std::size_t w = 0; w < all.words; ++w) first[w] &= ~all.plane(p)[w];
  return first;
}

PairCounts RowContext::pairs_by_bits(const Word* mask, Cancel& cancel) const {
  const BitColumns all = bit_columns();
  PairCounts counts(cardinalities());
  const std::size_t n = counts.n_planes();
  std::vector<std::int64_t> found(n * n, 0), alone(n, 0);
  AlignedVector<Word> masked(mask ? n * kWordsAtOnce : 0);
  for (std::size_t begin = 0; begin < all.words; begin += kWordsAtOnce) {
    cancel.check();
    const std::size_t words = std::min(kWordsAtOnce, all.words - begin);
    const Word* left = all.planes + begin;
    std::size_t stride = all.stride;
    if (mask) {
      for (std::size_t p = 0; p < n; ++p)
        for (std::size_t w = 0; w < words; ++w)
          masked[p * kWordsAtOnce + w] = all.plane(p)[begin + w] & mask[begin + w];
      left = masked.data(), stride = kWordsAtOnce;
    }
    constexpr std::size_t kTile = 8;
    for (std::size_t p = 0; p < n; p += kTile)  // tiles on and right of the diagonal
      kernels().and_popcounts(left + p * stride, std::min(kTile, n - p), stride, all.plane(p) + begin, n - p,
                              all.stride, words, found.data() + p * n + p, n);
  }
  for (std::size_t p = 0; p < n; ++p) {
    counts.single[p] = static_cast<double>(found[p * n + p]);
    for (std::size_t q = p + 1; q < n; ++q) counts.at(p, q) = static_cast<double>(found[p * n + q]);
  }
  counts.total = total_;
  if (mask) {
    std::int64_t rows = 0;
    for (std::size_t w = 0; w < all.words; ++w) rows += std::popcount(mask[w]);
    counts.total = static_cast<double>(rows);
  }
  return counts;
}

PairCounts RowContext::pairs_by_rows(std::size_t given, std::uint32_t state, Cancel& cancel) const {
  PairCounts counts(cardinalities());
  const auto local_state = code_to_local();
  std::vector<std::size_t> seen;
  for (std::size_t k = 0; k < ids_.size(); ++k) {
    if (k % 4096 == 0) cancel.check();
    const Code* row = rows_->row(ids_[k]);
    if (given < locals_.size() && local_state[given][row[locals_[given].column]] != state) continue;
    seen.clear();
    for (std::size_t i = 0; i < locals_.size(); ++i)
      if (const std::uint32_t s = local_state[i][row[locals_[i].column]]; s > 0)
        seen.push_back(counts.first_plane(i) + s - 1);
    const double weight = weights_[k];
    counts.total += weight;
    for (std::size_t a = 0; a < seen.size(); ++a) {
      counts.single[seen[a]] += weight;
      double* const out = counts.pair.data() + seen[a] * counts.n_planes();
      for (std::size_t b = a + 1; b < seen.size(); ++b) out[seen[b]] += weight;
    }
  }
  return counts;
}

PairCounts RowContext::pairs(Cancel& cancel) const {
  return by_bits_ ? pairs_by_bits(nullptr, cancel) : pairs_by_rows(locals_.size(), 0, cancel);
}

PairCounts RowContext::pairs_given(std::size_t i, std::uint32_t state, Cancel& cancel) const {
  return by_bits_ ? pairs_by_bits(rows_with(i, state).data(), cancel) : pairs_by_rows(i, state, cancel);
}

void RowContext::joint(std::span<const std::uint32_t> scope, std::vector<double>& cells) const {
  std::size_t n_cells = 1;
  for (const std::uint32_t i : scope) n_cells *= locals_[i].states.size();
  cells.assign(n_cells, 0.0);
  for_each_row(scope, [&](const std::uint32_t* states, double weight) {
    std::size_t cell = 0;
    for (std::size_t a = 0; a < scope.size(); ++a) cell = cell * locals_[scope[a]].states.size() + states[a];
    cells[cell] += weight;
  });
}

void RowContext::count_triples(std::size_t i, std::size_t j, std::span<const std::uint32_t> others,
                               std::vector<double>& counts) const {
  counts.assign(others.size(), 0.0);
  const auto has_second = [&](const Code* row, std::size_t v) {
    return row[locals_[v].column] == locals_[v].states[1];
  };
  for (std::size_t k = 0; k < ids_.size(); ++k) {
    const Code* row = rows_->row(ids_[k]);
    if (!has_second(row, i) || !has_second(row, j)) continue;
    for (std::size_t a = 0; a < others.size(); ++a)
      if (has_second(row, others[a])) counts[a] += weights_[k];
  }
}

void RowContext::partners(std::span<const std::uint32_t> scope, std::vector<double>& cells) const {
  const PairCounts layout = PairCounts::layout(cardinalities());
  std::size_t n_configurations = 1;
  for (const std::uint32_t i : scope) n_configurations *= locals_[i].states.size();
  const std::size_t stride = layout.n_planes() + 1;
  cells.assign(n_configurations * stride, 0.0);
  const auto local_state = code_to_local();
  for (std::size_t k = 0; k < ids_.size(); ++k) {
    const Code* row = rows_->row(ids_[k]);
    std::size_t at = 0;
    for (const std::uint32_t i : scope)
      at = at * locals_[i].states.size() + local_state[i][row[locals_[i].column]];
    double* const out = cells.data() + at * stride;
    out[stride - 1] += weights_[k];
    for (std::size_t i = 0; i < locals_.size(); ++i)
      if (const std::uint32_t s = local_state[i][row[locals_[i].column]]; s > 0)
        out[layout.first_plane(i) + s - 1] += weights_[k];
  }
}

template <class Keep>
RowContext RowContext::filtered(std::vector<LocalVariable> locals, Keep&& keep) const {
  RowContext part(*rows_, std::move(locals));
  part.is_whole_ = is_whole_;
  for (std::size_t k = 0; k < ids_.size(); ++k) {
    if (!keep(rows_->row(ids_[k]))) continue;
    part.ids_.push_back(ids_[k]);
    part.weights_.push_back(weights_[k]);
  }
  part.choose_way();
  return part;
}

RowContext RowContext::where(std::size_t i, std::uint32_t state) const {
  std::vector<LocalVariable> rest = locals_;
  rest.erase(rest.begin() + static_cast<std::ptrdiff_t>(i));
  const auto column = locals_[i].column;
  const Code code = locals_[i].states[state];
  return filtered(std::move(rest), [column, code](const Code* row) { return row[column] == code; });
}

namespace {

bool holds(const Conjunction& feature, const Code* row) {
  return std::all_of(feature.begin(), feature.end(),
                     [row](const Literal& literal) { return row[literal.column] == literal.state; });
}

}  // namespace

RowContext RowContext::where(const Conjunction& feature) const {
  std::vector<LocalVariable> rest;
  for (const LocalVariable& local : locals_)
    if (std::none_of(feature.begin(), feature.end(),
                     [&](const Literal& literal) { return literal.column == local.column; }))
      rest.push_back(local);
  return filtered(std::move(rest), [&feature](const Code* row) { return holds(feature, row); });
}

RowContext RowContext::where_not(const Conjunction& feature) const {
  return filtered(locals_, [&feature](const Code* row) { return !holds(feature, row); });
}

RowContext RowContext::projected(std::span<const std::uint32_t> scope) const {
  RowContext part(*rows_, std::vector<LocalVariable>{});
  for (const std::uint32_t i : scope) part.locals_.push_back(locals_[i]);
  part.ids_ = ids_;
  part.weights_ = weights_;
  part.is_whole_ = is_whole_;
  part.choose_way();
  return part;
}

RowContext RowContext::with_states(std::vector<LocalVariable> locals) const {
  RowContext part = *this;
  part.bits_ = nullptr;
  part.locals_ = std::move(locals);
  return part;
}

}  // namespace treewright
