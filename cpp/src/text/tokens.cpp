#include "treewright/text/tokens.hpp"

#include <array>
#include <bit>
#include <cmath>
#include <cstring>
#include <limits>
#include <random>
#include <stdexcept>

#include "text/reals.hpp"

namespace treewright {
namespace {

constexpr std::size_t tokens_between_checks = 1 << 14;

// Drawn once: asking the system takes longer than a small file.
const std::uint64_t hash_seed = (std::uint64_t{std::random_device{}()} << 32) | std::random_device{}();

/// Symbols by first occurrence. The seed differs from run to run, so that no file can be written to collide;
/// the symbols do not depend on it.
class SymbolTable {
 public:
  explicit SymbolTable(std::string_view text) : text_(text), slots_(1024, none) {}

  std::uint32_t symbol(std::uint32_t start, std::uint32_t end) {
    if (2 * (spans_.size() + 1) > slots_.size()) grow();
    const std::string_view word = text_.substr(start, end - start);
    const std::uint64_t hash = hash_of(word);
    for (std::size_t slot = hash & mask();; slot = (slot + 1) & mask()) {
      if (slots_[slot] == none) {
        slots_[slot] = static_cast<std::uint32_t>(spans_.size());
        spans_.push_back({start, end, hash});
        return slots_[slot];
      }
      const Span& known = spans_[slots_[slot]];
      if (known.hash == hash && text_.substr(known.start, known.end - known.start) == word)
        return slots_[slot];
    }
  }

 private:
  struct Span {
    std::uint32_t start, end;
    std::uint64_t hash;
  };
  static constexpr std::uint32_t none = std::numeric_limits<std::uint32_t>::max();

  std::size_t mask() const { return slots_.size() - 1; }

  std::uint64_t hash_of(std::string_view word) const {
    std::uint64_t hash = hash_seed ^ word.size();
    while (!word.empty()) {
      std::uint64_t chunk = 0;
      const std::size_t n = std::min<std::size_t>(word.size(), sizeof chunk);
      std::memcpy(&chunk, word.data(), n);
      word.remove_prefix(n);
      hash = (hash ^ chunk) * 0x9e3779b97f4a7c15u;
      hash ^= std::rotl(hash, 29) + (hash >> 32);
    }
    return hash ^ (hash >> 17);
  }

  void grow() {
    slots_.assign(2 * slots_.size(), none);
    for (std::uint32_t i = 0; i < spans_.size(); ++i) {
      std::size_t slot = spans_[i].hash & mask();
      while (slots_[slot] != none) slot = (slot + 1) & mask();
      slots_[slot] = i;
    }
  }

  std::string_view text_;
  std::vector<std::uint32_t> slots_;
  std::vector<Span> spans_;
};

enum class Byte : std::uint8_t { plain, space, mark, quote, comment };

class Tokenizer {
 public:
  Tokenizer(std::string_view text, const TokenRules& rules) : text_(text), rules_(rules), table_(text) {
    for (const char c : std::string_view(" \t\n\r\f\v")) byte(c) = Byte::space;
    for (const std::string& start : rules.line_comments) byte(start.at(0)) = Byte::comment;
    if (rules.block_comments) byte('/') = Byte::comment;
    for (const char c : rules.marks) byte(c) = Byte::mark;
    if (rules.quotes) byte('"') = Byte::quote;
  }

  TokenList run(Cancel& cancel) {
    while (at_ < text_.size() && list_.problem.empty()) {
      step();
      if (list_.kinds.size() >= next_check_) {
        cancel.check();
        next_check_ = list_.kinds.size() + tokens_between_checks;
      }
    }
    return std::move(list_);
  }

 private:
  Byte& byte(char c) { return bytes_[static_cast<unsigned char>(c)]; }

  void step() {
    switch (byte(text_[at_])) {
      case Byte::space:
        ++at_;
        return;
      case Byte::mark:
        add(static_cast<std::uint8_t>(text_[at_]), at_, at_ + 1);
        ++at_;
        return;
      case Byte::quote:
        return quoted();
      case Byte::comment:
        if (comment()) return;
        [[fallthrough]];
      case Byte::plain:
        return word();
    }
  }

