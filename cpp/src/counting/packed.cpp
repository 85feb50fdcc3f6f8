#include "treewright/counting/packed.hpp"

#include <algorithm>
#include <atomic>
#include <numeric>
#include <stdexcept>
#include <string>

#include "treewright/counting/dispatch.hpp"
#include "treewright/counting/pair_planes.hpp"

namespace treewright {
namespace {

constexpr std::uint32_t kWideStates = 64;
constexpr std::size_t kSlackWords = 64;

// Rows whose hash is looked at before compression is tried at all, and the shares that decide.
constexpr std::size_t kSampleRows = 8192;
constexpr double kMostDistinctInSample = 0.6;
constexpr double kMostEntries = 0.35;

// A stride that is a multiple of the page size would put all planes into the same cache sets.
std::size_t plane_stride(std::size_t words) {
  const std::size_t stride = (words + 3) / 4 * 4;
  return stride > 0 && stride * 8 % 4096 == 0 ? stride + 16 : stride;
}

// The bits of a 64 x 64 block, mirrored at its diagonal.
void transpose64(Word* a) {
  Word mask = 0x00000000ffffffffull;
  for (int width = 32; width; width >>= 1, mask ^= mask << width)
    for (int k = 0; k < 64; k = (k + width + 1) & ~width) {
      const Word swap = (a[k] >> width ^ a[k + width]) & mask;
      a[k] ^= swap << width;
      a[k + width] ^= swap;
    }
}

// Every later loop trusts its codes, so they are looked at once, here.
void check_codes(CodeColumn column, std::size_t n_rows, std::uint32_t cardinality) {
  column.visit([&](const auto* codes) {
    std::remove_cv_t<std::remove_pointer_t<decltype(codes)>> most = 0;
    for (std::size_t i = 0; i < n_rows; ++i) most = std::max(most, codes[i]);
    if (n_rows && most >= cardinality)
      throw std::invalid_argument("code " + std::to_string(most) + " is not below its cardinality " +
                                  std::to_string(cardinality));
  });
}

template <class Code>
std::vector<std::uint8_t> gather(const Code* codes, const std::vector<std::uint32_t>& rows) {
  std::vector<std::uint8_t> bytes(rows.size() * sizeof(Code) + 1);
  auto* out = reinterpret_cast<Code*>(bytes.data());
  for (std::size_t i = 0; i < rows.size(); ++i) out[i] = codes[rows[i]];
  return bytes;
}

}  // namespace

struct PackedTable::Lazy {
  explicit Lazy(std::size_t n_variables) : gathered(n_variables), is_gathered(n_variables) {}

