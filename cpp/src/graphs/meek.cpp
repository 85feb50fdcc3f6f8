#include "treewright/graphs/meek.hpp"

#include <algorithm>
#include <functional>
#include <queue>

namespace treewright {
namespace {

class Closure {
 public:
  Closure(Pdag& graph, std::span<const Vertex> ranks)
      : g_(graph),
        adjacent_(graph.adjacency()),
        queued_(graph.size()),
        ranks_(ranks),
        words_(graph.words()) {}

  std::vector<Arc> run(Cancel& cancel) {
    for (Vertex a = 0; a < g_.size(); ++a) push_all_from(a, g_.neighbours.row(a));
    while (!open_.empty()) {
      cancel.check();
      const auto [a, b] = pop();
      if (!g_.neighbours.test(a, b) || !forced(a, b)) continue;
      if (g_.reaches(b, a)) {
        skipped_.emplace_back(a, b);
        continue;
      }
      g_.orient(a, b);
      push_consequences(a, b);
    }
    std::ranges::sort(skipped_);
    skipped_.erase(std::unique(skipped_.begin(), skipped_.end()), skipped_.end());
    return std::move(skipped_);
  }

 private:
  using Entry = std::tuple<Vertex, Vertex, Vertex, Vertex>;  // ranks of a and b, then a and b

  bool forced(Vertex a, Vertex b) const {
    const Word *into_a = g_.parents.row(a), *out_of_a = g_.children.row(a), *beside_a = g_.neighbours.row(a);
    const Word *into_b = g_.parents.row(b), *around_a = adjacent_.row(a), *around_b = adjacent_.row(b);
    bool fan = false, detour = false;
    for (std::size_t i = 0; i < words_; ++i) {
      if (into_a[i] & ~around_b[i]) return true;  // R1: c -> a, c apart from b
      if (out_of_a[i] & into_b[i]) return true;   // R2: a -> c -> b
      fan |= (beside_a[i] & into_b[i]) != 0;
      detour |= (around_a[i] & into_b[i]) != 0;
    }
    return (fan && rule_3(beside_a, into_b)) || (detour && rule_4(beside_a, around_a, around_b, into_b));
  }

  // a - c -> b and a - d -> b, c apart from d
  bool rule_3(const Word* beside_a, const Word* into_b) const {
    bool found = false;
    each_common(beside_a, into_b, [&](std::size_t c) {
      const Word* around_c = adjacent_.row(c);
      for (std::size_t i = 0; i < words_; ++i) {
        const Word itself = c / 64 == i ? Word{1} << (c % 64) : 0;
        found |= (beside_a[i] & into_b[i] & ~around_c[i] & ~itself) != 0;
      }
    });
    return found;
  }

  // a - d -> c -> b, c adjacent to a, d apart from b
  bool rule_4(const Word* beside_a, const Word* around_a, const Word* around_b, const Word* into_b) const {
    bool found = false;
    each_common(around_a, into_b, [&](std::size_t c) {
      const Word* into_c = g_.parents.row(c);
      for (std::size_t i = 0; i < words_; ++i) found |= (into_c[i] & beside_a[i] & ~around_b[i]) != 0;
    });
    return found;
  }

  template <class F>
  void each_common(const Word* one, const Word* other, F&& f) const {
    for (std::size_t i = 0; i < words_; ++i)
      for (Word rest = one[i] & other[i]; rest; rest &= rest - 1)
        f(i * 64 + static_cast<std::size_t>(std::countr_zero(rest)));
  }

  // The premises of a rule that a new a -> b can complete, read off the rules one arrow at a time.
  void push_consequences(Vertex a, Vertex b) {
    push_all_from(b, g_.neighbours.row(b));  // R1
    push_all_from(a, g_.neighbours.row(a));  // R2, first arrow
    push_all_into(b, g_.neighbours.row(b));  // R2, second arrow; R3; R4, second arrow
    each_common(g_.neighbours.row(a), adjacent_.row(b), [&](std::size_t x) {  // R4, first arrow
      each_common(g_.neighbours.row(x), g_.children.row(b),
                  [&](std::size_t y) { push(static_cast<Vertex>(x), static_cast<Vertex>(y)); });
    });
  }

  void push_all_from(Vertex a, const Word* row) {
    for_each_bit(row, words_, [&](std::size_t b) { push(a, static_cast<Vertex>(b)); });
  }
  void push_all_into(Vertex b, const Word* row) {
    for_each_bit(row, words_, [&](std::size_t a) { push(static_cast<Vertex>(a), b); });
  }
  void push(Vertex a, Vertex b) {
    if (queued_.test(a, b)) return;
    queued_.set(a, b);
    open_.emplace(ranks_[a], ranks_[b], a, b);
  }
  Arc pop() {
    const auto [rank_a, rank_b, a, b] = open_.top();
    open_.pop();
    queued_.reset(a, b);
    return {a, b};
  }

  Pdag& g_;
  const BitMatrix adjacent_;
  BitMatrix queued_;
  std::span<const Vertex> ranks_;
  std::size_t words_;
  std::priority_queue<Entry, std::vector<Entry>, std::greater<>> open_;
  std::vector<Arc> skipped_;
};

}  // namespace

std::vector<Arc> close_under_meek(Pdag& graph, std::span<const Vertex> ranks, Cancel& cancel) {
  return Closure(graph, ranks).run(cancel);
}

}  // namespace treewright
