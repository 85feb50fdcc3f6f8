#include <algorithm>
#include <atomic>
#include <cmath>
#include <stdexcept>
#include <unordered_map>

#include "treewright/gaussian/mixed_completions.hpp"
#include "treewright/parallel/threads.hpp"

namespace treewright::mixed {
namespace {

constexpr std::size_t kRunOfRows = 256, kRunsAtOnce = 64;
constexpr double kMostStates = 1 << 20;  // of one group: all of them are walked, in each round
constexpr double kNanosecondsPerCell = 200, kNanosecondsPerProduct = 2;

std::size_t runs_of(std::size_t n_rows) { return (n_rows + kRunOfRows - 1) / kRunOfRows; }

/// Rows, means and scatters by joint state, each of which may still grow (Welford's recurrence, with
/// weights).
class Tally {
 public:
  explicit Tally(std::size_t width) : width_(width), apart_(width) {}

  /// `around` is what the row's own numbers vary, its lower triangle.
  void add(std::int64_t cell, double weight, const double* x, const double* around) {
    const std::size_t at = place(cell);
    const double before = n_[at];
    n_[at] = before + weight;
    if (!(n_[at] > 0)) return;
    const double share = weight / n_[at];
    double* const mean = mean_.data() + at * width_;
    double* scatter = scatter_.data() + at * width_ * width_;
    for (std::size_t i = 0; i < width_; ++i) apart_[i] = x[i] - mean[i];
    for (std::size_t i = 0; i < width_; ++i, scatter += width_)
      for (std::size_t j = 0; j <= i; ++j)
        scatter[j] += before * share * apart_[i] * apart_[j] + (around ? weight * around[i * width_ + j] : 0);
    for (std::size_t i = 0; i < width_; ++i) mean[i] += share * apart_[i];
  }

  void add(const Tally& other) {
    for (std::size_t k = 0; k < other.cells_.size(); ++k) {
      const std::size_t at = place(other.cells_[k]);
      const double* const added = other.scatter_.data() + k * width_ * width_;
      double* const scatter = scatter_.data() + at * width_ * width_;
      const double before = n_[at];
      add(other.cells_[k], other.n_[k], other.mean_.data() + k * width_, nullptr);
      if (n_[at] > before || before == 0)
        for (std::size_t i = 0; i < width_ * width_; ++i) scatter[i] += added[i];
    }
  }

  StateMoments sorted() const {
    std::vector<std::size_t> order(cells_.size());
    for (std::size_t k = 0; k < order.size(); ++k) order[k] = k;
    std::sort(order.begin(), order.end(),
              [&](std::size_t a, std::size_t b) { return cells_[a] < cells_[b]; });
    StateMoments out;
    for (const std::size_t at : order) {
      out.cells.push_back(cells_[at]);
      out.n.push_back(n_[at]);
      out.mean.insert(out.mean.end(), mean_.data() + at * width_, mean_.data() + at * width_ + width_);
      const double* const scatter = scatter_.data() + at * width_ * width_;
      for (std::size_t i = 0; i < width_; ++i)
        for (std::size_t j = 0; j < width_; ++j)
          out.scatter.push_back(scatter[std::max(i, j) * width_ + std::min(i, j)]);
    }
    return out;
  }

 private:
  std::size_t place(std::int64_t cell) {
    const auto [found, is_new] = places_.try_emplace(cell, cells_.size());
    if (is_new) {
      cells_.push_back(cell);
      n_.push_back(0);
      mean_.resize(mean_.size() + width_);
      scatter_.resize(scatter_.size() + width_ * width_);
    }
    return found->second;
  }

  std::size_t width_;
  std::vector<double> apart_;
  std::unordered_map<std::int64_t, std::size_t> places_;
  std::vector<std::int64_t> cells_;
  std::vector<double> n_, mean_, scatter_;
};

}  // namespace

/// One question, row by row.
class RowMoments {
 public:
  RowMoments(const Completions& all, std::span<const Var> states, std::span<const Var> numbers)
      : all_(all),
        states_(states),
        numbers_(numbers),
        x_(numbers.size()),
        around_(numbers.size() * numbers.size()) {
    std::int64_t stride = 1;
    strides_.resize(states.size());
    for (std::size_t k = states.size(); k-- > 0;) {
      strides_[k] = stride;
      stride *= static_cast<std::int64_t>(all.network_.cardinalities[states[k]]);
    }
  }

