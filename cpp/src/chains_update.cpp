// The edges that one new arc asks of a chordal cover: block by block, or all from its tail.
#include <algorithm>
#include <limits>

#include "treewright/chordal_cover.hpp"

namespace treewright {

namespace {

/// Collects the edges of one update.
class Chords {
 public:
  Chords(const ChordalCover& cover, std::vector<Arc>& edges) : cover_(cover), edges_(edges) {}

  void add(Vertex u, Vertex v) {
    if (u != v && !cover_.graph().test(u, v)) edges_.push_back(std::minmax(u, v));
  }

  /// `from` to b and to all inner vertices of the chordless a-b paths of a block.
  void fan(Vertex from, const ChordalBlock& block, Vertex a, Vertex b) {
    add(from, b);
    const InducedFrom& induced = block.induced_from(block.place(a));
    if (const Word* inner = induced.to(block.place(b)))
      for_each_bit(inner, induced.words, [&](std::size_t v) { add(from, block.members()[v]); });
  }

  /// Triangles over a cycle whose consecutive vertices are joined.
  void zig_zag(const Order& ring) {
    bool left = true;
    for (std::size_t low = 0, high = ring.size() - 1; low < high; left = !left) {
      add(ring[low], ring[high]);
      left ? ++low : --high;
    }
  }

 private:
  const ChordalCover& cover_;
  std::vector<Arc>& edges_;
};

}  // namespace

CoverUpdate ChordalCover::propose(Vertex s, Vertex t, std::span<const Vertex> parents, UpdateRule rule,
                                  BlockWalk& walk, Cancel& cancel) const {
  CoverUpdate update;
  Chords chords(*this, update.edges);
  Order family(parents.begin(), parents.end());
  family.push_back(t);
  walk.run(*this, s);
  const BlockId home_block = home(t, parents);
  const std::uint32_t target = walk.target(t, home_block);
  if (target == BlockWalk::nowhere) {  // another component: the family and s are a clique, no more
    for (const Vertex x : family) chords.add(s, x);
    if (home_block != kNoBlock) update.replaced.push_back(home_block);
    for (const Vertex v : {s, t})
      if (isolated(v)) update.replaced.push_back(blocks_of_[v].front());
    update.merged = home_block == kNoBlock ? Order{t} : block(home_block).members();
    update.merged.push_back(s);
  } else {
    Order ring;
    for (const std::uint32_t i : walk.path(target)) {
      update.path.push_back(walk.visits()[i].block);
      ring.push_back(walk.visits()[i].entry);
    }
    for (std::size_t i = 0; i + 1 < ring.size(); ++i)
      chords.fan(rule == UpdateRule::block_wise ? ring[i] : s, block(update.path[i]), ring[i], ring[i + 1]);
    if (rule == UpdateRule::block_wise) chords.zig_zag(ring);
    // in the last block every chord leaves s, not the entry: else the width could grow by two
    for (const Vertex x : family) chords.fan(s, block(update.path.back()), ring.back(), x);
    update.replaced = update.path;
    for (const BlockId id : update.path)
      update.merged.insert(update.merged.end(), block(id).members().begin(), block(id).members().end());
  }
  std::ranges::sort(update.edges);
  update.edges.erase(std::ranges::unique(update.edges).begin(), update.edges.end());
  std::ranges::sort(update.merged);
  update.merged.erase(std::ranges::unique(update.merged).begin(), update.merged.end());
  settle(update, cancel);
  return update;
}

void ChordalCover::settle(CoverUpdate& update, Cancel& cancel) const {
  update.width = width_;
  if (update.edges.empty()) return;
  BitMatrix inner = induced_subgraph(graph_, update.merged);
  const auto place = [&](Vertex v) {
    return static_cast<std::size_t>(std::ranges::lower_bound(update.merged, v) - update.merged.begin());
  };
  for (const auto& [u, v] : update.edges) inner.join(place(u), place(v));
  const auto order = perfect_order(inner, cancel);
  if (!order) {
    update.width = std::numeric_limits<std::int64_t>::max();
    return;
  }
  update.block = std::make_unique<ChordalBlock>(update.merged, std::move(inner), *order);
  update.width = std::max(width_, update.block->width());
}

}  // namespace treewright
