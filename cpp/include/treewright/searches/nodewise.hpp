// Regressions of every discrete variable on all others, with a price on each pair of variables.
//
// The log-odds of the target's states are a sum, over the other variables, of a table of weights. A table has
// no information in its row and column means, so it is written in orthonormal contrasts of the states on
// either side; its norm is then the same for every numbering of the states. The price is on that norm
// (a group lasso), so a variable is in or out as a whole: for two binary variables it is the lasso.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "treewright/parallel/cancel.hpp"

namespace treewright::nodewise {

/// r x (r - 1), columns of length one that are orthogonal to each other and to the constant.
std::vector<double> contrasts(std::uint32_t n_states);

/// Weighted rows as columns of contrasts.
class Design {
 public:
  /// `codes`: column by column, one per row.
  Design(std::span<const std::uint32_t> codes, std::span<const double> weights,
         std::vector<std::uint32_t> cardinalities);

  std::size_t n_variables() const { return cardinalities_.size(); }
  std::uint32_t n_states(std::uint32_t v) const { return cardinalities_[v]; }
  std::size_t n_rows() const { return rows_; }
  std::size_t length() const { return weights_.size(); }  // rows and padding, a multiple of four
  double total() const { return total_; }
  std::size_t width() const { return offsets_.back(); }
  std::size_t offset(std::uint32_t v) const { return offsets_[v]; }
  std::size_t width(std::uint32_t v) const { return offsets_[v + 1] - offsets_[v]; }
  const double* column(std::size_t k) const { return columns_.data() + k * length(); }
  const double* ones() const { return ones_.data(); }
  const std::uint32_t* codes(std::uint32_t v) const { return codes_.data() + v * rows_; }
  const double* weights() const { return weights_.data(); }  // 0 in padding

 private:
  std::vector<std::uint32_t> cardinalities_;
  std::size_t rows_;
  double total_ = 0;
  std::vector<std::uint32_t> codes_;
  std::vector<double> weights_, ones_, columns_;
  std::vector<std::size_t> offsets_;
};

/// Contrasts of the target (c) times contrasts of the others: `weights[k * n_classes + c]` for column k of
/// the design; zero for whatever is not in the support.
struct Fit {
  double penalty = 0, log_likelihood = 0, criterion = 0;
  std::size_t n_penalties = 0;  // looked at
  std::vector<double> intercept, weights;
  std::vector<std::uint32_t> support;
};

/// A penalty counts in nats of the whole log-likelihood, for a weight of one between two binary variables
/// coded 0 and 1. A `Cancelled` leaves no trace.
struct PathSettings {
  std::size_t n_penalties = 30;
  double ratio = 0.01;       // smallest penalty of a path / largest
  double gamma = 0.5;        // of the extended BIC
  std::size_t patience = 5;  // supports in a row that are worse than the best, then the path ends
  double tolerance = 1e-7;   // of the gradient of the mean log-likelihood
};

/// The least penalty at which nothing is joined to the target.
double largest_penalty(const Design& design, std::uint32_t target, const PathSettings& settings,
                       Cancel& cancel);
Fit fit_at(const Design& design, std::uint32_t target, double penalty, const PathSettings& settings,
           Cancel& cancel);
/// The support of a falling path of penalties that the extended BIC likes best, fitted again without penalty.
Fit fit_by_ebic(const Design& design, std::uint32_t target, const PathSettings& settings, Cancel& cancel);
/// Log-likelihood that fits at falling penalties give to the target in other rows.
std::vector<double> held_out(const Design& design, const Design& valid, std::uint32_t target,
                             std::span<const double> penalties, const PathSettings& settings, Cancel& cancel);

}  // namespace treewright::nodewise
