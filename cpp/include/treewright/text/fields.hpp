// A column of texts in the making: fields go in, codes of the distinct texts or numbers come out.
//
// Each distinct text is looked at once: whether it is a number is asked of it, not of every row. A column of
// numbers with very many distinct values is kept as numbers instead; should a text turn up in it later, the
// column is spoilt and has to be read once more, with its texts kept.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace treewright {

enum class FieldKind : std::uint8_t { nothing, whole, real, text };

/// What a text is, blanks around it aside: a whole number as people write it (no plus, no zeros in front, at
/// most 18 digits), a real number (with a point, an exponent, nan, inf), or no number.
FieldKind kind_of_field(std::string_view text);

struct FieldRules {
  bool keeps_texts = false;            // numbers are texts like others
  bool empty_is_missing = true;        // else only a view of nothing (a null pointer) is
  std::vector<std::string> missing{};  // texts that stand for a missing field
};

/// Coded: `codes` into the distinct values, which are sorted. Otherwise one value for each row.
struct FieldValues {
  FieldKind kind = FieldKind::nothing;
  bool is_coded = true;
  std::variant<std::vector<std::uint8_t>, std::vector<std::uint16_t>, std::vector<std::uint32_t>> codes;
  std::vector<std::uint8_t> missing;  // one flag per row, or nothing
  std::vector<std::string> texts;     // in the order of their bytes, which is that of code points
  std::vector<std::int64_t> wholes;
  std::vector<double> reals;  // NaN where missing, if not coded
};

class FieldColumn {
 public:
  explicit FieldColumn(FieldRules rules) : rules_(std::move(rules)), slots_(8) {}

  /// Take the fields of `n` rows, every `stride`-th one of an array.
  void add(const std::string_view* fields, std::size_t stride, std::size_t n);

  /// Whether a text came after too many numbers to remember.
  bool is_spoilt() const { return is_spoilt_; }

  std::size_t bytes() const;
  std::size_t rows() const;
  FieldValues finish();

 private:
  struct Slot {
    std::uint64_t key = 0;              // the text itself up to eight bytes, else a hash
    std::uint32_t length = UINT32_MAX;  // of the text; the largest: nobody lives here
    std::uint32_t code = 0;
  };
  enum class Form : std::uint8_t { codes8, codes16, codes32, wholes, reals };

  template <class Code>
  std::size_t encode(std::vector<Code>& out, const std::string_view* fields, std::size_t stride,
                     std::size_t n);
  std::size_t add_numbers(const std::string_view* fields, std::size_t stride, std::size_t n);
  std::uint32_t code_of(std::string_view text);
  std::uint32_t enter(std::string_view text, std::uint64_t key, std::size_t place);
  bool stands_for_missing(std::string_view text) const;
  std::string_view text(std::uint32_t code) const;
  void rehash();
  void widen();
  void take_values();
  template <class Code>
  void finish_codes(const std::vector<Code>& found, const std::vector<std::int64_t>& ranks,
                    std::size_t n_labels, FieldValues& result) const;

  FieldRules rules_;
  Form form_ = Form::codes8;
  bool has_text_ = false, has_real_ = false, is_spoilt_ = false;
  std::vector<Slot> slots_;          // open addressing, a power of two
  std::string arena_;                // the distinct texts, one after the other; code 0 is a missing field
  std::vector<std::uint64_t> ends_;  // in the arena, of code 1, 2, ...
  std::vector<std::uint8_t> codes8_;
  std::vector<std::uint16_t> codes16_;
  std::vector<std::uint32_t> codes32_;
  std::vector<std::int64_t> wholes_;
  std::vector<double> reals_;
  std::vector<std::uint8_t> missing_;  // of whole numbers that are not coded
  std::size_t n_missing_ = 0;
};

}  // namespace treewright
