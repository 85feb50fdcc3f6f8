// Damaged texts for the tokenizer: whatever comes, spans stay inside the text and symbols mean equal bytes.
// The sanitized build watches every read.
#include <cmath>
#include <cstdlib>
#include <random>
#include <string>

#include "check.hpp"
#include "treewright/text/tokens.hpp"

namespace tw = treewright;

namespace {

const tw::TokenRules rules_of[] = {
    {"{}()[],;|", {"//"}, true, true, false},
    {"{}()=;|", {"%"}, false, true, true},
    {"{}[];,=->:", {"//", "#"}, true, true, true},
    {"", {}, false, false, false},
};

const std::string seeds[] = {
    "network x { }\nvariable a { type discrete [ 2 ] { \"y, z\", n }; } // end\nprobability ( a | b ) { "
    "table .5 .5; }",
    "node a { states = (\"y\\\"\" \"n\"); } % comment\npotential (a | b c) { data = ((1 0)(0.25 0.75)); }",
    "BAYES 3 2 2 3 2 1 0 2 0 1 4 1e-999 1e999 nan 0x1p3 /* \xC3\xA9 */ \xFF",
};
const std::string splices[] = {
    "\"", "\\", "/*", "*/", "//", "%", "#", "\n", "{", "}", "\xC3", "1e9", std::string(1, '\0')};

std::string damaged(std::mt19937_64& draw) {
  std::string text = seeds[draw() % std::size(seeds)];
  for (std::uint64_t n = draw() % 6; n > 0; --n) {
    const std::size_t at = draw() % (text.size() + 1);
    switch (draw() % 4) {
      case 0:
        text.insert(at, splices[draw() % std::size(splices)]);
        break;
      case 1:
        text.erase(at, draw() % 20);
        break;
      case 2:
        text.insert(at, text.substr(draw() % (text.size() + 1), draw() % 60));
        break;
      default:
        text.resize(at);
        break;
    }
  }
  return text;
}

void check_tokens(const std::string& text, const tw::TokenRules& rules) {
  tw::Cancel cancel;
  // a copy without spare room, so that reading past the end is seen
  const std::vector<char> exact(text.begin(), text.end());
  const std::string_view view(exact.data(), exact.size());
  const tw::TokenList list = tw::tokenize(view, rules, cancel);
  CHECK(list.starts.size() == list.kinds.size() && list.ends.size() == list.kinds.size());
  CHECK(list.symbols.size() == list.kinds.size());
  CHECK(list.problem_at <= view.size());
  for (std::size_t i = 0; i < list.kinds.size(); ++i) {
    CHECK(list.starts[i] <= list.ends[i] && list.ends[i] <= view.size());
    CHECK(i == 0 || list.ends[i - 1] <= list.starts[i]);
    if (i == 0) continue;
    const auto piece = [&](std::size_t k) {
      return view.substr(list.starts[k], list.ends[k] - list.starts[k]);
    };
    const auto is_mark = [&](std::size_t k) {
      return list.kinds[k] != tw::word_token && list.kinds[k] != tw::quoted_token;
    };
    if (!is_mark(i) && !is_mark(i - 1))
      CHECK((list.symbols[i] == list.symbols[i - 1]) == (piece(i) == piece(i - 1)));
  }
  std::vector<double> values(list.starts.size());
  const std::size_t read = tw::parse_numbers(view, list.starts, list.ends, values, cancel);
  CHECK(read <= values.size());
  for (std::size_t i = 0; i < read; ++i) CHECK(std::isfinite(values[i]));
  const tw::Place place = tw::place_of(view, list.problem_at);
  CHECK(place.line >= 1 && place.column >= 1 && place.line <= view.size() + 1);
}

}  // namespace

TEST(damaged_texts_never_lead_outside) {
  // TREEWRIGHT_FUZZ_TEXTS: how many, for long runs
  const char* asked = std::getenv("TREEWRIGHT_FUZZ_TEXTS");
  const long n = asked != nullptr ? std::atol(asked) : 20'000;
  std::mt19937_64 draw(20260717);
  for (long i = 0; i < n; ++i) check_tokens(damaged(draw), rules_of[draw() % std::size(rules_of)]);
}
