#include "graphs/treewidth/core_search.hpp"

#include <array>
#include <unordered_set>

namespace treewright {

namespace {

/// Is the treewidth of a graph of at most 64 vertices at most `width`? Depth first over elimination orders;
/// what remains after a set of eliminations does not depend on their order, so a set that failed is never
/// retried.
class CoreSearch {
 public:
  using Rows = std::array<Word, 64>;

  CoreSearch(int width, Cancel& cancel) : width_(width), cancel_(cancel) {}

  std::optional<Order> run(const BitMatrix& graph) {
    Rows rows{};
    for (std::size_t v = 0; v < graph.size(); ++v) rows[v] = graph.row(v)[0];
    return extend(rows, all_bits(graph.size())[0]) ? std::optional(order_) : std::nullopt;
  }

 private:
  static int size(Word set) { return static_cast<int>(ones(set)); }
  static std::size_t lowest(Word set) { return static_cast<std::size_t>(std::countr_zero(set)); }

  template <class F>
  static void for_each(Word set, F&& f) {
    for (; set; set &= set - 1) f(lowest(set));
  }

  void eliminate(Rows& rows, Word& alive, std::size_t v) {
    const Word around = rows[v], bit = Word{1} << v;
    for_each(around, [&](std::size_t u) { rows[u] = (rows[u] | around) & ~(bit | Word{1} << u); });
    alive &= ~bit;
    order_.push_back(static_cast<Vertex>(v));
  }

  static int missing(const Rows& rows, std::size_t v, int* most) {
    int total = 0;
    for_each(rows[v], [&](std::size_t u) {
      const int miss = size(rows[v] & ~rows[u]) - 1;
      total += miss, *most = std::max(*most, miss);
    });
    return total / 2;
  }

  /// Safe eliminations until none is left; false if a clique shows that the width does not suffice.
  bool reduce(Rows& rows, Word& alive) {
    for (bool again = true; again;) {
      again = false;
      for (Word rest = alive; rest; rest &= rest - 1) {
        const std::size_t v = lowest(rest);
        int most = 0;
        const int gaps = missing(rows, v, &most), degree = size(rows[v]);
        if (gaps == 0 && degree > width_) return false;
        if (gaps > most || degree > width_) continue;
        eliminate(rows, alive, v);
        again = true;
      }
    }
    return true;
  }

  /// contraction_bound() > width_, on one word per row.
  bool too_wide(Rows rows, Word alive) const {
    while (alive) {
      std::size_t v = 64;
      for_each(alive, [&](std::size_t u) {
        if (v == 64 || size(rows[u]) < size(rows[v])) v = u;
      });
      const int degree = size(rows[v]);
      if (degree > width_) return true;
      if (size(alive) <= width_ + 1) return false;
      std::size_t into = 64;
      int least = 0;
      for_each(rows[v], [&](std::size_t u) {
        const int common = size(rows[u] & rows[v]);
        if (into == 64 || common < least) into = u, least = common;
      });
      const Word bit = Word{1} << v;
      for_each(rows[v], [&](std::size_t u) { rows[u] &= ~bit; });
      alive &= ~bit;
      if (into == 64) continue;
      const Word gained = rows[v] & ~(Word{1} << into);
      rows[into] |= gained;
      for_each(gained, [&](std::size_t u) { rows[u] |= Word{1} << into; });
    }
    return false;
  }

  bool extend(Rows rows, Word alive) {
    cancel_.check();
    const std::size_t mark = order_.size();
    if (!reduce(rows, alive)) return order_.resize(mark), false;
    if (size(alive) <= width_ + 1) {
      for_each(alive, [&](std::size_t v) { order_.push_back(static_cast<Vertex>(v)); });
      return true;
    }
    if (failed_.contains(alive)) return order_.resize(mark), false;
    if (!too_wide(rows, alive)) {
      std::vector<std::pair<int, std::size_t>> candidates;
      for_each(alive, [&](std::size_t v) {
        int most = 0;
        if (size(rows[v]) <= width_) candidates.emplace_back(missing(rows, v, &most), v);
      });
      std::sort(candidates.begin(), candidates.end());
      for (const auto& [_, v] : candidates) {
        Rows after = rows;
        Word left = alive;
        const std::size_t here = order_.size();
        eliminate(after, left, v);
        if (extend(after, left)) return true;
        order_.resize(here);
      }
    }
    failed_.insert(alive);
    order_.resize(mark);
    return false;
  }

  int width_;
  Cancel& cancel_;
  Order order_;
  std::unordered_set<Word> failed_;
};

}  // namespace

std::optional<Order> order_within(const BitMatrix& core, std::int64_t width, Cancel& cancel) {
  return CoreSearch(static_cast<int>(width), cancel).run(core);
}

}  // namespace treewright
