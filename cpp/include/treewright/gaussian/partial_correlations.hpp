// Partial correlations and Fisher's z from a scatter matrix, many questions at a time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "treewright/gaussian/cholesky.hpp"
#include "treewright/parallel/cancel.hpp"

namespace treewright::gaussian {

/// A question of independence: x and y given a set.
struct Question {
  Rank x = 0, y = 0;
  std::vector<Rank> given;
};

/// Why an answer is not an ordinary one; the larger reason wins.
enum class Snag : std::uint8_t {
  none = 0,
  given_is_singular = 1,  // some of the given are linear functions of others: left out
  x_is_determined = 2,    // x is a linear function of the given: statistic 0
  y_is_determined = 3,
  too_few_rows = 4,  // no degree of freedom left: nothing computed
};

/// Partial correlations and their Fisher z statistics.
class PartialCorrelations {
 public:
  PartialCorrelations(std::span<const double> scatter, std::size_t n, double n_rows)
      : correlations_(scatter, n), n_rows_(n_rows) {}

  struct Answers {
    std::vector<double> correlation, statistic, freedom;
    std::vector<std::uint8_t> snag;
  };

  std::size_t size() const { return correlations_.size(); }
  Answers ask(std::span<const Question> questions, Cancel& cancel) const;
  /// x against each partner, given one set.
  Answers ask_partners(Rank x, std::span<const Rank> given, std::span<const Rank> partners,
                       Cancel& cancel) const;

 private:
  Correlations correlations_;
  double n_rows_;
};

}  // namespace treewright::gaussian
