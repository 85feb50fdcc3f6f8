#include <random>
#include <string>

#include "check.hpp"
#include "treewright/text/csv.hpp"

namespace tw = treewright;

namespace {

/// Rows, distinct values and form of each column, and what was refused, as one text.
std::string told_of(const std::string& text, std::size_t n_fields, std::size_t block) {
  tw::Cancel cancel;
  tw::CsvReader reader{std::vector<tw::FieldRules>(n_fields)};
  std::vector<std::int32_t> columns(n_fields);
  for (std::size_t i = 0; i < n_fields; ++i) columns[i] = static_cast<std::int32_t>(i);
  reader.open({columns, ',', true});
  try {
    for (std::size_t at = 0; at < text.size(); at += block)
      reader.feed(std::string_view(text).substr(at, block), cancel);
    reader.close(cancel);
  } catch (const std::invalid_argument& error) {
    return error.what();
  }
  std::string told;
  for (tw::FieldColumn& column : reader.columns()) {
    told += std::to_string(column.rows()) + (column.is_spoilt() ? " spoilt" : "");
    const tw::FieldValues values = column.finish();
    told += " kind " + std::to_string(static_cast<int>(values.kind)) + ":";
    for (const std::string& one : values.texts) told += " " + one;
    for (const std::int64_t one : values.wholes) told += " " + std::to_string(one);
    for (const double one : values.reals) told += " " + std::to_string(one);
    told += "; ";
  }
  return told;
}

}  // namespace

TEST(fields_become_columns) {
  const std::string text = "a,b,c\n1,x,0.5\r\n 2,\"y, \"\"z\"\"\n\",.5\n,,\n10,x,1e1";
  for (std::size_t block = 1; block < text.size(); ++block)
    CHECK(told_of(text, 3, block) ==
          "4 kind 1: 1 2 10; 4 kind 3: x y, \"z\"\n; 4 kind 2: 0.500000 10.000000; ");
}

TEST(damaged_files_are_read_or_refused_in_blocks_of_any_size) {
  std::mt19937 draw(7);
  const std::string letters = "a1.,\"\n\r \xC3";
  for (int round = 0; round < 2000; ++round) {
    std::string text;
    for (std::size_t n = draw() % 60; n > 0; --n) text += letters[draw() % letters.size()];
    const std::string whole = told_of(text, 2, 1000);
    CHECK(told_of(text, 2, 1 + draw() % 7) == whole);
  }
}

TEST(very_many_numbers_are_kept_as_numbers) {
  std::string text = "n\n";
  for (int i = 0; i < 3000; ++i) text += std::to_string(i) + "\n";
  CHECK(told_of(text, 1, 100).starts_with("3000 kind 1: 0 1 2 "));
  CHECK(told_of(text + "0.5\n", 1, 100).starts_with("3001 kind 2: 0.000000 1.000000"));
  CHECK(told_of(text + "x\n", 1, 100).find("spoilt") != std::string::npos);
}
