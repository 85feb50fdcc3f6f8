// Planned counts, remembered tables and mapped rows are those of the rows.
#include "check.hpp"
#include "counting/some_data.hpp"
#include "treewright/counting/contexts.hpp"
#include "treewright/counting/count_plan.hpp"
#include "treewright/counting/table_memory.hpp"

namespace {

using Scopes = std::vector<std::vector<std::uint32_t>>;

// A child with two parents against everybody, many pairs, and some that share nothing.
Scopes many_scopes(std::size_t n) {
  Scopes scopes{{}, {3}, {2, 0, 5}, {1, 4, 6, 2}, {6, 4, 2, 1}};
  for (std::uint32_t v = 0; v < n; ++v) {
    for (std::uint32_t u = 0; u < v; ++u) scopes.push_back(v % 2 ? std::vector{u, v} : std::vector{v, u});
    if (v > 2) scopes.push_back({v, 1, 2}), scopes.push_back({1, v, 0, 2});
  }
  return scopes;
}

std::vector<std::int64_t> cells_of_table(const tw::CountTable& table, std::size_t n_cells) {
  if (!table.is_sparse) return table.counts;
  std::vector<std::int64_t> cells(n_cells, 0);
  for (std::size_t i = 0; i < table.codes.size(); ++i) cells[table.codes[i]] = table.counts[i];
  return cells;
}

}  // namespace

TEST(planned_counts_are_those_of_the_rows) {
  for (const bool weighted : {false, true})
    for (const std::size_t n_rows : {0, 1, 65, 1000, 40000}) {
      const Data data = some_data(n_rows, {2, 3, 5, 2, 70, 1, 4, 3, 2, 2, 4}, weighted, 3);
      const tw::PackedTable table = data.packed();
      const Scopes scopes = many_scopes(data.cardinalities.size());
      tw::Cancel cancel;
      std::vector<std::vector<std::int64_t>> found;
      for (const auto& scope : scopes) found.emplace_back(data.plain_counts(scope).size(), 0);
      tw::add_counts_many<std::int64_t>(table, scopes, {found.begin(), found.end()}, cancel);
      for (std::size_t i = 0; i < scopes.size(); ++i) CHECK(found[i] == data.plain_counts(scopes[i]));
      const tw::CountPlan plan = tw::plan_counts(table, scopes);
      CHECK(plan.n_passes() < scopes.size());
    }
}

TEST(rows_numbered_in_blocks_have_the_same_groups) {
  const std::size_t n_rows = (std::size_t{1} << 20) + 77;
  const Data data = some_data(n_rows, {2, 3, 5, 7, 6, 4}, false, 9);
  const tw::PackedTable table = data.packed();
  tw::Cancel cancel;
  std::vector<std::uint32_t> scratch;
  for (const std::vector<std::uint32_t>& scope : Scopes{{}, {0, 1}, {2, 3, 4}, {0, 1, 2, 3, 4, 5}}) {
    const tw::Contexts kept = tw::configurations(table, scope, cancel);
    const tw::Contexts blocks = tw::configurations_in_blocks(table, scope, cancel);
    CHECK(!blocks.are_kept);
    CHECK(kept.n_groups == blocks.n_groups);
    CHECK(kept.first_row == blocks.first_row);
    for (std::size_t begin = 0; begin < n_rows; begin += tw::kBlockRows) {
      const std::size_t n = std::min(tw::kBlockRows, n_rows - begin);
      const std::uint32_t* ids = blocks.of_block(table, begin, n, scratch);
      CHECK(std::equal(ids, ids + n, kept.ids.begin() + static_cast<std::ptrdiff_t>(begin)));
    }
    if (scope.empty()) continue;
    const auto one = tw::count_grouped<std::uint32_t>(table, kept, cancel);
    const auto other = tw::count_grouped<std::uint32_t>(table, blocks, cancel);
    CHECK(one.cells == other.cells);
    CHECK(one.group_sizes == other.group_sizes);
  }
}

