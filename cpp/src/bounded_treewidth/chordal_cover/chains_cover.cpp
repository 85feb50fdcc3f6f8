// Blocks of a chordal cover: how they are found, walked over and merged.
#include <algorithm>
#include <stdexcept>

#include "treewright/bounded_treewidth/chordal_cover.hpp"
#include "treewright/graphs/blocks.hpp"

namespace treewright {

BitMatrix induced_subgraph(const BitMatrix& graph, std::span<const Vertex> vertices) {
  std::vector<std::size_t> place(graph.size(), kNone);
  for (std::size_t i = 0; i < vertices.size(); ++i) place[vertices[i]] = i;
  BitMatrix result(vertices.size());
  for (std::size_t i = 0; i < vertices.size(); ++i)
    for_each_bit(graph.row(vertices[i]), graph.words(), [&](std::size_t u) {
      if (place[u] != kNone) result.set(i, place[u]);
    });
  return result;
}

ChordalBlock::ChordalBlock(Order members, BitMatrix graph, std::span<const Vertex> order)
    : members_(std::move(members)),
      graph_(std::move(graph)),
      induced_(graph_, order),
      width_(induced_.width()),
      memo_(members_.size() <= remembered ? members_.size() : 1) {}

bool ChordalBlock::holds(Vertex v) const { return std::binary_search(members_.begin(), members_.end(), v); }

std::size_t ChordalBlock::place(Vertex v) const {
  return static_cast<std::size_t>(std::lower_bound(members_.begin(), members_.end(), v) - members_.begin());
}

const InducedFrom& ChordalBlock::induced_from(std::size_t place) const {
  const bool keep = members_.size() <= remembered;
  auto& memo = memo_[keep ? place : 0];
  if (!memo || !keep) memo = std::make_unique<InducedFrom>(induced_.from(static_cast<Vertex>(place)));
  return *memo;
}

void BlockWalk::run(const ChordalCover& cover, Vertex source) {
  source_ = source;
  visits_.clear();
  reaching_.assign(cover.size(), nowhere);
  visit_of_.assign(cover.n_ids(), nowhere);
  const auto enter = [&](Vertex entry, BlockId from, std::uint32_t before, std::uint32_t depth) {
    for (const BlockId id : cover.blocks_of(entry)) {
      if (id == from) continue;
      visit_of_[id] = static_cast<std::uint32_t>(visits_.size());
      visits_.push_back({id, entry, before, depth});
    }
  };
  enter(source, kNoBlock, nowhere, 0);
  for (std::uint32_t i = 0; i < visits_.size(); ++i) {
    const Visit visit = visits_[i];
    for (const Vertex v : cover.block(visit.block).members()) {
      if (v == visit.entry) continue;
      reaching_[v] = i;
      enter(v, visit.block, i, visit.depth + 1);
    }
  }
}

std::vector<std::uint32_t> BlockWalk::path(std::uint32_t visit) const {
  std::vector<std::uint32_t> path(visits_[visit].depth + 1);
  for (std::size_t i = path.size(); i-- > 0; visit = visits_[visit].before) path[i] = visit;
  return path;
}

ChordalCover::ChordalCover(BitMatrix chordal, Cancel& cancel)
    : graph_(std::move(chordal)), blocks_of_(graph_.size()) {
  const SetList blocks = biconnected_components(graph_, cancel);
  for (std::size_t i = 0; i < blocks.size(); ++i) {
    Order members(blocks[i].begin(), blocks[i].end());
    BitMatrix inner = induced_subgraph(graph_, members);
    const auto order = perfect_order(inner, cancel);
    if (!order) throw std::invalid_argument("the cover must be chordal");
    insert(std::make_unique<ChordalBlock>(std::move(members), std::move(inner), *order));
  }
}

BlockId ChordalCover::insert(std::unique_ptr<ChordalBlock> block) {
  const auto id = static_cast<BlockId>(blocks_.size());
  for (const Vertex v : block->members()) blocks_of_[v].push_back(id);
  width_ = std::max(width_, block->width());
  blocks_.push_back(std::move(block));
  return id;
}

BlockId ChordalCover::home(Vertex child, std::span<const Vertex> parents) const {
  if (parents.empty()) return kNoBlock;
  for (const BlockId id : blocks_of_[child])
    if (block(id).holds(parents.front())) return id;  // two blocks never share two vertices
  throw std::logic_error("a family lies in no block of its cover");
}

bool ChordalCover::accept(const CoverUpdate& update, std::int64_t limit, Cancel& cancel) {
  if (update.edges.empty()) return width_ <= limit;
  BitMatrix inner = induced_subgraph(graph_, update.merged);
  const auto place = [&](Vertex v) {
    return static_cast<std::size_t>(std::ranges::lower_bound(update.merged, v) - update.merged.begin());
  };
  for (const auto& [u, v] : update.edges) inner.join(place(u), place(v));
  const auto order = perfect_order(inner, cancel);
  if (!order) return false;
  auto block = std::make_unique<ChordalBlock>(update.merged, std::move(inner), *order);
  if (block->width() > limit) return false;
  for (const auto& [u, v] : update.edges) graph_.join(u, v);
  for (const BlockId id : update.replaced) {
    for (const Vertex v : this->block(id).members()) std::erase(blocks_of_[v], id);
    blocks_[id].reset();
  }
  insert(std::move(block));
  return true;
}

}  // namespace treewright
