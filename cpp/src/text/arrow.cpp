#include "treewright/text/arrow.hpp"

#include <algorithm>
#include <atomic>
#include <limits>
#include <memory>
#include <stdexcept>
#include <string>

#include "treewright/parallel/threads.hpp"

namespace treewright {

namespace {

constexpr std::size_t kMostExpected = std::size_t{1} << 22;

template <class T>
const T* buffer_of(const ArrowArray& array, std::size_t i) {
  return static_cast<const T*>(array.buffers[i]) + array.offset;
}

// Texts of an array, whichever of three layouts it has; a view of nothing where a cell is null.
class TextViews {
 public:
  static bool knows(const std::string& format) { return format == "u" || format == "U" || format == "vu"; }

  TextViews(const std::string& format, const ArrowArray& array) : array_(array) {
    if (format == "u") small_ = buffer_of<std::int32_t>(array, 1);
    if (format == "U") large_ = buffer_of<std::int64_t>(array, 1);
    if (format == "vu") views_ = buffer_of<View>(array, 1);
    if (format != "vu") characters_ = static_cast<const char*>(array.buffers[2]);
  }

  std::string_view operator[](std::size_t row) const {
    if (is_null(array_, row)) return {};
    if (small_) return at(small_[row], small_[row + 1]);
    if (large_) return at(large_[row], large_[row + 1]);
    const View& view = views_[row];
    const auto length = static_cast<std::size_t>(view.length);
    if (length <= sizeof(view.inside)) return {view.inside, length};
    const auto* buffer = static_cast<const char*>(array_.buffers[2 + view.place.buffer]);
    return {buffer + view.place.offset, length};
  }

  static bool is_null(const ArrowArray& array, std::size_t row) {
    const auto* bits = static_cast<const std::uint8_t*>(array.buffers[0]);
    const std::size_t at = row + static_cast<std::size_t>(array.offset);
    return bits != nullptr && array.null_count != 0 && (bits[at / 8] >> (at % 8) & 1) == 0;
  }

 private:
  struct View {  // up to twelve characters lie in the view itself
    std::int32_t length;
    union {
      char inside[12];
      struct {
        char start[4];
        std::int32_t buffer, offset;
      } place;
    };
  };

  std::string_view at(std::int64_t begin, std::int64_t end) const {
    return {characters_ == nullptr ? "" : characters_ + begin, static_cast<std::size_t>(end - begin)};
  }

  const ArrowArray& array_;
  const std::int32_t* small_ = nullptr;
  const std::int64_t* large_ = nullptr;
  const View* views_ = nullptr;
  const char* characters_ = nullptr;
};

class ColumnOfBatches {
 public:
  explicit ColumnOfBatches(const ArrowSchema& schema)
      : format_(schema.format), is_dictionary_(schema.dictionary != nullptr), texts_({true, false, {}}) {
    const bool is_number =
        format_.size() == 1 && std::string("cCsSiIlLfgb").find(format_) != std::string::npos;
    if (is_dictionary_) {
      dictionary_ = schema.dictionary->format;
      is_known_ =
          is_number && std::string("fgb").find(format_) == std::string::npos && TextViews::knows(dictionary_);
    } else {
      is_known_ = is_number || TextViews::knows(format_);
    }
    if (!is_known_)
      throw std::invalid_argument("columns of the Arrow format " + format_ +
                                  (is_dictionary_ ? " into " + dictionary_ : "") + " are not read");
  }

  // So many rows may come; what a file says of itself may be wrong.
  void expect(std::size_t n_rows) { n_expected_ = std::min(n_rows, kMostExpected); }

  void add(const ArrowArray& array) {
    const auto n = static_cast<std::size_t>(array.length);
    if (is_dictionary_) return add_coded(array, n);
    if (n == 0) return;
    if (TextViews::knows(format_)) return add_texts(TextViews(format_, array), n);
    const bool has_nulls = note_missing(array, n);
    switch (format_[0]) {
      case 'b':
        return add_truths(array, n, has_nulls);
      case 'f':
        return append(reals_, buffer_of<float>(array, 1), n);
      case 'g':
        return append(reals_, buffer_of<double>(array, 1), n);
      case 'L':
        return append(large_, buffer_of<std::uint64_t>(array, 1), n);
      default:
        with_wholes(array, [&](const auto* values) { add_wholes(values, n, has_nulls); });
    }
  }

  ArrowColumn finish() {
    if (std::find(missing_.begin(), missing_.end(), 1) == missing_.end()) missing_.clear();
    ArrowColumn out;
    out.is_truth = format_ == "b" && !is_dictionary_;
    if (is_dictionary_ || TextViews::knows(format_)) {
      out.values = texts_.finish();
      out.is_declared = is_dictionary_ && !has_changed_;
      out.declared = std::move(declared_);
      return out;
    }
    out.missing = std::move(missing_);
    if (format_ == "g" || format_ == "f")
      out.values = std::move(reals_);
    else if (format_ == "L")
      out.values = std::move(large_);
    else
      out.values = std::move(wholes_);
    return out;
  }

