#include "treewright/graphs/order_test.hpp"

#include <algorithm>
#include <bit>

namespace treewright {

OrderTest::OrderTest(std::size_t n, std::size_t bound)
    : bound_(bound),
      order_(n),
      position_(n),
      later_(n),
      above_(n),
      below_(n),
      waiting_(words_for(n), 0),
      joined_(words_for(n), 0) {}

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
  later_ = BitMatrix(order_.size());
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
  std::ranges::fill(joined_, 0);
  for_each_bit(graph.row(v), graph.words(), [&](std::size_t u) {
    if (position_[u] > place) joined_[u / 64] |= Word{1} << (u % 64);
  });
  for (const Vertex c : below_[v])
    for (std::size_t w = 0; w < joined_.size(); ++w) joined_[w] |= later_.row(c)[w];
  joined_[v / 64] &= ~(Word{1} << (v % 64));
  if (count_bits(joined_.data(), joined_.size()) > bound_) return false;
  if (std::equal(joined_.begin(), joined_.end(), later_.row(v))) return true;
  std::ranges::copy(joined_, later_.row(v));
  Vertex heir = v;
  for_each_bit(joined_.data(), joined_.size(), [&](std::size_t u) {
    if (heir == v || position_[u] < position_[heir]) heir = static_cast<Vertex>(u);
  });
  hang(v, heir);
  return true;
}

void OrderTest::hang(Vertex v, Vertex heir) {
  if (const Vertex before = above_[v]; before != heir) {
    if (before != v) std::erase(below_[before], v), wait(position_[before]);
    if (heir != v) below_[heir].push_back(v);
    above_[v] = heir;
  }
  if (heir != v) wait(position_[heir]);
}

}  // namespace treewright
