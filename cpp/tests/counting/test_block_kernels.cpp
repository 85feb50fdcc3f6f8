// Block kernels of every level against loops that nobody could get wrong; between levels to the last bit.
#include <cmath>
#include <random>
#include <vector>

#include "check.hpp"
#include "treewright/counting/dispatch.hpp"

namespace tw = treewright;
using tw::kRowBlock;

namespace {

constexpr std::size_t kStates[] = {1, 2, 3, 4, 5, 8, 16, 31};

std::vector<const tw::BlockKernels*> all_block_levels() {
  std::vector<const tw::BlockKernels*> levels;
  for (const auto& name : tw::simd_levels()) {
    tw::set_simd_level(name);
    levels.push_back(&tw::kernels().blocks);
  }
  return levels;
}

std::vector<float> random_floats(std::mt19937_64& rng, std::size_t n) {
  std::vector<float> cells(n);
  for (float& cell : cells) cell = std::uniform_real_distribution<float>(0.1f, 2.0f)(rng);
  return cells;
}

bool close(float found, double expected) {
  return std::abs(found - expected) < 1e-4 * (1 + std::abs(expected));
}

}  // namespace

TEST(products_over_states_and_over_rows) {
  std::mt19937_64 rng(1);
  for (const std::size_t n : kStates) {
    const auto matrix = random_floats(rng, n * n), a = random_floats(rng, n * kRowBlock),
               b = random_floats(rng, n * kRowBlock);
    std::vector<std::vector<float>> products, sums;
    for (const auto* level : all_block_levels()) {
      products.emplace_back(n * kRowBlock), sums.emplace_back(n * n);
      level->multiply(matrix.data(), n, a.data(), products.back().data());
      level->outer(a.data(), b.data(), n, sums.back().data());
      CHECK(products.back() == products.front());
      CHECK(sums.back() == sums.front());
    }
    for (std::size_t i = 0; i < n; ++i) {
      for (std::size_t row = 0; row < kRowBlock; ++row) {
        double sum = 0;
        for (std::size_t j = 0; j < n; ++j) sum += double(matrix[i * n + j]) * a[j * kRowBlock + row];
        CHECK(close(products[0][i * kRowBlock + row], sum));
      }
      for (std::size_t j = 0; j < n; ++j) {
        double sum = 0;
        for (std::size_t row = 0; row < kRowBlock; ++row)
          sum += double(a[i * kRowBlock + row]) * b[j * kRowBlock + row];
        CHECK(close(sums[0][i * n + j], sum));
      }
    }
  }
}

TEST(symbols_are_looked_up_and_tallied) {
  std::mt19937_64 rng(2);
  for (const std::size_t n : kStates)
    for (const std::size_t n_symbols : {1, 2, 4, 8, 9, 30}) {
      const auto table = random_floats(rng, n_symbols * n), block = random_floats(rng, n * kRowBlock);
      std::vector<std::uint32_t> symbols(kRowBlock);
      for (auto& s : symbols) s = static_cast<std::uint32_t>(rng() % n_symbols);
      std::vector<std::vector<float>> found, sums;
      for (const auto* level : all_block_levels()) {
        found.emplace_back(n * kRowBlock), sums.emplace_back(n_symbols * n);
        level->look_up(symbols.data(), n_symbols, table.data(), n, found.back().data());
        level->tally(symbols.data(), n_symbols, block.data(), n, sums.back().data());
        CHECK(found.back() == found.front() && sums.back() == sums.front());
      }
      std::vector<double> expected(n_symbols * n, 0.0);
      for (std::size_t h = 0; h < n; ++h)
        for (std::size_t row = 0; row < kRowBlock; ++row) {
          const std::size_t cell = h * kRowBlock + row;
          CHECK(found[0][cell] == table[symbols[row] * n + h]);
          expected[symbols[row] * n + h] += block[cell];
        }
      for (std::size_t c = 0; c < expected.size(); ++c) CHECK(close(sums[0][c], expected[c]));
    }
}

TEST(cells_are_multiplied_divided_and_scaled) {
  std::mt19937_64 rng(3);
  for (const std::size_t n : kStates) {
    const auto a = random_floats(rng, n * kRowBlock), b = random_floats(rng, n * kRowBlock);
    std::vector<std::vector<float>> products, quotients, scaled;
    for (const auto* level : all_block_levels()) {
      products.push_back(a), quotients.emplace_back(a.size()), scaled.push_back(a);
      std::vector<double> scale(kRowBlock, 1.0);
      level->times(products.back().data(), b.data(), n);
      level->divide(a.data(), b.data(), n, quotients.back().data());
      level->rescale(scaled.back().data(), n, scale.data());
      CHECK(products.back() == products.front() && quotients.back() == quotients.front() &&
            scaled.back() == scaled.front());
      for (std::size_t row = 0; row < kRowBlock; ++row) {
        double before = 0, after = 0;
        for (std::size_t h = 0; h < n; ++h)
          before += a[h * kRowBlock + row], after += scaled.back()[h * kRowBlock + row];
        CHECK(close(static_cast<float>(after), double(n)));
        CHECK(close(static_cast<float>(scale[row]), before / double(n)));
      }
    }
    for (std::size_t cell = 0; cell < a.size(); ++cell) {
      CHECK(products[0][cell] == a[cell] * b[cell]);
      CHECK(quotients[0][cell] == a[cell] / b[cell]);
    }
  }
}