 private:
  void add_texts(const TextViews& texts, std::size_t n) {
    views_.resize(n);
    for (std::size_t row = 0; row < n; ++row) views_[row] = texts[row];
    texts_.add(views_.data(), 1, n);
  }

  // Every batch brings its dictionary; as long as it is the same, its labels are what was declared.
  void add_coded(const ArrowArray& array, std::size_t n) {
    const TextViews labels(dictionary_, *array.dictionary);
    const auto n_labels = static_cast<std::size_t>(array.dictionary->length);
    std::vector<std::string> own;
    for (std::size_t i = 0; i < n_labels; ++i) own.emplace_back(labels[i]);
    if (!has_dictionary_)
      declared_ = std::move(own), has_dictionary_ = true;
    else
      has_changed_ = has_changed_ || own != declared_;
    if (n == 0) return;
    views_.resize(n);
    const auto look_up = [&](const auto* codes) {
      for (std::size_t row = 0; row < n; ++row) {
        views_[row] = {};
        if (TextViews::is_null(array, row)) continue;
        const auto code = static_cast<std::uint64_t>(codes[row]);
        if (code >= n_labels) throw std::invalid_argument("a code of an Arrow dictionary is not in it");
        views_[row] = labels[code];
      }
    };
    if (format_ == "L")
      look_up(buffer_of<std::uint64_t>(array, 1));
    else
      with_wholes(array, look_up);
    texts_.add(views_.data(), 1, n);
  }

  template <class F>
  void with_wholes(const ArrowArray& array, F&& f) {
    switch (format_[0]) {
      case 'c':
        return f(buffer_of<std::int8_t>(array, 1));
      case 'C':
        return f(buffer_of<std::uint8_t>(array, 1));
      case 's':
        return f(buffer_of<std::int16_t>(array, 1));
      case 'S':
        return f(buffer_of<std::uint16_t>(array, 1));
      case 'i':
        return f(buffer_of<std::int32_t>(array, 1));
      case 'I':
        return f(buffer_of<std::uint32_t>(array, 1));
      default:
        return f(buffer_of<std::int64_t>(array, 1));
    }
  }

  void add_truths(const ArrowArray& array, std::size_t n, bool has_nulls) {
    const auto* bits = static_cast<const std::uint8_t*>(array.buffers[1]);
    std::vector<std::uint8_t> truths(n);
    for (std::size_t row = 0; row < n; ++row) {
      const std::size_t at = row + static_cast<std::size_t>(array.offset);
      truths[row] = bits[at / 8] >> (at % 8) & 1;
    }
    add_wholes(truths.data(), n, has_nulls);
  }

  // Flags are kept from the first null on.
  bool note_missing(const ArrowArray& array, std::size_t n) {
    const std::size_t before = n_rows_;
    n_rows_ += n;
    const bool has_nulls = array.buffers[0] != nullptr && array.null_count != 0;
    if (!has_nulls && missing_.empty()) return false;
    missing_.resize(n_rows_, 0);
    if (!has_nulls) return false;
    for (std::size_t row = 0; row < n; ++row) missing_[before + row] = TextViews::is_null(array, row);
    return true;
  }

  template <class T, class From>
  static void append(std::vector<T>& out, const From* values, std::size_t n) {
    out.insert(out.end(), values, values + n);
  }

  /// What lies under a null means nothing, so it is zero here.
  template <class T>
  void add_wholes(const T* values, std::size_t n, bool has_nulls) {
    std::vector<T> filled;
    if (has_nulls) {
      const std::uint8_t* gone = missing_.data() + (missing_.size() - n);
      filled.assign(values, values + n);
      for (std::size_t row = 0; row < n; ++row)
        if (gone[row]) filled[row] = 0;
      values = filled.data();
    }
    T least = 0, most = 0;
    for (std::size_t row = 0; row < n; ++row) {
      least = std::min(least, values[row]);
      most = std::max(most, values[row]);
    }
    widen_for(static_cast<std::int64_t>(least), static_cast<std::int64_t>(most));
    std::visit(
        [&](auto& out) {
          if (out.empty()) out.reserve(n_expected_);
          append(out, values, n);
        },
        wholes_);
  }

  void widen_for(std::int64_t least, std::int64_t most) {
    const auto fits = [&](auto narrow) {
      using Narrow = decltype(narrow);
      return least >= std::numeric_limits<Narrow>::min() && most <= std::numeric_limits<Narrow>::max();
    };
    if (wholes_.index() < 1 && !fits(std::int8_t{})) widen<std::int16_t>();
    if (wholes_.index() < 2 && !fits(std::int16_t{})) widen<std::int32_t>();
    if (wholes_.index() < 3 && !fits(std::int32_t{})) widen<std::int64_t>();
  }

  template <class Wider>
  void widen() {
    std::vector<Wider> wider;
    std::visit([&](auto& narrow) { wider.assign(narrow.begin(), narrow.end()); }, wholes_);
    wholes_ = std::move(wider);
  }

