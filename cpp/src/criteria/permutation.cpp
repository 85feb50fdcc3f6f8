#include "treewright/criteria/permutation.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <vector>

#include "parallel/log_gamma.hpp"
#include "treewright/parallel/threads.hpp"

namespace treewright {
namespace {

// The same numbers on every machine: a counter, mixed (Steele, Lea & Flood 2014).
class Stream {
 public:
  Stream(std::uint64_t key, std::uint64_t number) : state_(mix(key ^ mix(number + 0x9e3779b97f4a7c15ULL))) {}
  /// Uniform in [0, 1).
  double uniform() {
    state_ += 0x9e3779b97f4a7c15ULL;
    return static_cast<double>(mix(state_) >> 11) * 0x1p-53;
  }

 private:
  static std::uint64_t mix(std::uint64_t z) {
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ULL;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebULL;
    return z ^ (z >> 31);
  }
  std::uint64_t state_;
};

// Below this many draws an urn is faster than the formula.
constexpr std::int64_t kUrn = 24;

std::int64_t draw_from_urn(std::int64_t marked, std::int64_t total, std::int64_t draws, Stream& random) {
  std::int64_t hits = 0;
  for (; draws > 0; --draws, --total)
    if (random.uniform() * static_cast<double>(total) < static_cast<double>(marked - hits)) ++hits;
  return hits;
}

double log_choose(double n, double k) { return log_gamma(n + 1) - log_gamma(k + 1) - log_gamma(n - k + 1); }

// Inversion outwards from the mode: as many steps as the distribution is wide.
std::int64_t draw_from_mode(std::int64_t marked, std::int64_t total, std::int64_t draws, Stream& random) {
  const std::int64_t low = std::max<std::int64_t>(0, draws + marked - total), high = std::min(draws, marked);
  const auto K = static_cast<double>(marked), N = static_cast<double>(total), n = static_cast<double>(draws);
  const auto mode = std::clamp(static_cast<std::int64_t>((n + 1) * (K + 1) / (N + 2)), low, high);
  const auto m = static_cast<double>(mode);
  const double at_mode = std::exp(log_choose(K, m) + log_choose(N - K, n - m) - log_choose(N, n));
  double left = random.uniform() - at_mode;
  if (left < 0) return mode;
  double up = at_mode, down = at_mode;
  for (std::int64_t step = 1; mode + step <= high || mode - step >= low; ++step) {
    if (const std::int64_t k = mode + step; k <= high) {
      const auto x = static_cast<double>(k);
      up *= (K - x + 1) * (n - x + 1) / (x * (N - K - n + x));
      if ((left -= up) < 0) return k;
    }
    if (const std::int64_t k = mode - step; k >= low) {
      const auto x = static_cast<double>(k + 1);
      down *= x * (N - K - n + x) / ((K - x + 1) * (n - x + 1));
      if ((left -= down) < 0) return k;
    }
    if (up + down < 1e-18 * at_mode) break;  // only rounding is left
  }
  return mode;
}

// How many of `draws` from `total` are marked.
std::int64_t hypergeometric(std::int64_t marked, std::int64_t total, std::int64_t draws, Stream& random) {
  if (marked == 0 || draws == 0) return 0;
  if (marked == total) return draws;
  if (draws == total) return marked;
  if (2 * draws > total) return marked - hypergeometric(marked, total, total - draws, random);
  if (draws <= kUrn) return draw_from_urn(marked, total, draws, random);
  if (marked <= kUrn) return draw_from_urn(draws, total, marked, random);  // the roles are symmetric
  return draw_from_mode(marked, total, draws, random);
}

// The occupied margins of a stratum whose table is not fixed by them.
struct FreeStratum {
  std::vector<std::int64_t> rows, columns;
};

struct Prepared {
  std::vector<FreeStratum> strata;
  std::int64_t observed = 0;  // sum of n ln n over their cells
  CellTerm term;
};

Prepared prepare(const TestTable<std::int64_t>& table) {
  std::vector<FreeStratum> strata;
  std::vector<std::int64_t> cells;
  std::int64_t total = 0, largest = 0;
  Margins<std::int64_t> margins;
  for_each_stratum(table, [&](const std::int64_t* stratum, std::size_t r_u, std::size_t r_v) {
    margins.take(stratum, r_u, r_v);
    if (margins.degrees() == 0) return;
    std::erase(margins.rows, 0);
    std::erase(margins.columns, 0);
    strata.push_back({margins.rows, margins.columns});
    cells.insert(cells.end(), stratum, stratum + r_u * r_v);
    total += margins.total;
  });
  for (const std::int64_t n : cells) largest = std::max(largest, n);
  for (const auto& stratum : strata)
    for (const std::int64_t n : stratum.rows) largest = std::max(largest, n);
  Prepared prepared{std::move(strata), 0,
                    CellTerm::x_log_x(x_log_x_scale(static_cast<double>(total)), largest)};
  for (const std::int64_t n : cells) prepared.observed += prepared.term(n);
  return prepared;
}

// Sum of n ln n over a random table with the margins of the stratum; `left` is scratch.
std::int64_t draw(const FreeStratum& stratum, const CellTerm& term, std::vector<std::int64_t>& left,
                  Stream& random) {
  left = stratum.columns;
  std::int64_t sum = 0, below = 0;
  for (const std::int64_t n : stratum.columns) below += n;
  for (std::size_t i = 0; i + 1 < stratum.rows.size(); ++i) {
    std::int64_t draws = stratum.rows[i], pool = below;
    below -= draws;
    for (auto& capacity : left) {
      const std::int64_t n = hypergeometric(capacity, pool, draws, random);
      pool -= capacity;
      capacity -= n;
      draws -= n;
      sum += term(n);
    }
  }
  for (const std::int64_t n : left) sum += term(n);
  return sum;
}

}  // namespace

double permutation_p(const PermutationSettings& settings, const TestTable<std::int64_t>& table,
                     std::uint64_t key, Cancel& cancel) {
  if (settings.permutations < 1)
    throw std::invalid_argument("a permutation test needs at least one permutation");
  const Prepared prepared = prepare(table);
  if (prepared.strata.empty()) return 1;
  const double all = static_cast<double>(settings.permutations) + 1;
  std::vector<std::int64_t> scratch;
  std::int64_t extreme = 0;
  for (std::int64_t done = 0; done < settings.permutations; ++done) {
    if (settings.stop_early) {
      if (static_cast<double>(1 + extreme) / all > settings.alpha) break;
      const std::int64_t at_most = extreme + settings.permutations - done;
      if (static_cast<double>(1 + at_most) / all <= settings.alpha) break;
    }
    cancel.check();
    Stream random(key, static_cast<std::uint64_t>(done));
    std::int64_t sum = 0;
    for (const auto& stratum : prepared.strata) sum += draw(stratum, prepared.term, scratch, random);
    extreme += sum >= prepared.observed;
  }
  return static_cast<double>(1 + extreme) / all;
}

void permutation_p(const PermutationSettings& settings, std::span<const TestTable<std::int64_t>> tables,
                   std::span<const std::uint64_t> keys, std::span<double> p, Cancel& cancel) {
  if (keys.size() != tables.size()) throw std::invalid_argument("one key for each test");
  double cells = 0;
  for (const auto& table : tables) cells += static_cast<double>(table.counts.size());
  const double nanoseconds = 30 * cells * static_cast<double>(settings.permutations);
  parallel_for(tables.size(), nanoseconds, cancel,
               [&](std::size_t i) { p[i] = permutation_p(settings, tables[i], keys[i], cancel); });
}

}  // namespace treewright
