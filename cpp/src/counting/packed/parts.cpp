// Tables made of the rows of another one: some of them, or the distinct ones with weights.
#include <algorithm>
#include <bit>

#include "counting/packed/lazy.hpp"

namespace treewright {
namespace {

// Rows whose hash is looked at before compression is tried at all, and the shares that decide.
constexpr std::size_t kSampleRows = 8192;
constexpr double kMostDistinctInSample = 0.6;
constexpr double kMostEntries = 0.35;
constexpr std::size_t kMostRowsCompressed = std::size_t{1} << 24;  // slots take 8 bytes a row and more

/// Which bits of a row are planes of the columns at hand.
std::vector<Word> bits_of_planes(const Planes& planes, std::size_t n_columns, std::size_t words) {
  std::vector<Word> shown(words, 0);
  for (std::size_t v = 0; v < n_columns; ++v)
    for (std::size_t s = 0; s < planes.of(v); ++s)
      shown[(planes.first[v] + s) / 64] |= Word{1} << (planes.first[v] + s) % 64;
  return shown;
}

double n_bits(const std::vector<std::int64_t>& weights) {
  std::size_t n = 0;
  for (const std::int64_t w : weights) n += std::popcount(static_cast<std::uint64_t>(w));
  return static_cast<double>(n);
}

}  // namespace

std::shared_ptr<const PackedTable> PackedTable::restricted(std::vector<std::uint32_t> rows,
                                                           std::shared_ptr<const void> keep,
                                                           std::vector<std::int64_t> new_weights) const {
  Part part{this, std::move(rows), std::move(new_weights), {}};
  if (is_weighted() && part.integers.empty())
    for (std::uint32_t row : part.rows) part.integers.push_back(weights_.integers[row]);
  if (is_real())
    for (std::uint32_t row : part.rows) part.reals.push_back(weights_.reals[row]);
  return std::shared_ptr<const PackedTable>(new PackedTable(*this, std::move(part), std::move(keep)));
}

const PackedTable* PackedTable::compressed(Cancel& cancel) const {
  if (lazy_->compression_decided.load(std::memory_order_acquire)) return lazy_->compressed.get();
  const auto decide = [&](std::shared_ptr<const PackedTable> table) {
    const ForkLock lock = lazy_->locked();
    if (!lazy_->compression_decided.load(std::memory_order_relaxed)) {
      lazy_->compressed = std::move(table);
      lazy_->compression_decided.store(true, std::memory_order_release);
    }
    return lazy_->compressed.get();
  };
  if (is_real() || is_weighted() || n_rows_ < 256 || n_rows_ > kMostRowsCompressed) return decide(nullptr);
  const RowBits& bits = row_bits(cancel);
  const std::vector<Word> shown = bits_of_planes(planes(cancel), n_variables(), bits.words);
  std::vector<CodeColumn> wide;
  for (std::size_t v = 0; v < n_variables(); ++v)
    if (wide_[v] && cardinalities_[v] > 0) wide.push_back(codes(v));
  const auto code_at = [](CodeColumn column, std::size_t i) {
    return column.visit([i](const auto* codes) { return static_cast<std::uint32_t>(codes[i]); });
  };
  const auto hash = [&](std::size_t i) {
    Word h = 0x9e3779b97f4a7c15ull;
    for (std::size_t k = 0; k < bits.words; ++k)
      h = (h ^ (bits.row(i)[k] & shown[k])) * 0xd6e8feb86659fd93ull, h ^= h >> 32;
    for (const CodeColumn& column : wide) h = (h ^ code_at(column, i)) * 0xd6e8feb86659fd93ull, h ^= h >> 32;
    return h;
  };
  const auto equal = [&](std::size_t i, std::size_t j) {
    for (std::size_t k = 0; k < bits.words; ++k)
      if ((bits.row(i)[k] ^ bits.row(j)[k]) & shown[k]) return false;
    return std::all_of(wide.begin(), wide.end(),
                       [&](const CodeColumn& column) { return code_at(column, i) == code_at(column, j); });
  };
  std::vector<std::uint32_t> distinct;
  std::vector<std::int64_t> weights;
  const auto add_rows = [&](std::size_t n) {  // group equal rows among the first n
    distinct.clear(), weights.clear();
    const std::size_t capacity = std::bit_ceil(2 * n);
    std::vector<std::uint32_t> slots(capacity, 0);  // 1 + position in `distinct`
    for (std::size_t i = 0; i < n; ++i) {
      if (i % kBlockRows == 0) cancel.check();
      std::size_t at = hash(i) & (capacity - 1);
      while (slots[at] && !equal(distinct[slots[at] - 1], i)) at = (at + 1) & (capacity - 1);
      if (!slots[at]) {
        distinct.push_back(static_cast<std::uint32_t>(i));
        weights.push_back(0);
        slots[at] = static_cast<std::uint32_t>(distinct.size());
      }
      ++weights[slots[at] - 1];
    }
  };
  const std::size_t sample = std::min(n_rows_, kSampleRows);
  add_rows(sample);
  if (static_cast<double>(distinct.size()) > kMostDistinctInSample * static_cast<double>(sample))
    return decide(nullptr);
  if (sample < n_rows_) add_rows(n_rows_);
  if (n_bits(weights) > kMostEntries * static_cast<double>(n_rows_)) return decide(nullptr);
  // owned by this table, so nothing has to keep this table alive
  return decide(restricted(std::move(distinct), nullptr, std::move(weights)));
}

}  // namespace treewright
