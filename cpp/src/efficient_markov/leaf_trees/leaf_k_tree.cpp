// A forest of at most k parents per variable, grown one variable at a time: the parents of a variable are a
// part of the clique that some earlier variable made, so the treewidth is at most k.
#include <algorithm>
#include <cmath>

#include "treewright/efficient_markov/leaf_trees.hpp"

namespace treewright {
namespace {

using features::Id;
using features::kNever;
using Scope = std::vector<std::uint32_t>;

/// The best place found so far for a variable that is not in the forest yet.
struct Offer {
  double gain = 0;
  Scope parents;  // local positions
};

class KTree {
 public:
  KTree(const RowContext& context, const PairCounts& pseudo, std::size_t k, double alpha, double penalty)
      : context_(context), layout_(PairCounts::layout(context.cardinalities())), k_(k), alpha_(alpha) {
    price_ = context.total() > 1 ? penalty * 0.5 * std::log(context.total()) : 0.0;
    std::vector<double> cells;
    for (std::size_t i = 0; i < context.size(); ++i) {
      pseudo.cells(i, cells);
      double total = 0;
      for (const double c : cells) total += c;
      for (double& c : cells) c = total > 0 ? c / total : 1.0 / static_cast<double>(cells.size());
      marginals_.push_back(cells);
    }
  }

  /// Variables in the order of attachment, with their parents.
  std::vector<std::pair<std::uint32_t, Scope>> grow(Cancel& cancel) {
    const std::size_t n = context_.size();
    offers_.assign(n, {});
    attached_.assign(n, 0);
    std::vector<std::pair<std::uint32_t, Scope>> order;
    while (order.size() < n) {
      cancel.check();
      const std::uint32_t next = best_offer();
      Scope parents = offers_[next].parents;
      attached_[next] = 1;
      order.emplace_back(next, parents);
      offer_parts_with(next, parents);
    }
    return order;
  }

  /// P(x | configuration of the parents), smoothed towards the marginal of x.
  std::vector<double> conditional(std::uint32_t x, const Scope& parents) const {
    std::vector<double> cells;
    Scope scope = parents;
    scope.push_back(x);
    context_.joint(scope, cells);
    const std::size_t r = marginals_[x].size();
    for (std::size_t begin = 0; begin < cells.size(); begin += r) {
      double total = alpha_;
      for (std::size_t s = 0; s < r; ++s) total += cells[begin + s];
      for (std::size_t s = 0; s < r; ++s)
        cells[begin + s] =
            total > 0 ? (cells[begin + s] + alpha_ * marginals_[x][s]) / total : marginals_[x][s];
    }
    return cells;
  }

 private:
  /// The largest gain; before there is one, the most uncertain variable. Ties go to the first by name.
  std::uint32_t best_offer() const {
    std::uint32_t best = 0;
    bool found = false;
    const auto better = [&](std::uint32_t a, std::uint32_t b) {
      if (offers_[a].gain != offers_[b].gain) return offers_[a].gain > offers_[b].gain;
      return entropy(a) > entropy(b);
    };
    for (std::uint32_t i = 0; i < offers_.size(); ++i)
      if (!attached_[i] && (!found || better(i, best))) best = i, found = true;
    return best;
  }

  double entropy(std::size_t i) const {
    double sum = 0;
    for (const double p : marginals_[i])
      if (p > 0) sum -= p * std::log(p);
    return sum;
  }

  /// Every part of the new clique that has the new variable, at most k of its members.
  void offer_parts_with(std::uint32_t made, const Scope& others) {
    for (std::size_t chosen = 0; chosen < std::size_t{1} << others.size(); ++chosen) {
      Scope parents;
      for (std::size_t b = 0; b < others.size(); ++b)
        if (chosen >> b & 1) parents.push_back(others[b]);
      parents.push_back(made);
      if (parents.size() <= k_) offer(parents);
    }
  }

