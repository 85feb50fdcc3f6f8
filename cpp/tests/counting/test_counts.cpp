// Packed tables: kernels agree, cancellation leaves nothing behind, scopes are checked.
#include "check.hpp"
#include "counting/some_data.hpp"
#include "treewright/counting/contexts.hpp"
#include "treewright/counting/counts.hpp"
#include "treewright/criteria/searching.hpp"
#include "treewright/parallel/threads.hpp"

TEST(all_kernels_agree) {
  for (bool weighted : {false, true})
    for (std::size_t n_rows : {0, 1, 64, 65, 1000, 40000}) {
      const Data data = some_data(n_rows, {2, 3, 5, 2, 70, 1, 4}, weighted, 1);
      const tw::PackedTable table = data.packed();
      tw::Cancel cancel;
      for (const std::vector<std::uint32_t>& scope :
           {std::vector<std::uint32_t>{0}, {1, 2}, {4, 0}, {3, 2, 1, 0}, {5, 6}, {6, 4, 2}}) {
        const auto expected = data.plain_counts(scope);
        for (auto kernel : {tw::CountKernel::automatic, tw::CountKernel::masks, tw::CountKernel::grouped,
                            tw::CountKernel::histogram}) {
          std::vector<std::int64_t> out(expected.size(), 0);
          tw::add_counts(table, scope, out, cancel, kernel);
          CHECK(out == expected);
          tw::add_counts(table, scope, out, cancel, kernel);  // adds, so shards add up
          for (std::size_t k = 0; k < out.size(); ++k) CHECK(out[k] == 2 * expected[k]);
        }
      }
    }
}

TEST(masks_of_many_rows_are_counted_in_blocks) {
  const std::size_t block = std::size_t{1} << 18;
  for (const std::size_t n_rows : {block - 1, block, block + 1, 2 * block + 65}) {
    const Data data = some_data(n_rows, {2, 3, 5}, false, 7);
    const tw::PackedTable table = data.packed();
    tw::Cancel cancel;
    for (const std::vector<std::uint32_t>& scope :
         {std::vector<std::uint32_t>{1}, {1, 2}, {2, 0}, {0, 2, 1}}) {
      const auto expected = data.plain_counts(scope);
      std::vector<std::int64_t> out(expected.size(), 0);
      tw::add_counts(table, scope, out, cancel, tw::CountKernel::masks);
      CHECK(out == expected);
    }
  }
}

TEST(groups_of_rows_that_weigh_one_are_plain_groups) {
  for (const std::size_t n_rows : {1, 63, 64, 65, 1000, 40000}) {
    Data data = some_data(n_rows, {2, 3, 5, 2, 70, 1, 4}, false, 5);
    const tw::PackedTable plain = data.packed();
    data.weights.assign(n_rows, 1);
    const tw::PackedTable weighted = data.packed();
    tw::Cancel cancel;
    for (const std::vector<std::uint32_t>& scope :
         {std::vector<std::uint32_t>{}, {0}, {0, 3}, {5}, {1, 2}, {4}, {1, 2, 6}}) {
      const auto contexts = tw::configurations(plain, scope, cancel);
      const auto a = tw::count_grouped<std::uint32_t>(plain, contexts, cancel);
      const auto b = tw::count_grouped<std::uint32_t>(weighted, contexts, cancel);
      CHECK(a.group_sizes == b.group_sizes);
      CHECK(a.stride == b.stride);
      for (std::size_t g = 0; g < a.n_groups; ++g)
        for (std::size_t p = 0; p < plain.planes(cancel).count(); ++p) CHECK(a.row(g)[p] == b.row(g)[p]);
    }
  }
}

TEST(a_part_counts_its_rows_only) {
  const Data data = some_data(5000, {2, 3, 5}, true, 2);
  const tw::PackedTable table = data.packed();
  std::vector<std::uint32_t> rows;
  Data part{{{}, {}, {}}, data.cardinalities, 0, {}};
  for (std::uint32_t i = 0; i < 5000; i += 3) {
    rows.push_back(i);
    for (std::size_t v = 0; v < 3; ++v) part.columns[v].push_back(data.columns[v][i]);
    part.weights.push_back(data.weights[i]);
  }
  part.n_rows = rows.size();
  const auto restricted = table.restricted(rows, nullptr);
  tw::Cancel cancel;
  for (auto kernel : {tw::CountKernel::masks, tw::CountKernel::grouped, tw::CountKernel::histogram}) {
    std::vector<std::int64_t> out(15, 0);
    const std::uint32_t scope[] = {1, 2};
    tw::add_counts(*restricted, scope, out, cancel, kernel);
    CHECK(out == part.plain_counts({1, 2}));
  }
}

