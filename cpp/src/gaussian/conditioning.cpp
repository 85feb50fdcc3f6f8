#include "treewright/gaussian/conditioning.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <numeric>
#include <stdexcept>

#include "parallel/lanes.hpp"
#include "treewright/parallel/threads.hpp"

namespace treewright::normal {
namespace {

constexpr std::size_t kNowhere = std::numeric_limits<std::size_t>::max();
constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();
constexpr std::size_t kRows = 256;  // drawn together; even

TREEWRIGHT_CLONES double product(const double* a, const double* b, std::size_t n) {
  Lanes sum{};
  for (std::size_t i = 0; i < n; i += kLanes) {
    const Lanes x{a[i], a[i + 1], a[i + 2], a[i + 3]}, y{b[i], b[i + 1], b[i + 2], b[i + 3]};
    sum += x * y;
  }
  return joined(sum);
}

TREEWRIGHT_CLONES void add_multiple(double factor, const double* x, double* y, std::size_t n) {
  for (std::size_t i = 0; i < n; ++i) y[i] += factor * x[i];
}

// Variables joined so far; a set is named by its smallest member.
class Sets {
 public:
  explicit Sets(std::size_t n) : parent_(n) { std::iota(parent_.begin(), parent_.end(), std::size_t{0}); }
  std::size_t find(std::size_t v) {
    while (parent_[v] != v) v = parent_[v] = parent_[parent_[v]];
    return v;
  }
  void join(std::size_t a, std::size_t b) {
    a = find(a), b = find(b);
    parent_[std::max(a, b)] = std::min(a, b);
  }

