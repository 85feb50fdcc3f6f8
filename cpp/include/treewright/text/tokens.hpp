// Text files of models as tokens: words, quoted texts and punctuation marks, each with its place.
//
// Equal texts share a symbol, so a reader compares integers where the file repeats labels a million times.
// Nothing is copied out of the file; a token is a span of it. A text that cannot be cut into tokens (a
// comment or a quote that never ends) is reported with its place, not thrown, so that the reader can say it
// kindly.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "treewright/parallel/cancel.hpp"

namespace treewright {

struct TokenRules {
  std::string marks;                       // each of these bytes is a token of its own
  std::vector<std::string> line_comments;  // what starts a comment that ends with its line
  bool block_comments = false;             // /* ... */
  bool quotes = false;                     // "..." is one token, whatever is inside
  bool escapes = false;                    // a backslash in quotes protects the next byte
};

/// Kinds of tokens; a mark has its own byte as kind.
constexpr std::uint8_t word_token = 'w';
constexpr std::uint8_t quoted_token = '"';

struct TokenList {
  std::vector<std::uint8_t> kinds;
  std::vector<std::uint32_t> starts;  // of a quoted text: behind the quote
  std::vector<std::uint32_t> ends;    // of a quoted text: before the quote
  std::vector<std::uint32_t>
      symbols;          // words and quoted texts with equal bytes are equal; marks have their own
  std::string problem;  // empty when all went well
  std::size_t problem_at = 0;
};

/// Cut a text into tokens; it must be shorter than 4 GiB.
TokenList tokenize(std::string_view text, const TokenRules& rules, Cancel& cancel);

/// Line and column, both from 1; columns count characters of UTF-8.
struct Place {
  std::size_t line;
  std::size_t column;
};
Place place_of(std::string_view text, std::size_t offset);

/// Read spans of the text as finite decimal numbers. Returns the index of the first span that is none, or the
/// number of spans; too small becomes zero, too large is no number.
std::size_t parse_numbers(std::string_view text, std::span<const std::uint32_t> starts,
                          std::span<const std::uint32_t> ends, std::span<double> values, Cancel& cancel);

}  // namespace treewright
