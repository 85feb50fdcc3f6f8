#include <cmath>
#include <random>

#include "check.hpp"
#include "treewright/gaussian/sigmoid.hpp"

namespace tw = treewright;
namespace twg = treewright::gaussian;

namespace {

// Standardised columns, padded to whole lanes; the child follows a noisy sigmoid of the others.
struct Data {
  explicit Data(std::size_t rows, bool weighted) : padded((rows + 3) / 4 * 4), root(padded), child(padded) {
    std::mt19937_64 engine(rows);
    const auto draw = [&] { return static_cast<double>(engine() >> 11) * 0x1p-52 - 1; };
    for (auto& x : parents) {
      x.resize(padded);
      for (std::size_t i = 0; i < rows; ++i) x[i] = 1.7 * draw();
    }
    double total = 0, square = 0;
    for (std::size_t i = 0; i < rows; ++i) {
      root[i] = weighted ? std::sqrt(1.5 + draw()) : 1;
      child[i] = 2 / (1 + std::exp(-1 - 2 * parents[0][i] + parents[1][i])) + 0.1 * draw();
      weight += root[i] * root[i];
      total += root[i] * root[i] * child[i];
    }
    for (std::size_t i = 0; i < rows; ++i) {
      child[i] = (child[i] - total / weight) * root[i];
      square += child[i] * child[i];
    }
    for (auto& y : child) y *= std::sqrt(weight / square);
  }

  twg::SigmoidProblem problem() const {
    return {child.data(), {parents[0].data(), parents[1].data()}, root, weight};
  }

  std::size_t padded;
  double weight = 0;
  std::vector<double> root, child, parents[2];
};

}  // namespace

TEST(the_gradient_is_that_of_finite_differences) {
  for (const bool weighted : {false, true})
    for (const std::size_t rows : {50, 53}) {
      const Data data(rows, weighted);
      auto problem = data.problem();
      for (const std::vector<double>& slope :
           {std::vector<double>{0.3, 0.7, -0.4}, {-1, 2, 2}, {0, 0.01, 0.02}}) {
        std::vector<double> gradient, matrix;
        const auto fit = problem.at(slope);
        problem.linearise(fit, gradient, matrix);
        for (std::size_t k = 0; k < 3; ++k) {
          const double step = 1e-5;
          auto up = slope, down = slope;
          up[k] += step, down[k] -= step;
          const double difference = (problem.at(up).square - problem.at(down).square) / (4 * step);
          CHECK(std::abs(difference - gradient[k]) < 1e-6 * (1 + std::abs(gradient[k])) * data.weight);
          CHECK(matrix[k * 3 + k] >= 0);
        }
      }
    }
}

TEST(a_descent_ends_where_the_gradient_vanishes) {
  const Data data(200, false);
  auto problem = data.problem();
  tw::Cancel cancel;
  const auto fit = problem.descend(std::vector<double>{0, 1, 0}, cancel);
  std::vector<double> gradient, matrix;
  problem.linearise(problem.at(fit.slope), gradient, matrix);
  for (const double g : gradient) CHECK(std::abs(g) < 1e-3);
  CHECK(fit.square < 0.02 * data.weight);
  CHECK(std::abs(fit.slope[1] + 2 * fit.slope[2]) < 0.2);  // weights 2 and -1, up to noise
}

TEST(the_sigmoid_is_exact_to_rounding_and_never_overflows) {
  const std::size_t rows = 400;
  std::vector<double> x(rows), root(rows, 1.0), child(rows, 0.0);
  for (std::size_t i = 0; i < rows; ++i) x[i] = (static_cast<double>(i) - 200) / 5;
  child[0] = std::sqrt(400.0);
  twg::SigmoidProblem problem(child.data(), {x.data()}, root, 400);
  for (const double steepness : {1.0, 1e6, -1e300}) {
    const std::vector<double> slope{0, steepness};
    const auto fit = problem.at(slope);
    CHECK(std::isfinite(fit.square) && fit.square <= 400 * (1 + 1e-12));
  }
  // the mean of a symmetric sigmoid is one half: low = -height / 2
  std::vector<double> pair{-3, 3, 0, 0}, ones(4, 1.0), y{-std::sqrt(2.0), std::sqrt(2.0), 0, 0};
  twg::SigmoidProblem small(y.data(), {pair.data()}, ones, 4);
  const auto fit = small.at(std::vector<double>{0, 1});
  const double rise = 1 / (1 + std::exp(-3.0)) - 0.5;
  CHECK(std::abs(fit.height - std::sqrt(2.0) / rise) < 1e-14);
  CHECK(std::abs(fit.low + fit.height / 2) < 1e-14);
}

TEST(a_request_to_stop_is_obeyed) {
  const Data data(40, false);
  auto problem = data.problem();
  tw::Cancel cancel;
  cancel.request();
  bool stopped = false;
  try {
    problem.descend(std::vector<double>{0, 1, 1}, cancel);
  } catch (const tw::Cancelled&) {
    stopped = true;
  }
  CHECK(stopped);
}