 private:
  std::vector<std::size_t> parent_;
};

// Beyond the largest number everything looks certain: infinity is never small beside infinity.
double finite(double x) {
  if (!std::isfinite(x)) throw std::overflow_error("a variable reaches beyond what a number holds");
  return x;
}

std::vector<bool> marked(std::size_t n, std::span<const Var> variables) {
  std::vector<bool> marks(n);
  for (const Var v : variables) {
    if (v >= n) throw std::invalid_argument("a variable is not among those of the network");
    marks[v] = true;
  }
  return marks;
}

}  // namespace

std::vector<Block> blocks_given(const Network& network, std::span<const Var> observed,
                                std::span<const Var> wanted) {
  const std::size_t n = network.size();
  const std::vector<bool> seen = marked(n, observed);
  std::vector<bool> kept = marked(n, wanted);
  for (const Var v : observed) kept[v] = true;
  Sets sets(n);
  for (std::size_t k = n; k-- > 0;) {  // children first: what only leads to others' descendants stays out
    const Var v = network.order[k];
    if (!kept[v]) continue;
    for (const Var p : network.families[v].parents)
      if (!seen[p]) kept[p] = true, sets.join(p, v);
  }
  std::vector<Block> blocks;
  std::vector<std::size_t> home(n, kNowhere);
  for (const Var v : network.order) {
    if (!kept[v]) continue;
    std::size_t& place = home[sets.find(v)];
    if (place == kNowhere) place = blocks.size(), blocks.emplace_back();
    blocks[place].members.push_back(v);
    if (seen[v]) blocks[place].observed.push_back(v);
  }
  return blocks;
}

Conditioning::Conditioning(const Network& network, std::span<const Var> observed, std::span<const Var> wanted,
                           Cancel& cancel)
    : network_(&network),
      place_(network.size(), -1),
      home_(network.size(), kNowhere),
      position_(network.size(), 0) {
  for (auto& block : blocks_given(network, observed, wanted))
    blocks_.push_back({std::move(block), 0, {}, {}, {}, {}});
  for (std::size_t i = 0; i < observed.size(); ++i) place_[observed[i]] = static_cast<int>(i);
  for (std::size_t b = 0; b < blocks_.size(); ++b)
    for (std::size_t k = 0; k < blocks_[b].block.members.size(); ++k) {
      home_[blocks_[b].block.members[k]] = b;
      position_[blocks_[b].block.members[k]] = k;
    }
  for (const Var v : network.order)
    if (home_[v] != kNowhere) order_.push_back(v);
  double cost = 0;
  for (const Solved& solved : blocks_) {
    const auto n = static_cast<double>(solved.block.members.size());
    const auto k = static_cast<double>(solved.block.observed.size());
    cost += 20 * n + 2 * n * k * k;
  }
  parallel_for(blocks_.size(), cost, cancel, [&](std::size_t b) { solve(blocks_[b], cancel); });
}

// The row of v: how far each unobserved variable's own noise moves it. Arcs out of observed variables are
// cut, so nothing passes through those.
void Conditioning::influence(const Solved& solved, Var v, std::vector<double>& row) const {
  row.assign(solved.stride, 0.0);
  row[position_[v]] = 1;
  for (std::size_t k = position_[v] + 1; k-- > 0;) {
    if (row[k] == 0) continue;
    const Family& family = network_->families[solved.block.members[k]];
    for (std::size_t p = 0; p < family.parents.size(); ++p)
      if (place_[family.parents[p]] < 0) row[position_[family.parents[p]]] += family.weights[p] * row[k];
    row[k] *= std::sqrt(family.variance);
  }
}

// Take the basis out of a row, twice: the second pass removes what rounding left. `products` is what the row
// had along each basis vector.
void Conditioning::project(const Solved& solved, std::vector<double>& row,
                           std::vector<double>& products) const {
  const std::size_t rank = solved.rank(), stride = solved.stride;
  products.assign(rank, 0.0);
  for (int pass = 0; pass < 2; ++pass)
    for (std::size_t j = 0; j < rank; ++j) {
      const double* const axis = solved.basis.data() + j * stride;
      const double along = product(axis, row.data(), stride);
      products[j] += along;
      add_multiple(-along, axis, row.data(), stride);
    }
}

void Conditioning::solve(Solved& solved, Cancel& cancel) const {
  solved.stride = whole_lanes(solved.block.members.size());
  std::vector<double> row, products;
  for (const Var v : solved.block.observed) {
    cancel.check();
    influence(solved, v, row);
    const double length = std::sqrt(finite(product(row.data(), row.data(), solved.stride)));
    project(solved, row, products);
    const double own = std::sqrt(product(row.data(), row.data(), solved.stride));
    const bool determined = own <= kDetermined * length;
    solved.start.push_back(solved.triangle.size());
    solved.triangle.insert(solved.triangle.end(), products.begin(), products.end());
    solved.own.push_back(determined ? 0 : own);
    if (determined) continue;
    for (double& x : row) x /= own;
    solved.basis.insert(solved.basis.end(), row.begin(), row.end());
  }
}

// Means before the observations speak to their ancestors: an observed parent has its value, the others their
// mean. `made_of` is the size of the terms, against which rounding is judged.
void Conditioning::forward(std::span<const double> values, std::vector<double>& mean,
                           std::vector<double>& made_of) const {
  for (const Var v : order_) {
    const Family& family = network_->families[v];
    double sum = family.offset, size = std::abs(sum);
    for (std::size_t k = 0; k < family.parents.size(); ++k) {
      const Var p = family.parents[k];
      const bool seen = place_[p] >= 0;
      const double value = seen ? values[place_[p]] : mean[p];
      sum += family.weights[k] * value;
      size += std::abs(family.weights[k]) * (seen ? std::abs(value) : made_of[p]);
    }
    mean[v] = sum, made_of[v] = size;
  }
}

// The known part of a block's noise, along its basis; false where a determined variable is contradicted.
bool Conditioning::whiten(const Solved& solved, std::span<const double> values, std::span<const double> mean,
                          std::span<const double> made_of, std::vector<double>& known, double& log_density,
                          std::optional<Var>& contradicted) const {
  known.clear();
  for (std::size_t i = 0; i < solved.block.observed.size(); ++i) {
    const Var v = solved.block.observed[i];
    const double value = values[place_[v]];
    const double* const along = solved.triangle.data() + solved.start[i];
    double rest = value - mean[v], size = made_of[v] + std::abs(value);
    for (std::size_t j = 0; j < known.size(); ++j) {
      rest -= along[j] * known[j];
      size += std::abs(along[j] * known[j]);
    }
    if (solved.own[i] > 0) {
      known.push_back(rest / solved.own[i]);
      log_density -=
          0.5 * (std::log(2 * std::numbers::pi) + known.back() * known.back()) + std::log(solved.own[i]);
    } else if (!(std::abs(rest) <= kAgrees * size)) {
      contradicted = v;
      return false;
    }
  }
  return true;
}

// The known part of every variable's noise; fills the density and the contradiction, if any.
std::vector<double> Conditioning::known_noise(std::span<const double> values, Posterior& posterior) const {
  std::vector<double> noise(network_->size()), mean(network_->size()), made_of(network_->size()), known, row;
  forward(values, mean, made_of);
  for (const Solved& solved : blocks_) {
    if (!whiten(solved, values, mean, made_of, known, posterior.log_density, posterior.contradicted)) break;
    row.assign(solved.stride, 0.0);
    for (std::size_t j = 0; j < known.size(); ++j)
      add_multiple(known[j], solved.basis.data() + j * solved.stride, row.data(), solved.stride);
    for (std::size_t k = 0; k < solved.block.members.size(); ++k) noise[solved.block.members[k]] = row[k];
  }
  return noise;
}

Posterior Conditioning::at(std::span<const double> values) const {
  Posterior posterior;
  posterior.mean.assign(network_->size(), kNaN);
  const std::vector<double> noise = known_noise(values, posterior);
  for (const Var v : order_) {
    const Family& family = network_->families[v];
    double sum = family.offset;
    for (std::size_t k = 0; k < family.parents.size(); ++k)
      sum += family.weights[k] * posterior.mean[family.parents[k]];
    posterior.mean[v] =
        place_[v] >= 0 ? values[place_[v]] : finite(sum + std::sqrt(family.variance) * noise[v]);
  }
  return posterior;
}

std::vector<double> Conditioning::free_part(Var target) const {
  if (target >= home_.size() || home_[target] == kNowhere)
    throw std::invalid_argument("a target was not among the wanted variables");
  if (place_[target] >= 0) return {};
  std::vector<double> row, products;
  const Solved& solved = blocks_[home_[target]];
  influence(solved, target, row);
  const double length = finite(product(row.data(), row.data(), solved.stride));
  project(solved, row, products);
  if (product(row.data(), row.data(), solved.stride) <= kDetermined * kDetermined * length) return {};
  return row;
}

std::vector<double> Conditioning::variances(std::span<const Var> targets, Cancel& cancel) const {
  std::vector<double> out(targets.size());
  double cost = 0;
  for (const Var t : targets) {
    if (t >= home_.size() || home_[t] == kNowhere) continue;
    const Solved& solved = blocks_[home_[t]];
    cost += static_cast<double>(solved.stride) * (2 + 2 * static_cast<double>(solved.rank()));
  }
  parallel_for(targets.size(), cost, cancel, [&](std::size_t i) {
    const auto row = free_part(targets[i]);
    out[i] = row.empty() ? 0 : product(row.data(), row.data(), row.size());
  });
  return out;
}

std::vector<double> Conditioning::covariance(std::span<const Var> targets, Cancel& cancel) const {
  const std::size_t n = targets.size();
  std::vector<std::vector<double>> rows(n);
  parallel_for(n, 1e4 * static_cast<double>(n), cancel,
               [&](std::size_t i) { rows[i] = free_part(targets[i]); });
  std::vector<double> out(n * n);
  parallel_for(n, static_cast<double>(n) * static_cast<double>(n) * 50, cancel, [&](std::size_t i) {
    for (std::size_t j = 0; j <= i; ++j)
      if (home_[targets[i]] == home_[targets[j]] && !rows[i].empty() && !rows[j].empty())
        out[i * n + j] = out[j * n + i] = product(rows[i].data(), rows[j].data(), rows[i].size());
  });
  return out;
}

void Conditioning::predict(std::span<const double* const> columns, Var target, std::span<double> out,
                           Cancel& cancel) const {
  if (target >= home_.size() || home_[target] == kNowhere || place_[target] >= 0)
    throw std::invalid_argument("a prediction is of a wanted variable that is not observed");
  const Solved& own = blocks_[home_[target]];
  std::vector<double> row, gains;
  influence(own, target, row);
  project(own, row, gains);
  double each = static_cast<double>(order_.size()) * 6;
  for (const Solved& solved : blocks_) each += static_cast<double>(solved.triangle.size());
  const std::size_t n_blocks = (out.size() + kRows - 1) / kRows;
  parallel_for(n_blocks, each * static_cast<double>(out.size()), cancel, [&](std::size_t block) {
    std::vector<double> values(columns.size()), mean(network_->size()), made_of(network_->size()), known;
    for (std::size_t i = block * kRows; i < std::min(out.size(), (block + 1) * kRows); ++i) {
      for (std::size_t c = 0; c < columns.size(); ++c) values[c] = columns[c][i];
      forward(values, mean, made_of);
      double sum = mean[target], ignored = 0;
      std::optional<Var> contradicted;
      for (const Solved& solved : blocks_) {
        if (!whiten(solved, values, mean, made_of, known, ignored, contradicted)) break;
        if (&solved == &own)
          for (std::size_t j = 0; j < known.size(); ++j) sum += gains[j] * known[j];
      }
      out[i] = contradicted ? kNaN : sum;
    }
  });
}

void Conditioning::sample(std::span<const double> values, std::uint64_t seed, std::size_t n_rows,
                          std::span<double* const> columns, Cancel& cancel) const {
  const std::size_t n = network_->size();
  if (columns.size() != n || order_.size() != n)
    throw std::invalid_argument("a sample is of all variables, one column each");
  Posterior posterior;
  const std::vector<double> fixed = known_noise(values, posterior);
  double each = 30 * static_cast<double>(n);
  for (const Solved& solved : blocks_) each += 2 * static_cast<double>(solved.basis.size());
  const std::size_t n_blocks = (n_rows + kRows - 1) / kRows;
  parallel_for(n_blocks, each * static_cast<double>(n_rows), cancel, [&](std::size_t block) {
    const std::size_t begin = block * kRows, count = std::min(kRows, n_rows - begin);
    std::vector<double> noise(n * kRows), along(kRows), mean(kRows);
    for (const Var v : order_) draw_normals(seed, network_->rank[v], begin, count, noise.data() + v * kRows);
    for (const Solved& solved : blocks_)  // the free part of the noise
      for (std::size_t j = 0; j < solved.rank(); ++j) {
        const double* const axis = solved.basis.data() + j * solved.stride;
        const auto& members = solved.block.members;
        std::fill(along.begin(), along.end(), 0.0);
        for (std::size_t k = 0; k < members.size(); ++k)
          add_multiple(axis[k], noise.data() + members[k] * kRows, along.data(), count);
        for (std::size_t k = 0; k < members.size(); ++k)
          add_multiple(-axis[k], along.data(), noise.data() + members[k] * kRows, count);
      }
    const std::vector<const double*> drawn(columns.begin(), columns.end());
    for (const Var v : order_) {
      double* const out = columns[v] + begin;
      if (place_[v] >= 0) {
        std::fill_n(out, count, values[place_[v]]);
        continue;
      }
      family_mean(network_->families[v], drawn, begin, count, out);
      const double deviation = std::sqrt(network_->families[v].variance);
      for (std::size_t i = 0; i < count; ++i) out[i] += deviation * (fixed[v] + noise[v * kRows + i]);
    }
  });
}

}  // namespace treewright::normal
