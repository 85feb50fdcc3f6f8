#include "treewright/text/fields.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstring>
#include <limits>
#include <numeric>

#include "text/reals.hpp"

namespace treewright {

namespace {

constexpr std::size_t most_coded_numbers = 1024;  // distinct ones; more are kept as numbers
constexpr std::int64_t gone = -1;                 // the rank of a missing field

bool is_figure(char c) { return c >= '0' && c <= '9'; }

std::string_view without_blanks(std::string_view text) {
  while (!text.empty() && text.front() == ' ') text.remove_prefix(1);
  while (!text.empty() && text.back() == ' ') text.remove_suffix(1);
  return text;
}

std::size_t figures(std::string_view text) {
  std::size_t n = 0;
  while (n < text.size() && is_figure(text[n])) ++n;
  return n;
}

bool is_word(std::string_view text, std::string_view lower) {
  return text.size() == lower.size() &&
         std::equal(text.begin(), text.end(), lower.begin(), [](char a, char b) { return (a | 0x20) == b; });
}

/// What is left behind e, + or -, and figures; the whole text if there is no such thing in front.
bool is_exponent(std::string_view text) {
  if (text.empty() || (text[0] | 0x20) != 'e') return false;
  text.remove_prefix(1);
  if (!text.empty() && (text[0] == '+' || text[0] == '-')) text.remove_prefix(1);
  return !text.empty() && figures(text) == text.size();
}

std::int64_t whole_of(std::string_view text) {
  text = without_blanks(text);
  std::int64_t value = 0;
  std::from_chars(text.data(), text.data() + text.size(), value);
  return value;
}

double real_of(std::string_view text) {
  text = without_blanks(text);
  if (text.front() == '+') text.remove_prefix(1);
  double value = 0.0;
  parse_real(text, value);
  return value + 0.0;  // no -0.0
}

std::uint64_t load8(const char* p) {
  std::uint64_t word;
  std::memcpy(&word, p, 8);
  return word;
}

std::uint64_t load4(const char* p) {
  std::uint32_t word;
  std::memcpy(&word, p, 4);
  return word;
}

constexpr std::uint64_t odd_factor = 0x9E3779B97F4A7C15;

/// The text itself when it has at most eight bytes, else a hash of it.
std::uint64_t key_of(std::string_view text) {
  const char* p = text.data();
  const std::size_t n = text.size();
  if (n > 8) {
    std::uint64_t hash = n;
    for (std::size_t at = 0; at + 8 < n; at += 8) {
      hash = (hash ^ load8(p + at)) * odd_factor;
      hash ^= hash >> 29;
    }
    return (hash ^ load8(p + n - 8)) * odd_factor;
  }
  if (n >= 4) return load4(p) | load4(p + n - 4) << (8 * (n - 4));
  if (n == 0) return 0;
  const auto byte = [p](std::size_t i) { return std::uint64_t{static_cast<unsigned char>(p[i])} << (8 * i); };
  return byte(0) | byte(n / 2) | byte(n - 1);
}

std::size_t place_of_key(std::uint64_t key, std::size_t length, std::size_t mask) {
  const std::uint64_t mixed = (key + length) * odd_factor;
  return (mixed ^ mixed >> 32) & mask;
}

}  // namespace

FieldKind kind_of_field(std::string_view text) {
  text = without_blanks(text);
  if (text.empty()) return FieldKind::text;
  const bool is_negative = text[0] == '-';
  std::string_view rest = text.substr(is_negative || text[0] == '+');
  const std::size_t n = figures(rest);
  const bool is_plain = n == 1 || (n > 1 && rest[0] != '0');  // no zeros in front
  if (n == rest.size())
    return is_plain && n <= 18 && text[0] != '+' && !(is_negative && rest[0] == '0') ? FieldKind::whole
                                                                                     : FieldKind::text;
  if (n > 0 && !is_plain) return FieldKind::text;
  if (n == 0 && (is_word(rest, "nan") || is_word(rest, "inf") || is_word(rest, "infinity")))
    return FieldKind::real;
  if (rest[n] != '.') return n > 0 && is_exponent(rest.substr(n)) ? FieldKind::real : FieldKind::text;
  const std::string_view fraction = rest.substr(n + 1);
  const std::size_t n_behind = figures(fraction);
  if (n + n_behind == 0) return FieldKind::text;
  const std::string_view tail = fraction.substr(n_behind);
  return tail.empty() || is_exponent(tail) ? FieldKind::real : FieldKind::text;
}

void FieldColumn::add(const std::string_view* fields, std::size_t stride, std::size_t n) {
  if (is_spoilt_) return;
  std::size_t done = 0;
  while (done < n) {  // again whenever the form of the column changes
    const std::string_view* from = fields + done * stride;
    switch (form_) {
      case Form::codes8:
        done += encode(codes8_, from, stride, n - done);
        break;
      case Form::codes16:
        done += encode(codes16_, from, stride, n - done);
        break;
      case Form::codes32:
        done += encode(codes32_, from, stride, n - done);
        break;
      default:
        done += add_numbers(from, stride, n - done);
        break;
    }
    if (is_spoilt_) return;
  }
}

/// Returns the rows taken: all, or those before the one that does not fit.
template <class Code>
std::size_t FieldColumn::encode(std::vector<Code>& out, const std::string_view* fields, std::size_t stride,
                                std::size_t n) {
  if (out.capacity() < out.size() + n) out.reserve(std::max(2 * out.capacity(), out.size() + n));
  for (std::size_t row = 0; row < n; ++row) {
    const std::string_view field = fields[row * stride];
    const bool is_missing = field.empty() && (rules_.empty_is_missing || field.data() == nullptr);
    const std::uint32_t code = is_missing ? 0 : code_of(field);
    if (code > std::numeric_limits<Code>::max()) {
      widen();
      return row;
    }
    out.push_back(static_cast<Code>(code));
    n_missing_ += code == 0;
    if (code == most_coded_numbers && !has_text_ && !rules_.keeps_texts) {
      take_values();
      return row + 1;
    }
  }
  return n;
}

std::size_t FieldColumn::add_numbers(const std::string_view* fields, std::size_t stride, std::size_t n) {
  for (std::size_t row = 0; row < n; ++row) {
    const std::string_view field = fields[row * stride];
    const bool is_missing = field.empty() || stands_for_missing(field);
    FieldKind kind = is_missing ? FieldKind::nothing : kind_of_field(field);
    if (kind == FieldKind::text) {
      is_spoilt_ = true;
      std::vector<double>().swap(reals_);
      std::vector<std::int64_t>().swap(wholes_);
      return n;
    }
    if (form_ == Form::wholes && kind == FieldKind::real) {
      has_real_ = true;
      form_ = Form::reals;
      reals_.assign(wholes_.begin(), wholes_.end());
      for (std::size_t i = 0; i < missing_.size(); ++i)
        if (missing_[i]) reals_[i] = std::numeric_limits<double>::quiet_NaN();
      std::vector<std::int64_t>().swap(wholes_);
    }
    n_missing_ += is_missing;
    if (form_ == Form::reals) {
      reals_.push_back(is_missing ? std::numeric_limits<double>::quiet_NaN() : real_of(field));
    } else {
      wholes_.push_back(is_missing ? 0 : whole_of(field));
      missing_.push_back(is_missing);
    }
  }
  return n;
}

std::uint32_t FieldColumn::code_of(std::string_view text) {
  const std::uint64_t key = key_of(text);
  const std::size_t mask = slots_.size() - 1;
  std::size_t place = place_of_key(key, text.size(), mask);
  for (;; place = (place + 1) & mask) {
    const Slot& slot = slots_[place];
    if (slot.key == key && slot.length == text.size() &&
        (text.size() <= 8 || (slot.code != 0 ? this->text(slot.code) == text : stands_for_missing(text))))
      return slot.code;
    if (slot.length == UINT32_MAX) return enter(text, key, place);
  }
}

std::uint32_t FieldColumn::enter(std::string_view text, std::uint64_t key, std::size_t place) {
  std::uint32_t code = 0;
  if (!stands_for_missing(text)) {
    const FieldKind kind = kind_of_field(text);
    has_text_ |= kind == FieldKind::text;
    has_real_ |= kind == FieldKind::real;
    arena_.append(text);
    ends_.push_back(arena_.size());
    code = static_cast<std::uint32_t>(ends_.size());
  }
  slots_[place] = {key, static_cast<std::uint32_t>(text.size()), code};
  if (2 * (ends_.size() + rules_.missing.size()) >= slots_.size()) rehash();
  return code;
}

bool FieldColumn::stands_for_missing(std::string_view text) const {
  return !rules_.missing.empty() &&
         std::find(rules_.missing.begin(), rules_.missing.end(), text) != rules_.missing.end();
}

std::string_view FieldColumn::text(std::uint32_t code) const {
  const std::uint64_t from = code == 1 ? 0 : ends_[code - 2];
  return std::string_view(arena_).substr(from, ends_[code - 1] - from);
}

void FieldColumn::rehash() {
  std::vector<Slot> old(4 * slots_.size());
  old.swap(slots_);
  const std::size_t mask = slots_.size() - 1;
  for (const Slot& slot : old) {
    if (slot.length == UINT32_MAX) continue;
    std::size_t place = place_of_key(slot.key, slot.length, mask);
    while (slots_[place].length != UINT32_MAX) place = (place + 1) & mask;
    slots_[place] = slot;
  }
}

void FieldColumn::widen() {
  if (form_ == Form::codes8) {
    codes16_.assign(codes8_.begin(), codes8_.end());
    std::vector<std::uint8_t>().swap(codes8_);
    form_ = Form::codes16;
  } else {
    codes32_.assign(codes16_.begin(), codes16_.end());
    std::vector<std::uint16_t>().swap(codes16_);
    form_ = Form::codes32;
  }
}

/// From codes of numbers to the numbers themselves.
void FieldColumn::take_values() {
  form_ = has_real_ ? Form::reals : Form::wholes;
  const auto fill = [this](auto& out, auto value_of, auto none) {
    std::vector<std::decay_t<decltype(none)>> known{none};
    for (std::uint32_t code = 1; code <= ends_.size(); ++code) known.push_back(value_of(text(code)));
    out.reserve(2 * codes16_.size());
    for (const std::uint16_t code : codes16_) out.push_back(known[code]);
  };
  if (has_real_) {
    fill(reals_, real_of, std::numeric_limits<double>::quiet_NaN());
  } else {
    fill(wholes_, whole_of, std::int64_t{0});
    for (const std::uint16_t code : codes16_) missing_.push_back(code == 0);
  }
  std::vector<std::uint16_t>().swap(codes16_);
  std::vector<Slot>(8).swap(slots_);
}

std::size_t FieldColumn::bytes() const {
  return slots_.capacity() * sizeof(Slot) + arena_.capacity() + 8 * ends_.capacity() + codes8_.capacity() +
         2 * codes16_.capacity() + 4 * codes32_.capacity() + 8 * (wholes_.capacity() + reals_.capacity()) +
         missing_.capacity();
}

std::size_t FieldColumn::rows() const {
  return codes8_.size() + codes16_.size() + codes32_.size() + wholes_.size() + reals_.size();
}

FieldValues FieldColumn::finish() {
  FieldValues result;
  if (form_ == Form::wholes || form_ == Form::reals) {
    result.is_coded = false;
    result.kind = form_ == Form::wholes ? FieldKind::whole : FieldKind::real;
    result.wholes = std::move(wholes_);
    result.reals = std::move(reals_);
    if (form_ == Form::wholes && n_missing_ > 0) result.missing = std::move(missing_);
    return result;
  }
  const bool is_text = has_text_ || rules_.keeps_texts;
  if (!ends_.empty())
    result.kind = is_text ? FieldKind::text : has_real_ ? FieldKind::real : FieldKind::whole;
  std::vector<std::uint32_t> order(ends_.size());  // codes, sorted by what they stand for
  std::iota(order.begin(), order.end(), 1);
  std::vector<std::int64_t> ranks(ends_.size() + 1, gone);
  std::size_t n_labels = 0;
  const auto rank_by = [&](auto& distinct, auto value_of) {
    std::vector<std::decay_t<decltype(value_of(std::string_view()))>> values(ends_.size() + 1);
    for (const std::uint32_t code : order) values[code] = value_of(text(code));
    std::erase_if(order, [&](std::uint32_t code) { return values[code] != values[code]; });  // NaN
    std::sort(order.begin(), order.end(), [&](auto a, auto b) { return values[a] < values[b]; });
    for (const std::uint32_t code : order) {
      if (distinct.empty() || values[code] != distinct.back()) distinct.emplace_back(values[code]);
      ranks[code] = static_cast<std::int64_t>(distinct.size()) - 1;
    }
    n_labels = distinct.size();
  };
  if (result.kind == FieldKind::whole) {
    rank_by(result.wholes, whole_of);
  } else if (result.kind == FieldKind::real) {
    rank_by(result.reals, real_of);
  } else {
    rank_by(result.texts, [](std::string_view view) { return view; });
  }
  if (form_ == Form::codes8) finish_codes(codes8_, ranks, n_labels, result);
  if (form_ == Form::codes16) finish_codes(codes16_, ranks, n_labels, result);
  if (form_ == Form::codes32) finish_codes(codes32_, ranks, n_labels, result);
  *this = FieldColumn(std::move(rules_));
  return result;
}

template <class Code>
void FieldColumn::finish_codes(const std::vector<Code>& found, const std::vector<std::int64_t>& ranks,
                               std::size_t n_labels, FieldValues& result) const {
  const bool has_missing = n_missing_ > 0 || std::find(ranks.begin() + 1, ranks.end(), gone) != ranks.end();
  const auto fill = [&](auto smallest) {
    using Rank = decltype(smallest);
    std::vector<Rank> lookup(ranks.size());
    for (std::size_t code = 0; code < ranks.size(); ++code)
      lookup[code] = static_cast<Rank>(std::max<std::int64_t>(ranks[code], 0));
    std::vector<Rank> codes(found.size());
    for (std::size_t row = 0; row < found.size(); ++row) codes[row] = lookup[found[row]];
    result.codes = std::move(codes);
  };
  if (n_labels <= std::size_t{1} << 8)
    fill(std::uint8_t{});
  else if (n_labels <= std::size_t{1} << 16)
    fill(std::uint16_t{});
  else
    fill(std::uint32_t{});
  if (!has_missing) return;
  result.missing.resize(found.size());
  for (std::size_t row = 0; row < found.size(); ++row) result.missing[row] = ranks[found[row]] == gone;
}

}  // namespace treewright
