// Columns out of a stream of Arrow batches, as databases and frames hand them over (the Arrow C interface).
//
// Texts become codes as they do for files; whole numbers take as few bytes as the largest of them needs.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <variant>
#include <vector>

#include "treewright/parallel/cancel.hpp"
#include "treewright/text/fields.hpp"

namespace treewright {

// The names and layouts of these three are those of the Arrow C data and stream interfaces.
struct ArrowSchema {
  const char* format;
  const char* name;
  const char* metadata;
  std::int64_t flags;
  std::int64_t n_children;
  ArrowSchema** children;
  ArrowSchema* dictionary;
  void (*release)(ArrowSchema*);
  void* private_data;
};

struct ArrowArray {
  std::int64_t length;
  std::int64_t null_count;
  std::int64_t offset;
  std::int64_t n_buffers;
  std::int64_t n_children;
  const void** buffers;
  ArrowArray** children;
  ArrowArray* dictionary;
  void (*release)(ArrowArray*);
  void* private_data;
};

struct ArrowArrayStream {
  int (*get_schema)(ArrowArrayStream*, ArrowSchema*);
  int (*get_next)(ArrowArrayStream*, ArrowArray*);
  const char* (*get_last_error)(ArrowArrayStream*);
  void (*release)(ArrowArrayStream*);
  void* private_data;
};

using WholeNumbers = std::variant<std::vector<std::int8_t>, std::vector<std::int16_t>,
                                  std::vector<std::int32_t>, std::vector<std::int64_t>>;

struct ArrowColumn {
  std::variant<FieldValues, WholeNumbers, std::vector<std::uint64_t>, std::vector<double>> values;
  std::vector<std::uint8_t> missing;  // one flag per row, or nothing; texts have their own
  bool is_truth = false;
  // Of a dictionary that all batches share: its texts, observed or not, in their order.
  bool is_declared = false;
  std::vector<std::string> declared;
};

/// Where codes of some rows go: of each column `n_rows` bytes, one column behind the other.
struct CodeBlock {
  std::uint8_t* codes;
  std::size_t n_rows;
  std::span<const std::uint32_t> cardinalities;
};

/// A stream of texts (also as views), whole numbers, real numbers and truth values, and of dictionaries of
/// texts. Anything else is refused.
class ArrowReader {
 public:
  /// Takes the stream over.
  explicit ArrowReader(ArrowArrayStream& stream);
  ~ArrowReader();
  ArrowReader(const ArrowReader&) = delete;
  ArrowReader& operator=(const ArrowReader&) = delete;

  const std::vector<std::string>& names() const { return names_; }
  /// What the next batches hold, until there are at least `n_rows` rows or no more; no columns at the
  /// end, unless the stream has no row at all. Room is made for `n_expected` rows, others may come.
  std::vector<ArrowColumn> read(std::size_t n_rows, Cancel& cancel, std::size_t n_expected = 0);
  /// Columns of bytes that count labels from 1, as the codes of rows `begin` and on, until the block is full
  /// or the stream over: how many rows came. Nothing where a byte is null or counts no label.
  std::optional<std::size_t> read_codes(const CodeBlock& block, std::size_t begin, Cancel& cancel);

 private:
  bool next_batch();
  void drop_batch();

  ArrowArrayStream stream_;
  ArrowSchema schema_{};
  ArrowArray waiting_{};  // of a batch that is larger than a block, the rows from n_taken_ on
  std::size_t n_taken_ = 0;
  std::vector<std::string> names_;
  bool has_begun_ = false;
};

}  // namespace treewright
