// Delimited files, block by block, into columns.
//
// A file is handed over in blocks of any size. Each is cut into records, and the fields of some thousand
// records go to their columns, which may be worked on by several threads: a column sees its fields in the
// order of the file, so the result does not depend on blocks or threads. Fields may be quoted ("a, b"), a
// quote in them doubled, and hold line ends; records end with LF, CR LF or CR. Where a blank is the
// delimiter, any number of them is one, and those around a record are none. Bytes are not decoded.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <string>
#include <string_view>
#include <vector>

#include "treewright/parallel/cancel.hpp"
#include "treewright/text/fields.hpp"

namespace treewright {

/// How the fields of one file are laid out.
struct CsvLayout {
  std::vector<std::int32_t> columns;  // of each field of a record: where it goes, or -1
  char delimiter = ',';
  bool skips_first = true;     // the first record holds names
  std::size_t first_line = 1;  // of the file that is handed over, as lines are told
  bool fills_short = false;    // records with too few fields miss the last ones
};

class CsvReader {
 public:
  explicit CsvReader(std::vector<FieldRules> rules);

  /// Begin with a file; several go one below the other.
  void open(CsvLayout layout);
  /// Take the next bytes. What is wrong with them is thrown as std::invalid_argument, with the line.
  void feed(std::string_view block, Cancel& cancel);
  /// The file has ended.
  void close(Cancel& cancel);

  std::vector<FieldColumn>& columns() { return columns_; }
  /// The lines of records that were filled, some of the first, and how many there were.
  const std::vector<std::size_t>& filled_lines() const { return filled_; }
  std::size_t n_filled() const { return n_filled_; }
  std::size_t bytes() const;

 private:
  void cut(bool is_last, Cancel& cancel);
  bool cut_record(const char*& at, const char* end, bool is_last);
  bool cut_quoted(const char*& at, const char* end, bool is_last);
  void take_record(std::size_t first, bool was_quoted);
  void fill(std::size_t n_fields, std::size_t line);
  void hand_over(Cancel& cancel);
  std::string_view without_doubled_quotes(std::string_view text);

  CsvLayout layout_;
  std::vector<FieldColumn> columns_;
  std::vector<char> buffer_;              // what is left of the last block, then the next, then a line end
  std::vector<std::string_view> fields_;  // of whole records
  std::deque<std::string> unescaped_;     // fields that held doubled quotes
  std::array<bool, 256> stops_{};         // bytes that end a field
  std::size_t line_ = 1, lines_inside_ = 0, n_filled_ = 0;
  std::vector<std::size_t> filled_;
  bool is_first_ = true, is_start_ = true;
};

}  // namespace treewright