  void offer(const Scope& parents) {
    std::vector<double> cells;
    context_.partners(parents, cells);
    const std::size_t stride = layout_.n_planes() + 1, n_configurations = cells.size() / stride;
    for (std::uint32_t x = 0; x < attached_.size(); ++x) {
      if (attached_[x]) continue;
      const std::size_t r = marginals_[x].size();
      double gain = -price_ * static_cast<double>((n_configurations - 1) * (r - 1));
      for (std::size_t c = 0; c < n_configurations; ++c) gain += gain_of_row(x, cells.data() + c * stride);
      if (gain > offers_[x].gain) offers_[x] = {gain, parents};
    }
  }

  /// What knowing one configuration adds to the log-likelihood of x.
  double gain_of_row(std::size_t x, const double* planes) const {
    const std::vector<double>& marginal = marginals_[x];
    const double rows = planes[layout_.n_planes()];
    if (rows <= 0) return 0;
    double gain = 0, rest = rows;
    const auto add = [&](double c, double p) {
      if (c > 0) gain += c * std::log((c + alpha_ * p) / ((rows + alpha_) * p));
    };
    for (std::size_t s = 1; s < marginal.size(); ++s) {
      const double c = planes[layout_.first_plane(x) + s - 1];
      rest -= c;
      add(c, marginal[s]);
    }
    add(rest, marginal[0]);
    return gain;
  }

  const RowContext& context_;
  PairCounts layout_;
  std::size_t k_;
  double alpha_, price_;
  std::vector<std::vector<double>> marginals_;
  std::vector<Offer> offers_;
  std::vector<std::uint8_t> attached_;
};

/// A conditional table over the states of a context, spread over all states of the columns.
void append_spread(const RowContext& context, const Scope& parents, std::uint32_t x,
                   const std::vector<double>& table, std::vector<double>& out) {
  const RowSet& rows = context.rows();
  const LocalVariable& child = context.local(x);
  const std::size_t r = rows.cardinalities()[child.column], r_local = child.states.size();
  std::size_t n_configurations = 1;
  for (const std::uint32_t p : parents) n_configurations *= rows.cardinalities()[context.local(p).column];
  for (std::size_t c = 0; c < n_configurations; ++c) {
    std::size_t rest = c, local = 0, stride = 1;
    bool is_left = true;
    for (std::size_t k = parents.size(); k-- > 0;) {
      const LocalVariable& parent = context.local(parents[k]);
      const std::size_t declared = rows.cardinalities()[parent.column];
      const auto code = static_cast<RowSet::Code>(rest % declared);
      rest /= declared;
      const auto at = std::lower_bound(parent.states.begin(), parent.states.end(), code);
      is_left &= at != parent.states.end() && *at == code;
      local += static_cast<std::size_t>(at - parent.states.begin()) * stride;
      stride *= parent.states.size();
    }
    const std::size_t begin = out.size();
    out.resize(begin + r, kNever);
    for (std::size_t s = 0; s < r_local; ++s) {
      const double p = is_left ? table[local * r_local + s] : 1.0 / static_cast<double>(r_local);
      out[begin + child.states[s]] = p > 0 ? std::log(p) : kNever;
    }
  }
}

}  // namespace

Id add_k_tree(const LeafPlace& place, const RowContext& context, const PairCounts& pseudo, std::size_t k,
              double alpha, double penalty) {
  KTree tree(context, pseudo, k, alpha, penalty);
  const auto order = tree.grow(place.cancel);
  std::vector<std::uint32_t> at(context.size());
  std::vector<features::TreeVariable> variables;
  std::vector<double> numbers;
  for (const auto& [x, parents] : order) {
    at[x] = static_cast<std::uint32_t>(variables.size());
    features::TreeVariable made{place.rows.variables()[context.local(x).column], {}};
    for (const std::uint32_t p : parents) made.parents.push_back(at[p]);
    append_spread(context, parents, x, tree.conditional(x, parents), numbers);
    variables.push_back(std::move(made));
  }
  return place.builder.add_tree(variables, numbers);
}

}  // namespace treewright
