// The node order of the chains: contamination inside a block then never runs past the head of its arc.
#include <algorithm>
#include <queue>
#include <tuple>

#include "treewright/bounded_treewidth/chains.hpp"

namespace treewright {

namespace {

class NodeKeys {
 public:
  // block in turn, distance from its entry, rank
  using Key = std::tuple<std::size_t, std::size_t, std::size_t>;

  NodeKeys(const ChordalCover& cover, std::span<const Vertex> rank)
      : cover_(cover),
        rank_(rank),
        ranked_(inverse(rank)),
        members_(cover.n_ids()),
        keyed_(cover.size(), 0),
        keys_(cover.size()) {
    for (BlockId id = 0; id < cover.n_ids(); ++id) {
      if (!cover.alive(id)) continue;
      for (const Vertex v : cover.block(id).members()) members_[id].push_back(rank[v]);
      std::ranges::sort(members_[id]);
    }
  }

  const Key& operator[](Vertex v) const { return keys_[v]; }
  const Order& by_rank() const { return ranked_; }

  /// Walk over the blocks of a component, from one of its vertices.
  void walk(Vertex root) {
    if (keyed_[root]) return;
    set(root, {counter_++, 0, rank_[root]});
    push_blocks(root, kNoBlock);
    while (!stack_.empty()) {
      const auto [id, entry] = stack_.back();
      stack_.pop_back();
      std::vector<Key> inner = keys_inside(cover_.block(id), entry, counter_++);
      std::ranges::sort(inner);
      for (const Key& key : inner) set(vertex(key), key);
      for (std::size_t i = inner.size(); i-- > 0;) push_blocks(vertex(inner[i]), id);
    }
  }

 private:
  Vertex vertex(const Key& key) const { return ranked_[std::get<2>(key)]; }
  void set(Vertex v, const Key& key) { keys_[v] = key, keyed_[v] = 1; }

  /// The block of smallest members ends on top.
  void push_blocks(Vertex v, BlockId except) {
    std::vector<BlockId> ids;
    for (const BlockId id : cover_.blocks_of(v))
      if (id != except) ids.push_back(id);
    std::ranges::sort(ids, [&](BlockId a, BlockId b) { return members_[b] < members_[a]; });
    for (const BlockId id : ids) stack_.emplace_back(id, v);
  }

  std::vector<Key> keys_inside(const ChordalBlock& block, Vertex entry, std::size_t turn) const {
    const std::size_t n = block.members().size();
    std::vector<std::size_t> distance(n, kNone), queue{block.place(entry)};
    distance[queue.front()] = 0;
    std::vector<Key> keys;
    for (std::size_t i = 0; i < queue.size(); ++i)
      for_each_bit(block.graph().row(queue[i]), block.graph().words(), [&](std::size_t u) {
        if (distance[u] != kNone) return;
        distance[u] = distance[queue[i]] + 1;
        queue.push_back(u);
        keys.emplace_back(turn, distance[u], rank_[block.members()[u]]);
      });
    return keys;
  }

  const ChordalCover& cover_;
  std::span<const Vertex> rank_;
  Order ranked_;                // vertices by rank
  std::vector<Order> members_;  // of each block, as ranks, rising
  std::vector<char> keyed_;
  std::vector<Key> keys_;
  std::vector<std::pair<BlockId, Vertex>> stack_;
  std::size_t counter_ = 0;
};

}  // namespace

Order node_order(const ChordalCover& cover, const DagBuilder& dag, std::span<const Vertex> rank) {
  NodeKeys keys(cover, rank);
  const std::size_t n = cover.size(), words = dag.parents().words();
  std::vector<std::size_t> waiting(n);
  for (const Vertex v : keys.by_rank()) {
    waiting[v] = count_bits(dag.parents().row(v), words);
    if (waiting[v] == 0) keys.walk(v);
  }
  const auto later = [&](Vertex u, Vertex v) { return keys[v] < keys[u]; };
  std::priority_queue<Vertex, Order, decltype(later)> ready(later);
  for (Vertex v = 0; v < n; ++v)
    if (waiting[v] == 0) ready.push(v);
  Order order;
  while (!ready.empty()) {
    const Vertex v = ready.top();
    ready.pop();
    order.push_back(v);
    for_each_bit(dag.children().row(v), words, [&](std::size_t c) {
      if (--waiting[c] == 0) ready.push(static_cast<Vertex>(c));
    });
  }
  return order;
}

}  // namespace treewright
