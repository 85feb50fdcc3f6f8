#include "treewright/text/arrow.hpp"

#include <algorithm>
#include <limits>
#include <memory>
#include <stdexcept>
#include <string>

#include "treewright/parallel/threads.hpp"

namespace treewright {

namespace {

template <class Owned>
struct Released : Owned {
  Released() : Owned{} {}
  Released(const Released&) = delete;
  Released& operator=(const Released&) = delete;
  ~Released() {
    if (this->release != nullptr) this->release(this);
  }
};

template <class T>
const T* buffer_of(const ArrowArray& array, std::size_t i) {
  return static_cast<const T*>(array.buffers[i]) + array.offset;
}

class ColumnOfBatches {
 public:
  explicit ColumnOfBatches(const ArrowSchema& schema) : format_(schema.format), texts_({true, false, {}}) {
    const bool is_known = format_.size() == 1 && std::string("uUlLgC").find(format_) != std::string::npos;
    if (!is_known || schema.dictionary != nullptr)
      throw std::invalid_argument("columns of the Arrow format " + format_ + " are not read");
  }

  void add(const ArrowArray& array) {
    const auto n = static_cast<std::size_t>(array.length);
    if (n == 0) return;
    if (format_ == "u") return add_texts<std::int32_t>(array, n);
    if (format_ == "U") return add_texts<std::int64_t>(array, n);
    const bool has_nulls = note_missing(array, n);
    if (format_ == "C") return add_wholes(buffer_of<std::uint8_t>(array, 1), n, has_nulls);
    if (format_ == "l") return add_wholes(buffer_of<std::int64_t>(array, 1), n, has_nulls);
    if (format_ == "g") return append(reals_, buffer_of<double>(array, 1), n);
    append(large_, buffer_of<std::uint64_t>(array, 1), n);
  }

  ArrowColumn finish() {
    if (std::find(missing_.begin(), missing_.end(), 1) == missing_.end()) missing_.clear();
    if (format_ == "u" || format_ == "U") return {texts_.finish(), {}};
    if (format_ == "g") return {std::move(reals_), std::move(missing_)};
    if (format_ == "L") return {std::move(large_), std::move(missing_)};
    return {std::move(wholes_), std::move(missing_)};
  }

 private:
  bool is_null(const ArrowArray& array, std::size_t row) const {
    const auto* bits = static_cast<const std::uint8_t*>(array.buffers[0]);
    const std::size_t at = row + static_cast<std::size_t>(array.offset);
    return bits != nullptr && array.null_count != 0 && (bits[at / 8] >> (at % 8) & 1) == 0;
  }

  template <class Offset>
  void add_texts(const ArrowArray& array, std::size_t n) {
    const Offset* ends = buffer_of<Offset>(array, 1);
    const char* characters = static_cast<const char*>(array.buffers[2]);
    views_.resize(n);
    for (std::size_t row = 0; row < n; ++row)
      views_[row] = is_null(array, row)
                        ? std::string_view()
                        : std::string_view(characters == nullptr ? "" : characters + ends[row],
                                           static_cast<std::size_t>(ends[row + 1] - ends[row]));
    texts_.add(views_.data(), 1, n);
  }

  bool note_missing(const ArrowArray& array, std::size_t n) {
    const std::size_t before = missing_.size();
    missing_.resize(before + n, 0);
    if (array.buffers[0] == nullptr || array.null_count == 0) return false;
    for (std::size_t row = 0; row < n; ++row) missing_[before + row] = is_null(array, row);
    return true;
  }

  template <class T>
  static void append(std::vector<T>& out, const T* values, std::size_t n) {
    out.insert(out.end(), values, values + n);
  }

  /// What lies under a null means nothing, so it is zero here.
  template <class T>
  void add_wholes(const T* values, std::size_t n, bool has_nulls) {
    const std::uint8_t* gone = missing_.data() + (missing_.size() - n);
    std::int64_t least = 0, most = 0;
    for (std::size_t row = 0; row < n; ++row) {
      const std::int64_t value = has_nulls && gone[row] ? 0 : static_cast<std::int64_t>(values[row]);
      least = std::min(least, value);
      most = std::max(most, value);
    }
    widen_for(least, most);
    std::visit(
        [&](auto& out) {
          using Narrow = typename std::decay_t<decltype(out)>::value_type;
          for (std::size_t row = 0; row < n; ++row)
            out.push_back(has_nulls && gone[row] ? Narrow{0} : static_cast<Narrow>(values[row]));
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

  std::string format_;
  FieldColumn texts_;
  std::vector<std::string_view> views_;
  WholeNumbers wholes_;
  std::vector<std::uint64_t> large_;
  std::vector<double> reals_;
  std::vector<std::uint8_t> missing_;
};

void refuse_failure(int failure, ArrowArrayStream& stream) {
  if (failure == 0) return;
  const char* reason = stream.get_last_error(&stream);
  throw std::runtime_error(reason != nullptr ? reason : "the rows could not be fetched");
}

}  // namespace

std::vector<ArrowColumn> read_arrow(ArrowArrayStream& stream, Cancel& cancel) {
  Released<ArrowSchema> schema;
  refuse_failure(stream.get_schema(&stream, &schema), stream);
  std::vector<ColumnOfBatches> columns;
  for (std::int64_t i = 0; i < schema.n_children; ++i) columns.emplace_back(*schema.children[i]);
  for (;;) {
    cancel.check();
    Released<ArrowArray> batch;
    refuse_failure(stream.get_next(&stream, &batch), stream);
    if (batch.release == nullptr) break;
    const double nanoseconds = 8.0 * static_cast<double>(batch.length) * static_cast<double>(columns.size());
    parallel_for(columns.size(), nanoseconds, cancel,
                 [&](std::size_t i) { columns[i].add(*batch.children[i]); });
  }
  std::vector<ArrowColumn> result;
  for (ColumnOfBatches& column : columns) result.push_back(column.finish());
  return result;
}

}  // namespace treewright
