// The edges that one new arc asks of a chordal cover: block by block, or all from its tail.
#include <algorithm>

#include "treewright/bounded_treewidth/chordal_cover.hpp"

namespace treewright {

namespace {

/// Collects the edges of one update, and the largest clique that they make.
class Chords {
 public:
  Chords(const ChordalCover& cover, CoverUpdate& update) : cover_(cover), update_(update) {}

  void add(Vertex u, Vertex v) {
    if (u == v || cover_.graph().test(u, v)) return;
    update_.edges.push_back(std::minmax(u, v));
  }

  /// Join `from` to every b and to all inner vertices of the chordless paths of a block from a to b.
  void fan(Vertex from, const ChordalBlock& block, Vertex a, std::span<const Vertex> targets) {
    const std::size_t entry = block.place(a);
    const InducedFrom& induced = block.induced_from(entry);
    std::vector<Word> joined(induced.words, 0);
    for (const Vertex b : targets) {
      const std::size_t place = block.place(b);
      joined[place / 64] |= Word{1} << (place % 64);
      if (const Word* inner = induced.to(place))
        for (std::size_t w = 0; w < joined.size(); ++w) joined[w] |= inner[w];
    }
    for_each_bit(joined.data(), joined.size(), [&](std::size_t v) { add(from, block.members()[v]); });
    // all new edges leave one vertex, so a new clique without it is an old one
    if (from == a) {
      for (std::size_t w = 0; w < joined.size(); ++w) joined[w] |= block.graph().row(entry)[w];
      joined[entry / 64] &= ~(Word{1} << (entry % 64));
    } else {
      joined[entry / 64] |= Word{1} << (entry % 64);
    }
    widen(block.largest_clique(joined));
  }

  /// Triangles over a cycle whose consecutive vertices are joined.
  void zig_zag(const Order& ring) {
    bool left = true;
    for (std::size_t low = 0, high = ring.size() - 1; low < high; left = !left) {
      add(ring[low], ring[high]);
      left ? ++low : --high;
    }
    if (ring.size() > 2) widen(2);
  }

  void widen(std::int64_t width) { update_.block_width = std::max(update_.block_width, width); }

 private:
  const ChordalCover& cover_;
  CoverUpdate& update_;
};

template <class T>
void sort_unique(std::vector<T>& items) {
  std::ranges::sort(items);
  items.erase(std::ranges::unique(items).begin(), items.end());
}

}  // namespace

CoverUpdate ChordalCover::propose(Vertex s, Vertex t, std::span<const Vertex> parents, UpdateRule rule,
                                  BlockWalk& walk) const {
  CoverUpdate update;
  Chords chords(*this, update);
  Order family(parents.begin(), parents.end());
  family.push_back(t);
  walk.run(*this, s);
  const BlockId home_block = home(t, parents);
  const std::uint32_t target = walk.target(t, home_block);
  if (target == BlockWalk::nowhere) {  // another component: the family and s are a clique, no more
    for (const Vertex x : family) chords.add(s, x);
    chords.widen(static_cast<std::int64_t>(family.size()));
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
      chords.fan(rule == UpdateRule::block_wise ? ring[i] : s, block(update.path[i]), ring[i],
                 std::span(&ring[i + 1], 1));
    if (rule == UpdateRule::block_wise) chords.zig_zag(ring);
    // in the last block every chord leaves s, not the entry: else the width could grow by two
    chords.fan(s, block(update.path.back()), ring.back(), family);
    update.replaced = update.path;
    for (const BlockId id : update.path)
      update.merged.insert(update.merged.end(), block(id).members().begin(), block(id).members().end());
  }
  for (const BlockId id : update.replaced) chords.widen(block(id).width());
  sort_unique(update.edges);
  sort_unique(update.merged);
  return update;
}

}  // namespace treewright