  void add(std::size_t row, double weight, Tally& tally) {
    std::int64_t cell = 0;
    bool touches = false;
    for (std::size_t k = 0; k < states_.size(); ++k) {
      const std::int32_t code = all_.rows_.states[states_[k]][row];
      touches |= code < 0;
      cell += code < 0 ? 0 : code * strides_[k];
    }
    bool is_open = false;
    for (std::size_t k = 0; k < numbers_.size(); ++k) {
      x_[k] = all_.rows_.numbers[numbers_[k]][row];
      is_open |= std::isnan(x_[k]);
    }
    if (!touches && !is_open) return tally.add(cell, weight, x_.data(), nullptr);
    told_.clear();
    for (const Group& group : all_.groups_[row]) ask(group);
    std::fill(around_.begin(), around_.end(), 0.0);
    combine(0, cell, weight, tally);
  }

 private:
  /// What a group says of one question: shares of the states that are asked for, and the numbers in each.
  struct Told {
    std::vector<std::size_t> numbers;  // places among those that are asked for
    std::vector<std::int64_t> cells;
    std::vector<double> shares, mean, covariance;
  };

  /// What a group has to say, if it is touched at all.
  void ask(const Group& group) {
    Told told;
    std::vector<std::pair<std::size_t, std::int64_t>>
        mine;  // of the group's states, and what a code is worth
    for (std::size_t i = 0; i < group.states.size(); ++i)
      for (std::size_t k = 0; k < states_.size(); ++k)
        if (states_[k] == group.states[i]) mine.emplace_back(i, strides_[k]);
    std::vector<std::pair<const Normals*, std::size_t>> sources;
    for (const Normals& normals : group.normals)
      for (std::size_t i = 0; i < normals.numbers.size(); ++i)
        for (std::size_t k = 0; k < numbers_.size(); ++k)
          if (numbers_[k] == normals.numbers[i]) {
            told.numbers.push_back(k);
            sources.emplace_back(&normals, i);
          }
    if (mine.empty() && sources.empty()) return;
    const std::size_t n = group.shares.size(), width = sources.size(), each = group.states.size();
    std::vector<std::size_t> where(n);
    for (std::size_t s = 0; s < n; ++s) {
      std::int64_t cell = 0;
      for (const auto& [i, worth] : mine) cell += group.codes[s * each + i] * worth;
      const auto at = std::find(told.cells.begin(), told.cells.end(), cell);
      where[s] = static_cast<std::size_t>(at - told.cells.begin());
      if (at == told.cells.end()) {
        told.cells.push_back(cell);
        told.shares.push_back(0);
      }
      told.shares[where[s]] += group.shares[s];
    }
    if (width) add_numbers(group, sources, where, told);
    told_.push_back(std::move(told));
  }

  static double mean_of(const std::pair<const Normals*, std::size_t>& source, std::size_t state) {
    const Normals& normals = *source.first;
    return normals.mean[normals.which[state] * normals.numbers.size() + source.second];
  }

  static double covariance_of(const std::pair<const Normals*, std::size_t>& a,
                              const std::pair<const Normals*, std::size_t>& b, std::size_t state) {
    if (a.first != b.first) return 0;  // given the state, parts know nothing of each other
    const Normals& normals = *a.first;
    const std::size_t width = normals.numbers.size();
    return normals.covariance[(normals.which[state] * width + a.second) * width + b.second];
  }

  static void add_numbers(const Group& group,
                          const std::vector<std::pair<const Normals*, std::size_t>>& sources,
                          const std::vector<std::size_t>& where, Told& told) {
    const std::size_t width = sources.size();
    told.mean.assign(told.cells.size() * width, 0.0);
    told.covariance.assign(told.cells.size() * width * width, 0.0);
    for (std::size_t s = 0; s < where.size(); ++s) {
      const double share = group.shares[s] / told.shares[where[s]];
      for (std::size_t i = 0; i < width; ++i)
        told.mean[where[s] * width + i] += share * mean_of(sources[i], s);
    }
    std::vector<double> apart(width);
    for (std::size_t s = 0; s < where.size(); ++s) {
      const double share = group.shares[s] / told.shares[where[s]];
      double* const covariance = &told.covariance[where[s] * width * width];
      for (std::size_t i = 0; i < width; ++i)
        apart[i] = mean_of(sources[i], s) - told.mean[where[s] * width + i];
      for (std::size_t i = 0; i < width; ++i)
        for (std::size_t j = 0; j <= i; ++j)
          covariance[i * width + j] +=
              share * (covariance_of(sources[i], sources[j], s) + apart[i] * apart[j]);
    }
  }

  /// Groups know nothing of each other: every state of one with every state of the next.
  void combine(std::size_t at, std::int64_t cell, double weight, Tally& tally) {
    if (at == told_.size()) return tally.add(cell, weight, x_.data(), around_.data());
    const Told& told = told_[at];
    const std::size_t width = told.numbers.size();
    for (std::size_t k = 0; k < told.cells.size(); ++k) {
      for (std::size_t i = 0; i < width; ++i) {
        x_[told.numbers[i]] = told.mean[k * width + i];
        for (std::size_t j = 0; j <= i; ++j) {
          const std::size_t low = std::min(told.numbers[i], told.numbers[j]);
          const std::size_t high = std::max(told.numbers[i], told.numbers[j]);
          around_[high * numbers_.size() + low] = told.covariance[(k * width + i) * width + j];
        }
      }
      combine(at + 1, cell + told.cells[k], weight * told.shares[k], tally);
    }
  }

