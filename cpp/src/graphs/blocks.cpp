#include "treewright/graphs/blocks.hpp"

namespace treewright {

namespace {

class BlockWalk {
 public:
  BlockWalk(const BitMatrix& graph, Cancel& cancel)
      : graph_(graph),
        cancel_(cancel),
        found_(graph.size(), 0),
        lowest_(graph.size()),
        cursor_(graph.size(), 0) {}

  SetList run() {
    for (std::size_t v = 0; v < graph_.size(); ++v) {
      if (found_[v]) continue;
      if (count_bits(graph_.row(v), graph_.words()) == 0) {
        blocks_.members.push_back(static_cast<Vertex>(v));
        blocks_.close();
      } else {
        walk(static_cast<Vertex>(v));
      }
    }
    return sorted(blocks_);
  }

 private:
  void enter(Vertex v) {
    cancel_.check();
    found_[v] = lowest_[v] = ++time_;
    path_.push_back(v);
    open_.push_back(v);
  }

  /// The next neighbour of v that was not looked at yet.
  std::size_t next_neighbour(Vertex v) {
    for (std::size_t w = cursor_[v] / 64; w < graph_.words(); ++w) {
      Word rest = graph_.row(v)[w];
      if (w == cursor_[v] / 64) rest &= ~Word{0} << (cursor_[v] % 64);
      if (!rest) continue;
      const std::size_t u = w * 64 + std::countr_zero(rest);
      cursor_[v] = u + 1;
      return u;
    }
    cursor_[v] = graph_.words() * 64;
    return kNone;
  }

  void walk(Vertex root) {
    enter(root);
    while (!path_.empty()) {
      const Vertex v = path_.back();
      const std::size_t u = next_neighbour(v);
      if (u == kNone) {
        leave(v);
      } else if (!found_[u]) {
        enter(static_cast<Vertex>(u));
      } else {
        lowest_[v] = std::min(lowest_[v], found_[u]);
      }
    }
    open_.clear();
  }

  void leave(Vertex v) {
    path_.pop_back();
    if (path_.empty()) return;
    const Vertex parent = path_.back();
    lowest_[parent] = std::min(lowest_[parent], lowest_[v]);
    if (lowest_[v] < found_[parent]) return;
    // nothing below v sees above its parent: together they are a block
    Vertex member;
    do {
      member = open_.back();
      open_.pop_back();
      blocks_.members.push_back(member);
    } while (member != v);
    blocks_.members.push_back(parent);
    blocks_.close();
  }

  const BitMatrix& graph_;
  Cancel& cancel_;
  std::vector<std::size_t> found_, lowest_, cursor_;
  std::size_t time_ = 0;
  Order path_, open_;
  SetList blocks_;
};

}  // namespace

SetList biconnected_components(const BitMatrix& graph, Cancel& cancel) {
  return BlockWalk(graph, cancel).run();
}

}  // namespace treewright