TEST(groups_are_sorted_stably) {
  std::mt19937_64 rng(3);
  tw::BlockGrouping grouping;
  for (std::size_t n : {0, 1, 2, 3, 4, 5, 7, 100, 32768}) {
    std::vector<std::uint32_t> ids(n);
    for (auto& id : ids) id = static_cast<std::uint32_t>(rng() % 5);
    grouping.sort(ids.data(), nullptr, n, 5);
    CHECK(grouping.starts[0] == 0);
    CHECK(grouping.starts[5] == n);
    for (std::size_t g = 0; g < 5; ++g)
      for (std::uint32_t i = grouping.starts[g]; i < grouping.starts[g + 1]; ++i) {
        CHECK(ids[grouping.order[i]] == g);
        if (i > grouping.starts[g]) CHECK(grouping.order[i - 1] < grouping.order[i]);
      }
  }
}

TEST(configurations_keep_lexicographic_order_when_renumbered) {
  const Data data = some_data(3000, {5, 5, 5, 5, 200}, false, 4);
  const tw::PackedTable table = data.packed();
  tw::Cancel cancel;
  for (const std::vector<std::uint32_t>& scope :
       {std::vector<std::uint32_t>{0, 1}, {0, 1, 2}, {4, 3, 0, 1, 2}}) {
    const tw::Contexts contexts = tw::configurations(table, scope, cancel);
    const auto code = [&](std::size_t i) {
      std::uint64_t c = 0;
      for (std::uint32_t v : scope) c = c * data.cardinalities[v] + data.columns[v][i];
      return c;
    };
    for (std::size_t i = 1; i < 3000; ++i) {
      CHECK((contexts.ids[i] < contexts.ids[i - 1]) == (code(i) < code(i - 1)));
      CHECK((contexts.ids[i] == contexts.ids[i - 1]) == (code(i) == code(i - 1)));
    }
    if (contexts.renumbered())
      for (std::size_t g = 0; g < contexts.n_groups; ++g) CHECK(contexts.ids[contexts.first_row[g]] == g);
  }
}

TEST(a_cancelled_call_throws_and_the_next_one_is_right) {
  const Data data = some_data(200000, std::vector<std::uint32_t>(30, 3), false, 5);
  const tw::PackedTable table = data.packed();
  std::vector<std::uint32_t> all(30);
  for (std::uint32_t v = 0; v < 30; ++v) all[v] = v;
  tw::Cancel stopped;
  stopped.request();
  bool caught = false;
  try {
    tw::pairwise_terms(table, all, stopped);
  } catch (const tw::Cancelled&) {
    caught = true;
  }
  CHECK(caught);
  tw::Cancel cancel;
  const auto first = tw::pairwise_terms(table, all, cancel);
  tw::set_threads(4);
  CHECK(first == tw::pairwise_terms(table, all, cancel));
  tw::set_threads(0);
}

TEST(pairs_are_counted_once) {
  const Data data = some_data(3000, {2, 3, 2, 70, 4}, false, 8);
  const tw::PackedTable table = data.packed();
  const std::vector<std::uint32_t> few{0, 1}, shuffled{4, 0, 3, 2, 1};
  tw::Cancel cancel;
  tw::pairwise_terms(table, few, cancel);
  CHECK(table.pair_planes() == nullptr);  // two columns of five are not worth it
  const auto terms = tw::pairwise_terms(table, shuffled, cancel);
  const tw::PairPlanes* counted = table.pair_planes();
  CHECK(counted != nullptr);
  CHECK(terms == tw::pairwise_terms(table, shuffled, cancel));
  CHECK(table.pair_planes() == counted);
}

TEST(scopes_are_checked) {
  const Data data = some_data(10, {2, 3}, false, 6);
  const tw::PackedTable table = data.packed();
  tw::Cancel cancel;
  std::vector<std::int64_t> out(4, 0);
  for (const std::vector<std::uint32_t>& scope : {std::vector<std::uint32_t>{0, 0}, {7}, {0, 1}}) {
    bool caught = false;
    try {
      tw::add_counts(table, scope, out, cancel);
    } catch (const std::logic_error&) {
      caught = true;
    }
    CHECK(caught);
  }
}
