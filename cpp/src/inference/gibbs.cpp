#include "treewright/inference/gibbs.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "parallel/draws.hpp"
#include "treewright/parallel/threads.hpp"

namespace treewright {
namespace {

// Products below this may have lost digits; they are made again from logarithms.
constexpr double kWeakestProduct = 1e-280;
constexpr double kNanosecondsPerUse = 8;

double unit(std::uint64_t bits) { return std::ldexp(static_cast<double>(bits), -53); }

}  // namespace

class GibbsChain {
 public:
  GibbsChain(const GibbsSampler& sampler, std::uint64_t seed, std::uint32_t chain,
             std::span<const std::uint32_t> start)
      : sampler_(sampler),
        seed_(seed),
        chain_(chain),
        states_(start.begin(), start.end()),
        cells_(sampler.cells_of(start)) {
    std::uint32_t most = 1;
    for (const std::uint32_t r : sampler.product_.cardinalities) most = std::max(most, r);
    weights_.resize(most);
  }

  const std::vector<std::uint32_t>& states() const { return states_; }

  /// Redraw every variable once; with `estimates`, add the distributions that they are drawn from.
  void sweep(std::uint64_t number, double* estimates) {
    const std::vector<std::uint32_t>& order = sampler_.order_;
    for (std::uint32_t rank = 0; rank < order.size(); rank += 2) {
      const PhiloxBlock block = philox(
          {static_cast<std::uint32_t>(number), static_cast<std::uint32_t>(number >> 32), rank / 2, chain_},
          seed_);
      redraw(order[rank], (std::uint64_t{block[1]} << 32 | block[0]) >> 11, estimates);
      if (rank + 1 < order.size())
        redraw(order[rank + 1], (std::uint64_t{block[3]} << 32 | block[2]) >> 11, estimates);
    }
  }

 private:
  void redraw(std::uint32_t v, std::uint64_t bits, double* estimates) {
    const std::uint32_t n = sampler_.product_.cardinalities[v];
    const auto uses = sampler_.uses(v);
    for (const auto& use : uses) cells_[use.table] -= use.stride * states_[v];
    double total = multiply(uses, n);
    if (!(total > kWeakestProduct)) total = add_logs(uses, n);
    const double wanted = unit(bits) * total;
    std::uint32_t chosen = states_[v];
    double sum = 0;
    for (std::uint32_t s = 0; s < n; ++s) {
      sum += weights_[s];
      if (weights_[s] > 0) chosen = s;  // rounding may leave a rest behind the last possible state
      if (sum > wanted) break;
    }
    if (estimates) {
      double* const mine = estimates + sampler_.offsets_[v];
      for (std::uint32_t s = 0; s < n; ++s) mine[s] += weights_[s] / total;
    }
    states_[v] = chosen;
    for (const auto& use : uses) cells_[use.table] += use.stride * chosen;
  }

  double multiply(std::span<const GibbsSampler::Use> uses, std::uint32_t n) {
    std::fill_n(weights_.begin(), n, 1.0);
    for (const auto& use : uses) {
      const double* const from = sampler_.scaled_[use.table].data() + cells_[use.table];
      for (std::uint32_t s = 0; s < n; ++s) weights_[s] *= from[s * use.stride];
    }
    double total = 0;
    for (std::uint32_t s = 0; s < n; ++s) total += weights_[s];
    return total;
  }

  double add_logs(std::span<const GibbsSampler::Use> uses, std::uint32_t n) {
    std::fill_n(weights_.begin(), n, 0.0);
    for (const auto& use : uses) {
      const double* const from = sampler_.scaled_[use.table].data() + cells_[use.table];
      for (std::uint32_t s = 0; s < n; ++s) weights_[s] += std::log(from[s * use.stride]);
    }
    // the state that the chain is in has no zero, so the largest is finite
    const double largest = *std::max_element(weights_.begin(), weights_.begin() + n);
    double total = 0;
    for (std::uint32_t s = 0; s < n; ++s) total += weights_[s] = std::exp(weights_[s] - largest);
    return total;
  }

