#include <string>

#include "check.hpp"
#include "treewright/text/tokens.hpp"

namespace tw = treewright;

namespace {

const tw::TokenRules bif{"{}()[],;|", {"//"}, true, true, false};
const tw::TokenRules net{"{}()=;|", {"%"}, false, true, true};

tw::TokenList tokens_of(std::string_view text, const tw::TokenRules& rules) {
  tw::Cancel cancel;
  return tw::tokenize(text, rules, cancel);
}

std::vector<std::string> texts_of(std::string_view text, const tw::TokenRules& rules) {
  const tw::TokenList list = tokens_of(text, rules);
  std::vector<std::string> texts;
  for (std::size_t i = 0; i < list.kinds.size(); ++i)
    texts.emplace_back(text.substr(list.starts[i], list.ends[i] - list.starts[i]));
  return texts;
}

using Texts = std::vector<std::string>;

std::size_t read_number(const std::string& text, double& value) {
  const std::vector<std::uint32_t> starts{0}, ends{static_cast<std::uint32_t>(text.size())};
  tw::Cancel cancel;
  return tw::parse_numbers(text, starts, ends, {&value, 1}, cancel);
}

}  // namespace

TEST(words_marks_and_quotes) {
  CHECK((texts_of("type discrete[2]{ <5, \"a, b\" };", bif) ==
         Texts{"type", "discrete", "[", "2", "]", "{", "<5", ",", "a, b", "}", ";"}));
  CHECK((texts_of("a/b c/", bif) == Texts{"a/b", "c/"}));  // one stroke is no comment
}

TEST(comments_end_words_and_lines) {
  CHECK((texts_of("a//b\nc/* d\n */e", bif) == Texts{"a", "c", "e"}));
  CHECK((texts_of("x % y\nz", net) == Texts{"x", "z"}));
  CHECK((texts_of("a // the end", bif) == Texts{"a"}));
}

TEST(escapes_protect_quotes_where_they_are_known) {
  CHECK((texts_of("\"a\\\"b\" c", net) == Texts{"a\\\"b", "c"}));
  CHECK((texts_of("\"a\\\" c", bif) == Texts{"a\\", "c"}));
}

TEST(equal_texts_share_a_symbol) {
  const tw::TokenList list = tokens_of("yes, \"yes\", no", bif);
  CHECK(list.symbols[0] == list.symbols[2]);
  CHECK(list.symbols[0] != list.symbols[4]);
  CHECK(list.symbols[1] == list.symbols[3]);
  std::string many;
  for (int i = 0; i < 5000; ++i) many += std::to_string(i) + " ";
  const tw::TokenList twice = tokens_of(many + many, bif);
  CHECK(twice.symbols.size() == 10000);
  for (std::size_t i = 0; i < 5000; ++i) CHECK(twice.symbols[i] == i && twice.symbols[i + 5000] == i);
}

TEST(what_never_ends_is_a_problem_with_a_place) {
  CHECK(tokens_of("a\n /* b", bif).problem == "a comment that never ends");
  CHECK(tokens_of("a\n /* b", bif).problem_at == 3);
  CHECK(tokens_of("\"a", bif).problem == "a quote that never ends");
  CHECK(tokens_of("\"a\\", net).problem == "a quote that never ends");
  CHECK(tokens_of("/", bif).kinds.size() == 1);
  CHECK(tokens_of("", bif).kinds.empty());
}

TEST(places_count_characters) {
  const std::string text = "a\n\xC3\xA9t\xC3\xA9 x";
  CHECK(tw::place_of(text, 0).line == 1 && tw::place_of(text, 0).column == 1);
  CHECK(tw::place_of(text, 8).line == 2 && tw::place_of(text, 8).column == 5);
  CHECK(tw::place_of(text, 999).line == 2);
}

TEST(numbers_are_finite_decimals) {
  double value = 0;
  for (const auto& [text, expected] : std::vector<std::pair<std::string, double>>{
           {"0.1", 0.1}, {".5", 0.5}, {"1.", 1}, {"-2e-3", -2e-3}, {"+1E2", 100}, {"1e-999", 0}})
    CHECK(read_number(text, value) == 1 && value == expected);
  for (const char* text :
       {"", "1e999", "nan", "inf", "-inf", "0x1p3", "1,5", "--1", "1e", "e5", "1.2.3", "+"})
    CHECK(read_number(text, value) == 0);
}