  const Completions& all_;
  std::span<const Var> states_, numbers_;
  std::vector<std::int64_t> strides_;
  std::vector<double> x_, around_;
  std::vector<Told> told_;
};

Completions::Completions(Network network, Rows rows, double limit, Cancel& cancel)
    : network_(std::move(network)),
      rows_(std::move(rows)),
      groups_(rows_.n_rows),
      log_densities_(rows_.n_rows) {
  network_.validate();
  std::atomic<std::size_t> bytes{0};
  const double most = std::min(kMostStates, limit / 64);
  const auto families = static_cast<double>(network_.tables.size() + network_.lines.size());
  const double work = static_cast<double>(rows_.n_rows) * families * kNanosecondsPerCell;
  parallel_for(runs_of(rows_.n_rows), work, cancel, [&](std::size_t run) {
    const std::size_t end = std::min(rows_.n_rows, (run + 1) * kRunOfRows);
    for (std::size_t row = run * kRunOfRows; row < end; ++row) {
      groups_[row] = groups_of(network_, rows_, row, most, log_densities_[row]);
      std::size_t more = 0;
      for (const Group& group : groups_[row]) more += group.bytes();
      if (static_cast<double>(bytes += more) > limit) {
        forests::Cost cost;
        cost.bytes = limit;
        throw forests::TooLarge(std::move(cost));
      }
      cancel.check();
    }
  });
}

StateMoments Completions::in_states(std::span<const Var> states, std::span<const Var> numbers,
                                    Cancel& cancel) const {
  Tally whole(numbers.size());
  const std::size_t n_runs = runs_of(rows_.n_rows);
  const double each =
      kNanosecondsPerCell + kNanosecondsPerProduct * static_cast<double>(numbers.size() * numbers.size());
  for (std::size_t begin = 0; begin < n_runs; begin += kRunsAtOnce) {
    std::vector<Tally> tallies(std::min(kRunsAtOnce, n_runs - begin), Tally(numbers.size()));
    const double work = each * static_cast<double>(tallies.size() * kRunOfRows);
    parallel_for(tallies.size(), work, cancel, [&](std::size_t k) {
      RowMoments rows(*this, states, numbers);
      const std::size_t first = (begin + k) * kRunOfRows, end = std::min(rows_.n_rows, first + kRunOfRows);
      for (std::size_t row = first; row < end; ++row) {
        const double weight = rows_.weights.empty() ? 1.0 : rows_.weights[0][row];
        if (weight > 0) rows.add(row, weight, tallies[k]);
      }
    });
    for (const Tally& tally : tallies) whole.add(tally);
  }
  return whole.sorted();
}

std::vector<double> Completions::state_shares(Var variable, Cancel& cancel) const {
  const std::size_t width = network_.cardinalities[variable];
  std::vector<double> out(rows_.n_rows * width);
  parallel_for(runs_of(rows_.n_rows), static_cast<double>(rows_.n_rows) * kNanosecondsPerCell, cancel,
               [&](std::size_t run) {
                 const std::size_t end = std::min(rows_.n_rows, (run + 1) * kRunOfRows);
                 RowMoments rows(*this, {&variable, 1}, {});
                 for (std::size_t row = run * kRunOfRows; row < end; ++row) {
                   Tally tally(0);
                   rows.add(row, 1.0, tally);
                   const StateMoments found = tally.sorted();
                   for (std::size_t k = 0; k < found.cells.size(); ++k)
                     out[row * width + static_cast<std::size_t>(found.cells[k])] = found.n[k];
                 }
               });
  return out;
}

std::vector<double> Completions::number_moments(Var number, Cancel& cancel) const {
  std::vector<double> out(rows_.n_rows * 2);
  parallel_for(runs_of(rows_.n_rows), static_cast<double>(rows_.n_rows) * kNanosecondsPerCell, cancel,
               [&](std::size_t run) {
                 const std::size_t end = std::min(rows_.n_rows, (run + 1) * kRunOfRows);
                 RowMoments rows(*this, {}, {&number, 1});
                 for (std::size_t row = run * kRunOfRows; row < end; ++row) {
                   Tally tally(1);
                   rows.add(row, 1.0, tally);
                   const StateMoments found = tally.sorted();
                   out[2 * row] = found.mean[0];
                   out[2 * row + 1] = found.scatter[0];
                 }
               });
  return out;
}

}  // namespace treewright::mixed
