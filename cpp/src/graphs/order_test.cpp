#include "treewright/graphs/order_test.hpp"

#include <algorithm>
#include <bit>
#include <utility>

namespace treewright {
namespace {

constexpr std::size_t kWideWords = 8;  // rows of more words are mostly empty

}  // namespace

OrderTest::OrderTest(std::size_t n, std::size_t bound)
    : bound_(bound),
      order_(n),
      position_(n),
      is_wide_(words_for(n) > kWideWords),
      later_(is_wide_ ? 0 : n),
      lists_(is_wide_ ? n : 0),
      above_(n),
      below_(n),
      waiting_(words_for(n), 0),
      joined_(words_for(n), 0),
      found_in_(is_wide_ ? n : 0, 0) {}

void OrderTest::start(std::span<const Vertex> order) {
  if (std::ranges::equal(order, order_)) return;
  order_.assign(order.begin(), order.end());
  for (std::size_t i = 0; i < order_.size(); ++i) position_[order_[i]] = static_cast<Vertex>(i);
  is_new_ = true;
}

void OrderTest::touch(Vertex u, Vertex v) {
  if (!is_new_) wait(std::min(position_[u], position_[v]));
}

void OrderTest::begin() {
  later_ = BitMatrix(later_.size());
  for (Order& list : lists_) list.clear();
  for (Vertex v = 0; v < order_.size(); ++v) above_[v] = v, below_[v].clear();
  for (std::size_t i = 0; i < order_.size(); ++i) wait(i);
  is_new_ = false;
}

bool OrderTest::holds(const BitMatrix& graph) {
  if (is_new_) begin();
  for (std::size_t w = 0; w < waiting_.size(); ++w)
    while (waiting_[w]) {
      const auto bit = static_cast<std::size_t>(std::countr_zero(waiting_[w]));
      if (!settle(w * 64 + bit, graph)) return false;  // it keeps waiting, as do those above
      waiting_[w] &= ~(Word{1} << bit);
    }
  return true;
}

/// All before it are settled, and those that it makes wait go later.
bool OrderTest::settle(std::size_t place, const BitMatrix& graph) {
  const Vertex v = order_[place];
  return is_wide_ ? settle_list(v, graph) : settle_bits(v, graph);
}

bool OrderTest::settle_bits(Vertex v, const BitMatrix& graph) {
  std::ranges::fill(joined_, 0);
  for_each_bit(graph.row(v), graph.words(), [&](std::size_t u) {
    if (position_[u] > position_[v]) joined_[u / 64] |= Word{1} << (u % 64);
  });
  for (const Vertex c : below_[v])
    for (std::size_t w = 0; w < joined_.size(); ++w) joined_[w] |= later_.row(c)[w];
  joined_[v / 64] &= ~(Word{1} << (v % 64));
  if (count_bits(joined_.data(), joined_.size()) > bound_) return false;
  if (std::equal(joined_.begin(), joined_.end(), later_.row(v))) return true;
  std::ranges::copy(joined_, later_.row(v));
  hang(v);
  return true;
}

bool OrderTest::settle_list(Vertex v, const BitMatrix& graph) {
  found_.clear();
  found_in_[v] = ++round_;
  const auto find = [&](Vertex u) {
    if (std::exchange(found_in_[u], round_) != round_) found_.push_back(u);
  };
  for_each_bit(graph.row(v), graph.words(), [&](std::size_t u) {
    if (position_[u] > position_[v]) find(static_cast<Vertex>(u));
  });
  for (const Vertex c : below_[v])
    for (const Vertex u : lists_[c]) find(u);
  if (found_.size() > bound_) return false;
  std::ranges::sort(found_);
  if (found_ == lists_[v]) return true;
  lists_[v] = found_;
  hang(v);
  return true;
}

/// On the first to go of those that it was joined to, which has to be looked at again.
void OrderTest::hang(Vertex v) {
  Vertex heir = v;
  for_each_later(v, [&](Vertex u) {
    if (heir == v || position_[u] < position_[heir]) heir = u;
  });
  if (const Vertex before = above_[v]; before != heir) {
    if (before != v) std::erase(below_[before], v), wait(position_[before]);
    if (heir != v) below_[heir].push_back(v);
    above_[v] = heir;
  }
  if (heir != v) wait(position_[heir]);
}

}  // namespace treewright
