// The invariants of a feature graph, each with a message that names the node.
#include <algorithm>
#include <cmath>
#include <set>
#include <stdexcept>
#include <string>

#include "treewright/inference/feature_eval.hpp"
#include "treewright/inference/feature_graph.hpp"

namespace treewright::features {

namespace {

using Scope = std::vector<std::uint32_t>;

constexpr double kTolerance = 1e-9;
constexpr const char* kNames[] = {"one", "table", "tree", "split", "feature", "and", "mix", "hidden", "rows"};

class Checker {
 public:
  explicit Checker(const Arena& arena) : arena_(arena) {}

  void check_shape() const {
    const std::size_t n = arena_.size();
    if (n == 0) throw std::invalid_argument("a feature graph has at least one node; found none");
    if (n >= kNoParent) throw std::invalid_argument("a feature graph has fewer than 2^32 - 1 nodes");
    check_offsets(arena_.child_begin, arena_.children.size(), "children");
    check_offsets(arena_.integer_begin, arena_.integers.size(), "integers");
    check_offsets(arena_.number_begin, arena_.numbers.size(), "numbers");
    for (const std::uint32_t r : arena_.cardinalities)
      if (r == 0) throw std::invalid_argument("a feature graph is about discrete variables");
    std::vector<std::uint8_t> wanted(n, 0);
    for (Id node = 0; node < n; ++node) {
      if (arena_.kinds[node] > Kind::kRows) throw std::invalid_argument(at(node, "has no kind that exists"));
      for (const Id child : arena_.children_of(node)) {
        if (child >= node) fail(node, "has a child that does not come before it");
        wanted[child] = 1;
      }
    }
    for (Id node = 0; node + 1 < n; ++node)
      if (!wanted[node]) fail(node, "is no child of any node and not the root");
  }

  void check_nodes() {
    scopes_.resize(arena_.size());
    for (Id node = 0; node < arena_.size(); ++node) {
      node_ = node;
      for (const double number : arena_.numbers_of(node))
        require(!std::isnan(number) && number <= kTolerance, "holds a number that is no log-probability");
      scopes_[node] = scope_of_node();
    }
  }

  void check_root() const {
    if (scopes_.back().size() != arena_.cardinalities.size())
      fail(arena_.root(), "is the root, but is about " + std::to_string(scopes_.back().size()) + " of " +
                              std::to_string(arena_.cardinalities.size()) + " variables");
  }

  /// The false side of a feature has no row in which the feature holds: asked of all features in blocks.
  void check_false_sides() const {
    std::vector<Id> features;
    for (Id node = 0; node < arena_.size(); ++node)
      if (arena_.kinds[node] == Kind::kFeature) features.push_back(node);
    if (features.empty()) return;
    const Program program(arena_);
    Workspace space(program, kBlock);
    for (std::size_t begin = 0; begin < features.size(); begin += kBlock) {
      std::fill(space.likelihoods.begin(), space.likelihoods.end(), 1.0);
      const std::size_t n = std::min(kBlock, features.size() - begin);
      for (std::size_t r = 0; r < n; ++r) observe(space, features[begin + r], r);
      for (std::size_t i = 0; i < space.likelihoods.size(); ++i)
        space.log_likelihoods[i] = space.likelihoods[i] == 1 ? 0 : kNever;
      pass_up_everywhere(program, space);
      for (std::size_t r = 0; r < n; ++r) {
        const Id node = features[begin + r];
        if (space.up[arena_.children_of(node)[1] * kBlock + r] != kNever)
          fail(node, "has a false side in which its feature can hold");
      }
    }
  }

  std::vector<Scope> take_scopes() { return std::move(scopes_); }

 private:
  void observe(Workspace& space, Id feature, std::size_t row) const {
    const auto literals = arena_.integers_of(feature);
    for (std::size_t i = 0; i < literals.size(); i += 2)
      for (std::uint32_t x = 0; x < arena_.cardinalities[literals[i]]; ++x)
        if (x != literals[i + 1]) space.likelihoods[(space.first_state[literals[i]] + x) * kBlock + row] = 0;
  }

  std::string at(Id node, const std::string& what) const {
    const auto kind = static_cast<std::size_t>(arena_.kinds[node]);
    const std::string name = kind < std::size(kNames) ? std::string(" (") + kNames[kind] + ")" : "";
    return "node " + std::to_string(node) + name + " " + what;
  }
  [[noreturn]] void fail(Id node, const std::string& what) const {
    throw std::invalid_argument(at(node, what));
  }
  void require(bool condition, const char* what) const {
    if (!condition) fail(node_, what);
  }

  void check_offsets(const std::vector<std::uint64_t>& begin, std::size_t total, const char* what) const {
    if (begin.size() != arena_.size() + 1 || begin.front() != 0 || begin.back() != total ||
        !std::is_sorted(begin.begin(), begin.end()))
      throw std::invalid_argument(std::string("the offsets of the ") + what + " do not fit the nodes");
  }

