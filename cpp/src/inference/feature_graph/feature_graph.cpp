#include "treewright/inference/feature_graph.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <stdexcept>

namespace treewright::features {

namespace {

constexpr double kGrid = 1e12;  // parameters that agree to 1e-12 are the same

std::int64_t rounded(double x) {
  return std::isfinite(x) ? std::llrint(std::clamp(x, -1e6, 1e6) * kGrid)
                          : std::numeric_limits<std::int64_t>::min();
}

void mix_in(std::uint64_t& hash, std::uint64_t value) {
  hash ^= value + 0x9E3779B97F4A7C15 + (hash << 6) + (hash >> 2);
  hash *= 0xD6E8FEB86659FD93;
  hash ^= hash >> 32;
}

void require(bool condition, const char* message) {
  if (!condition) throw std::invalid_argument(message);
}

bool is_rising(std::span<const std::uint32_t> values) {
  return std::adjacent_find(values.begin(), values.end(), std::greater_equal<>()) == values.end();
}

}  // namespace

Id Arena::push(Kind kind, std::span<const std::uint32_t> about, std::span<const Id> below,
               std::span<const double> parameters) {
  require(kinds.size() < kNoParent, "a feature graph has fewer than 2^32 - 1 nodes");
  kinds.push_back(kind);
  children.insert(children.end(), below.begin(), below.end());
  integers.insert(integers.end(), about.begin(), about.end());
  numbers.insert(numbers.end(), parameters.begin(), parameters.end());
  child_begin.push_back(children.size());
  integer_begin.push_back(integers.size());
  number_begin.push_back(numbers.size());
  return root();
}

RowLayout::RowLayout(std::span<const std::uint32_t> scope, std::span<const std::uint32_t> cardinalities) {
  std::uint32_t word = 0, used = 0;
  for (const std::uint32_t v : scope) {
    const auto bits =
        std::max<std::uint32_t>(1, static_cast<std::uint32_t>(std::bit_width(cardinalities[v] - 1)));
    if (used + bits > 32) ++word, used = 0;
    fields.push_back({word, used, bits == 32 ? ~0U : (1U << bits) - 1});
    used += bits;
  }
  words = scope.empty() ? 0 : word + 1;
}

ArenaBuilder::ArenaBuilder(std::vector<std::uint32_t> cardinalities) {
  arena_.cardinalities = std::move(cardinalities);
}

Id ArenaBuilder::add_one() { return add(Kind::kOne, {}, {}, {}); }

Id ArenaBuilder::add_table(std::span<const std::uint32_t> scope, std::span<const double> log_p) {
  require(is_rising(scope), "the scope of a table is rising");
  return scope.empty() ? add_one() : add(Kind::kTable, scope, {}, log_p);
}

Id ArenaBuilder::add_tree(std::span<const TreeVariable> variables, std::span<const double> log_p) {
  std::vector<std::uint32_t> about{static_cast<std::uint32_t>(variables.size())};
  for (const TreeVariable& one : variables) {
    about.push_back(one.variable);
    about.push_back(static_cast<std::uint32_t>(one.parents.size()));
    about.insert(about.end(), one.parents.begin(), one.parents.end());
  }
  return variables.empty() ? add_one() : add(Kind::kTree, about, {}, log_p);
}

Id ArenaBuilder::add_split(std::uint32_t variable, std::span<const std::uint32_t> states,
                           std::span<const Id> below, std::span<const double> log_theta) {
  require(states.size() == below.size() && states.size() == log_theta.size(),
          "a split has one child and one parameter per state");
  require(is_rising(states), "the states of a split are rising");
  std::vector<std::uint32_t> about{variable};
  about.insert(about.end(), states.begin(), states.end());
  return add(Kind::kSplit, about, below, log_theta);
}

Id ArenaBuilder::add_feature(std::vector<std::pair<std::uint32_t, std::uint32_t>> literals, Id holds,
                             Id fails, double log_holds, double log_fails) {
  std::sort(literals.begin(), literals.end());
  std::vector<std::uint32_t> about;
  for (const auto& [variable, state] : literals) about.insert(about.end(), {variable, state});
  const Id below[] = {holds, fails};
  const double parameters[] = {log_holds, log_fails};
  return add(Kind::kFeature, about, below, parameters);
}

Id ArenaBuilder::add_and(std::span<const Id> below) {
  std::vector<Id> flat;
  for (const Id child : below) {
    require(child < arena_.size(), "a child is made before its parent");
    if (arena_.kinds[child] == Kind::kAnd) {
      const auto inner = arena_.children_of(child);
      flat.insert(flat.end(), inner.begin(), inner.end());
    } else if (arena_.kinds[child] != Kind::kOne) {
      flat.push_back(child);
    }
  }
  if (flat.empty()) return add_one();
  if (flat.size() == 1) return flat[0];
  std::sort(flat.begin(), flat.end());
  return add(Kind::kAnd, {}, flat, {});
}

Id ArenaBuilder::add_mix(std::span<const Id> below, std::span<const double> log_pi) {
  require(!below.empty() && below.size() == log_pi.size(), "a mixture has one weight per child");
  return below.size() == 1 ? below[0] : add(Kind::kMix, {}, below, log_pi);
}

Id ArenaBuilder::add_hidden(std::uint32_t states, bool autoregressive,
                            std::span<const HiddenVariable> variables, std::span<const double> numbers) {
  std::vector<std::uint32_t> about{states, autoregressive ? 1U : 0U,
                                   static_cast<std::uint32_t>(variables.size())};
  for (const HiddenVariable& one : variables) about.insert(about.end(), {one.variable, one.parent});
  return variables.empty() ? add_one() : add(Kind::kHidden, about, {}, numbers);
}

Id ArenaBuilder::add_rows(std::span<const std::uint32_t> scope, std::span<const std::uint32_t> codes,
                          std::span<const double> log_weights) {
  require(is_rising(scope), "the scope of stored rows is rising");
  require(codes.size() == scope.size() * log_weights.size(), "stored rows have one code per variable");
  for (const std::uint32_t v : scope)
    require(v < arena_.cardinalities.size(), "the scope of stored rows names a variable that is not there");
  const RowLayout layout(scope, arena_.cardinalities);
  std::vector<std::uint32_t> about{static_cast<std::uint32_t>(scope.size())};
  about.insert(about.end(), scope.begin(), scope.end());
  const std::size_t head = about.size(), m = scope.size();
  about.resize(head + layout.words * log_weights.size());
  for (std::size_t row = 0; row < log_weights.size(); ++row)
    for (std::size_t i = 0; i < m; ++i) {
      const std::uint32_t code = codes[row * m + i];
      require(code < arena_.cardinalities[scope[i]], "a stored row has a code beyond its states");
      layout.set(about.data() + head + row * layout.words, i, code);
    }
  return scope.empty() ? add_one() : add(Kind::kRows, about, {}, log_weights);
}

Id ArenaBuilder::add_copy(const Arena& other, Id node, std::span<const Id> below) {
  if (other.kinds[node] == Kind::kAnd) return add_and(below);
  return add(other.kinds[node], other.integers_of(node), below, other.numbers_of(node));
}

Id ArenaBuilder::append(const Arena& other) {
  require(other.cardinalities == arena_.cardinalities, "graphs are joined over the same variables");
  require(other.size() > 0, "a graph has at least one node");
  std::vector<Id> here(other.size());
  std::vector<Id> below;
  for (Id node = 0; node < other.size(); ++node) {
    below.clear();
    for (const Id child : other.children_of(node)) below.push_back(here[child]);
    here[node] = add_copy(other, node, below);
  }
  return here.back();
}

Arena ArenaBuilder::finish(Id root) const {
  require(root < arena_.size(), "the root is one of the nodes");
  std::vector<std::uint8_t> needed(root + 1, 0);
  needed[root] = 1;
  for (Id node = root + 1; node-- > 0;)
    if (needed[node])
      for (const Id child : arena_.children_of(node)) needed[child] = 1;
  Arena result;
  result.cardinalities = arena_.cardinalities;
  std::vector<Id> place(root + 1), below;
  for (Id node = 0; node <= root; ++node) {
    if (!needed[node]) continue;
    below.clear();
    for (const Id child : arena_.children_of(node)) below.push_back(place[child]);
    place[node] = result.push(arena_.kinds[node], arena_.integers_of(node), below, arena_.numbers_of(node));
  }
  return result;
}

Id ArenaBuilder::add(Kind kind, std::span<const std::uint32_t> about, std::span<const Id> below,
                     std::span<const double> parameters) {
  std::uint64_t hash = static_cast<std::uint64_t>(kind);
  for (const std::uint32_t value : about) mix_in(hash, value);
  for (const Id child : below) {
    require(child < arena_.size(), "a child is made before its parent");
    mix_in(hash, child);
  }
  for (const double number : parameters) mix_in(hash, static_cast<std::uint64_t>(rounded(number)));
  const auto [begin, end] = known_.equal_range(hash);
  for (auto known = begin; known != end; ++known)
    if (equal(known->second, kind, about, below, parameters)) return known->second;
  const Id made = arena_.push(kind, about, below, parameters);
  known_.emplace(hash, made);
  return made;
}

bool ArenaBuilder::equal(Id node, Kind kind, std::span<const std::uint32_t> about, std::span<const Id> below,
                         std::span<const double> parameters) const {
  return arena_.kinds[node] == kind && std::ranges::equal(arena_.integers_of(node), about) &&
         std::ranges::equal(arena_.children_of(node), below) &&
         std::ranges::equal(arena_.numbers_of(node), parameters,
                            [](double a, double b) { return rounded(a) == rounded(b); });
}

bool is_deterministic(const Arena& arena) {
  for (Id node = 0; node < arena.size(); ++node) {
    if (arena.kinds[node] == Kind::kMix && arena.children_of(node).size() > 1) return false;
    if (arena.kinds[node] == Kind::kHidden && arena.integers_of(node)[0] > 1) return false;
  }
  return true;
}

std::size_t depth_of(const Arena& arena) {
  std::vector<std::size_t> depth(arena.size(), 1);
  for (Id node = 0; node < arena.size(); ++node)
    for (const Id child : arena.children_of(node)) depth[node] = std::max(depth[node], depth[child] + 1);
  return depth.empty() ? 0 : depth.back();
}

}  // namespace treewright::features
