// Columns out of a stream of Arrow batches, as databases and frames hand them over (the Arrow C interface).
//
// Texts become codes as they do for files; whole numbers take as few bytes as the largest of them needs.
#pragma once

#include <cstddef>
#include <cstdint>
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
};

/// Read a stream of texts (u, U), numbers of 64 bits (l, L, g) and bytes (C, taken as whole numbers) to its
/// end. Anything else is refused.
std::vector<ArrowColumn> read_arrow(ArrowArrayStream& stream, Cancel& cancel);

}  // namespace treewright