  std::uint32_t states_of(std::uint32_t variable) const {
    require(variable < arena_.cardinalities.size(), "names a variable that is not there");
    return arena_.cardinalities[variable];
  }

  void require_leaf() const { require(arena_.children_of(node_).empty(), "is a leaf and has children"); }
  void require_numbers(double n) const {
    require(static_cast<double>(arena_.numbers_of(node_).size()) == n, "has not as many numbers as it needs");
  }
  /// `n` distributions of r numbers each, `step` apart, begin at `first`.
  void require_sums(std::size_t first, std::size_t n, std::size_t r) const {
    const auto numbers = arena_.numbers_of(node_);
    for (std::size_t i = 0; i < n; ++i) {
      double sum = 0;
      for (std::size_t x = 0; x < r; ++x) sum += std::exp(numbers[first + i * r + x]);
      if (!(std::abs(sum - 1) <= kTolerance))
        fail(node_, "has probabilities that add up to " + std::to_string(sum) + ", not 1");
    }
  }
  Scope rising(Scope scope) const {
    std::sort(scope.begin(), scope.end());
    require(std::adjacent_find(scope.begin(), scope.end()) == scope.end(), "names a variable twice");
    return scope;
  }
  Scope with(const Scope& scope, const Scope& more) const {
    Scope joined = scope;
    joined.insert(joined.end(), more.begin(), more.end());
    return rising(std::move(joined));
  }

  Scope scope_of_node() const {
    switch (arena_.kinds[node_]) {
      case Kind::kOne:
        return one();
      case Kind::kTable:
        return table();
      case Kind::kTree:
        return tree();
      case Kind::kSplit:
        return split();
      case Kind::kFeature:
        return feature();
      case Kind::kAnd:
        return product();
      case Kind::kMix:
        return mixture();
      case Kind::kHidden:
        return hidden();
      default:
        return rows();
    }
  }

  Scope one() const {
    require_leaf();
    require(arena_.integers_of(node_).empty(), "is one and says more");
    require_numbers(0);
    return {};
  }

  Scope table() const {
    require_leaf();
    const auto about = arena_.integers_of(node_);
    double cells = 1;
    for (const std::uint32_t v : about) cells *= states_of(v);
    require(!about.empty() && std::ranges::is_sorted(about), "has a scope that is not rising");
    require_numbers(cells);
    require_sums(0, 1, arena_.numbers_of(node_).size());
    return rising({about.begin(), about.end()});
  }

  Scope tree() const {
    require_leaf();
    const auto about = arena_.integers_of(node_);
    require(!about.empty() && about[0] > 0, "does not say its variables");
    Scope variables;
    std::vector<Scope> parents;
    std::size_t at = 1;
    double numbers = 0;
    for (std::uint32_t i = 0; i < about[0]; ++i) {
      require(at + 2 <= about.size() && about[at + 1] <= about.size() - at - 2, "does not say its variables");
      const std::uint32_t r = states_of(about[at]);
      const Scope above(about.begin() + static_cast<std::ptrdiff_t>(at) + 2,
                        about.begin() + static_cast<std::ptrdiff_t>(at) + 2 + about[at + 1]);
      check_parents(i, rising(above), parents);
      double cells = 1;
      for (const std::uint32_t p : above) cells *= arena_.cardinalities[variables[p]];
      const auto first = numbers;
      numbers += cells * r;
      require(numbers <= static_cast<double>(arena_.numbers_of(node_).size()),
              "has not as many numbers as it needs");
      require_sums(static_cast<std::size_t>(first), static_cast<std::size_t>(cells), r);
      variables.push_back(about[at]);
      parents.push_back(rising(above));
      at += 2 + above.size();
    }
    require(at == about.size(), "says more than its variables");
    require_numbers(numbers);
    return rising(variables);
  }

  /// Parents come first and form a clique: those before the last one are parents of the last one.
  void check_parents(std::uint32_t place, const Scope& above, const std::vector<Scope>& parents) const {
    if (above.empty()) return;
    require(above.back() < place, "has a variable whose parent does not come before it");
    const Scope& clique = parents[above.back()];
    require(std::includes(clique.begin(), clique.end(), above.begin(), above.end() - 1),
            "has a variable whose parents are no clique");
  }

  Scope split() const {
    const auto about = arena_.integers_of(node_);
    const auto children = arena_.children_of(node_);
    require(about.size() >= 2 && about.size() == children.size() + 1, "has not one child per state");
    const std::uint32_t r = states_of(about[0]);
    require(std::adjacent_find(about.begin() + 1, about.end(), std::greater_equal<>()) == about.end(),
            "has states that are not rising");
    require(about.back() < r, "names a state that its variable lacks");
    require_numbers(static_cast<double>(children.size()));
    require_sums(0, 1, children.size());
    for (const Id child : children)
      require(scopes_[child] == scopes_[children[0]], "has children about different variables");
    return with(scopes_[children[0]], {about[0]});
  }