  const GibbsSampler& sampler_;
  std::uint64_t seed_;
  std::uint32_t chain_;
  std::vector<std::uint32_t> states_;
  std::vector<std::uint64_t> cells_;
  std::vector<double> weights_;
};

// Repair a random joint state: take a table that is zero there, and change one of its variables for the
// better.
class StartSearch {
 public:
  StartSearch(const GibbsSampler& sampler, std::uint64_t seed, std::uint32_t chain,
              std::span<std::uint32_t> states)
      : sampler_(sampler),
        seed_(seed),
        chain_(chain),
        states_(states),
        free_(sampler.product_.cardinalities.size(), 0) {
    for (const std::uint32_t v : sampler.order_) {
      free_[v] = 1;
      states_[v] = below(sampler.product_.cardinalities[v]);
    }
    cells_ = sampler.cells_of(states_);
    place_.assign(cells_.size(), kNowhere);
    for (std::size_t f = 0; f < cells_.size(); ++f) note(static_cast<std::uint32_t>(f));
  }

  bool run(Cancel& cancel) {
    const std::size_t most = 20'000 + 200 * sampler_.order_.size();
    for (std::size_t step = 0; step < most; ++step) {
      if (violated_.empty()) return true;
      if (step % 256 == 0) cancel.check();
      if (!repair(violated_[below(static_cast<std::uint32_t>(violated_.size()))])) return false;
    }
    return violated_.empty();
  }

 private:
  static constexpr std::uint32_t kNowhere = 0xFFFFFFFF;

  std::uint32_t below(std::uint32_t n) {
    // streams of starts have the highest bit of the chain set: no sweep uses them
    const PhiloxBlock block = philox({static_cast<std::uint32_t>(drawn_),
                                      static_cast<std::uint32_t>(drawn_ >> 32), 0, chain_ | 0x80000000},
                                     seed_);
    ++drawn_;
    return static_cast<std::uint32_t>(std::uint64_t{block[0]} * n >> 32);
  }

  bool repair(std::uint32_t f) {
    candidates_.clear();
    for (const std::uint32_t v : sampler_.product_.scopes[f])
      if (free_[v] && sampler_.product_.cardinalities[v] > 1) candidates_.push_back(v);
    if (candidates_.empty()) return false;
    std::uint32_t best = candidates_[below(static_cast<std::uint32_t>(candidates_.size()))];
    std::uint32_t state = below(sampler_.product_.cardinalities[best]);
    if (below(5) > 0) choose_best(best, state);
    move(best, state);
    return true;
  }

  void choose_best(std::uint32_t& best, std::uint32_t& state) {
    std::uint32_t fewest = kNowhere, equal = 0;
    for (const std::uint32_t v : candidates_)
      for (std::uint32_t s = 0; s < sampler_.product_.cardinalities[v]; ++s) {
        if (s == states_[v]) continue;
        const std::uint32_t left = broken_with(v, s);
        if (left < fewest) fewest = left, equal = 0;
        if (left == fewest && below(++equal) == 0) best = v, state = s;
      }
  }

  // How many more tables would be zero; offset, so that it is never negative.
  std::uint32_t broken_with(std::uint32_t v, std::uint32_t s) const {
    std::uint32_t after = 0, before = 0;
    const auto uses = sampler_.uses(v);
    for (const auto& use : uses) {
      const std::uint64_t there = cells_[use.table] + use.stride * s - use.stride * states_[v];
      after += sampler_.scaled_[use.table][there] == 0;
      before += place_[use.table] != kNowhere;
    }
    return after + static_cast<std::uint32_t>(sampler_.scaled_.size()) - before;
  }

  void move(std::uint32_t v, std::uint32_t s) {
    for (const auto& use : sampler_.uses(v)) {
      cells_[use.table] += use.stride * s - use.stride * states_[v];
      note(use.table);
    }
    states_[v] = s;
  }

  void note(std::uint32_t f) {
    const bool zero = sampler_.scaled_[f][cells_[f]] == 0;
    if (zero == (place_[f] != kNowhere)) return;
    if (zero) {
      place_[f] = static_cast<std::uint32_t>(violated_.size());
      violated_.push_back(f);
    } else {
      violated_[place_[f]] = violated_.back();
      place_[violated_.back()] = place_[f];
      violated_.pop_back();
      place_[f] = kNowhere;
    }
  }

