#include "treewright/inference/feature_refit.hpp"

#include <algorithm>
#include <cmath>
#include <set>

namespace treewright::features {

namespace {

using Literal = std::pair<std::uint32_t, std::uint32_t>;
using Literals = std::vector<Literal>;  // a conjunction, by variable

/// Conjunctions that are known to be false at every node, as far as they are open there.
class Constraints {
 public:
  explicit Constraints(const Arena& arena) : arena_(arena), at_(arena.size()) {
    if (std::find(arena.kinds.begin(), arena.kinds.end(), Kind::kFeature) == arena.kinds.end()) return;
    scopes_ = scopes_of(arena);
    for (Id node = arena.root() + 1; node-- > 0;) hand_down(node);
  }

  const std::set<Literals>& at(Id node) const { return at_[node]; }

 private:
  void hand_down(Id node) {
    const auto children = arena_.children_of(node);
    const auto about = arena_.integers_of(node);
    Literals feature;
    for (std::size_t i = 0; arena_.kinds[node] == Kind::kFeature && i < about.size(); i += 2)
      feature.emplace_back(about[i], about[i + 1]);
    for (std::size_t k = 0; k < children.size(); ++k) {
      Literals settled;
      if (arena_.kinds[node] == Kind::kSplit) settled = {{about[0], about[k + 1]}};
      if (arena_.kinds[node] == Kind::kFeature && k == 0) settled = feature;
      for (const Literals& one : at_[node]) hand_on(one, settled, children[k]);
      if (arena_.kinds[node] == Kind::kFeature && k == 1) at_[children[k]].insert(feature);
    }
  }

  /// A contradicted conjunction is settled; literals that hold leave it.
  void hand_on(const Literals& one, const Literals& settled, Id child) {
    Literals open;
    for (const Literal& literal : one) {
      const auto known = std::find_if(settled.begin(), settled.end(),
                                      [&](const Literal& other) { return other.first == literal.first; });
      if (known == settled.end())
        open.push_back(literal);
      else if (known->second != literal.second)
        return;
    }
    const auto& scope = scopes_[child];
    const bool inside = std::all_of(open.begin(), open.end(), [&](const Literal& literal) {
      return std::binary_search(scope.begin(), scope.end(), literal.first);
    });
    if (!open.empty() && inside) at_[child].insert(std::move(open));
  }

  const Arena& arena_;
  std::vector<std::set<Literals>> at_;
  std::vector<std::vector<std::uint32_t>> scopes_;
};

class Collector {
 public:
  explicit Collector(const Arena& arena) : arena_(arena), constraints_(arena) { result_.begin.push_back(0); }

  Parameters run() {
    for (Id node = 0; node < arena_.size(); ++node) visit(node);
    return std::move(result_);
  }

 private:
  void add(std::size_t n, double share) {
    if (n == 0) return;
    result_.share.insert(result_.share.end(), n, share);
    result_.begin.push_back(result_.share.size());
  }

  void visit(Id node) {
    const std::size_t n = arena_.numbers_of(node).size();
    switch (arena_.kinds[node]) {
      case Kind::kTable: {
        const auto scope = arena_.integers_of(node);
        return add_cells(node, {scope.begin(), scope.end()}, 1);
      }
      case Kind::kTree:
        return add_families(node);
      case Kind::kHidden:
        return add_hidden(node);
      default:
        return add(n, 1.0 / static_cast<double>(std::max<std::size_t>(1, n)));
    }
  }

  void add_families(Id node) {
    const auto about = arena_.integers_of(node);
    std::vector<std::uint32_t> variables;
    for (std::size_t at = 1; at < about.size(); at += 2 + about[at + 1]) {
      std::vector<std::uint32_t> family;
      std::size_t rows = 1;
      for (std::size_t i = 0; i < about[at + 1]; ++i) {
        family.push_back(variables[about[at + 2 + i]]);
        rows *= arena_.cardinalities[family.back()];
      }
      family.push_back(about[at]);
      variables.push_back(about[at]);
      add_cells(node, family, rows);
    }
  }