  Scope feature() const {
    const auto about = arena_.integers_of(node_);
    const auto children = arena_.children_of(node_);
    require(!about.empty() && about.size() % 2 == 0, "has no literals");
    require(children.size() == 2, "has not two children");
    Scope variables;
    for (std::size_t i = 0; i < about.size(); i += 2) {
      require(about[i + 1] < states_of(about[i]), "names a state that its variable lacks");
      require(variables.empty() || variables.back() < about[i], "has literals that are not rising");
      variables.push_back(about[i]);
    }
    require_numbers(2);
    require_sums(0, 1, 2);
    const Scope whole = with(scopes_[children[0]], variables);
    require(whole == scopes_[children[1]], "has sides about different variables");
    return whole;
  }

  Scope product() const {
    const auto children = arena_.children_of(node_);
    require(!children.empty(), "has no children");
    require(arena_.integers_of(node_).empty(), "is a product and says more");
    require_numbers(0);
    Scope joined;
    for (const Id child : children) joined.insert(joined.end(), scopes_[child].begin(), scopes_[child].end());
    std::sort(joined.begin(), joined.end());
    require(std::adjacent_find(joined.begin(), joined.end()) == joined.end(),
            "has children that share a variable");
    return joined;
  }

  Scope mixture() const {
    const auto children = arena_.children_of(node_);
    require(!children.empty(), "has no children");
    require(arena_.integers_of(node_).empty(), "is a mixture and says more");
    require_numbers(static_cast<double>(children.size()));
    require_sums(0, 1, children.size());
    for (const Id child : children)
      require(scopes_[child] == scopes_[children[0]], "has children about different variables");
    return scopes_[children[0]];
  }

  Scope hidden() const {
    require_leaf();
    const auto about = arena_.integers_of(node_);
    require(about.size() >= 5 && about[0] > 0 && about[1] < 2 && (about.size() - 3) / 2 == about[2] &&
                about.size() % 2 == 1,
            "does not say its variables");
    const std::size_t states = about[0], n = arena_.numbers_of(node_).size();
    Scope variables;
    std::size_t first = 0;
    for (std::size_t i = 0; i < about[2]; ++i) {
      const std::uint32_t variable = about[3 + 2 * i], parent = about[4 + 2 * i];
      const std::size_t r = states_of(variable);
      require(parent == kNoParent || parent < i, "has a variable whose parent does not come before it");
      const std::size_t rows = parent == kNoParent ? 1 : states;
      const std::size_t contexts =
          about[1] && parent != kNoParent ? arena_.cardinalities[variables[parent]] : 1;
      const double needed =
          static_cast<double>(rows) * static_cast<double>(states) +
          static_cast<double>(contexts) * static_cast<double>(states) * static_cast<double>(r);
      require(needed <= static_cast<double>(n - first), "has not as many numbers as it needs");
      require_sums(first, rows, states);
      require_sums(first + rows * states, contexts * states, r);
      first += rows * states + contexts * states * r;
      variables.push_back(variable);
    }
    require_numbers(static_cast<double>(first));
    return rising(variables);
  }

  Scope rows() const {
    require_leaf();
    const auto about = arena_.integers_of(node_);
    require(!about.empty() && about[0] > 0 && about[0] < about.size(), "does not say its variables");
    const auto scope = about.subspan(1, about[0]);
    for (const std::uint32_t v : scope) states_of(v);
    require(std::ranges::is_sorted(scope), "has a scope that is not rising");
    const RowLayout layout(scope, arena_.cardinalities);
    const std::size_t n = arena_.numbers_of(node_).size();
    require(n > 0 && about.size() - 1 - scope.size() == n * layout.words, "has not as many rows as weights");
    require_sums(0, 1, n);
    std::set<std::vector<std::uint32_t>> seen;
    for (std::size_t row = 0; row < n; ++row) {
      const std::uint32_t* words = about.data() + 1 + scope.size() + row * layout.words;
      std::vector<std::uint32_t> packed(layout.words);
      for (std::size_t i = 0; i < scope.size(); ++i) {
        require(layout.get(words, i) < arena_.cardinalities[scope[i]],
                "has a row with a state that is not there");
        layout.set(packed.data(), i, layout.get(words, i));
      }
      require(std::equal(packed.begin(), packed.end(), words), "has a row with bits of no variable");
      require(seen.insert(std::move(packed)).second, "has a row twice");
    }
    return rising({scope.begin(), scope.end()});
  }

  const Arena& arena_;
  std::vector<Scope> scopes_;
  Id node_ = 0;
};

}  // namespace

void validate(const Arena& arena) {
  Checker checker(arena);
  checker.check_shape();
  checker.check_nodes();
  checker.check_root();
  checker.check_false_sides();
}

std::vector<std::vector<std::uint32_t>> scopes_of(const Arena& arena) {
  Checker checker(arena);
  checker.check_nodes();
  return checker.take_scopes();
}

}  // namespace treewright::features
