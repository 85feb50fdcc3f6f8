// Gibbs sampling from a product of tables (Geman & Geman 1984): redraw one variable at a time given all
// others.
//
// A chain needs the tables around one variable only, never a junction tree. The random number of (chain,
// sweep, variable) is a pure function of the seed, so chains are the same on any number of threads; variables
// are visited and addressed by their rank, so they do not depend on the order of columns either.
#pragma once

#include <optional>

#include "treewright/inference/sampling.hpp"

namespace treewright {

struct GibbsSettings {
  std::size_t n_chains = 1, n_rows = 0;  // rows kept of each chain
  std::uint64_t burn_in = 0, thinning = 1;
  std::uint64_t seed = 0;
};

class GibbsSampler {
 public:
  /// `order`: the variables that are redrawn, in the order of a sweep; the others keep their state. Tables
  /// must hold nothing negative or infinite.
  GibbsSampler(ScopedTables product, std::vector<std::uint32_t> order);

  /// A joint state without a zero in any table that agrees with `states` off the order, written there;
  /// false when a walk from table to violated table found none.
  bool find_start(std::uint64_t seed, std::uint32_t chain, std::span<std::uint32_t> states,
                  Cancel& cancel) const;
  /// The first table that is zero at a joint state.
  std::optional<std::size_t> violated(std::span<const std::uint32_t> states) const;

  /// Rows of all chains, one chain after the other. `states`: where each chain starts, chains x variables;
  /// `estimates`: per chain the mean, over all sweeps after burn-in, of every variable's distribution given
  /// the others (chains x states), for the variables of the order.
  void run(const GibbsSettings& settings, std::span<const std::uint32_t> states,
           std::span<const Column> columns, std::span<double> estimates, Cancel& cancel) const;

 private:
  friend class GibbsChain;
  friend class StartSearch;
  struct Use {
    std::uint32_t table;
    std::uint64_t stride;
  };

  std::span<const Use> uses(std::uint32_t v) const {
    return {uses_.data() + starts_[v], uses_.data() + starts_[v + 1]};
  }
  std::vector<std::uint64_t> cells_of(std::span<const std::uint32_t> states) const;

  ScopedTables product_;
  std::vector<std::uint32_t> order_;
  std::vector<std::vector<double>> scaled_;  // the largest cell of every table at one
  std::vector<std::size_t> starts_;
  std::vector<Use> uses_;  // per variable: the tables that mention it
  std::vector<std::uint64_t> offsets_;
};

}  // namespace treewright