  const GibbsSampler& sampler_;
  std::uint64_t seed_;
  std::uint32_t chain_;
  std::span<std::uint32_t> states_;
  std::vector<char> free_;
  std::vector<std::uint64_t> cells_;
  std::vector<std::uint32_t> place_, violated_, candidates_;
  std::uint64_t drawn_ = 0;
};

GibbsSampler::GibbsSampler(ScopedTables product, std::vector<std::uint32_t> order)
    : product_(std::move(product)), order_(std::move(order)) {
  product_.validate();
  const std::size_t n = product_.cardinalities.size();
  std::vector<char> seen(n, 0);
  for (const std::uint32_t v : order_) {
    if (v >= n || seen[v]) throw std::invalid_argument("the order names known variables, each once");
    seen[v] = 1;
  }
  offsets_.assign(1, 0);
  for (const std::uint32_t r : product_.cardinalities) offsets_.push_back(offsets_.back() + r);
  std::vector<std::vector<Use>> by_variable(n);
  for (std::size_t f = 0; f < product_.tables.size(); ++f) {
    std::vector<double>& table = scaled_.emplace_back(product_.tables[f].begin(), product_.tables[f].end());
    const double largest = *std::ranges::max_element(table);
    if (largest > 0)
      for (double& cell : table) cell /= largest;
    std::uint64_t stride = 1;
    for (std::size_t k = product_.scopes[f].size(); k-- > 0;) {
      const std::uint32_t v = product_.scopes[f][k];
      by_variable[v].push_back({static_cast<std::uint32_t>(f), stride});
      stride *= product_.cardinalities[v];
    }
  }
  starts_.assign(1, 0);
  for (const auto& uses : by_variable) {
    uses_.insert(uses_.end(), uses.begin(), uses.end());
    starts_.push_back(uses_.size());
  }
  product_.tables.clear();  // they belong to somebody else
}

std::vector<std::uint64_t> GibbsSampler::cells_of(std::span<const std::uint32_t> states) const {
  std::vector<std::uint64_t> cells(scaled_.size(), 0);
  for (std::uint32_t v = 0; v < states.size(); ++v)
    for (const Use& use : uses(v)) cells[use.table] += use.stride * states[v];
  return cells;
}

std::optional<std::size_t> GibbsSampler::violated(std::span<const std::uint32_t> states) const {
  const std::vector<std::uint64_t> cells = cells_of(states);
  for (std::size_t f = 0; f < cells.size(); ++f)
    if (scaled_[f][cells[f]] == 0) return f;
  return std::nullopt;
}

bool GibbsSampler::find_start(std::uint64_t seed, std::uint32_t chain, std::span<std::uint32_t> states,
                              Cancel& cancel) const {
  return StartSearch(*this, seed, chain, states).run(cancel);
}

void GibbsSampler::run(const GibbsSettings& settings, std::span<const std::uint32_t> states,
                       std::span<const Column> columns, std::span<double> estimates, Cancel& cancel) const {
  const std::size_t n = product_.cardinalities.size();
  if (states.size() != settings.n_chains * n || columns.size() != n ||
      estimates.size() != settings.n_chains * offsets_.back() || settings.thinning == 0)
    throw std::invalid_argument("states, columns and estimates fit the chains and variables");
  const std::uint64_t kept = settings.n_rows * settings.thinning;
  const double cost = kNanosecondsPerUse * static_cast<double>(settings.n_chains) *
                      static_cast<double>(settings.burn_in + kept) *
                      static_cast<double>(uses_.size() + order_.size());
  parallel_for(settings.n_chains, cost, cancel, [&](std::size_t c) {
    GibbsChain chain(*this, settings.seed, static_cast<std::uint32_t>(c), states.subspan(c * n, n));
    double* const sums = estimates.data() + c * offsets_.back();
    std::fill_n(sums, offsets_.back(), 0.0);
    for (std::uint64_t sweep = 0; sweep < settings.burn_in + kept; ++sweep) {
      if (sweep % 64 == 0) cancel.check();
      const bool counted = sweep >= settings.burn_in;
      chain.sweep(sweep, counted ? sums : nullptr);
      const std::uint64_t after = sweep + 1 - settings.burn_in;
      if (!counted || after % settings.thinning != 0) continue;
      const std::size_t row = c * settings.n_rows + after / settings.thinning - 1;
      for (std::size_t v = 0; v < n; ++v)
        with_codes(columns[v].codes, columns[v].width, [&](auto* codes) {
          codes[row] = static_cast<std::remove_reference_t<decltype(*codes)>>(chain.states()[v]);
        });
    }
    for (std::uint64_t k = 0; k < offsets_.back(); ++k) sums[k] /= std::max(1.0, static_cast<double>(kept));
  });
}

}  // namespace treewright