  /// A table over these variables, cut into `rows` distributions; shared evenly by the cells that may be.
  void add_cells(Id node, const std::vector<std::uint32_t>& scope, std::size_t rows) {
    std::size_t cells = 1;
    for (const std::uint32_t v : scope) cells *= arena_.cardinalities[v];
    std::vector<std::uint8_t> allowed(cells, 1);
    for (const Literals& one : constraints_.at(node)) forbid(one, scope, allowed);
    const auto n = static_cast<double>(std::count(allowed.begin(), allowed.end(), 1));
    for (std::size_t cell = 0; cell < cells; ++cell) {
      result_.share.push_back(allowed[cell] ? 1 / n : 0);
      if ((cell + 1) % (cells / rows) == 0) result_.begin.push_back(result_.share.size());
    }
  }

  void forbid(const Literals& one, const std::vector<std::uint32_t>& scope,
              std::vector<std::uint8_t>& allowed) const {
    std::vector<std::uint8_t> hit(allowed.size(), 1);
    for (const auto& [variable, state] : one) {
      const auto found = std::find(scope.begin(), scope.end(), variable);
      if (found == scope.end()) return;
      std::size_t stride = 1;
      for (auto later = found + 1; later != scope.end(); ++later) stride *= arena_.cardinalities[*later];
      for (std::size_t cell = 0; cell < hit.size(); ++cell)
        hit[cell] &= cell / stride % arena_.cardinalities[variable] == state;
    }
    for (std::size_t cell = 0; cell < hit.size(); ++cell) allowed[cell] &= !hit[cell];
  }

  void add_hidden(Id node) {
    const auto about = arena_.integers_of(node);
    const std::size_t h = about[0];
    for (std::size_t i = 0; i < about[2]; ++i) {
      const std::uint32_t variable = about[3 + 2 * i], parent = about[4 + 2 * i];
      const std::size_t r = arena_.cardinalities[variable], rows = parent == kNoParent ? 1 : h;
      for (std::size_t g = 0; g < rows; ++g) add(h, 1.0 / static_cast<double>(rows * h));
      const std::size_t contexts =
          h * (about[1] && parent != kNoParent ? arena_.cardinalities[about[3 + 2 * parent]] : 1);
      for (std::size_t c = 0; c < contexts; ++c) add(r, 1.0 / static_cast<double>(contexts * r));
    }
  }

  const Arena& arena_;
  Constraints constraints_;
  Parameters result_;
};

}  // namespace

Parameters parameters_of(const Arena& arena) { return Collector(arena).run(); }

std::vector<double> estimate(const Parameters& parameters, std::span<const double> counts, double alpha) {
  std::vector<double> numbers(counts.size());
  for (std::size_t d = 0; d + 1 < parameters.begin.size(); ++d) {
    const std::size_t begin = parameters.begin[d], end = parameters.begin[d + 1];
    double total = 0, shares = 0;
    for (std::size_t i = begin; i < end; ++i) {
      total += counts[i] + alpha * parameters.share[i];
      shares += parameters.share[i];
    }
    for (std::size_t i = begin; i < end; ++i) {
      double p = 1.0 / static_cast<double>(end - begin);  // where everything is forbidden nothing ever comes
      if (total > 0)
        p = (counts[i] + alpha * parameters.share[i]) / total;
      else if (shares > 0)
        p = parameters.share[i] / shares;
      numbers[i] = std::log(p);
    }
  }
  return numbers;
}

double log_prior(const Parameters& parameters, std::span<const double> numbers, double alpha) {
  double sum = 0;
  if (alpha > 0)
    for (std::size_t i = 0; i < numbers.size(); ++i)
      if (parameters.share[i] > 0) sum += alpha * parameters.share[i] * numbers[i];
  return sum;
}

}  // namespace treewright::features
