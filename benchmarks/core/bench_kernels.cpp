// The counting kernels beside plain loops, in one process: rates, ratios and the constants of the cost model.
//
//   bench_kernels ROWS COLUMNS STATES  -> one JSON document
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <random>
#include <vector>

#include "treewright/counting/contexts.hpp"
#include "treewright/counting/counts.hpp"
#include "treewright/counting/dispatch.hpp"
#include "treewright/parallel/threads.hpp"

namespace tw = treewright;

namespace {

double now() {
  timespec t;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
  return static_cast<double>(t.tv_sec) * 1e9 + static_cast<double>(t.tv_nsec);
}

// Best of several, nanoseconds; the barrier keeps pure loops from being hoisted.
template <class Work>
double best(Work&& work, int repeats = 15) {
  double least = 1e300;
  for (int i = 0; i < repeats; ++i) {
    const double start = now();
    work();
    asm volatile("" ::: "memory");
    least = std::min(least, now() - start);
  }
  return least;
}

__attribute__((noinline)) std::int64_t plain_popcount(const tw::Word* a, const tw::Word* b,
                                                      std::size_t words) {
  std::int64_t total = 0;
  for (std::size_t i = 0; i < words; ++i) total += __builtin_popcountll(a[i] & b[i]);
  return total;
}

__attribute__((noinline)) void plain_pair(const std::uint8_t* x, const std::uint8_t* y, std::size_t n,
                                          std::size_t r, std::int64_t* out) {
  for (std::size_t i = 0; i < n; ++i) ++out[x[i] * r + y[i]];
}

__attribute__((noinline)) void plain_family(const std::vector<const std::uint8_t*>& columns, std::size_t n,
                                            std::size_t r, std::int64_t* out) {
  for (std::size_t i = 0; i < n; ++i) {
    std::size_t code = 0;
    for (const std::uint8_t* column : columns) code = code * r + column[i];
    ++out[code];
  }
}

}  // namespace

int main(int argc, char** argv) {
  const std::size_t n = argc > 1 ? std::strtoul(argv[1], nullptr, 10) : 10000;
  const std::size_t columns = argc > 2 ? std::strtoul(argv[2], nullptr, 10) : 223;
  const std::size_t r = argc > 3 ? std::strtoul(argv[3], nullptr, 10) : 2;
  tw::set_threads(1);
  std::mt19937_64 rng(1);
  std::vector<std::vector<std::uint8_t>> codes(columns, std::vector<std::uint8_t>(n));
  for (auto& column : codes)
    for (auto& code : column) code = static_cast<std::uint8_t>(std::min(rng() % r, rng() % r));
  std::vector<tw::CodeColumn> borrowed;
  for (const auto& column : codes) borrowed.push_back({column.data(), 1});
  const tw::PackedTable table(borrowed, std::vector<std::uint32_t>(columns, static_cast<std::uint32_t>(r)),
                              n);
  tw::Cancel cancel;
  const tw::Planes& planes = table.planes(cancel);
  const std::size_t n_planes = planes.count();
  const double rows = static_cast<double>(n);
  std::printf("{\"level\": \"%s\", \"rows\": %zu, \"columns\": %zu, \"states\": %zu", tw::kernels().level, n,
              columns, r);

  // A: all planes against all planes
  std::vector<std::int64_t> pairs(n_planes * n_planes, 0);
  const double plain_a = best([&] {
    for (std::size_t i = 0; i < n_planes; ++i)
      for (std::size_t j = i + 1; j < n_planes; ++j)
        pairs[i * n_planes + j] += plain_popcount(planes.plane(i), planes.plane(j), planes.words);
  });
  const double ours_a = best([&] {
    for (std::size_t i = 0; i + 1 < n_planes; ++i)
      tw::kernels().and_popcounts(planes.plane(i), 1, planes.stride, planes.plane(i + 1), n_planes - i - 1,
                                  planes.stride, planes.words, pairs.data() + i * n_planes + i + 1, n_planes);
  });
  const double plane_pairs = static_cast<double>(n_planes) * static_cast<double>(n_planes - 1) / 2;
  std::printf(", \"A_ns_per_popcount\": %.2f, \"A_giga_plane_rows\": %.1f, \"A_over_plain_popcount\": %.2f",
              ours_a / plane_pairs, plane_pairs * rows / ours_a, plain_a / ours_a);

  // B: one context against all partners, beside a two-column pass for each partner
  table.row_bits(cancel);
  for (std::size_t k = 1; k <= 4; ++k) {
    std::vector<std::uint32_t> scope(k);
    for (std::size_t i = 0; i < k; ++i) scope[i] = static_cast<std::uint32_t>(i);
    const double ours_b = best([&] {
      const tw::Contexts contexts = tw::configurations(table, scope, cancel);
      tw::count_grouped<std::uint32_t>(table, contexts, cancel);
    });
    std::printf(", \"B%zu_ns_per_row\": %.2f", k, ours_b / rows);
    if (k == 1) {
      std::vector<std::int64_t> cells(r * r);
      const double passes = best([&] {
        for (std::size_t y = 1; y < columns; ++y)
          plain_pair(codes[0].data(), codes[y].data(), n, r, cells.data());
      });
      std::printf(", \"two_column_passes_ns_per_row\": %.1f, \"B_over_two_column_passes\": %.1f",
                  passes / rows, passes / ours_b);
    }
  }

  // C: whole families by histograms, beside the plain loop
  for (std::size_t k = 2; k <= 6; k += 2) {
    std::vector<std::uint32_t> scope;
    std::vector<const std::uint8_t*> pointers;
    std::size_t cells = 1;
    for (std::size_t i = 0; i < k; ++i)
      scope.push_back(static_cast<std::uint32_t>(i)), pointers.push_back(codes[i].data()), cells *= r;
    std::vector<std::int64_t> out(cells, 0);
    const double ours_c =
        best([&] { tw::add_counts(table, scope, out, cancel, tw::CountKernel::histogram); });
    const double plain_c = best([&] { plain_family(pointers, n, r, out.data()); });
    std::printf(", \"C%zu_ns_per_row\": %.2f, \"C%zu_over_plain_loop\": %.2f", k, ours_c / rows, k,
                plain_c / ours_c);
  }

  // D: occupied cells of eight columns
  std::vector<std::uint32_t> scope;
  for (std::uint32_t i = 0; i < std::min<std::size_t>(8, columns); ++i) scope.push_back(i);
  std::printf(", \"D_ns_per_row\": %.2f}\n", best([&] { tw::sparse_counts(table, scope, cancel); }) / rows);
}
