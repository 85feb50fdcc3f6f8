#include "treewright/gaussian.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <stdexcept>

#include "treewright/threads.hpp"

namespace treewright::gaussian {
namespace {

constexpr std::size_t kBatch = 64;  // questions per unit of work

std::vector<Rank> sorted(std::span<const Rank> set) {
  std::vector<Rank> ranks(set.begin(), set.end());
  std::sort(ranks.begin(), ranks.end());
  return ranks;
}

double cost(std::size_t questions, std::size_t members) {
  const double k = static_cast<double>(members + 2);
  return static_cast<double>(questions) * (150 + 40 * k + 2 * k * k * k);
}

}  // namespace

Correlations::Correlations(std::span<const double> scatter, std::size_t n)
    : n_(n), values_(n * n), constant_(n) {
  if (scatter.size() != n * n) throw std::invalid_argument("a scatter matrix is square");
  std::vector<double> deviation(n);
  for (std::size_t i = 0; i < n; ++i) {
    deviation[i] = std::sqrt(scatter[i * n + i]);
    constant_[i] = !(deviation[i] > 0);
  }
  for (std::size_t i = 0; i < n; ++i) {
    values_[i * n + i] = 1;
    for (std::size_t j = 0; j < i; ++j) {
      const bool moves = !constant_[i] && !constant_[j];
      const double r = moves ? scatter[i * n + j] / (deviation[i] * deviation[j]) : 0;
      values_[i * n + j] = values_[j * n + i] = std::clamp(r, -1.0, 1.0);
    }
  }
}

double Factor::project(Rank v, std::vector<double>& out) const {
  out.resize(size());
  double variance = 1;
  for (std::size_t j = 0; j < size(); ++j) {
    const double* const other = row(j);
    double rest = (*correlations_)(v, members_[j]);
    for (std::size_t l = 0; l < j; ++l) rest -= out[l] * other[l];
    out[j] = rest * other[j];
    variance -= out[j] * out[j];
  }
  return variance;
}

void Factor::append(Rank v, double variance) {
  rows_.insert(rows_.end(), scratch_.begin(), scratch_.end());
  variance_.push_back(std::max(variance, kSingular));
  rows_.push_back(1 / std::sqrt(variance_.back()));
  members_.push_back(v);
}

void Factor::push(Rank v) { append(v, project(v, scratch_)); }

bool Factor::push_unless_singular(Rank v) {
  const double variance = project(v, scratch_);
  if (variance < kSingular) return false;
  append(v, variance);
  return true;
}

void Factor::truncate(std::size_t size) {
  members_.resize(size);
  variance_.resize(size);
  rows_.resize(size * (size + 1) / 2);
}

void Factor::assign(std::span<const Rank> members) {
  truncate(0);
  scratch_members_.assign(members.begin(), members.end());
  std::sort(scratch_members_.begin(), scratch_members_.end());
  for (const Rank v : scratch_members_) push(v);
}

void Factor::assign(const Factor& base, Rank extra) {
  const std::size_t place =
      std::lower_bound(base.members_.begin(), base.members_.end(), extra) - base.members_.begin();
  members_.assign(base.members_.begin(), base.members_.begin() + place);
  variance_.assign(base.variance_.begin(), base.variance_.begin() + place);
  rows_.assign(base.rows_.begin(), base.rows_.begin() + place * (place + 1) / 2);
  push(extra);
  for (std::size_t i = place; i < base.size(); ++i) push(base.members_[i]);
}

double Factor::log_determinant() const {
  // one logarithm for every few variances: their product cannot underflow
  constexpr std::size_t group = 16;
  double total = 0;
  for (std::size_t start = 0; start < size(); start += group) {
    double product = 1;
    for (std::size_t i = start; i < std::min(start + group, size()); ++i) product *= variance_[i];
    total += std::log(product);
  }
  return total;
}

std::size_t Factor::n_floored() const {
  return static_cast<std::size_t>(std::count(variance_.begin(), variance_.end(), kSingular));
}

void Factor::solve(std::span<double> b) const {
  for (std::size_t i = 0; i < size(); ++i) {
    for (std::size_t l = 0; l < i; ++l) b[i] -= row(i)[l] * b[l];
    b[i] *= row(i)[i];
  }
  for (std::size_t i = size(); i-- > 0;) {
    b[i] *= row(i)[i];
    for (std::size_t l = 0; l < i; ++l) b[l] -= row(i)[l] * b[i];
  }
}

GaussianScore::GaussianScore(std::span<const double> scatter, std::size_t n, double n_rows)
    : correlations_(scatter, n), n_rows_(n_rows) {
  // a constant column is given the least share of a unit variance
  std::vector<double> term(n);
  double largest = 0;
  for (std::size_t i = 0; i < n; ++i) {
    const double variance = correlations_.is_constant(i) ? kSingular : scatter[i * n + i] / n_rows;
    term[i] = -0.5 * n_rows * (std::log(2 * std::numbers::pi * variance) + 1);
    largest = std::max(largest, std::abs(term[i]));
  }
  const double penalty = 0.5 * std::log(n_rows);
  const double per_variable = -0.5 * n_rows * std::log(kSingular);
  const double local = largest + 2 * per_variable + penalty * static_cast<double>(n + 2);
  // four local scores add exactly in 53 bits, the term of any set fits into 62
  scale_ = FixedPoint(std::max(512 * 4 * local, per_variable * static_cast<double>(n)));
  for (const double value : term) variable_term_.push_back(scale_.quantise(value));
  penalty_ = scale_.quantise(penalty);
}

std::int64_t GaussianScore::set_term(const Factor& factor) const {
  return scale_.quantise(-0.5 * n_rows_ * factor.log_determinant());
}

double GaussianScore::family_score(Rank child, std::size_t n_parents, std::int64_t with_child,
                                   std::int64_t parents) const {
  return scale_.value(variable_term_[child] + with_child - parents -
                      penalty_ * static_cast<std::int64_t>(n_parents + 2));
}

void GaussianScore::check(const Family& family) const {
  auto members = family.second;
  members.push_back(family.first);
  std::sort(members.begin(), members.end());
  if (members.back() >= size()) throw std::out_of_range("a family names a variable that is not there");
  if (std::adjacent_find(members.begin(), members.end()) != members.end())
    throw std::invalid_argument("a family names each variable once");
}

GaussianScore::Values GaussianScore::local_many(std::span<const Family> families, Cancel& cancel) const {
  Values values{std::vector<double>(families.size()), std::vector<std::uint8_t>(families.size())};
  std::size_t widest = 0;
  for (const auto& family : families) {
    check(family);
    widest = std::max(widest, family.second.size());
  }
  const std::size_t units = (families.size() + kBatch - 1) / kBatch;
  parallel_for(units, cost(families.size(), widest), cancel, [&](std::size_t unit) {
    Factor without(correlations_), whole(correlations_);
    for (std::size_t i = unit * kBatch; i < std::min((unit + 1) * kBatch, families.size()); ++i) {
      const auto& [child, parents] = families[i];
      without.assign(parents);
      whole.assign(without, child);
      values.scores[i] = family_score(child, parents.size(), set_term(whole), set_term(without));
      values.floored[i] = whole.n_floored() > without.n_floored() || correlations_.is_constant(child);
    }
  });
  return values;
}

GaussianScore::Values GaussianScore::local_additions(const Family& family, std::span<const Rank> candidates,
                                                     Cancel& cancel) const {
  check(family);
  const auto& [child, parents] = family;
  for (const Rank candidate : candidates) {
    if (candidate >= size()) throw std::out_of_range("a candidate is not there");
    if (candidate == child || std::find(parents.begin(), parents.end(), candidate) != parents.end())
      throw std::invalid_argument("a candidate is in the family already");
  }
  Factor without(correlations_), whole(correlations_);
  without.assign(parents);
  whole.assign(without, child);
  Values values{std::vector<double>(candidates.size()), std::vector<std::uint8_t>(candidates.size())};
  const std::size_t units = (candidates.size() + kBatch - 1) / kBatch;
  parallel_for(units, cost(candidates.size(), parents.size() + 1), cancel, [&](std::size_t unit) {
    Factor grown(correlations_), others(correlations_);
    for (std::size_t i = unit * kBatch; i < std::min((unit + 1) * kBatch, candidates.size()); ++i) {
      grown.assign(whole, candidates[i]);
      others.assign(without, candidates[i]);
      values.scores[i] = family_score(child, parents.size() + 1, set_term(grown), set_term(others));
      values.floored[i] = grown.n_floored() > others.n_floored() || correlations_.is_constant(child);
    }
  });
  return values;
}

namespace {

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
  const std::size_t units = (questions.size() + kBatch - 1) / kBatch;
  parallel_for(units, cost(questions.size(), widest), cancel, [&](std::size_t unit) {
    Lens lens(correlations_);
    Lens::View x, y;
    for (std::size_t i = unit * kBatch; i < std::min((unit + 1) * kBatch, questions.size()); ++i) {
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
  const std::size_t units = (partners.size() + kBatch - 1) / kBatch;
  const double each = 60 + static_cast<double>(given.size() * given.size());
  parallel_for(units, each * static_cast<double>(partners.size()), cancel, [&](std::size_t unit) {
    Lens::View to;
    for (std::size_t i = unit * kBatch; i < std::min((unit + 1) * kBatch, partners.size()); ++i) {
      lens.look(partners[i], to);
      answer(lens, from, to, freedom, out, i);
    }
  });
  return out;
}

}  // namespace treewright::gaussian
