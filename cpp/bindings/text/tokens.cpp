// Python face of treewright/tokens.hpp: shapes, ownership and the GIL, nothing else.
#include "treewright/text/tokens.hpp"

#include "bind.hpp"

namespace {

std::string_view view_of(const nb::bytes& data) { return {data.c_str(), data.size()}; }

auto tokenize(const nb::bytes& data, const std::string& marks, const std::vector<std::string>& line_comments,
              bool block_comments, bool quotes, bool escapes) {
  const tw::TokenRules rules{marks, line_comments, block_comments, quotes, escapes};
  for (const std::string& start : line_comments)
    if (start.empty()) throw std::invalid_argument("a comment starts with something");
  tw::TokenList list =
      interruptible([&](tw::Cancel& cancel) { return tw::tokenize(view_of(data), rules, cancel); });
  return std::make_tuple(to_numpy(std::move(list.kinds)), to_numpy(std::move(list.starts)),
                         to_numpy(std::move(list.ends)), to_numpy(std::move(list.symbols)), list.problem,
                         list.problem_at);
}

auto parse_numbers(const nb::bytes& data, const Array<std::uint32_t>& starts,
                   const Array<std::uint32_t>& ends) {
  std::vector<double> values(starts.size());
  const std::size_t read = interruptible([&](tw::Cancel& cancel) {
    return tw::parse_numbers(view_of(data), span_of(starts), span_of(ends), values, cancel);
  });
  return std::make_pair(to_numpy(std::move(values)), read);
}

}  // namespace

void bind_tokens(nb::module_& m) {
  m.def("tokenize", &tokenize, "data"_a, nb::kw_only(), "marks"_a, "line_comments"_a, "block_comments"_a,
        "quotes"_a, "escapes"_a,
        "Kinds, starts, ends and symbols of the tokens of a text, and the problem that stopped it, with its "
        "offset; the problem is empty when there was none.");
  m.def("parse_numbers", &parse_numbers, "data"_a, "starts"_a, "ends"_a,
        "Spans of a text as numbers, and how many were read before one that is none.");
  m.def(
      "place_of",
      [](const nb::bytes& data, std::size_t offset) {
        const tw::Place place = tw::place_of(view_of(data), offset);
        return std::make_pair(place.line, place.column);
      },
      "data"_a, "offset"_a, "Line and column of an offset, both from 1.");
}