TEST(many_configurations_are_marked_or_hashed_with_the_same_numbers) {
  const std::size_t n_rows = 5 * tw::kBlockRows + 77;
  const Data data = some_data(n_rows, {2, 3, 70, 7, 6, 4, 300, 5}, false, 12);
  const tw::PackedTable table = data.packed();
  tw::Cancel cancel;
  std::vector<std::uint32_t> scratch;
  const tw::Numbering ways[] = {{.few_rows = 0},
                                {.few_rows = 0, .looked_up = 0},
                                {.few_rows = 0, .looked_up = 0, .marked = 0},
                                {.few_rows = 0, .looked_up = 100, .marked = 0, .most_codes = 100'000},
                                {.few_rows = 0, .looked_up = 100, .marked = 100'000, .most_codes = 1'000}};
  for (const std::vector<std::uint32_t>& scope :
       Scopes{{}, {0, 1}, {2, 6}, {6, 2, 3}, {0, 1, 2, 3, 4, 5}, {7, 6, 5, 4, 3, 2, 1, 0}})
    for (const tw::Numbering& how : ways)
      for (const bool is_extended : {false, true}) {
        tw::Contexts kept = tw::configurations(table, scope, cancel);
        tw::Contexts blocks = tw::configurations_in_blocks(table, scope, cancel, how);
        CHECK(!blocks.are_kept);
        if (is_extended) tw::extend(kept, table, 1), tw::extend(blocks, table, 1);
        CHECK(kept.n_groups == blocks.n_groups);
        CHECK(kept.first_row == blocks.first_row);
        for (std::size_t begin = 0; begin < n_rows; begin += tw::kBlockRows) {
          const std::size_t n = std::min(tw::kBlockRows, n_rows - begin);
          const std::uint32_t* ids = blocks.of_block(table, begin, n, scratch);
          CHECK(std::equal(ids, ids + n, kept.ids.begin() + static_cast<std::ptrdiff_t>(begin)));
        }
      }
}

TEST(pairs_by_blocks_of_rows_are_pairs_by_columns) {
  const Data data = some_data((std::size_t{1} << 18) + 5, {2, 3, 5, 70, 1, 4}, false, 11);
  const tw::PackedTable table = data.packed();
  tw::Cancel cancel;
  const Scopes scopes{{0, 1}, {2, 0}, {5, 2}, {1, 5}, {0, 5}, {1, 2}, {0, 3}};
  std::vector<std::vector<std::int64_t>> found;
  for (const auto& scope : scopes) found.emplace_back(data.plain_counts(scope).size(), 0);
  tw::add_counts_many<std::int64_t>(table, scopes, {found.begin(), found.end()}, cancel);
  for (std::size_t i = 0; i < scopes.size(); ++i) CHECK(found[i] == data.plain_counts(scopes[i]));
}

TEST(remembered_tables_are_those_of_the_rows) {
  for (const std::size_t budget : {std::size_t{0}, std::size_t{2000}, std::size_t{1} << 20}) {
    const Data data = some_data(300, {2, 3, 5, 2, 70, 1, 4, 3, 2, 2, 40}, false, 5);
    const tw::PackedTable rows = data.packed();
    const std::shared_ptr<const tw::PackedTable> table(&rows, [](const auto*) {});
    tw::TableMemory memory(std::make_shared<tw::PackedSource>(table), budget);
    tw::Cancel cancel;
    for (int again = 0; again < 2; ++again)
      for (std::size_t begin = 0; begin < 3; ++begin) {
        Scopes sets = many_scopes(data.cardinalities.size());
        sets.push_back({2, 4, 10}), sets.push_back({0, 2, 4, 6, 10}), sets.push_back({2, 4, 6, 10});
        for (auto& set : sets) std::ranges::sort(set);
        sets.erase(sets.begin(), sets.begin() + static_cast<std::ptrdiff_t>(7 * begin));
        const auto found = memory.tables(sets, cancel);
        for (std::size_t i = 0; i < sets.size(); ++i) {
          const auto expected = data.plain_counts(sets[i]);
          CHECK(cells_of_table(*found[i], expected.size()) == expected);
        }
      }
    if (budget > 2000) CHECK(memory.tally().rounds <= 4);
  }
}

TEST(what_lies_inside_a_question_is_not_asked_for) {
  const Data data = some_data(300, {2, 3, 5, 2}, false, 5);
  const tw::PackedTable rows = data.packed();
  const std::shared_ptr<const tw::PackedTable> table(&rows, [](const auto*) {});
  tw::TableMemory memory(std::make_shared<tw::PackedSource>(table));
  tw::Cancel cancel;
  memory.tables({{0}, {0, 1}, {0, 1, 2}, {1}, {0, 1, 2}}, cancel);
  CHECK(memory.tally().rounds == 1);
  CHECK(memory.tally().tables == 1);
  memory.tables({{1, 2}, {0, 2}, {2}}, cancel);
  CHECK(memory.tally().rounds == 1);
  memory.tables({{3}}, cancel);
  CHECK(memory.tally().rounds == 2);
}

TEST(damaged_sections_never_reach_a_kernel) {
  std::vector<std::uint8_t> bytes(200);
  for (std::size_t i = 0; i < bytes.size(); ++i) bytes[i] = static_cast<std::uint8_t>(3 * i);
  const auto part = [&](std::size_t begin, std::size_t n) { return tw::crc32({bytes.data() + begin, n}); };
  CHECK(tw::crc32({reinterpret_cast<const std::uint8_t*>("123456789"), 9}) == 0xcbf43926u);
  CHECK(tw::crc32({bytes.data() + 50, 60}, tw::crc32({bytes.data(), 50})) == tw::crc32({bytes.data(), 110}));
  const std::vector<tw::FileSection> sections{{"a", 0, 100, 64, {part(0, 64), part(64, 36)}},
                                              {"b", 128, 72, 100, {part(128, 72)}}};
  tw::Cancel cancel;
  const tw::MappedSections whole("file", bytes, sections);
  CHECK(whole.trusted(0, cancel) == bytes.data());
  CHECK(whole.trusted(1) == bytes.data() + 128);
  bytes[70] ^= 1;
  const tw::MappedSections damaged("file", bytes, sections);
  CHECK(check::throws<tw::DamagedFile>([&] { damaged.trusted(0); }));
  CHECK(damaged.trusted(1) == bytes.data() + 128);
  CHECK(
      check::throws<tw::DamagedFile>([&] { tw::MappedSections("file", bytes, {{"c", 150, 60, 60, {0}}}); }));
  CHECK(check::throws<tw::DamagedFile>([&] { tw::MappedSections("file", bytes, {{"c", 0, 60, 30, {0}}}); }));
}
