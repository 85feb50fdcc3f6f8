#include "treewright/criteria/scores.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>

#include "parallel/log_gamma.hpp"
#include "treewright/parallel/threads.hpp"

namespace treewright {
namespace {

// Numbers of cells and penalties stay below this, so that sums of them stay finite.
constexpr double kMostCells = 1e300;
// |ln alpha| of the smallest alpha, and room for rounding: bounds one cell of a Dirichlet score.
constexpr double kLogHuge = 745;
// Nats a row for which totals add exactly.
constexpr double kNatsPerRow = 256;
constexpr double kNanosecondsPerScoredCell = 2;

bool is_dirichlet(ScoreKind kind) { return kind == ScoreKind::bdeu || kind == ScoreKind::k2; }

FixedPoint scale_for(const ScoreSettings& settings, double n) {
  if (is_dirichlet(settings.kind)) return FixedPoint(n * (std::log(n + settings.ess + 2) + kLogHuge));
  return x_log_x_scale(n);
}

template <class Count>
double sum_and_judge(const FamilyScore& score, std::span<const Count> table, std::size_t r, double q) {
  if (r == 0 || table.size() % r != 0)
    throw std::invalid_argument("a family table has whole rows of child states");
  Count largest = 0;
  for (std::size_t row = 0; row < table.size(); row += r) {
    Count total = 0;
    for (std::size_t k = 0; k < r; ++k) total += table[row + k];
    largest = std::max(largest, total);
  }
  const FamilyTerms terms = score.terms(static_cast<double>(r), q, static_cast<std::int64_t>(largest));
  std::int64_t joint = 0, parent = 0;
  for (std::size_t row = 0; row < table.size(); row += r) {
    Count total = 0;
    for (std::size_t k = 0; k < r; ++k) {
      const Count n = table[row + k];
      total += n;
      joint += terms.joint(n);
    }
    parent += terms.parent(total);
  }
  return score.local(joint, parent, terms);
}

template <class Count>
double sum_and_judge_sparse(const FamilyScore& score, std::span<const std::int64_t> codes,
                            std::span<const Count> counts, std::size_t r, double q) {
  if (r == 0 || codes.size() != counts.size())
    throw std::invalid_argument("a sparse table pairs codes and counts");
  const auto states = static_cast<std::int64_t>(r);
  const auto for_each_configuration = [&](auto&& visit) {
    for (std::size_t i = 0; i < codes.size();) {
      const std::int64_t configuration = codes[i] / states;
      Count total = 0;
      const std::size_t first = i;
      for (; i < codes.size() && codes[i] / states == configuration; ++i) total += counts[i];
      visit(first, i, total);
    }
  };
  Count largest = 0;
  for_each_configuration([&](std::size_t, std::size_t, Count total) { largest = std::max(largest, total); });
  const FamilyTerms terms = score.terms(static_cast<double>(r), q, static_cast<std::int64_t>(largest));
  std::int64_t joint = 0, parent = 0;
  for_each_configuration([&](std::size_t first, std::size_t last, Count total) {
    for (std::size_t i = first; i < last; ++i) joint += terms.joint(counts[i]);
    parent += terms.parent(total);
  });
  return score.local(joint, parent, terms);
}

// Small real weights may occupy more cells than they sum to; the scale then follows the cells.
FamilyScore roomy(const FamilyScore& score, std::span<const double> counts) {
  const auto occupied = static_cast<double>(std::ranges::count_if(counts, [](double n) { return n != 0; }));
  return occupied > score.n_rows() ? FamilyScore(score.settings(), score.n_rows(), occupied) : score;
}

}  // namespace

FamilyScore::FamilyScore(ScoreSettings settings, double n_rows, double n_cells)
    : settings_(settings),
      n_rows_(n_rows),
      scale_(scale_for(settings, std::max(n_rows, n_cells))),
      grid_(kNatsPerRow * (n_rows + 1)) {
  if (!(n_rows >= 0) || !std::isfinite(n_rows))
    throw std::invalid_argument("rows must be a finite number from 0 on");
  if (!(settings.ess > 0) || !std::isfinite(settings.ess))
    throw std::invalid_argument("the equivalent sample size must be a finite number above 0");
}

FamilyTerms FamilyScore::terms(double r, double q, std::int64_t largest_count) const {
  const double parent_cells = std::min(q, kMostCells), cells = std::min(q * r, kMostCells);
  const auto rising = [&](double alpha) {
    return CellTerm::log_rising(std::max(alpha, 1 / kMostCells), scale_, largest_count);
  };
  switch (settings_.kind) {
    case ScoreKind::bdeu:
      return {rising(settings_.ess / cells), rising(settings_.ess / parent_cells), 0};
    case ScoreKind::k2:
      return {rising(settings_.ess), rising(settings_.ess * r), 0};
    default: {
      const CellTerm term = CellTerm::x_log_x(scale_, largest_count);
      return {term, term, penalty(r, q)};
    }
  }
}

double FamilyScore::penalty(double r, double q) const {
  const double half_log_n = 0.5 * std::log(std::max(n_rows_, 1.0));
  // a difference of set functions, each on the grid, so that equivalent structures tie
  const auto difference = [&](double of_cells, double of_parent_cells) {
    return of_cells < kMostCells ? grid_.round(of_cells) - grid_.round(of_parent_cells)
                                 : (r > 1 ? kMostCells : 0.0);
  };
  switch (settings_.kind) {
    case ScoreKind::aic:
      return difference(q * r, q);
    case ScoreKind::bic:
      return half_log_n > 0 ? difference(half_log_n * q * r, half_log_n * q) : 0;
    case ScoreKind::qnml:
      // beyond kMostCells cells only the limit n ln(k / n) of the regret is left
      if (q * r >= kMostCells) return grid_.round(n_rows_ * std::log(r));
      return difference(multinomial_regret(n_rows_, q * r), multinomial_regret(n_rows_, q));
    default:
      return 0;
  }
}

double multinomial_regret(double n, double k) {
  if (n <= 0 || k <= 1) return 0;
  const double a = k / n;
  const double c_minus_1 = (2 / a) / (1 + std::sqrt(1 + 4 / a));
  const double c = 1 + c_minus_1;
  return n * (std::log(a) + (a + 2) * std::log1p(c_minus_1) - 1 / c) - 0.5 * std::log(c + 2 / a);
}

double score_table(const FamilyScore& score, std::span<const std::int64_t> table, std::size_t r, double q) {
  return sum_and_judge(score, table, r, q);
}

double score_table(const FamilyScore& score, std::span<const double> table, std::size_t r, double q) {
  return sum_and_judge(roomy(score, table), table, r, q);
}

double score_sparse(const FamilyScore& score, std::span<const std::int64_t> codes,
                    std::span<const std::int64_t> counts, std::size_t r, double q) {
  return sum_and_judge_sparse(score, codes, counts, r, q);
}

double score_sparse(const FamilyScore& score, std::span<const std::int64_t> codes,
                    std::span<const double> counts, std::size_t r, double q) {
  return sum_and_judge_sparse(roomy(score, counts), codes, counts, r, q);
}

template <class Count>
void score_tables(const FamilyScore& score, std::span<const FamilyTable<Count>> tables,
                  std::span<double> local, Cancel& cancel) {
  std::size_t cells = 0;
  for (const auto& table : tables) cells += table.counts.size();
  parallel_for(
      tables.size(), kNanosecondsPerScoredCell * static_cast<double>(cells), cancel, [&](std::size_t i) {
        const auto& [codes, counts, r, q] = tables[i];
        local[i] =
            codes.empty() ? score_table(score, counts, r, q) : score_sparse(score, codes, counts, r, q);
      });
}

template void score_tables(const FamilyScore&, std::span<const FamilyTable<std::int64_t>>, std::span<double>,
                           Cancel&);
template void score_tables(const FamilyScore&, std::span<const FamilyTable<double>>, std::span<double>,
                           Cancel&);

double dirichlet_table(const FamilyScore& score, std::span<const double> counts,
                       std::span<const double> prior) {
  if (counts.size() != prior.size()) throw std::invalid_argument("a prior has as many cells as the table");
  const FixedPoint scale = roomy(score, counts).scale();
  std::int64_t sum = 0;
  for (std::size_t i = 0; i < counts.size(); ++i) {
    if (counts[i] == 0) continue;
    if (prior[i] == 0) return -std::numeric_limits<double>::infinity();
    const double alpha = std::max(prior[i], 1 / kMostCells);
    sum += scale.quantise(log_gamma(alpha + counts[i]) - log_gamma(alpha));
  }
  return score.grid().round(sum, scale);
}

}  // namespace treewright