  std::string format_, dictionary_;
  bool is_dictionary_, is_known_ = false, has_dictionary_ = false, has_changed_ = false;
  FieldColumn texts_;
  std::vector<std::string> declared_;
  std::vector<std::string_view> views_;
  WholeNumbers wholes_;
  std::vector<std::uint64_t> large_;
  std::vector<double> reals_;
  std::vector<std::uint8_t> missing_;
  std::size_t n_rows_ = 0, n_expected_ = 0;
};

// Counted from 1 they come, and go as codes; false where one is null or not among so many.
bool codes_of_places(const ArrowArray& places, std::size_t begin, std::size_t n, std::uint8_t* codes,
                     std::uint32_t cardinality) {
  if (places.buffers[0] != nullptr && places.null_count != 0)
    for (std::size_t row = begin; row < begin + n; ++row)
      if (TextViews::is_null(places, row)) return false;
  const auto* from = buffer_of<std::uint8_t>(places, 1) + begin;
  std::uint8_t most = 0;
  for (std::size_t row = 0; row < n; ++row) {
    codes[row] = static_cast<std::uint8_t>(from[row] - 1);  // 255 where the label was not found
    most = std::max(most, codes[row]);
  }
  return n == 0 || most < cardinality;
}

void refuse_failure(int failure, ArrowArrayStream& stream) {
  if (failure == 0) return;
  const char* reason = stream.get_last_error(&stream);
  throw std::runtime_error(reason != nullptr ? reason : "the rows could not be fetched");
}

}  // namespace

ArrowReader::ArrowReader(ArrowArrayStream& stream) : stream_(stream) {
  stream.release = nullptr;
  if (stream_.release == nullptr) throw std::invalid_argument("the stream has been read before");
  try {
    refuse_failure(stream_.get_schema(&stream_, &schema_), stream_);
    for (std::int64_t i = 0; i < schema_.n_children; ++i) {
      const char* name = schema_.children[i]->name;
      names_.emplace_back(name == nullptr ? "" : name);
    }
  } catch (...) {
    if (schema_.release != nullptr) schema_.release(&schema_);
    stream_.release(&stream_);
    throw;
  }
}

ArrowReader::~ArrowReader() {
  drop_batch();
  if (schema_.release != nullptr) schema_.release(&schema_);
  stream_.release(&stream_);
}

void ArrowReader::drop_batch() {
  if (waiting_.release != nullptr) waiting_.release(&waiting_);
  waiting_ = {}, n_taken_ = 0;
}

// False when the stream is over.
bool ArrowReader::next_batch() {
  drop_batch();
  refuse_failure(stream_.get_next(&stream_, &waiting_), stream_);
  if (waiting_.release == nullptr) return false;
  if (waiting_.offset != 0 || waiting_.n_children != schema_.n_children)
    throw std::invalid_argument("a batch of the stream does not have the columns of its schema");
  return true;
}

std::optional<std::size_t> ArrowReader::read_codes(const CodeBlock& block, std::size_t begin,
                                                   Cancel& cancel) {
  const std::size_t n_columns = block.cardinalities.size();
  for (std::size_t v = 0; v < n_columns; ++v)
    if (schema_.n_children != static_cast<std::int64_t>(n_columns) ||
        std::string(schema_.children[v]->format) != "C" || schema_.children[v]->dictionary != nullptr)
      throw std::invalid_argument("codes are columns of bytes, one for each cardinality");
  std::size_t at = begin;
  while (at < block.n_rows) {
    cancel.check();
    if (n_taken_ == static_cast<std::size_t>(waiting_.length) && !next_batch()) break;
    const std::size_t n = std::min(block.n_rows - at, static_cast<std::size_t>(waiting_.length) - n_taken_);
    std::atomic<bool> all_known{true};
    parallel_for(n_columns, 0.2 * static_cast<double>(n * n_columns), cancel, [&](std::size_t v) {
      if (!codes_of_places(*waiting_.children[v], n_taken_, n, block.codes + v * block.n_rows + at,
                           block.cardinalities[v]))
        all_known.store(false, std::memory_order_relaxed);
    });
    if (!all_known.load()) return std::nullopt;
    at += n, n_taken_ += n;
  }
  return at - begin;
}

std::vector<ArrowColumn> ArrowReader::read(std::size_t n_rows, Cancel& cancel, std::size_t n_expected) {
  std::vector<ColumnOfBatches> columns;
  for (std::int64_t i = 0; i < schema_.n_children; ++i)
    columns.emplace_back(*schema_.children[i]).expect(n_expected);
  std::size_t n_read = 0;
  bool is_over = false;
  while (n_read < n_rows && !is_over) {
    cancel.check();
    is_over = !next_batch();
    if (is_over) break;
    const ArrowArray& batch = waiting_;
    n_read += static_cast<std::size_t>(batch.length);
    const double nanoseconds = 8.0 * static_cast<double>(batch.length) * static_cast<double>(columns.size());
    parallel_for(columns.size(), nanoseconds, cancel,
                 [&](std::size_t i) { columns[i].add(*batch.children[i]); });
    drop_batch();
  }
  std::vector<ArrowColumn> result;
  if (n_read == 0 && is_over && has_begun_) return result;
  has_begun_ = true;
  for (ColumnOfBatches& column : columns) result.push_back(column.finish());
  return result;
}

}  // namespace treewright
