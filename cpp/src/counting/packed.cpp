#include "treewright/counting/packed.hpp"

#include <algorithm>
#include <atomic>
#include <numeric>
#include <stdexcept>
#include <string>

#include "counting/packed/lazy.hpp"
#include "treewright/counting/dispatch.hpp"

namespace treewright {
namespace {

constexpr std::uint32_t kWideStates = 64;

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

// A stride that is a multiple of the page size would put all planes into the same cache sets.
std::size_t plane_stride(std::size_t n_rows) {
  const std::size_t stride = (words_for(n_rows) + 3) / 4 * 4;
  return stride > 0 && stride * 8 % 4096 == 0 ? stride + 16 : stride;
}

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

PackedTable::PackedTable(MappedRows rows, std::vector<std::uint32_t> cardinalities, std::size_t n_rows,
                         RowWeights weights, std::shared_ptr<const void> keep)
    : mapped_(std::move(rows)),
      columns_(cardinalities.size()),
      cardinalities_(std::move(cardinalities)),
      wide_(mapped_->wide),
      n_rows_(n_rows),
      weights_(weights),
      keep_(std::move(keep)),
      total_(mapped_->total),
      real_total_(mapped_->real_total),
      lazy_(std::make_shared<Lazy>(cardinalities_.size())) {
  if (n_rows > std::size_t{0xffffffff})
    throw std::invalid_argument("a table holds at most 2^32 - 1 rows; use shards");
  check_sections();
  for (std::size_t v = 0; v < columns_.size(); ++v) columns_[v].width = mapped_->widths[v];
  if (is_weighted() || is_real()) {
    add_up_weights();
    return;
  }
  if (mapped_->weights == MappedRows::kNone) return;
  const std::uint8_t* found = mapped_->file->trusted(mapped_->weights) + 8 * mapped_->begin;
  if (mapped_->is_real)
    weights_.reals = reinterpret_cast<const double*>(found);
  else
    weights_.integers = reinterpret_cast<const std::int64_t*>(found);
  if (n_rows_ < mapped_->n_file_rows) add_up_weights();
}

// Every section has the bytes that its rows need, so that no loop leaves it.
void PackedTable::check_sections() const {
  const std::size_t n = cardinalities_.size(), begin = mapped_->begin, all = mapped_->n_file_rows;
  if (mapped_->codes.size() != n || mapped_->widths.size() != n || mapped_->wide.size() != n ||
      mapped_->first_planes.size() != n + 1 || mapped_->first_states.size() != n + 1)
    throw std::invalid_argument("one section, one width and one flag a column");
  if (begin > all || n_rows_ > all - begin) throw std::invalid_argument("there are no such rows in the file");
  const auto expect = [&](std::size_t section, std::size_t bytes) {
    if (section == MappedRows::kNone) return;
    const FileSection& found = mapped_->file->section(section);
    if (found.length != bytes || found.offset % 64)
      throw DamagedFile("section '" + found.name + "' has " + std::to_string(found.length) + " bytes where " +
                        std::to_string(bytes) + " are needed");
  };
  for (std::size_t v = 0; v < n; ++v) {
    const std::size_t r = cardinalities_[v], width = mapped_->widths[v];
    if (mapped_->first_states[v] + r > mapped_->first_states[n])
      throw std::invalid_argument("a column has no counts where they are said to be");
    if (r == 0) continue;
    if ((width != 1 && width != 2 && width != 4) || (width < 4 && r > std::size_t{1} << (8 * width)) ||
        mapped_->codes[v] == MappedRows::kNone || (!wide_[v] && (width != 1 || r > kWideStates)))
      throw std::invalid_argument("a column of a packed file cannot be what its header says");
    expect(mapped_->codes[v], all * width);
  }
  expect(mapped_->marginals, mapped_->first_states[n] * sizeof(std::int64_t));
  expect(mapped_->weights, all * 8);
  if ((mapped_->planes == MappedRows::kNone) != (mapped_->row_bits == MappedRows::kNone))
    throw std::invalid_argument("planes come with row bits");
  if (mapped_->planes == MappedRows::kNone) return;
  const Planes planes = laid_out();
  for (std::size_t v = 0; v < n; ++v)
    if (planes.of(v) > 0 &&
        planes.first[v] + planes.of(v) > *std::min_element(planes.first.begin() + v + 1, planes.first.end()))
      throw std::invalid_argument("planes of a part of a file rise");
  const std::size_t end = begin + n_rows_;
  if (begin % MappedRows::kAligned || (end % MappedRows::kAligned && end != all))
    throw std::invalid_argument("these rows share words of planes with others");
  expect(mapped_->planes, planes.size() * sizeof(Word));
  RowBits rows;
  rows.words = words_for(planes.count());
  expect(mapped_->row_bits, rows.size(all) * sizeof(Word));
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
  if (mapped_)
    return {mapped_->file->trusted(mapped_->codes[v]) + mapped_->begin * columns_[v].width,
            columns_[v].width};
  if (!part_.whole) return columns_[v];
  if (!lazy_->is_gathered[v].load(std::memory_order_acquire)) {
    const CodeColumn all = part_.whole->codes(v);
    const ForkLock lock = lazy_->locked();
    if (!lazy_->is_gathered[v].load(std::memory_order_relaxed)) {
      lazy_->gathered[v] = all.visit([&](const auto* codes) { return gather(codes, part_.rows); });
      lazy_->is_gathered[v].store(true, std::memory_order_release);
    }
  }
  return {lazy_->gathered[v].data(), columns_[v].width};
}

Planes PackedTable::laid_out() const {
  Planes planes;
  planes.first.assign(1, 0);
  for (std::size_t v = 0; v < n_variables(); ++v) {
    planes.sizes.push_back(wide_[v] || cardinalities_[v] == 0 ? 0 : cardinalities_[v] - 1);
    planes.first.push_back(planes.first.back() + planes.sizes.back());
  }
  planes.words = words_for(n_rows_);
  planes.stride = plane_stride(n_rows_);
  if (!mapped_ || mapped_->planes == MappedRows::kNone) return planes;
  planes.first = mapped_->first_planes;
  planes.stride = plane_stride(mapped_->n_file_rows);
  return planes;
}

const Planes& PackedTable::planes(Cancel& cancel) const {
  if (mapped_) mapped_->file->check_length();
  if (lazy_->has_planes.load(std::memory_order_acquire)) return *lazy_->planes;
  if (mapped_ && mapped_->planes != MappedRows::kNone) {
    Planes found = laid_out();
    found.bits.borrowed =
        reinterpret_cast<const Word*>(mapped_->file->trusted(mapped_->planes, cancel)) + mapped_->begin / 64;
    const ForkLock lock = lazy_->locked();
    if (!lazy_->planes) lazy_->planes = std::move(found);
    lazy_->has_planes.store(true, std::memory_order_release);
    return *lazy_->planes;
  }
  for (std::size_t v = 0; v < n_variables(); ++v)
    if (cardinalities_[v] > 1 && !wide_[v]) codes(v);  // gathers outside our lock
  const ForkLock lock = lazy_->locked();
  if (lazy_->planes) return *lazy_->planes;
  Planes built = laid_out();
  built.bits.own.assign(built.size(), 0);
  for (std::size_t v = 0; v < n_variables(); ++v) {
    if (built.of(v) == 0) continue;
    cancel.check();
    const auto* bytes =
        static_cast<const std::uint8_t*>(part_.whole ? lazy_->gathered[v].data() : codes(v).data);
    kernels().build_planes(bytes, n_rows_, built.of(v), built.bits.own.data() + built.first[v] * built.stride,
                           built.stride);
  }
  lazy_->planes = std::move(built);
  lazy_->has_planes.store(true, std::memory_order_release);
  return *lazy_->planes;
}

const RowBits& PackedTable::row_bits(Cancel& cancel) const {
  if (mapped_) mapped_->file->check_length();
  if (lazy_->has_rows.load(std::memory_order_acquire)) return *lazy_->rows;
  if (mapped_ && mapped_->row_bits != MappedRows::kNone) {
    RowBits found;
    found.words = words_for(laid_out().count());
    found.bits.borrowed = reinterpret_cast<const Word*>(mapped_->file->trusted(mapped_->row_bits, cancel)) +
                          mapped_->begin * found.words;
    const ForkLock lock = lazy_->locked();
    if (!lazy_->rows) lazy_->rows = std::move(found);
    lazy_->has_rows.store(true, std::memory_order_release);
    return *lazy_->rows;
  }
  const Planes& from = planes(cancel);
  const ForkLock lock = lazy_->locked();
  if (lazy_->rows) return *lazy_->rows;
  RowBits built;
  const std::size_t n_planes = from.count();
  built.words = words_for(n_planes);
  built.bits.own.assign(built.size(n_rows_), 0);
  Word square[64];
  for (std::size_t w = 0; w < from.words; ++w) {
    if (w % 512 == 0) cancel.check();
    const std::size_t rows = std::min<std::size_t>(64, n_rows_ - 64 * w);
    for (std::size_t word = 0; word < built.words; ++word) {
      for (std::size_t k = 0; k < 64; ++k)
        square[k] = 64 * word + k < n_planes ? from.plane(64 * word + k)[w] : 0;
      transpose64(square);
      for (std::size_t i = 0; i < rows; ++i) built.bits.own[(64 * w + i) * built.words + word] = square[i];
    }
  }
  lazy_->rows = std::move(built);
  lazy_->has_rows.store(true, std::memory_order_release);
  return *lazy_->rows;
}

const WeightSections& PackedTable::sections() const {
  if (lazy_->has_sections.load(std::memory_order_acquire)) return *lazy_->sections;
  const ForkLock lock = lazy_->locked();
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
  std::vector<std::vector<std::int64_t>> built(n_variables());
  if (mapped_ && mapped_->marginals != MappedRows::kNone) {
    const auto* counts =
        reinterpret_cast<const std::int64_t*>(mapped_->file->trusted(mapped_->marginals, cancel));
    for (std::size_t v = 0; v < n_variables(); ++v) {
      const std::int64_t* own = counts + mapped_->first_states[v];
      built[v].assign(own, own + cardinalities_[v]);
    }
  } else {
    count_marginals(built, cancel);
  }
  const ForkLock lock = lazy_->locked();
  if (!lazy_->marginals) lazy_->marginals = std::move(built);
  lazy_->has_marginals.store(true, std::memory_order_release);
  return *lazy_->marginals;
}

void PackedTable::count_marginals(std::vector<std::vector<std::int64_t>>& built, Cancel& cancel) const {
  const Planes& from = planes(cancel);
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
}

void PackedTable::count_pairs(Cancel& cancel) const {
  if (lazy_->pairs_decided.load(std::memory_order_acquire)) return;
  std::optional<PairPlanes> built = count_pair_planes(*this, cancel);
  const ForkLock lock = lazy_->locked();
  if (lazy_->pairs_decided.load(std::memory_order_relaxed)) return;
  lazy_->pairs = std::move(built);
  lazy_->pairs_decided.store(true, std::memory_order_release);
}

const PairPlanes* PackedTable::pair_planes() const {
  return lazy_->pairs_decided.load(std::memory_order_acquire) && lazy_->pairs ? &*lazy_->pairs : nullptr;
}

std::size_t PackedTable::bytes() const {
  std::size_t total = 0;
  for (const CodeColumn& column : columns_) total += column.data ? column.width * n_rows_ : 0;
  if (lazy_->has_planes) total += lazy_->planes->bits.bytes();
  if (lazy_->has_rows) total += lazy_->rows->bits.bytes();
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
