// Kernels of every level against loops that nobody could get wrong, at sizes where words and vectors begin
// and end.
#include <bit>
#include <random>
#include <vector>

#include "check.hpp"
#include "treewright/counting/dispatch.hpp"

// The loops of 512-bit units, on whatever this processor has.
#define TW_LEVEL wide_vectors
#define TW_NAME "wide vectors"
#define TW_LANES 8
#include "../../src/counting/kernels/kernels.ipp"

namespace tw = treewright;
using Word = std::uint64_t;

namespace {

std::vector<const tw::Kernels*> all_levels() {
  std::vector<const tw::Kernels*> levels{&tw::wide_vectors::table};
  for (const auto& name : tw::simd_levels()) {
    tw::set_simd_level(name);
    levels.push_back(&tw::kernels());
  }
  return levels;
}

std::vector<Word> random_words(std::mt19937_64& rng, std::size_t n) {
  std::vector<Word> words(n);
  for (Word& w : words) w = rng() & (rng() % 3 ? ~Word{0} : rng());
  return words;
}

constexpr std::size_t kSizes[] = {0,  1,  2,  3,  4,  5,  7,   8,   9,   15,  16,
                                  31, 32, 33, 63, 64, 65, 127, 128, 157, 512, 1030};

}  // namespace

TEST(popcounts_of_all_pairs) {
  std::mt19937_64 rng(1);
  for (const tw::Kernels* level : all_levels())
    for (std::size_t words : kSizes) {
      const std::size_t stride = words + 3, n_a = 3, n_b = 5;
      // what lies between the planes must not be counted
      auto a = random_words(rng, n_a * stride), b = random_words(rng, n_b * stride);
      std::vector<std::int64_t> out(n_a * n_b, 7);
      level->and_popcounts(a.data(), n_a, stride, b.data(), n_b, stride, words, out.data(), n_b);
      for (std::size_t i = 0; i < n_a; ++i)
        for (std::size_t j = 0; j < n_b; ++j) {
          std::int64_t expected = 7;
          for (std::size_t w = 0; w < words; ++w)
            expected += std::popcount(a[i * stride + w] & b[j * stride + w]);
          CHECK(out[i * n_b + j] == expected);
        }
    }
}

TEST(masks_are_split_by_state) {
  std::mt19937_64 rng(5);
  for (const tw::Kernels* level : all_levels())
    for (std::size_t words : kSizes)
      for (std::size_t n_planes : {0, 1, 3}) {
        const std::size_t stride = words + 2, mask_stride = words + 1;
        auto mask = random_words(rng, words), planes = random_words(rng, n_planes * stride);
        for (std::size_t s = 0; s < n_planes; ++s)  // states exclude each other
          for (std::size_t other = 0; other < s; ++other)
            for (std::size_t w = 0; w < words; ++w) planes[s * stride + w] &= ~planes[other * stride + w];
        std::vector<Word> masks((n_planes + 1) * mask_stride, 5);
        std::vector<std::int64_t> counts(n_planes + 1, -1);
        level->split(mask.data(), planes.data(), n_planes, stride, words, masks.data(), mask_stride,
                     counts.data());
        for (std::size_t w = 0; w < words; ++w) {
          Word rest = mask[w];
          for (std::size_t s = 0; s < n_planes; ++s) {
            CHECK(masks[s * mask_stride + w] == (mask[w] & planes[s * stride + w]));
            rest &= ~planes[s * stride + w];
          }
          CHECK(masks[n_planes * mask_stride + w] == rest);
        }
        for (std::size_t s = 0; s < n_planes; ++s) {
          std::int64_t expected = 0;
          for (std::size_t w = 0; w < words; ++w) expected += std::popcount(masks[s * mask_stride + w]);
          CHECK(counts[s] == expected);
        }
      }
}

TEST(planes_have_a_bit_where_the_code_is_the_state_and_clean_tails) {
  std::mt19937_64 rng(2);
  for (const tw::Kernels* level : all_levels())
    for (std::size_t n_rows : {0, 1, 63, 64, 65, 127, 128, 129, 1000}) {
      std::vector<std::uint8_t> codes(n_rows);
      for (auto& c : codes) c = static_cast<std::uint8_t>(rng() % 6);
      const std::size_t words = (n_rows + 63) / 64, stride = words + 1;
      std::vector<Word> planes(5 * stride, ~Word{0});
      level->build_planes(codes.data(), n_rows, 5, planes.data(), stride);
      for (std::size_t s = 0; s < 5; ++s)
        for (std::size_t i = 0; i < 64 * words; ++i)
          CHECK((planes[s * stride + i / 64] >> (i % 64) & 1) == (i < n_rows && codes[i] == s));
    }
}

