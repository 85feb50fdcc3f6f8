#include "treewright/text/csv.hpp"

#include <algorithm>
#include <cstring>
#include <stdexcept>

#include "treewright/parallel/threads.hpp"

namespace treewright {

namespace {

constexpr std::size_t fields_at_once = 1 << 16;
constexpr std::size_t longest_record = std::size_t{1} << 26;  // bytes; a quote that never ends is no record

std::string counted_fields(std::size_t n) { return std::to_string(n) + (n == 1 ? " field" : " fields"); }

[[noreturn]] void refuse_line(std::size_t line, const std::string& what) {
  throw std::invalid_argument("line " + std::to_string(line) + " " + what);
}

}  // namespace

CsvReader::CsvReader(std::vector<FieldRules> rules) {
  for (FieldRules& one : rules) columns_.emplace_back(std::move(one));
}

void CsvReader::open(CsvLayout layout) {
  for (const std::int32_t column : layout.columns)
    if (column < -1 || column >= static_cast<std::int32_t>(columns_.size()))
      throw std::out_of_range("there is no column " + std::to_string(column));
  layout_ = std::move(layout);
  if (layout_.columns.empty()) throw std::invalid_argument("a file needs at least one field in a line");
  stops_.fill(false);
  for (const char stop : {layout_.delimiter, '\n', '\r'}) stops_[static_cast<unsigned char>(stop)] = true;
  line_ = layout_.first_line;
  is_first_ = layout_.skips_first;
  is_start_ = true;
  buffer_.clear();
}

void CsvReader::feed(std::string_view block, Cancel& cancel) {
  buffer_.insert(buffer_.end(), block.begin(), block.end());
  if (is_start_ && buffer_.size() < 3) return;
  cut(false, cancel);
  if (buffer_.size() > longest_record)
    refuse_line(line_, "begins a record of more than 64 MiB; is a quote left open?");
}

void CsvReader::close(Cancel& cancel) { cut(true, cancel); }

std::size_t CsvReader::bytes() const {
  std::size_t sum = buffer_.capacity() + fields_.capacity() * sizeof(std::string_view);
  for (const FieldColumn& column : columns_) sum += column.bytes();
  return sum;
}

/// Cut the buffer into records as far as they are complete, and keep the rest.
void CsvReader::cut(bool is_last, Cancel& cancel) {
  const std::size_t size = buffer_.size();
  buffer_.push_back('\n');  // so that every field stops somewhere
  const char* at = buffer_.data();
  const char* const end = at + size;
  if (is_start_ && size >= 3 && std::memcmp(at, "\xEF\xBB\xBF", 3) == 0) at += 3;
  is_start_ = is_start_ && size == 0;
  while (at < end) {
    const char* const record = at;
    const std::size_t first = fields_.size();
    lines_inside_ = 0;
    if (!cut_record(at, end, is_last)) {
      fields_.resize(first);
      at = record;
      break;
    }
    take_record(first, record[0] == '"');
    if (fields_.size() >= fields_at_once) hand_over(cancel);
  }
  hand_over(cancel);
  const std::size_t used = static_cast<std::size_t>(at - buffer_.data());
  buffer_.pop_back();
  buffer_.erase(buffer_.begin(), buffer_.begin() + static_cast<std::ptrdiff_t>(used));
}

/// One record into `fields_`; false when it goes on in the next block.
bool CsvReader::cut_record(const char*& at, const char* end, bool is_last) {
  for (;;) {
    while (layout_.delimiter == ' ' && *at == ' ') ++at;
    if (*at == '"' && at < end) {
      if (!cut_quoted(at, end, is_last)) return false;
    } else {
      const char* const from = at;
      while (!stops_[static_cast<unsigned char>(*at)]) ++at;
      fields_.emplace_back(from, static_cast<std::size_t>(at - from));
    }
    if (at >= end) return is_last;
    const char stop = *at++;
    if (stop == layout_.delimiter) continue;
    if (stop == '\r') {
      if (at == end) return is_last;  // a line feed may follow
      if (*at == '\n') ++at;
    }
    return true;
  }
}

bool CsvReader::cut_quoted(const char*& at, const char* end, bool is_last) {
  const char* const from = at + 1;
  const char* quote = from;
  bool has_doubled = false;
  for (;; quote += 2) {
    quote = static_cast<const char*>(std::memchr(quote, '"', static_cast<std::size_t>(end - quote)));
    if (quote == nullptr && is_last) refuse_line(line_, "opens a quote that never ends");
    if (quote == nullptr || (quote + 1 == end && !is_last)) return false;
    if (quote + 1 == end || quote[1] != '"') break;
    has_doubled = true;
  }
  const std::string_view text(from, static_cast<std::size_t>(quote - from));
  lines_inside_ += static_cast<std::size_t>(std::count(text.begin(), text.end(), '\n'));
  fields_.push_back(has_doubled ? without_doubled_quotes(text) : text);
  at = quote + 1;
  if (at < end && !stops_[static_cast<unsigned char>(*at)])
    refuse_line(line_ + lines_inside_,
                "goes on behind a closing quote; a quote in a quoted field is doubled");
  return true;
}

std::string_view CsvReader::without_doubled_quotes(std::string_view text) {
  std::string& plain = unescaped_.emplace_back();
  for (std::size_t i = 0; i < text.size(); ++i) {
    plain.push_back(text[i]);
    i += text[i] == '"';
  }
  return plain;
}

/// Keep a record that is complete, and refuse one of another length.
void CsvReader::take_record(std::size_t first, bool was_quoted) {
  const std::size_t found = fields_.size() - first, wanted = layout_.columns.size();
  const std::size_t line = line_;
  line_ += 1 + lines_inside_;
  const bool is_blank = found == 1 && fields_[first].empty() && !was_quoted && wanted > 1;
  if (is_first_ || is_blank) {
    is_first_ = false;
    fields_.resize(first);
    return;
  }
  if (found == wanted + 1 && fields_.back().empty())
    fields_.pop_back();  // a delimiter at the end of the line
  else if (found < wanted && layout_.fills_short)
    fill(wanted - found, line);
  else if (found != wanted)
    refuse_line(line, "has " + counted_fields(found) + " where " + std::to_string(wanted) +
                          (wanted == 1 ? " was" : " were") + " expected");
}

void CsvReader::fill(std::size_t n_fields, std::size_t line) {
  constexpr std::size_t most_told = 3;
  fields_.resize(fields_.size() + n_fields);
  if (n_filled_++ < most_told) filled_.push_back(line);
}

void CsvReader::hand_over(Cancel& cancel) {
  const std::size_t n_fields = layout_.columns.size(), n_rows = fields_.size() / n_fields;
  if (n_rows > 0) {
    constexpr std::size_t together = 16;  // neighbours share lines of the cache
    const double nanoseconds = 8.0 * static_cast<double>(fields_.size());
    parallel_for((n_fields + together - 1) / together, nanoseconds, cancel, [&](std::size_t group) {
      for (std::size_t i = together * group; i < std::min(n_fields, together * (group + 1)); ++i)
        if (layout_.columns[i] >= 0)
          columns_[static_cast<std::size_t>(layout_.columns[i])].add(&fields_[i], n_fields, n_rows);
    });
  }
  fields_.clear();
  unescaped_.clear();
}

}  // namespace treewright