  std::mutex mutex;  // guards every member's construction
  std::optional<Planes> planes;
  std::optional<RowBits> rows;
  std::optional<WeightSections> sections;
  std::vector<std::vector<std::uint8_t>> gathered;
  std::vector<std::atomic<bool>> is_gathered;
  std::optional<std::vector<std::vector<std::int64_t>>> marginals;
  std::optional<PairPlanes> pairs;
  std::atomic<bool> has_planes{false}, has_rows{false}, has_sections{false}, has_marginals{false},
      pairs_decided{false}, compression_decided{false};
  std::shared_ptr<const PackedTable> compressed;
};

PackedTable::PackedTable(std::vector<CodeColumn> columns, std::vector<std::uint32_t> cardinalities,
                         std::size_t n_rows, RowWeights weights, std::shared_ptr<const void> keep)
    : columns_(std::move(columns)),
      cardinalities_(std::move(cardinalities)),
      wide_(cardinalities_.size(), 0),
      n_rows_(n_rows),
      weights_(weights),
      keep_(std::move(keep)),
      lazy_(std::make_shared<Lazy>(cardinalities_.size())) {
  if (n_rows > std::size_t{0xffffffff})
    throw std::invalid_argument("a table holds at most 2^32 - 1 rows; use shards");
  for (std::size_t v = 0; v < cardinalities_.size(); ++v)
    if (cardinalities_[v] > 0) check_codes(columns_[v], n_rows, cardinalities_[v]);
  // planes cost (r - 1) / 8 bytes a row: give up the widest variables until they are at most twice the codes
  std::vector<std::size_t> by_states(cardinalities_.size());
  std::iota(by_states.begin(), by_states.end(), 0);
  std::stable_sort(by_states.begin(), by_states.end(),
                   [&](std::size_t a, std::size_t b) { return cardinalities_[a] > cardinalities_[b]; });
  std::size_t planes = 0, bytes = 0;
  for (std::size_t v = 0; v < cardinalities_.size(); ++v) {
    if (cardinalities_[v] > kWideStates || columns_[v].width != 1) wide_[v] = 1;
    planes += wide_[v] || cardinalities_[v] == 0 ? 0 : cardinalities_[v] - 1;
    bytes += columns_[v].width;
  }
  for (std::size_t v : by_states) {
    if (planes <= 16 * bytes) break;
    if (wide_[v] || cardinalities_[v] == 0) continue;
    planes -= cardinalities_[v] - 1;
    wide_[v] = 1;
  }
  add_up_weights();
}

PackedTable::PackedTable(const PackedTable& whole, Part part, std::shared_ptr<const void> keep)
    : columns_(whole.columns_),
      cardinalities_(whole.cardinalities_),
      wide_(whole.wide_),
      n_rows_(part.rows.size()),
      part_(std::move(part)),
      keep_(std::move(keep)),
      lazy_(std::make_shared<Lazy>(cardinalities_.size())) {
  if (!part_.integers.empty() || whole.is_weighted()) weights_.integers = part_.integers.data();
  if (whole.is_real()) weights_.reals = part_.reals.data();
  static const double nothing = 0;  // a part without rows keeps the kind of its weights
  if (whole.is_real() && n_rows_ == 0) weights_.reals = &nothing;
  static const std::int64_t none = 0;
  if (whole.is_weighted() && n_rows_ == 0) weights_.integers = &none;
  add_up_weights();
}

void PackedTable::add_up_weights() {
  total_ = is_weighted() ? std::accumulate(weights_.integers, weights_.integers + n_rows_, std::int64_t{0})
                         : static_cast<std::int64_t>(n_rows_);
  real_total_ = static_cast<double>(total_);
  if (is_real()) {
    total_ = 0;
    real_total_ = std::accumulate(weights_.reals, weights_.reals + n_rows_, 0.0);
  }
}

CodeColumn PackedTable::codes(std::size_t v) const {
  if (!part_.whole) return columns_[v];
  if (!lazy_->is_gathered[v].load(std::memory_order_acquire)) {
    const CodeColumn all = part_.whole->codes(v);
    const std::lock_guard lock(lazy_->mutex);
    if (!lazy_->is_gathered[v].load(std::memory_order_relaxed)) {
      lazy_->gathered[v] = all.visit([&](const auto* codes) { return gather(codes, part_.rows); });
      lazy_->is_gathered[v].store(true, std::memory_order_release);
    }
  }
  return {lazy_->gathered[v].data(), columns_[v].width};
}

const Planes& PackedTable::planes(Cancel& cancel) const {
  if (lazy_->has_planes.load(std::memory_order_acquire)) return *lazy_->planes;
  for (std::size_t v = 0; v < n_variables(); ++v)
    if (cardinalities_[v] > 1 && !wide_[v]) codes(v);  // gathers outside our lock
  const std::lock_guard lock(lazy_->mutex);
  if (lazy_->planes) return *lazy_->planes;
  Planes built;
  built.first.assign(1, 0);
  for (std::size_t v = 0; v < n_variables(); ++v)
    built.first.push_back(built.first.back() +
                          (wide_[v] || cardinalities_[v] == 0 ? 0 : cardinalities_[v] - 1));
  built.words = words_for(n_rows_);
  built.stride = plane_stride(built.words);
  built.bits.assign(built.count() * built.stride, 0);
  for (std::size_t v = 0; v < n_variables(); ++v) {
    if (built.of(v) == 0) continue;
    cancel.check();
    const auto* bytes =
        static_cast<const std::uint8_t*>(part_.whole ? lazy_->gathered[v].data() : columns_[v].data);
    kernels().build_planes(bytes, n_rows_, built.of(v), built.bits.data() + built.first[v] * built.stride,
                           built.stride);
  }
  lazy_->planes = std::move(built);
  lazy_->has_planes.store(true, std::memory_order_release);
  return *lazy_->planes;
}

const RowBits& PackedTable::row_bits(Cancel& cancel) const {
  if (lazy_->has_rows.load(std::memory_order_acquire)) return *lazy_->rows;
  const Planes& from = planes(cancel);
  const std::lock_guard lock(lazy_->mutex);
  if (lazy_->rows) return *lazy_->rows;
  RowBits built;
  const std::size_t n_planes = from.count();
  built.words = words_for(n_planes);
  built.bits.assign(n_rows_ * built.words + kSlackWords, 0);
  Word square[64];
  for (std::size_t w = 0; w < from.words; ++w) {
    if (w % 512 == 0) cancel.check();
    const std::size_t rows = std::min<std::size_t>(64, n_rows_ - 64 * w);
    for (std::size_t word = 0; word < built.words; ++word) {
      for (std::size_t k = 0; k < 64; ++k)
        square[k] = 64 * word + k < n_planes ? from.plane(64 * word + k)[w] : 0;
      transpose64(square);
      for (std::size_t i = 0; i < rows; ++i) built.bits[(64 * w + i) * built.words + word] = square[i];
    }
  }
  lazy_->rows = std::move(built);
  lazy_->has_rows.store(true, std::memory_order_release);
  return *lazy_->rows;
}

const WeightSections& PackedTable::sections() const {
  if (lazy_->has_sections.load(std::memory_order_acquire)) return *lazy_->sections;
  const std::lock_guard lock(lazy_->mutex);
  if (lazy_->sections) return *lazy_->sections;
  WeightSections built;
  for (std::size_t begin = 0; begin < n_rows_; begin += kBlockRows) {
    const std::size_t end = std::min(begin + kBlockRows, n_rows_);
    std::int64_t seen = 0;
    for (std::size_t i = begin; i < end; ++i) seen |= weights_.integers[i];
    for (std::uint32_t bit = 0; bit < 63; ++bit) {
      if (!(seen >> bit & 1)) continue;
      const std::size_t start = built.rows.size();
      for (std::size_t i = begin; i < end; ++i)
        if (weights_.integers[i] >> bit & 1) built.rows.push_back(static_cast<std::uint16_t>(i - begin));
      built.sections.push_back(
          {static_cast<std::uint32_t>(begin / kBlockRows), bit, start, built.rows.size()});
    }
  }
  lazy_->sections = std::move(built);
  lazy_->has_sections.store(true, std::memory_order_release);
  return *lazy_->sections;
}

const std::vector<std::vector<std::int64_t>>& PackedTable::marginals(Cancel& cancel) const {
  if (lazy_->has_marginals.load(std::memory_order_acquire)) return *lazy_->marginals;
  const Planes& from = planes(cancel);
  std::vector<std::vector<std::int64_t>> built(n_variables());
  for (std::size_t v = 0; v < n_variables(); ++v) {
    const std::size_t r = cardinalities_[v];
    if (r == 0) continue;
    cancel.check();
    built[v].assign(r, 0);
    if (is_weighted() || wide_[v]) {
      codes(v).visit([&](const auto* c) {
        for (std::size_t i = 0; i < n_rows_; ++i) built[v][c[i]] += is_weighted() ? weights_.integers[i] : 1;
      });
      continue;
    }
    for (std::size_t s = 0; s + 1 < r; ++s) {
      const Word* plane = from.plane(from.first[v] + s);
      kernels().and_popcounts(plane, 1, from.stride, plane, 1, from.stride, from.words, &built[v][s], 1);
    }
    built[v][r - 1] = total_ - std::accumulate(built[v].begin(), built[v].end() - 1, std::int64_t{0});
  }
  const std::lock_guard lock(lazy_->mutex);
  if (!lazy_->marginals) lazy_->marginals = std::move(built);
  lazy_->has_marginals.store(true, std::memory_order_release);
  return *lazy_->marginals;
}

void PackedTable::count_pairs(Cancel& cancel) const {
  if (lazy_->pairs_decided.load(std::memory_order_acquire)) return;
  std::optional<PairPlanes> built = count_pair_planes(*this, cancel);
  const std::lock_guard lock(lazy_->mutex);
  if (lazy_->pairs_decided.load(std::memory_order_relaxed)) return;
  lazy_->pairs = std::move(built);
  lazy_->pairs_decided.store(true, std::memory_order_release);
}

const PairPlanes* PackedTable::pair_planes() const {
  return lazy_->pairs_decided.load(std::memory_order_acquire) && lazy_->pairs ? &*lazy_->pairs : nullptr;
}

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
    const std::lock_guard lock(lazy_->mutex);
    if (!lazy_->compression_decided.load(std::memory_order_relaxed)) {
      lazy_->compressed = std::move(table);
      lazy_->compression_decided.store(true, std::memory_order_release);
    }
    return lazy_->compressed.get();
  };
  if (is_real() || is_weighted() || n_rows_ < 256) return decide(nullptr);
  const RowBits& bits = row_bits(cancel);
  std::vector<CodeColumn> wide;
  for (std::size_t v = 0; v < n_variables(); ++v)
    if (wide_[v] && cardinalities_[v] > 0) wide.push_back(codes(v));
  const auto code_at = [](CodeColumn column, std::size_t i) {
    return column.visit([i](const auto* codes) { return static_cast<std::uint32_t>(codes[i]); });
  };
  const auto hash = [&](std::size_t i) {
    Word h = 0x9e3779b97f4a7c15ull;
    for (std::size_t k = 0; k < bits.words; ++k)
      h = (h ^ bits.bits[i * bits.words + k]) * 0xd6e8feb86659fd93ull, h ^= h >> 32;
    for (const CodeColumn& column : wide) h = (h ^ code_at(column, i)) * 0xd6e8feb86659fd93ull, h ^= h >> 32;
    return h;
  };
  const auto equal = [&](std::size_t i, std::size_t j) {
    for (std::size_t k = 0; k < bits.words; ++k)
      if (bits.bits[i * bits.words + k] != bits.bits[j * bits.words + k]) return false;
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
  std::size_t entries = 0;
  for (std::int64_t w : weights) entries += std::popcount(static_cast<std::uint64_t>(w));
  if (static_cast<double>(entries) > kMostEntries * static_cast<double>(n_rows_)) return decide(nullptr);
  // owned by this table, so nothing has to keep this table alive
  return decide(restricted(std::move(distinct), nullptr, std::move(weights)));
}

std::size_t PackedTable::bytes() const {
  std::size_t total = 0;
  for (const CodeColumn& column : columns_) total += column.data ? column.width * n_rows_ : 0;
  if (lazy_->has_planes) total += lazy_->planes->bits.size() * 8;
  if (lazy_->has_rows) total += lazy_->rows->bits.size() * 8;
  if (const PairPlanes* pairs = pair_planes())
    for (const auto& row : pairs->rows) total += row.size() * sizeof(row[0]);
  return total;
}

void PackedTable::check_scope(std::span<const std::uint32_t> scope) const {
  for (std::size_t i = 0; i < scope.size(); ++i) {
    if (scope[i] >= n_variables())
      throw std::out_of_range("there is no variable number " + std::to_string(scope[i]) + "; there are " +
                              std::to_string(n_variables()));
    if (cardinalities_[scope[i]] == 0)
      throw std::invalid_argument("variable number " + std::to_string(scope[i]) +
                                  " is continuous and has no states to count");
    if (std::find(scope.begin(), scope.begin() + i, scope[i]) != scope.begin() + i)
      throw std::invalid_argument("variable number " + std::to_string(scope[i]) + " is listed twice");
  }
}

}  // namespace treewright
