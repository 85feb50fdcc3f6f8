// One regression of a variable of many states on all others, without a matrix of second derivatives.
#pragma once

#include "treewright/searches/nodewise.hpp"

namespace treewright::nodewise {

/// What `Regression` is, for targets whose second derivatives are too many to write down. Weights are kept as
/// tables over the states of either side, centred both ways, whose norms are those of their contrasts. The
/// product of the second derivatives and a direction is one pass over the rows: a step is found by conjugate
/// gradients where the price is smooth, and by accelerated proximal gradients where tables may become zero.
class TableRegression {
 public:
  TableRegression(const Design& design, std::uint32_t target, double tolerance);

  void descend(std::span<const std::uint32_t> members, double price, Cancel& cancel);
  std::vector<double> slopes() const;
  std::vector<std::uint32_t> support() const;
  double log_likelihood() const { return -loss_ * design_.total(); }
  double log_likelihood(const Design& rows) const;

  std::size_t n_classes() const { return n_states_ - 1; }
  std::vector<double> intercept() const;
  std::vector<double> weights() const;

 private:
  struct Table {  // of one member; the first of the small problem has one line, for the constant
    std::uint32_t variable;
    const std::uint32_t* codes;
    std::size_t begin, n_lines;
    double scale;  // the share of rows in the fullest line bounds what the table adds to the curvature
  };
  using Numbers = std::vector<double>;

  static void add_line(double* out, const double* line, std::size_t n);
  static double line_norm(const double* x, std::size_t n);
  void choose(std::span<const std::uint32_t> members);
  std::size_t lines_of(std::uint32_t v) const { return lines_[v] * stride_; }
  void evaluate(const Numbers& x);
  void add_residuals(const std::vector<Table>& tables, Numbers& out) const;
  void curve(const Numbers& x, Numbers& out) const;
  Numbers curvature() const;
  void centre(Numbers& out) const;
  void centre_weights(Numbers& x) const;
  double violation(const Numbers& x, const Numbers& slope, double price) const;
  void add_price(const Numbers& x, double price, bool of_change, Numbers& out) const;
  void solve_smooth(double price, double accuracy, Cancel& cancel);
  void solve_priced(double price, double accuracy, Cancel& cancel);
  void shrink(Numbers& x, double price) const;
  double norms(const Numbers& x, double price) const;
  bool go(double price);

  const Design& design_;
  std::uint32_t target_;
  double tolerance_;
  std::size_t n_states_, stride_;    // states of the target; the same and padding
  std::vector<std::size_t> lines_;   // first line of each variable in `tables_`
  Numbers constant_, tables_;        // lines of `stride_` numbers
  Numbers shares_;                   // rows x stride: probabilities of the target's states
  double loss_ = 0, steepness_ = 1;  // of the model, against the scales of the tables

  std::vector<Table> chosen_;
  Numbers now_, gradient_, raw_gradient_, goal_;
};

}  // namespace treewright::nodewise
