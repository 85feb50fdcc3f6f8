// One table, three views of the same rows: codes, bit planes and row-major bits.
//
// Codes are the truth and are borrowed from the caller; the bit views are built on first use. A variable of r
// states has r - 1 planes: what the last state has follows by subtraction. A *wide* variable (many states)
// has none and is counted from its codes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <new>
#include <optional>
#include <span>
#include <vector>

#include "treewright/counting/mapped.hpp"
#include "treewright/graphs/bits.hpp"
#include "treewright/parallel/cancel.hpp"

namespace treewright {

/// Row numbers inside a block are 16-bit; a block is also the unit of cancellation.
inline constexpr std::size_t kBlockRows = 32768;

/// A column of state codes, 1, 2 or 4 bytes each; no data for a continuous variable.
struct CodeColumn {
  const void* data = nullptr;
  std::uint8_t width = 1;

  template <class F>
  decltype(auto) visit(F&& f) const {
    if (width == 1) return f(static_cast<const std::uint8_t*>(data));
    if (width == 2) return f(static_cast<const std::uint16_t*>(data));
    return f(static_cast<const std::uint32_t*>(data));
  }
};

template <class T>
struct Aligned {
  using value_type = T;
  Aligned() = default;
  template <class U>
  Aligned(const Aligned<U>&) {}
  T* allocate(std::size_t n) { return static_cast<T*>(::operator new(n * sizeof(T), std::align_val_t{64})); }
  void deallocate(T* p, std::size_t) { ::operator delete(p, std::align_val_t{64}); }
  bool operator==(const Aligned&) const = default;
};

template <class T>
using AlignedVector = std::vector<T, Aligned<T>>;

/// Words that were built here, or lie in a file that is mapped.
struct WordRange {
  AlignedVector<Word> own;
  const Word* borrowed = nullptr;

  const Word* data() const { return borrowed ? borrowed : own.data(); }
  std::size_t bytes() const { return own.size() * sizeof(Word); }
};

/// Column-major bits.
struct Planes {
  std::vector<std::uint32_t> first;  // planes of v: [first[v], first[v] + of(v)), rising; last, their number
  std::vector<std::uint32_t> sizes;  // those of columns that a part of a file leaves out lie between
  std::size_t words = 0, stride = 0;
  WordRange bits;

  std::size_t count() const { return first.back(); }
  std::size_t of(std::size_t v) const { return sizes[v]; }
  const Word* plane(std::size_t p) const { return bits.data() + p * stride; }
  std::size_t size() const { return count() * stride; }  // in words
};

/// Words between the planes of so many rows.
std::size_t plane_stride(std::size_t n_rows);

/// Row-major bits: the planes of one row side by side, rows contiguous, slack for wide loads at the end.
struct RowBits {
  static constexpr std::size_t kSlackWords = 64;

  std::size_t words = 0;  // per row
  WordRange bits;

  const Word* row(std::size_t i) const { return bits.data() + i * words; }
  std::size_t size(std::size_t n_rows) const { return n_rows * words + kSlackWords; }  // in words
};

/// For integer weights: the rows of each block whose weight has a given bit, bit by bit.
struct WeightSections {
  struct Section {
    std::uint32_t block, bit;
    std::size_t begin, end;
  };
  std::vector<Section> sections;
  std::vector<std::uint16_t> rows;
};

/// Row weights: none, or one of the two pointers is set.
struct RowWeights {
  const std::int64_t* integers = nullptr;
  const double* reals = nullptr;
};

/// Rows in a file, all of them or a run: which of its sections hold what (kNone: nothing does).
struct MappedRows {
  static constexpr std::size_t kNone = static_cast<std::size_t>(-1);
  static constexpr std::size_t kAligned = 512;  // where runs begin and end that use planes, but at the end

