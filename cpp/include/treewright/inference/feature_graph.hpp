// Feature graphs: tractable circuits of splits, features, products, mixtures and leaves, in one arena.
//
// The arena holds nodes in topological order, children strictly before parents, the root last; the id of a
// node is its place. Three flat arrays say what a node is: its children, its integers (what it is about) and
// its numbers (its parameters, natural logarithms of probabilities; minus infinity is legal). Variables are
// indices into the schema throughout.
//
//   one      nothing at all
//   table    integers: scope, rising. numbers: log p, last variable fastest
//   tree     integers: m, then per variable in topological order: variable, number p of parents, p positions
//            (into this list, each smaller than its own). numbers: per variable log P(x | parents), axes
//            (parents as listed, x), last fastest
//   split    integers: variable, then the states that have a child, rising. children: one per such state.
//            numbers: log theta per child
//   feature  integers: pairs (variable, state), variables rising. children: true, false. numbers:
//            log theta_1, log theta_0
//   and      children: of disjoint scopes
//   mix      children: of equal scopes. numbers: log pi per child
//   hidden   integers: H, ar (0 or 1), m, then per variable in topological order: variable, position of its
//            parent (kNoParent: a root). numbers: per variable log transition (root: H; else H x H, rows are
//            the parent's state), then log emission (H x r; with ar, below a root: r_parent x H x r)
//   rows     integers: m, scope (rising), then R rows of `RowLayout::words` words. numbers: log weight per
//            row
//
// Parents of a variable in a tree leaf form a clique: all of them but the last placed are parents of that
// last one (a Chow-Liu tree has one parent, a k-tree at most k). The false child of a feature has the scope
// of the feature itself and gives probability zero to rows where the feature holds; the true child lacks the
// feature's variables. A split gives probability zero to states without a child.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <unordered_map>
#include <utility>
#include <vector>

#include "treewright/graphs/bits.hpp"

namespace treewright::features {

enum class Kind : std::uint8_t { kOne, kTable, kTree, kSplit, kFeature, kAnd, kMix, kHidden, kRows };

using Id = std::uint32_t;
inline constexpr std::uint32_t kNoParent = std::numeric_limits<std::uint32_t>::max();
inline constexpr double kNever = -std::numeric_limits<double>::infinity();

struct Arena {
  std::vector<std::uint32_t> cardinalities;                                      // of all variables
  std::vector<Kind> kinds;                                                       // one per node
  std::vector<std::uint64_t> child_begin{0}, integer_begin{0}, number_begin{0};  // one more than nodes
  std::vector<Id> children;
  std::vector<std::uint32_t> integers;
  std::vector<double> numbers;

  std::size_t size() const { return kinds.size(); }
  Id root() const { return static_cast<Id>(kinds.size() - 1); }
  std::span<const Id> children_of(Id node) const { return part(children, child_begin, node); }
  std::span<const std::uint32_t> integers_of(Id node) const { return part(integers, integer_begin, node); }
  std::span<const double> numbers_of(Id node) const { return part(numbers, number_begin, node); }
  std::span<double> numbers_of(Id node) {
    return {numbers.data() + number_begin[node], number_begin[node + 1] - number_begin[node]};
  }
  /// Append a node as it is; `ArenaBuilder` is the door that merges equal ones.
  Id push(Kind kind, std::span<const std::uint32_t> about, std::span<const Id> below,
          std::span<const double> parameters);
  bool operator==(const Arena&) const = default;

 private:
  template <class T>
  static std::span<const T> part(const std::vector<T>& all, const std::vector<std::uint64_t>& begin,
                                 Id node) {
    return {all.data() + begin[node], begin[node + 1] - begin[node]};
  }
};

/// Where the codes of a stored row lie: as many bits as a variable's states need, from the lowest bit of the
/// first word upwards, never across the end of a word. 32 binary variables fill a word.
struct RowLayout {
  struct Field {
    std::uint32_t word, shift, mask;
  };
  std::vector<Field> fields;
  std::size_t words = 0;

