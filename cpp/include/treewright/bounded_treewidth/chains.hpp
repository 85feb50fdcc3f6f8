// Treewidth-friendly chains (Elidan & Gould 2008): sets of arcs that may be added together.
//
// Adding s -> t to a network touches a few vertices of its chordal cover, the contaminated ones. Under a node
// order they span a range of positions, and arcs whose ranges follow one another do not disturb each other:
// the best set of them is a weighted interval schedule, and adding it widens the cover by one at most.
#pragma once

#include <array>
#include <span>
#include <vector>

#include "treewright/bounded_treewidth/chordal_cover.hpp"
#include "treewright/graphs/dag_builder.hpp"

namespace treewright {

/// Vertices before their children; blocks depth first; inside a block by distance from where it is entered.
/// What that leaves open (sources, blocks of one vertex, equal distances) goes by `rank`, a permutation.
Order node_order(const ChordalCover& cover, const DagBuilder& dag, std::span<const Vertex> rank);

/// Positions of the first and the last vertex that an arc contaminates.
struct Range {
  static constexpr std::uint32_t unknown = ~std::uint32_t{0};

  std::uint32_t first = unknown - 1, last = 0;  // empty

  void take(std::uint32_t position) {
    first = std::min(first, position);
    last = std::max(last, position);
  }
  void take(const Range& other) {
    first = std::min(first, other.first);
    last = std::max(last, other.last);
  }
};

/// The blocks of an arc's path that hold one vertex: one, or two where it crosses from one to the next.
using Ports = std::array<BlockId, 2>;

struct Reach {
  Range range;
  bool inside_component = false;
  Ports first_ports{kNoBlock, kNoBlock}, last_ports{kNoBlock, kNoBlock};
};

/// How far arcs reach in one order, on one cover. What two sources share is computed once.
class Contamination {
 public:
  Contamination(const ChordalCover& cover, const std::vector<Order>& parents, std::span<const Vertex> order,
                UpdateRule rule);

  /// From now on arcs leave s.
  void leave(Vertex s);
  Reach reach(Vertex t);

 private:
  struct Entry {
    std::vector<Range> crossing, family;  // by place of the exit, by place of the child
  };

  Range crossing(const BlockWalk::Visit& visit, Vertex exit);
  Range crossed(const ChordalBlock& block, std::size_t from, std::size_t to, bool from_source) const;
  Range family(const BlockWalk::Visit& visit, Vertex t);
  Range around_family(const ChordalBlock& block, std::size_t from, Vertex t, bool from_source) const;
  void ring(std::uint32_t visit, Range& range) const;
  Ports ports(std::uint32_t position, std::uint32_t target) const;

  const ChordalCover& cover_;
  const std::vector<Order>& parents_;
  std::span<const Vertex> order_;
  Order position_;
  UpdateRule rule_;
  std::vector<BlockId> home_;
  std::vector<std::size_t> first_entry_;  // of each block
  std::vector<Entry> entries_;            // one for each vertex of each block
  BlockWalk walk_;
  std::vector<Range> before_;  // by visit: all blocks crossed on the way to it
};

struct Candidate {
  Vertex s, t;
  double gain;
  Reach reach;
};

/// The chain of largest total gain, as numbers of candidates in the order in which they follow one another.
/// Candidates that come first win ties.
std::vector<std::size_t> best_chain(std::span<const Candidate> candidates, std::size_t n_positions);

}  // namespace treewright
