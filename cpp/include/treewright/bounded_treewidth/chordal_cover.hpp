// A chordal graph that grows arc by arc, kept as its blocks (Elidan & Gould 2008).
//
// The graph covers the moral graph of a network. An arc s -> t makes s, t and the parents of t a clique; the
// edges that keep the graph chordal lie in the blocks between s and that family, which become one block.
// Everything outside stays as it is, and what was computed for other blocks stays true.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "treewright/graphs/chordal.hpp"
#include "treewright/graphs/dag.hpp"

namespace treewright {

using BlockId = std::uint32_t;
inline constexpr BlockId kNoBlock = ~BlockId{0};

/// A block as a graph of its own, whose vertices are places among the members.
class ChordalBlock {
 public:
  /// `order` is perfect for `graph`.
  ChordalBlock(Order members, BitMatrix graph, std::span<const Vertex> order);

  const Order& members() const { return members_; }  // rising
  const BitMatrix& graph() const { return graph_; }
  std::int64_t width() const { return width_; }
  bool holds(Vertex v) const;
  /// Of a member.
  std::size_t place(Vertex v) const;

  /// Inner vertices of the chordless paths from one place to all others, as places. Valid until the next
  /// call; blocks of at most `remembered` members keep them.
  const InducedFrom& induced_from(std::size_t place) const;

  /// Size of the largest clique inside a set of places.
  std::int64_t largest_clique(const std::vector<Word>& places) const {
    return induced_.largest_clique(places.data());
  }

  static constexpr std::size_t remembered = 512;

 private:
  Order members_;
  BitMatrix graph_;
  InducedNodes induced_;
  std::int64_t width_;
  mutable std::vector<std::unique_ptr<InducedFrom>> memo_;
};

/// Whether chords leave the near end of every block crossed, or all of them the tail of the new arc.
enum class UpdateRule { block_wise, single_source };

class ChordalCover;

/// The block tree seen from one vertex: every block that it reaches, nearer ones first.
class BlockWalk {
 public:
  static constexpr std::uint32_t nowhere = ~std::uint32_t{0};

  struct Visit {
    BlockId block;
    Vertex entry;          // where the walk enters; the source itself in its own blocks
    std::uint32_t before;  // the visit it came from
    std::uint32_t depth;   // blocks crossed before
  };

  void run(const ChordalCover& cover, Vertex source);

  Vertex source() const { return source_; }
  const std::vector<Visit>& visits() const { return visits_; }
  /// The visit that reaches a vertex first, or `nowhere`: the source, and what is not connected to it.
  std::uint32_t reaching(Vertex v) const { return reaching_[v]; }
  std::uint32_t visit_of(BlockId block) const { return visit_of_[block]; }
  /// Where an arc from the source to t ends: the nearest block that holds all of t's family.
  std::uint32_t target(Vertex t, BlockId home) const {
    return home == kNoBlock ? reaching_[t] : visit_of_[home];
  }
  /// Visits from the source's own block up to this one.
  std::vector<std::uint32_t> path(std::uint32_t visit) const;

 private:
  Vertex source_ = 0;
  std::vector<Visit> visits_;
  std::vector<std::uint32_t> reaching_, visit_of_;
};

/// What adding one arc would do to a cover.
struct CoverUpdate {
  std::vector<Arc> edges;         // those that the cover lacks, smaller end first, sorted
  std::vector<BlockId> path;      // blocks between s and the family of t; empty between components
  std::vector<BlockId> replaced;  // blocks that become one
  Order merged;                   // the vertices of that one
  std::int64_t block_width = 0;   // of that one: all it takes are the cliques that new edges make
};

class ChordalCover {
 public:
  /// Throws std::invalid_argument unless the graph is chordal.
  ChordalCover(BitMatrix chordal, Cancel& cancel);
  ChordalCover(ChordalCover&&) = default;
  ChordalCover& operator=(ChordalCover&&) = default;

  std::size_t size() const { return graph_.size(); }
  const BitMatrix& graph() const { return graph_; }
  std::int64_t width() const { return width_; }
  const ChordalBlock& block(BlockId id) const { return *blocks_[id]; }
  bool alive(BlockId id) const { return blocks_[id] != nullptr; }
  std::size_t n_ids() const { return blocks_.size(); }  // of blocks that are or were
  std::span<const BlockId> blocks_of(Vertex v) const { return blocks_of_[v]; }
  bool isolated(Vertex v) const { return block(blocks_of_[v].front()).members().size() == 1; }

  /// The block that holds a child and its parents; kNoBlock without parents.
  BlockId home(Vertex child, std::span<const Vertex> parents) const;

  /// What the arc s -> t asks for; the family of t must be a clique of the cover.
  CoverUpdate propose(Vertex s, Vertex t, std::span<const Vertex> parents, UpdateRule rule,
                      BlockWalk& walk) const;
  /// False, and nothing is changed, if the result would not be chordal or wider than `limit`.
  bool accept(const CoverUpdate& update, std::int64_t limit, Cancel& cancel);

 private:
  BlockId insert(std::unique_ptr<ChordalBlock> block);

  BitMatrix graph_;
  std::vector<std::unique_ptr<ChordalBlock>> blocks_;
  std::vector<std::vector<BlockId>> blocks_of_;
  std::int64_t width_ = -1;
};

/// The subgraph over some vertices, numbered by their place in the list.
BitMatrix induced_subgraph(const BitMatrix& graph, std::span<const Vertex> vertices);

}  // namespace treewright