  void word() {
    const std::size_t start = at_;
    do ++at_;
    while (at_ < text_.size() &&
           (byte(text_[at_]) == Byte::plain || (byte(text_[at_]) == Byte::comment && !starts_comment())));
    add(word_token, start, at_);
  }

  void quoted() {
    const std::size_t start = at_ + 1;
    std::size_t end = start;
    while (end < text_.size() && text_[end] != '"') end += rules_.escapes && text_[end] == '\\' ? 2 : 1;
    if (end >= text_.size()) return fail("a quote that never ends", at_);
    add(quoted_token, start, end);
    at_ = end + 1;
  }

  bool starts_comment() const {
    const std::string_view rest = text_.substr(at_);
    if (rules_.block_comments && rest.starts_with("/*")) return true;
    for (const std::string& start : rules_.line_comments)
      if (rest.starts_with(start)) return true;
    return false;
  }

  bool comment() {
    if (!starts_comment()) return false;
    if (rules_.block_comments && text_.substr(at_).starts_with("/*")) {
      const std::size_t end = text_.find("*/", at_ + 2);
      if (end == std::string_view::npos) return fail("a comment that never ends", at_), true;
      at_ = end + 2;
    } else {
      const std::size_t end = text_.find('\n', at_);
      at_ = end == std::string_view::npos ? text_.size() : end;
    }
    return true;
  }

  void add(std::uint8_t kind, std::size_t start, std::size_t end) {
    const auto from = static_cast<std::uint32_t>(start), to = static_cast<std::uint32_t>(end);
    list_.kinds.push_back(kind);
    list_.starts.push_back(from);
    list_.ends.push_back(to);
    list_.symbols.push_back(table_.symbol(from, to));
  }

  void fail(const char* problem, std::size_t at) {
    list_.problem = problem;
    list_.problem_at = at;
  }

  std::string_view text_;
  const TokenRules& rules_;
  SymbolTable table_;
  std::array<Byte, 256> bytes_{};
  std::size_t at_ = 0;
  std::size_t next_check_ = tokens_between_checks;
  TokenList list_;
};

bool parse_number(std::string_view word, double& value) {
  const bool negative = word.starts_with('-');
  if (negative || word.starts_with('+')) word.remove_prefix(1);
  for (const char c : word)  // no infinity, no nan, no hexadecimal
    if (!((c >= '0' && c <= '9') || c == '.' || c == 'e' || c == 'E' || c == '+' || c == '-')) return false;
  if (word.empty() || !((word[0] >= '0' && word[0] <= '9') || word[0] == '.')) return false;
  if (!parse_real(word, value) || !std::isfinite(value)) return false;
  if (negative) value = -value;
  return true;
}

}  // namespace

TokenList tokenize(std::string_view text, const TokenRules& rules, Cancel& cancel) {
  if (text.size() >= std::numeric_limits<std::uint32_t>::max())
    throw std::invalid_argument("a text of 4 GiB or more cannot be cut into tokens");
  return Tokenizer(text, rules).run(cancel);
}

Place place_of(std::string_view text, std::size_t offset) {
  const std::string_view before = text.substr(0, std::min(offset, text.size()));
  Place place{1, 1};
  std::size_t line_start = 0;
  for (std::size_t i = 0; i < before.size(); ++i)
    if (before[i] == '\n') ++place.line, line_start = i + 1;
  for (const char c : before.substr(line_start))
    place.column += (static_cast<unsigned char>(c) & 0xC0u) != 0x80u;  // continuation bytes do not count
  return place;
}

std::size_t parse_numbers(std::string_view text, std::span<const std::uint32_t> starts,
                          std::span<const std::uint32_t> ends, std::span<double> values, Cancel& cancel) {
  if (ends.size() != starts.size() || values.size() != starts.size())
    throw std::invalid_argument("one start, one end and one value for each number");
  for (std::size_t i = 0; i < starts.size(); ++i) {
    if (i % tokens_between_checks == 0) cancel.check();
    if (starts[i] > ends[i] || ends[i] > text.size()) throw std::out_of_range("a span outside the text");
    if (!parse_number(text.substr(starts[i], ends[i] - starts[i]), values[i])) return i;
  }
  return starts.size();
}

}  // namespace treewright
