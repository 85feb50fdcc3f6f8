#include "searches/nodewise/nodewise_tables.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>

#include "parallel/dense.hpp"
#include "parallel/lanes.hpp"

namespace treewright::nodewise {
namespace {

constexpr int kTableSteps = 200;
constexpr double kForcing = 0.05;  // of what is amiss, a step may leave so much

}  // namespace

void TableRegression::add_line(double* out, const double* line, std::size_t n) {
  add_multiple(out, 1, line, n);
}

double TableRegression::line_norm(const double* x, std::size_t n) { return std::sqrt(dot(x, x, n)); }

TableRegression::TableRegression(const Design& design, std::uint32_t target, double tolerance)
    : design_(design), target_(target), tolerance_(tolerance) {
  if (target >= design.n_variables()) throw std::out_of_range("there is no such target");
  n_states_ = design.n_states(target);
  stride_ = whole_lanes(n_states_);
  lines_.resize(design.n_variables() + 1);
  for (std::uint32_t v = 0; v < design.n_variables(); ++v) lines_[v + 1] = lines_[v] + design.n_states(v);
  tables_.resize(lines_.back() * stride_);
  constant_.resize(stride_);
  std::vector<double> counts(n_states_, 0.5);  // half a row more, so that a state never seen has a logarithm
  for (std::size_t i = 0; i < design.n_rows(); ++i) counts[design.codes(target)[i]] += design.weights()[i];
  double mean = 0;
  for (std::size_t s = 0; s < n_states_; ++s) mean += constant_[s] = std::log(counts[s]);
  mean /= static_cast<double>(n_states_);
  for (std::size_t s = 0; s < n_states_; ++s) constant_[s] -= mean;
  shares_.resize(design.n_rows() * stride_);
  choose({});
  evaluate(now_);
}

void TableRegression::choose(std::span<const std::uint32_t> members) {
  chosen_.assign(1, {target_, nullptr, 0, 1, 1.0});
  now_ = constant_;
  for (const std::uint32_t v : members) {
    std::vector<double> filled(design_.n_states(v));
    for (std::size_t i = 0; i < design_.n_rows(); ++i) filled[design_.codes(v)[i]] += design_.weights()[i];
    const double fullest = *std::max_element(filled.begin(), filled.end());
    chosen_.push_back({v, design_.codes(v), now_.size(), filled.size(), fullest / design_.total()});
    const double* const table = tables_.data() + lines_of(v);
    now_.insert(now_.end(), table, table + filled.size() * stride_);
  }
}

void TableRegression::evaluate(const Numbers& x) {
  if (design_.total() == 0) return;
  const double per_row = 1 / design_.total();
  double loss = 0;
  for (std::size_t i = 0; i < design_.n_rows(); ++i) {
    double* const p = shares_.data() + i * stride_;
    std::copy_n(x.data(), stride_, p);
    for (std::size_t b = 1; b < chosen_.size(); ++b)
      add_line(p, x.data() + chosen_[b].begin + chosen_[b].codes[i] * stride_, stride_);
    const double largest = *std::max_element(p, p + n_states_);
    const double energy = p[design_.codes(target_)[i]] - largest;
    double sum = 0;
    for (std::size_t s = 0; s < n_states_; ++s) sum += p[s] = std::exp(p[s] - largest);
    loss -= design_.weights()[i] * per_row * (energy - std::log(sum));
    for (std::size_t s = 0; s < n_states_; ++s) p[s] /= sum;
  }
  loss_ = loss;
}

// What is expected minus what is seen, summed for every line of every table.
void TableRegression::add_residuals(const std::vector<Table>& tables, Numbers& out) const {
  Numbers line(stride_);
  const double per_row = 1 / design_.total();
  for (std::size_t i = 0; i < design_.n_rows(); ++i) {
    const double weight = design_.weights()[i] * per_row;
    const double* const p = shares_.data() + i * stride_;
    for (std::size_t s = 0; s < stride_; ++s) line[s] = weight * p[s];
    line[design_.codes(target_)[i]] -= weight;
    for (const Table& table : tables)
      add_line(out.data() + table.begin + (table.codes ? table.codes[i] : 0) * stride_, line.data(), stride_);
  }
}

// The second derivatives times `x`, not centred.
void TableRegression::curve(const Numbers& x, Numbers& out) const {
  out.assign(x.size(), 0.0);
  Numbers line(stride_);
  const double per_row = 1 / design_.total();
  for (std::size_t i = 0; i < design_.n_rows(); ++i) {
    std::copy_n(x.data(), stride_, line.data());
    for (std::size_t b = 1; b < chosen_.size(); ++b)
      add_line(line.data(), x.data() + chosen_[b].begin + chosen_[b].codes[i] * stride_, stride_);
    const double* const p = shares_.data() + i * stride_;
    const double mean = dot(p, line.data(), stride_), weight = design_.weights()[i] * per_row;
    for (std::size_t s = 0; s < stride_; ++s) line[s] = weight * p[s] * (line[s] - mean);
    add_line(out.data(), line.data(), stride_);
    for (std::size_t b = 1; b < chosen_.size(); ++b)
      add_line(out.data() + chosen_[b].begin + chosen_[b].codes[i] * stride_, line.data(), stride_);
  }
}

// The diagonal of the second derivatives.
TableRegression::Numbers TableRegression::curvature() const {
  Numbers out(now_.size()), line(stride_);
  const double per_row = 1 / design_.total();
  for (std::size_t i = 0; i < design_.n_rows(); ++i) {
    const double* const p = shares_.data() + i * stride_;
    for (std::size_t s = 0; s < stride_; ++s) line[s] = design_.weights()[i] * per_row * p[s] * (1 - p[s]);
    for (const Table& table : chosen_)
      add_line(out.data() + table.begin + (table.codes ? table.codes[i] : 0) * stride_, line.data(), stride_);
  }
  return out;
}

// Slopes of centred tables: every table's lines sum to the line of the constant, and lines sum to zero.
void TableRegression::centre(Numbers& out) const {
  for (std::size_t b = 1; b < chosen_.size(); ++b)
    for (std::size_t l = 0; l < chosen_[b].n_lines; ++l)
      add_multiple(out.data() + chosen_[b].begin + l * stride_, -1 / static_cast<double>(chosen_[b].n_lines),
                   out.data(), stride_);
}

// The same energies, up to a number per row, as centred tables; their mean lines go to the constant.
void TableRegression::centre_weights(Numbers& x) const {
  Numbers mean(stride_);
  for (std::size_t b = 1; b < chosen_.size(); ++b) {
    double* const table = x.data() + chosen_[b].begin;
    std::fill(mean.begin(), mean.end(), 0.0);
    for (std::size_t l = 0; l < chosen_[b].n_lines; ++l)
      add_multiple(mean.data(), 1 / static_cast<double>(chosen_[b].n_lines), table + l * stride_, stride_);
    for (std::size_t l = 0; l < chosen_[b].n_lines; ++l)
      add_multiple(table + l * stride_, -1, mean.data(), stride_);
    add_line(x.data(), mean.data(), stride_);
  }
  for (std::size_t begin = 0; begin < x.size(); begin += stride_) {
    double sum = 0;
    for (std::size_t s = 0; s < n_states_; ++s) sum += x[begin + s];
    for (std::size_t s = 0; s < n_states_; ++s) x[begin + s] -= sum / static_cast<double>(n_states_);
  }
}

double TableRegression::violation(const Numbers& x, const Numbers& slope, double price) const {
  double worst = line_norm(slope.data(), stride_);
  for (std::size_t b = 1; b < chosen_.size(); ++b) {
    const double* const weights = x.data() + chosen_[b].begin;
    const double* const slopes = slope.data() + chosen_[b].begin;
    const std::size_t n = chosen_[b].n_lines * stride_;
    const double size = price > 0 ? line_norm(weights, n) : 0;
    double square = 0;
    for (std::size_t i = 0; i < n; ++i) {
      const double pull = slopes[i] + (size > 0 ? price * weights[i] / size : 0);
      square += pull * pull;
    }
    worst = std::max(worst, std::sqrt(square) - (size > 0 ? 0 : price));
  }
  return worst;
}

void TableRegression::descend(std::span<const std::uint32_t> members, double price, Cancel& cancel) {
  if (design_.total() == 0) return;
  choose(members);
  int failed = 0;
  for (int step = 0; step < kTableSteps && failed < 2; ++step) {
    cancel.check();
    raw_gradient_.assign(now_.size(), 0.0);
    add_residuals(chosen_, raw_gradient_);
    gradient_ = raw_gradient_;
    centre(gradient_);
    const double off = violation(now_, gradient_, price);
    if (off <= tolerance_) break;
    const double accuracy = std::max(kForcing * off, 0.3 * tolerance_);
    // with a price by turns: which tables are zero, and what the others are
    price > 0 && step % 2 == 0 ? solve_priced(price, accuracy, cancel)
                               : solve_smooth(price, accuracy, cancel);
    failed = go(price) ? 0 : failed + 1;
  }
  std::copy_n(now_.begin(), stride_, constant_.begin());
  for (std::size_t b = 1; b < chosen_.size(); ++b)
    std::copy_n(now_.begin() + static_cast<std::ptrdiff_t>(chosen_[b].begin), chosen_[b].n_lines * stride_,
                tables_.begin() + static_cast<std::ptrdiff_t>(lines_of(chosen_[b].variable)));
}

std::vector<double> TableRegression::slopes() const {
  std::vector<double> out(design_.n_variables());
  if (design_.total() == 0) return out;
  std::vector<Table> tables;
  for (std::uint32_t v = 0; v < out.size(); ++v)
    if (v != target_) tables.push_back({v, design_.codes(v), lines_of(v), design_.n_states(v), 1.0});
  Numbers sums(tables_.size()), mean(stride_);
  add_residuals(tables, sums);
  for (const Table& table : tables) {
    double* const lines = sums.data() + table.begin;
    std::fill(mean.begin(), mean.end(), 0.0);
    for (std::size_t l = 0; l < table.n_lines; ++l) add_line(mean.data(), lines + l * stride_, stride_);
    for (std::size_t l = 0; l < table.n_lines; ++l)
      add_multiple(lines + l * stride_, -1 / static_cast<double>(table.n_lines), mean.data(), stride_);
    out[table.variable] = line_norm(lines, table.n_lines * stride_);
  }
  return out;
}

std::vector<std::uint32_t> TableRegression::support() const {
  std::vector<std::uint32_t> out;
  for (std::uint32_t v = 0; v < design_.n_variables(); ++v)
    if (std::any_of(tables_.begin() + static_cast<std::ptrdiff_t>(lines_of(v)),
                    tables_.begin() + static_cast<std::ptrdiff_t>(lines_of(v + 1)),
                    [](double w) { return w != 0; }))
      out.push_back(v);
  return out;
}

double TableRegression::log_likelihood(const Design& rows) const {
  TableRegression there(rows, target_, tolerance_);
  there.constant_ = constant_;
  there.tables_ = tables_;
  there.choose(support());
  there.evaluate(there.now_);
  return there.log_likelihood();
}

std::vector<double> TableRegression::intercept() const {
  const std::vector<double> basis = contrasts(design_.n_states(target_));
  std::vector<double> out(n_classes());
  for (std::size_t s = 0; s < n_states_; ++s)
    for (std::size_t c = 0; c < out.size(); ++c) out[c] += constant_[s] * basis[s * out.size() + c];
  return out;
}

std::vector<double> TableRegression::weights() const {
  const std::size_t classes = n_classes();
  const std::vector<double> mine = contrasts(design_.n_states(target_));
  std::vector<double> out(design_.width() * classes), line(classes);
  for (const std::uint32_t v : support()) {
    const std::vector<double> other = contrasts(design_.n_states(v));
    const std::size_t width = design_.width(v);
    for (std::size_t l = 0; l <= width; ++l) {
      const double* const table = tables_.data() + lines_of(v) + l * stride_;
      std::fill(line.begin(), line.end(), 0.0);
      for (std::size_t s = 0; s < n_states_; ++s)
        for (std::size_t c = 0; c < classes; ++c) line[c] += table[s] * mine[s * classes + c];
      for (std::size_t k = 0; k < width; ++k)
        for (std::size_t c = 0; c < classes; ++c)
          out[(design_.offset(v) + k) * classes + c] += other[l * width + k] * line[c];
    }
  }
  return out;
}

}  // namespace treewright::nodewise