  RowLayout(std::span<const std::uint32_t> scope, std::span<const std::uint32_t> cardinalities);
  std::uint32_t get(const std::uint32_t* row, std::size_t field) const {
    return row[fields[field].word] >> fields[field].shift & fields[field].mask;
  }
  void set(std::uint32_t* row, std::size_t field, std::uint32_t code) const {
    row[fields[field].word] |= code << fields[field].shift;
  }
};

/// One variable of a tree leaf: its parents are positions in the list that `add_tree` is given.
struct TreeVariable {
  std::uint32_t variable;
  std::vector<std::uint32_t> parents;
};
/// One variable of a hidden tree; `parent` is a position or `kNoParent`.
struct HiddenVariable {
  std::uint32_t variable;
  std::uint32_t parent;
};

/// Builds an arena bottom up. Equal nodes (numbers equal when rounded to 1e-12) are made once and share an
/// id. Ids stay valid until `finish`, which keeps what the root needs and numbers it anew.
class ArenaBuilder {
 public:
  explicit ArenaBuilder(std::vector<std::uint32_t> cardinalities);

  Id add_one();
  Id add_table(std::span<const std::uint32_t> scope, std::span<const double> log_p);
  Id add_tree(std::span<const TreeVariable> variables, std::span<const double> log_p);
  /// `states` rising, one child and one log theta for each.
  Id add_split(std::uint32_t variable, std::span<const std::uint32_t> states, std::span<const Id> below,
               std::span<const double> log_theta);
  /// Literals are sorted by variable.
  Id add_feature(std::vector<std::pair<std::uint32_t, std::uint32_t>> literals, Id holds, Id fails,
                 double log_holds, double log_fails);
  /// Products of products become one product, children are sorted, ones vanish; a single child is returned.
  Id add_and(std::span<const Id> below);
  /// A single child is returned.
  Id add_mix(std::span<const Id> below, std::span<const double> log_pi);
  /// `numbers` per variable as laid out above.
  Id add_hidden(std::uint32_t states, bool autoregressive, std::span<const HiddenVariable> variables,
                std::span<const double> numbers);
  /// `codes`: row after row, one code per variable of `scope`; rows are distinct.
  Id add_rows(std::span<const std::uint32_t> scope, std::span<const std::uint32_t> codes,
              std::span<const double> log_weights);
  /// A node of another graph over the same variables, with children that are here.
  Id add_copy(const Arena& other, Id node, std::span<const Id> below);
  /// Join a whole graph over the same variables; the id of its root here.
  Id append(const Arena& other);

  const Arena& arena() const { return arena_; }
  std::size_t size() const { return arena_.size(); }
  /// The graph under `root`, which becomes its last node; the builder can go on.
  Arena finish(Id root) const;

 private:
  Id add(Kind kind, std::span<const std::uint32_t> about, std::span<const Id> below,
         std::span<const double> parameters);
  bool equal(Id node, Kind kind, std::span<const std::uint32_t> about, std::span<const Id> below,
             std::span<const double> parameters) const;

  Arena arena_;
  std::unordered_multimap<std::uint64_t, Id> known_;
};

/// The variables of every node, rising. Assumes a valid arena.
std::vector<std::vector<std::uint32_t>> scopes_of(const Arena& arena);
/// No mixture and no hidden state: closed-form parameters, exact MPE and entropy.
bool is_deterministic(const Arena& arena);
/// Nodes on the longest path from the root.
std::size_t depth_of(const Arena& arena);

/// The undirected graph whose cliques hold every parameter: variables that meet on a path are joined.
BitMatrix interactions_of(const Arena& arena);

/// The same distribution with hidden trees written out as mixtures: about 2 n H nodes and n H^2 edges each.
Arena expanded(const Arena& arena);

/// Every invariant: throws std::invalid_argument that names the node and what is wrong with it. Children come
/// before parents, every node but the root has a parent, scopes are as the kinds ask, the root is about all
/// variables, and every distribution sums to one within 1e-9.
void validate(const Arena& arena);

}  // namespace treewright::features