TEST(grouped_counts_with_poison_around_the_rows) {
  std::mt19937_64 rng(3);
  for (const tw::Kernels* level : all_levels())
    for (std::size_t row_words : {1, 2, 3, 4, 5, 9})
      for (std::size_t n_rows : {0, 1, 15, 16, 17, 255, 256, 300, 5000}) {
        // rows of random bits, and ones wherever a wide load may overrun
        auto rows = random_words(rng, n_rows * row_words);
        rows.resize(rows.size() + 64, ~Word{0});
        const std::size_t n_groups = 4, skip = 2;
        std::vector<std::vector<std::uint16_t>> groups(n_groups);
        for (std::size_t i = 0; i < n_rows; ++i)
          groups[rng() % 3 ? 0 : rng() % n_groups].push_back(static_cast<std::uint16_t>(i));
        std::vector<std::uint16_t> order;
        std::vector<std::uint32_t> starts{0};
        for (const auto& group : groups) {
          order.insert(order.end(), group.begin(), group.end());
          starts.push_back(static_cast<std::uint32_t>(order.size()));
        }
        const std::size_t stride = 64 * row_words;
        std::vector<std::uint32_t> narrow(n_groups * stride, 1);
        std::vector<std::uint64_t> wide(n_groups * stride, 1);
        level->add_grouped(rows.data(), row_words, order.data(), starts.data(), n_groups, skip, 0,
                           narrow.data(), stride);
        level->add_grouped_wide(rows.data(), row_words, order.data(), starts.data(), n_groups, skip, 40,
                                wide.data(), stride);
        for (std::size_t g = 0; g < n_groups; ++g)
          for (std::size_t p = 0; p < stride; ++p) {
            std::uint64_t expected = 0;
            for (std::uint16_t i : groups[g]) expected += rows[i * row_words + p / 64] >> (p % 64) & 1;
            if (g == skip) expected = 0;
            CHECK(narrow[g * stride + p] == 1 + expected);
            CHECK(wide[g * stride + p] == 1 + (expected << 40));
          }
      }
}

TEST(the_largest_group_of_a_block) {
  const std::size_t n_rows = 65535;
  std::vector<Word> rows(n_rows + 64, ~Word{0});
  std::vector<std::uint16_t> order(n_rows);
  for (std::size_t i = 0; i < n_rows; ++i) order[i] = static_cast<std::uint16_t>(i);
  const std::vector<std::uint32_t> starts{0, static_cast<std::uint32_t>(n_rows)};
  for (const tw::Kernels* level : all_levels()) {
    std::vector<std::uint32_t> out(64, 0);
    level->add_grouped(rows.data(), 1, order.data(), starts.data(), 1, 1, 0, out.data(), 64);
    for (std::uint32_t n : out) CHECK(n == n_rows);
  }
}

TEST(codes_are_extended_by_columns_of_every_width) {
  std::mt19937_64 rng(4);
  for (const tw::Kernels* level : all_levels())
    for (std::size_t n : {0, 1, 7, 33, 1000}) {
      std::vector<std::uint16_t> narrow(n);
      std::vector<std::uint32_t> wide(n), third(n), fourth(n);
      std::vector<std::uint8_t> bytes(n);
      std::vector<std::uint16_t> words(n);
      std::vector<std::uint32_t> longs(n);
      for (std::size_t i = 0; i < n; ++i) {
        narrow[i] = static_cast<std::uint16_t>(rng() % 1000);
        wide[i] = third[i] = fourth[i] = narrow[i];
        bytes[i] = static_cast<std::uint8_t>(rng() % 50), words[i] = static_cast<std::uint16_t>(rng() % 50),
        longs[i] = words[i];
      }
      const auto before = narrow;
      level->extend16_8(narrow.data(), bytes.data(), n, 50);
      level->extend32_8(wide.data(), bytes.data(), n, 50);
      level->extend32_16(third.data(), words.data(), n, 50);
      level->extend32_32(fourth.data(), longs.data(), n, 50);
      for (std::size_t i = 0; i < n; ++i) {
        CHECK(narrow[i] == before[i] * 50 + bytes[i]);
        CHECK(wide[i] == before[i] * 50u + bytes[i]);
        CHECK(third[i] == before[i] * 50u + words[i]);
        CHECK(fourth[i] == before[i] * 50u + longs[i]);
      }
    }
}
