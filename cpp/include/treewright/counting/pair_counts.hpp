// Counts of all pairs of variables in a context, and the sums of logarithms that are made of them.
//
// A variable of r states has r - 1 *planes*, one for each state but its first; what the first state has
// follows by subtraction. Counts are doubles: whole numbers stay exact, real weights are welcome.
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace treewright {

/// (c + offset) ln(c + offset) for a count c; whole counts are looked up.
class CountTerm {
 public:
  explicit CountTerm(double offset, std::size_t tabulated = 0);

  /// The values for 0, 1, 2, ... where they reach up to a count; null otherwise.
  const double* up_to(double largest) const {
    return largest < static_cast<double>(table_.size()) ? table_.data() : nullptr;
  }
  double operator()(double c) const {
    if (c < static_cast<double>(table_.size())) {
      const auto whole = static_cast<std::size_t>(c);
      if (static_cast<double>(whole) == c) return table_[whole];
    }
    return formula(c);
  }

 private:
  double formula(double c) const {
    const double x = c + offset_;
    return x > 0 ? x * std::log(x) : 0.0;
  }

  double offset_;
  std::vector<double> table_;
};

/// Counts of the planes of n variables, alone and in pairs.
class PairCounts {
 public:
  PairCounts() = default;
  explicit PairCounts(std::vector<std::uint32_t> cardinalities);
  /// Where planes lie, without room for counts.
  static PairCounts layout(std::vector<std::uint32_t> cardinalities);

  std::size_t size() const { return cardinalities_.size(); }
  std::size_t n_planes() const { return first_.back(); }
  std::uint32_t cardinality(std::size_t i) const { return cardinalities_[i]; }
  const std::vector<std::uint32_t>& cardinalities() const { return cardinalities_; }
  std::size_t first_plane(std::size_t i) const { return first_[i]; }
  bool is_binary() const { return is_binary_; }

  double total = 0;
  std::vector<double> single;  // by plane
  std::vector<double> pair;    // by two planes p < q of different variables, at p * n_planes() + q

  double& at(std::size_t p, std::size_t q) { return pair[p * n_planes() + q]; }
  double at(std::size_t p, std::size_t q) const { return pair[p * n_planes() + q]; }

  /// Counts of the states of a variable.
  void cells(std::size_t i, std::vector<double>& out) const;
  /// Counts of the states of two variables i < j, row by row of i.
  void cells(std::size_t i, std::size_t j, std::vector<double>& out) const;
  double count(std::size_t i, std::uint32_t state) const;

  /// Without one variable.
  PairCounts without(std::size_t i) const;
  /// Take the counts of a part of the rows away.
  void subtract(const PairCounts& part);

 private:
  void lay_out();

  std::vector<std::uint32_t> cardinalities_, first_{0};
  bool is_binary_ = true;
};

/// Mutual information of every pair i < j in nats, at i * n + j; never negative.
std::vector<double> pair_information(const PairCounts& counts, const CountTerm& x_log_x);
double information(const PairCounts& counts, const CountTerm& x_log_x, std::size_t i, std::size_t j);

/// Of some variables, at most `n_kept`: those with the largest sums of information about all others; rising.
std::vector<std::size_t> most_telling(const PairCounts& counts, const CountTerm& x_log_x,
                                      std::vector<std::size_t> some, std::size_t n_kept);

}  // namespace treewright
