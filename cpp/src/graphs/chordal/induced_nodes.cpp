// Chordless paths of a chordal graph, read off its clique tree.
//
// The inner vertices of all chordless s-t paths are the union of the minimal s-t separators, and those are
// the inclusion-minimal adhesion sets between the nearest bag of s and the nearest bag of t.
#include <utility>

#include "treewright/graphs/chordal.hpp"
#include "treewright/graphs/elimination.hpp"

namespace treewright {

namespace {

bool inside(const Word* x, const Word* y, std::size_t words) {
  for (std::size_t w = 0; w < words; ++w)
    if (x[w] & ~y[w]) return false;
  return true;
}

/// The minimal adhesion sets of a path that grows. A vertex in two of them is in all between, so a set that
/// is not minimal shows beside its neighbour: the list is a stack, and paths that fork share what lies below.
class SeparatorStacks {
 public:
  SeparatorStacks(const BitMatrix& adhesion, InducedFrom& out) : adhesion_(adhesion), out_(out) {}

  std::uint32_t cross(std::uint32_t top, std::size_t node) {
    const Word* fresh = adhesion_.row(node);
    if (top != InducedFrom::nothing && inside(adhesion_.row(node_[top]), fresh, out_.words)) return top;
    while (top != InducedFrom::nothing && inside(fresh, adhesion_.row(node_[top]), out_.words))
      top = below_[top];
    const std::size_t start = out_.sets.size();
    out_.sets.insert(out_.sets.end(), fresh, fresh + out_.words);
    for (std::size_t w = 0; top != InducedFrom::nothing && w < out_.words; ++w)
      out_.sets[start + w] |= out_.sets[top * out_.words + w];
    node_.push_back(node), below_.push_back(top);
    return static_cast<std::uint32_t>(node_.size() - 1);
  }

 private:
  const BitMatrix& adhesion_;
  InducedFrom& out_;
  std::vector<std::size_t> node_;
  std::vector<std::uint32_t> below_;
};

}  // namespace

InducedNodes::InducedNodes(const BitMatrix& chordal, std::span<const Vertex> order)
    : order_(order.begin(), order.end()),
      position_(inverse(order)),
      later_(filled_upward(chordal, order)),
      parent_(chordal.size()),
      adhesion_(chordal.size()) {
  for (std::size_t i = 0; i < parent_.size(); ++i) {
    parent_[i] = first_bit(later_.row(i), later_.words(), i / 64);
    for_each_bit(later_.row(i), later_.words(), [&](std::size_t u) { adhesion_.set(i, order_[u]); });
  }
  std::vector<std::size_t> count(parent_.size() + 1, 0);
  for (const std::size_t p : parent_)
    if (p != kNone) ++count[p];
  first_child_.assign(parent_.size() + 1, 0);
  for (std::size_t i = 0; i < parent_.size(); ++i) first_child_[i + 1] = first_child_[i] + count[i];
  children_.resize(first_child_.back());
  std::vector<std::size_t> next = first_child_;
  for (std::size_t i = 0; i < parent_.size(); ++i)
    if (parent_[i] != kNone) children_[next[parent_[i]]++] = i;
}

std::int64_t InducedNodes::width() const {
  std::int64_t width = -1;
  for (std::size_t i = 0; i < later_.size(); ++i)
    width = std::max(width, static_cast<std::int64_t>(count_bits(later_.row(i), later_.words())));
  return width;
}

std::int64_t InducedNodes::largest_clique(const Word* set) const {
  std::int64_t most = 0;  // the member that is eliminated first has all others in its bag
  for_each_bit(set, adhesion_.words(), [&](std::size_t v) {
    const std::size_t others = count_common(adhesion_.row(position_[v]), set, adhesion_.words());
    most = std::max(most, static_cast<std::int64_t>(others + 1));
  });
  return most;
}

Order InducedNodes::between(Vertex s, Vertex t) const {
  // The union of the inclusion-minimal adhesion sets on the tree path that hold neither s nor t: these are
  // the minimal separators of s and t.
  const std::size_t words = later_.words();
  std::size_t a = position_[s], b = position_[t];
  const std::size_t from = a, to = b;
  std::vector<const Word*> adhesions;
  while (a != b) {
    std::size_t& lower = a < b ? a : b;  // parents come later, so the earlier one is not above the other
    const Word* adhesion = later_.row(lower);
    const auto holds = [&](std::size_t v) { return adhesion[v / 64] >> (v % 64) & 1; };
    if (!holds(from) && !holds(to)) adhesions.push_back(adhesion);
    lower = parent_[lower];
    if (lower == kNone) return {};
  }
  std::vector<Word> all(words, 0);
  for (const Word* one : adhesions) {
    const bool minimal = std::none_of(adhesions.begin(), adhesions.end(), [&](const Word* other) {
      return inside(other, one, words) && !inside(one, other, words);
    });
    for (std::size_t w = 0; minimal && w < words; ++w) all[w] |= one[w];
  }
  Order nodes;
  for_each_bit(all.data(), words, [&](std::size_t v) { nodes.push_back(order_[v]); });
  std::sort(nodes.begin(), nodes.end());
  return nodes;
}

InducedFrom InducedNodes::from(Vertex s) const {
  const std::size_t n = order_.size();
  InducedFrom result{adhesion_.words(), std::vector(n, InducedFrom::nothing), {}};
  SeparatorStacks stacks(adhesion_, result);
  struct Step {
    std::size_t node, came_from;
    std::uint32_t separators;
  };
  std::vector<Step> stack{{position_[s], kNone, InducedFrom::nothing}};
  const auto cross = [&](std::uint32_t top, std::size_t lower) {
    return adhesion_.test(lower, s) ? top : stacks.cross(top, lower);
  };
  while (!stack.empty()) {
    const auto [node, came_from, separators] = stack.back();
    stack.pop_back();
    for (std::size_t k = first_child_[node]; k < first_child_[node + 1]; ++k) {
      const std::size_t child = children_[k];
      if (child == came_from) continue;
      const std::uint32_t top = cross(separators, child);
      result.set_of[order_[child]] = top;  // what a lower bag has and its parent lacks is its own vertex
      stack.push_back({child, node, top});
    }
    const std::size_t above = parent_[node];
    if (above == kNone || above == came_from) continue;
    const std::uint32_t top = cross(separators, node);
    for (std::size_t w = 0; w < result.words; ++w)
      for (Word fresh = adhesion_.row(above)[w] & ~adhesion_.row(node)[w]; fresh; fresh &= fresh - 1)
        result.set_of[w * 64 + std::countr_zero(fresh)] = top;
    stack.push_back({above, node, top});
  }
  return result;
}

}  // namespace treewright
