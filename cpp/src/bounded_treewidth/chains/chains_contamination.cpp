// Which positions of the node order a new arc contaminates: the first, the last, and the blocks they lie in.
//
// The contaminated vertices are s, t and the ends of all new edges, see chains_update.cpp. The sets fall
// apart by block: what crossing a block from a to b contributes, and what the last block does, depends on s
// only where s is the entry. So sources share nearly all of the work.
#include "treewright/bounded_treewidth/chains.hpp"

namespace treewright {

Contamination::Contamination(const ChordalCover& cover, const std::vector<Order>& parents,
                             std::span<const Vertex> order, UpdateRule rule)
    : cover_(cover),
      parents_(parents),
      order_(order),
      position_(inverse(order)),
      rule_(rule),
      first_entry_(cover.n_ids()) {
  std::size_t n_entries = 0;
  for (BlockId id = 0; id < cover.n_ids(); ++id) {
    first_entry_[id] = n_entries;
    if (cover.alive(id)) n_entries += cover.block(id).members().size();
  }
  entries_.resize(n_entries);
  for (Vertex t = 0; t < cover.size(); ++t) home_.push_back(cover.home(t, parents[t]));
}

void Contamination::leave(Vertex s) {
  walk_.run(cover_, s);
  before_.assign(walk_.visits().size(), Range{});
  for (std::size_t i = 0; i < before_.size(); ++i) {
    const auto& visit = walk_.visits()[i];
    if (visit.depth == 0) continue;
    before_[i] = before_[visit.before];
    before_[i].take(crossing(walk_.visits()[visit.before], visit.entry));
  }
}

Reach Contamination::reach(Vertex t) {
  Reach reach;
  reach.range.take(position_[walk_.source()]);
  reach.range.take(position_[t]);
  const std::uint32_t target = walk_.target(t, home_[t]);
  if (target == BlockWalk::nowhere) {
    for (const Vertex x : parents_[t]) reach.range.take(position_[x]);
    return reach;
  }
  const auto& visit = walk_.visits()[target];
  reach.inside_component = true;
  reach.range.take(before_[target]);
  if (rule_ == UpdateRule::block_wise) ring(target, reach.range);
  reach.range.take(family(visit, t));
  reach.first_ports = ports(reach.range.first, target);
  reach.last_ports = ports(reach.range.last, target);
  return reach;
}

Range Contamination::crossing(const BlockWalk::Visit& visit, Vertex exit) {
  const ChordalBlock& block = cover_.block(visit.block);
  const std::size_t from = block.place(visit.entry), to = block.place(exit);
  const bool from_source = visit.depth == 0 || rule_ == UpdateRule::block_wise;
  if (rule_ == UpdateRule::single_source && from_source) return crossed(block, from, to, true);
  auto& memo = entries_[first_entry_[visit.block] + from].crossing;
  if (memo.empty()) memo.assign(block.members().size(), Range{Range::unknown, 0});
  if (memo[to].first == Range::unknown) memo[to] = crossed(block, from, to, from_source);
  return memo[to];
}

/// The ends of the edges that crossing a block adds; `from_source`: they leave the entry, not a far vertex.
Range Contamination::crossed(const ChordalBlock& block, std::size_t from, std::size_t to,
                             bool from_source) const {
  Range range;
  const auto take = [&](std::size_t place) { range.take(position_[block.members()[place]]); };
  if (from_source && block.graph().test(from, to)) return range;
  take(to);
  if (from_source) take(from);
  const InducedFrom& induced = block.induced_from(from);
  const Word *inner = induced.to(to), *known = block.graph().row(from);
  if (!inner) return range;
  for (std::size_t w = 0; w < induced.words; ++w)
    for (Word rest = from_source ? inner[w] & ~known[w] : inner[w]; rest; rest &= rest - 1)
      take(w * 64 + std::countr_zero(rest));
  return range;
}

Range Contamination::family(const BlockWalk::Visit& visit, Vertex t) {
  const ChordalBlock& block = cover_.block(visit.block);
  const std::size_t from = block.place(visit.entry);
  if (visit.depth == 0) return around_family(block, from, t, true);
  auto& memo = entries_[first_entry_[visit.block] + from].family;
  if (memo.empty()) memo.assign(block.members().size(), Range{Range::unknown, 0});
  Range& known = memo[block.place(t)];
  if (known.first == Range::unknown) known = around_family(block, from, t, false);
  return known;
}

/// The far ends of the edges from s into the last block, which is entered at `from`.
Range Contamination::around_family(const ChordalBlock& block, std::size_t from, Vertex t,
                                   bool from_source) const {
  const InducedFrom& induced = block.induced_from(from);
  const Word* known = block.graph().row(from);
  std::vector<Word> ends(induced.words, 0);
  const auto take = [&](Vertex x) {
    const std::size_t place = block.place(x);
    ends[place / 64] |= Word{1} << (place % 64);
    if (const Word* inner = induced.to(place))
      for (std::size_t w = 0; w < induced.words; ++w) ends[w] |= inner[w];
  };
  take(t);
  for (const Vertex x : parents_[t]) take(x);
  ends[from / 64] &= ~(Word{1} << (from % 64));
  if (from_source)
    for (std::size_t w = 0; w < induced.words; ++w) ends[w] &= ~known[w];
  Range range;
  for_each_bit(ends.data(), ends.size(),
               [&](std::size_t place) { range.take(position_[block.members()[place]]); });
  return range;
}

/// The zig-zag over n + 1 ring vertices adds an edge at each of them but the one of its last, short edge.
void Contamination::ring(std::uint32_t visit, Range& range) const {
  const std::uint32_t n = walk_.visits()[visit].depth;
  if (n < 2) return;
  const std::uint32_t spared = (n + 1) / 2;
  for (; visit != BlockWalk::nowhere; visit = walk_.visits()[visit].before)
    if (walk_.visits()[visit].depth != spared) range.take(position_[walk_.visits()[visit].entry]);
}

Ports Contamination::ports(std::uint32_t position, std::uint32_t target) const {
  const auto& visits = walk_.visits();
  const Vertex v = order_[position];
  const std::uint32_t reached = v == walk_.source() ? BlockWalk::nowhere : walk_.reaching(v);
  Ports ports{kNoBlock, kNoBlock};
  if (reached != BlockWalk::nowhere) ports[0] = visits[reached].block;
  // the path leaves v's block through v itself if the next block is entered there
  while (target != reached && visits[target].before != reached) target = visits[target].before;
  if (target != reached && visits[target].entry == v) ports[1] = visits[target].block;
  return ports;
}

}  // namespace treewright
