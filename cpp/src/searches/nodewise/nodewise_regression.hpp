// One regression of one variable on all others: its state, and proximal Newton steps on it.
#pragma once

#include "treewright/searches/nodewise.hpp"

namespace treewright::nodewise {

class Regression {
 public:
  Regression(const Design& design, std::uint32_t target, double tolerance);

  /// Go to the best weights among those of `members`, at this price of a unit of norm and row; every other
  /// weight must be zero already.
  void descend(std::span<const std::uint32_t> members, double price, Cancel& cancel);
  /// The norm of the gradient of every variable's weights (0 for the target), per row.
  std::vector<double> slopes() const;
  std::vector<std::uint32_t> support() const;
  double log_likelihood() const { return -loss_ * design_.total(); }
  /// Log-likelihood of the target in other rows.
  double log_likelihood(const Design& rows) const;

  std::size_t n_classes() const { return classes_; }
  const std::vector<double>& intercept() const { return intercept_; }
  const std::vector<double>& weights() const { return weights_; }

 private:
  struct Block {  // columns of the small problem that are priced together
    std::size_t begin, end;
  };

  void evaluate();
  void evaluate_two();
  void evaluate_many();
  void choose(std::span<const std::uint32_t> members);
  double* chosen_weight(std::size_t a);
  void differentiate();
  double violation(double price) const;
  void newton_step(double price);
  void solve_exactly();
  void solve_priced(double price, double accuracy);
  double norms(double price, double step) const;
  void move(double step);

  const Design& design_;
  std::uint32_t target_;
  double tolerance_;
  std::size_t classes_;        // contrasts of the target
  std::vector<double> basis_;  // its states x contrasts
  std::vector<double> intercept_, weights_;
  std::vector<double> energy_;  // contrasts x rows
  std::vector<double> residual_,
      curvature_;  // contrasts x rows, pairs of contrasts x rows; per row of weight
  double loss_ = 0;

  // the small problem: the constant and the columns of the members, each times the contrasts of the target
  std::vector<const double*> columns_;
  std::vector<std::size_t> sources_;  // their places in the design; the constant has none
  std::vector<Block> blocks_;
  std::vector<double> gradient_, hessian_, change_, now_;
  std::vector<double> scratch_, direction_;
};

}  // namespace treewright::nodewise
