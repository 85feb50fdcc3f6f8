#include "treewright/gaussian/partial_correlations.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "treewright/parallel/threads.hpp"

namespace treewright::gaussian {
namespace {

constexpr std::size_t kQuestionsPerTask = 64;  // questions per unit of work

double cost_of_questions(std::size_t questions, std::size_t given) {
  const double k = static_cast<double>(given + 2);
  return static_cast<double>(questions) * (100 + 20 * k + k * k * k);
}

std::vector<Rank> sorted(std::span<const Rank> set) {
  std::vector<Rank> ranks(set.begin(), set.end());
  std::sort(ranks.begin(), ranks.end());
  return ranks;
}

// The factor of one conditioning set, and the variables seen through it.
class Lens {
 public:
  explicit Lens(const Correlations& correlations) : correlations_(correlations), factor_(correlations) {}

  void set_given(std::span<const Rank> given) {
    auto rising = sorted(given);
    if (ready_ && rising == given_) return;
    given_ = std::move(rising);
    factor_.truncate(0);
    singular_ = false;
    for (const Rank v : given_) singular_ |= !factor_.push_unless_singular(v);
    ready_ = true;
  }

  bool singular() const { return singular_; }
  std::size_t given_size() const { return given_.size(); }

  struct View {
    Rank v = 0;
    double variance = 0;
    std::vector<double> row;
  };
  void look(Rank v, View& view) const {
    view.v = v;
    view.variance = factor_.project(v, view.row);
  }

  double correlation(const View& x, const View& y) const {
    double covariance = correlations_(x.v, y.v);
    for (std::size_t k = 0; k < x.row.size(); ++k) covariance -= x.row[k] * y.row[k];
    return covariance / (std::sqrt(x.variance) * std::sqrt(y.variance));
  }

 private:
  const Correlations& correlations_;
  Factor factor_;
  std::vector<Rank> given_;
  bool singular_ = false, ready_ = false;
};

void answer(const Lens& lens, const Lens::View& x, const Lens::View& y, double freedom,
            PartialCorrelations::Answers& out, std::size_t i) {
  constexpr double most = 1 - 1e-12;
  out.freedom[i] = freedom;
  Snag snag = lens.singular() ? Snag::given_is_singular : Snag::none;
  if (x.variance < kSingular) snag = Snag::x_is_determined;
  if (y.variance < kSingular) snag = Snag::y_is_determined;
  out.snag[i] = static_cast<std::uint8_t>(snag);
  if (snag == Snag::x_is_determined || snag == Snag::y_is_determined) return;
  const double r = std::clamp(lens.correlation(x, y), -most, most);
  out.correlation[i] = r;
  out.statistic[i] = std::sqrt(freedom) * std::atanh(r);
}

void refuse(double freedom, PartialCorrelations::Answers& out, std::size_t i) {
  out.freedom[i] = freedom;
  out.snag[i] = static_cast<std::uint8_t>(Snag::too_few_rows);
}

PartialCorrelations::Answers room_for(std::size_t n) {
  return {std::vector<double>(n), std::vector<double>(n), std::vector<double>(n),
          std::vector<std::uint8_t>(n)};
}

void check_question(Rank x, Rank y, std::span<const Rank> given, std::size_t size) {
  if (x >= size || y >= size) throw std::out_of_range("a question names a variable that is not there");
  if (x == y) throw std::invalid_argument("a variable is not tested against itself");
  for (const Rank v : given) {
    if (v >= size) throw std::out_of_range("a question names a variable that is not there");
    if (v == x || v == y) throw std::invalid_argument("x and y are not among the given");
  }
  const auto rising = sorted(given);
  if (std::adjacent_find(rising.begin(), rising.end()) != rising.end())
    throw std::invalid_argument("each of the given is named once");
}

}  // namespace

PartialCorrelations::Answers PartialCorrelations::ask(std::span<const Question> questions,
                                                      Cancel& cancel) const {
  std::size_t widest = 0;
  for (const auto& question : questions) {
    check_question(question.x, question.y, question.given, size());
    widest = std::max(widest, question.given.size());
  }
  Answers out = room_for(questions.size());
  const std::size_t units = (questions.size() + kQuestionsPerTask - 1) / kQuestionsPerTask;
  parallel_for(units, cost_of_questions(questions.size(), widest), cancel, [&](std::size_t unit) {
    Lens lens(correlations_);
    Lens::View x, y;
    for (std::size_t i = unit * kQuestionsPerTask;
         i < std::min((unit + 1) * kQuestionsPerTask, questions.size()); ++i) {
      const double freedom = n_rows_ - static_cast<double>(questions[i].given.size()) - 3;
      if (freedom < 1) {
        refuse(freedom, out, i);
        continue;
      }
      lens.set_given(questions[i].given);
      lens.look(questions[i].x, x);
      lens.look(questions[i].y, y);
      answer(lens, x, y, freedom, out, i);
    }
  });
  return out;
}

PartialCorrelations::Answers PartialCorrelations::ask_partners(Rank x, std::span<const Rank> given,
                                                               std::span<const Rank> partners,
                                                               Cancel& cancel) const {
  for (const Rank y : partners) check_question(x, y, {}, size());
  for (const Rank y : partners)
    if (std::find(given.begin(), given.end(), y) != given.end())
      throw std::invalid_argument("x and y are not among the given");
  if (!partners.empty()) check_question(x, partners.front(), given, size());
  Answers out = room_for(partners.size());
  const double freedom = n_rows_ - static_cast<double>(given.size()) - 3;
  if (freedom < 1) {
    for (std::size_t i = 0; i < partners.size(); ++i) refuse(freedom, out, i);
    return out;
  }
  Lens lens(correlations_);
  lens.set_given(given);
  Lens::View from;
  lens.look(x, from);
  const std::size_t units = (partners.size() + kQuestionsPerTask - 1) / kQuestionsPerTask;
  const double each = 60 + static_cast<double>(given.size() * given.size());
  parallel_for(units, each * static_cast<double>(partners.size()), cancel, [&](std::size_t unit) {
    Lens::View to;
    for (std::size_t i = unit * kQuestionsPerTask;
         i < std::min((unit + 1) * kQuestionsPerTask, partners.size()); ++i) {
      lens.look(partners[i], to);
      answer(lens, from, to, freedom, out, i);
    }
  });
  return out;
}

}  // namespace treewright::gaussian