  std::shared_ptr<const MappedSections> file;
  std::vector<std::size_t> codes;  // by variable
  std::vector<std::uint8_t> widths, wide;
  std::size_t begin = 0, n_file_rows = 0;                 // the first row, and the rows of the file
  std::vector<std::uint32_t> first_planes, first_states;  // in the file, by variable; last, their number
  std::size_t planes = kNone, row_bits = kNone, marginals = kNone, weights = kNone;
  bool is_real = false;
  std::int64_t total = 0;
  double real_total = 0;
};

struct PairPlanes;

class PackedTable {
 public:
  /// Cardinality 0 marks a continuous variable. The memory behind `columns` and `weights` must outlive the
  /// table; `keep` can hold it.
  PackedTable(std::vector<CodeColumn> columns, std::vector<std::uint32_t> cardinalities, std::size_t n_rows,
              RowWeights weights = {}, std::shared_ptr<const void> keep = nullptr);
  /// Borrow from a file: nothing is read here but weights, of the file or others.
  PackedTable(MappedRows rows, std::vector<std::uint32_t> cardinalities, std::size_t n_rows,
              RowWeights weights = {}, std::shared_ptr<const void> keep = nullptr);
  PackedTable(const PackedTable&) = delete;
  PackedTable& operator=(const PackedTable&) = delete;

  std::size_t n_rows() const { return n_rows_; }
  std::size_t n_variables() const { return cardinalities_.size(); }
  std::uint32_t cardinality(std::size_t v) const { return cardinalities_[v]; }
  const std::vector<std::uint32_t>& cardinalities() const { return cardinalities_; }

  bool is_weighted() const { return weights_.integers; }
  bool is_real() const { return weights_.reals; }
  const RowWeights& weights() const { return weights_; }
  /// Rows counted with their weights; exact while weights are integers.
  std::int64_t total() const { return total_; }
  double real_total() const { return real_total_; }

  CodeColumn codes(std::size_t v) const;
  bool is_wide(std::size_t v) const { return wide_[v]; }

  const Planes& planes(Cancel& cancel) const;
  const RowBits& row_bits(Cancel& cancel) const;
  const WeightSections& sections() const;
  /// Counts of every state of every variable, weights included (integers only).
  const std::vector<std::vector<std::int64_t>>& marginals(Cancel& cancel) const;
  /// Count all pairs of planes (pair_planes.hpp), once and for all.
  void count_pairs(Cancel& cancel) const;
  /// These counts; null before they were made, and where they are too many to keep.
  const PairPlanes* pair_planes() const;

  /// The table of some rows (rising), which may be given new weights. Codes are gathered column by column
  /// when they are first needed, so this table must outlive the part; `keep` can hold it.
  std::shared_ptr<const PackedTable> restricted(std::vector<std::uint32_t> rows,
                                                std::shared_ptr<const void> keep,
                                                std::vector<std::int64_t> new_weights = {}) const;

  /// The table of distinct rows with integer weights, when there are few enough of them for searches to gain;
  /// null otherwise. Decided and built once.
  const PackedTable* compressed(Cancel& cancel) const;

  std::size_t bytes() const;
  /// Throws std::invalid_argument unless `scope` names discrete variables, each once.
  void check_scope(std::span<const std::uint32_t> scope) const;

 private:
  struct Part {  // what a restricted table owns
    const PackedTable* whole = nullptr;
    std::vector<std::uint32_t> rows;
    std::vector<std::int64_t> integers;
    std::vector<double> reals;
  };
  struct Lazy;  // what is built on first use
  PackedTable(const PackedTable& whole, Part part, std::shared_ptr<const void> keep);
  void add_up_weights();
  Planes laid_out() const;
  void check_sections() const;
  void count_marginals(std::vector<std::vector<std::int64_t>>& built, Cancel& cancel) const;

  std::optional<MappedRows> mapped_;
  std::vector<CodeColumn> columns_;
  std::vector<std::uint32_t> cardinalities_;
  std::vector<std::uint8_t> wide_;
  std::size_t n_rows_;
  Part part_;
  RowWeights weights_;
  std::shared_ptr<const void> keep_;
  std::int64_t total_ = 0;
  double real_total_ = 0;
  std::shared_ptr<Lazy> lazy_;
};

}  // namespace treewright
