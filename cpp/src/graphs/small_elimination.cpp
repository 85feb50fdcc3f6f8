#include "graphs/small_elimination.hpp"

namespace treewright {

void SmallElimination::start(std::size_t n) {
  n_ = n_left_ = n;
  words_ = words_for(n);
  if (words_ == 3) words_ = 4;
  n_edges_ = n_eliminated_ = 0;
  bits_.assign(n * words_, 0);
  degree_.resize(n);
  alive_.assign(n, 1);
  waiting_.assign(n, 0);
  stale_.clear();
  fills_.clear();
  order_.clear();
  queue_.clear();
}

void SmallElimination::join_all(std::span<const Vertex> clique) {
  if (words_ == 1) {
    Word all = 0;
    for (const Vertex v : clique) all |= Word{1} << v;
    for (const Vertex v : clique) bits_[v] |= all & ~(Word{1} << v);
    return;
  }
  for (const Vertex u : clique)
    for (const Vertex v : clique)
      if (u != v) see(u, v);
}

void SmallElimination::count_degrees() {
  for (std::size_t v = 0; v < n_; ++v) {
    std::size_t degree = 0;
    for (std::size_t w = 0; w < words_; ++w) degree += ones(row(v)[w]);
    degree_[v] = degree;
    n_edges_ += degree;
  }
  n_edges_ /= 2;
}

bool SmallElimination::run(std::size_t width, bool guesses, Cancel& cancel) {
  cancel.check();
  is_certain_ = true;
  count_degrees();
  const bool fits = words_ <= 1   ? take_apart<1>(width, guesses)
                    : words_ == 2 ? take_apart<2>(width, guesses)
                    : words_ == 4 ? take_apart<4>(width, guesses)
                                  : take_apart<0>(width, guesses);
  n_eliminated_ = order_.size();
  for (Vertex v = 0; fits && v < n_; ++v)
    if (alive_[v]) order_.push_back(v);
  return fits;
}

template <std::size_t Words>
bool SmallElimination::take_apart(std::size_t width, bool guesses) {
  for (Vertex v = 0; v < n_; ++v)
    if (degree_[v] <= width) push(v);
  std::size_t next = 0;
  // first in, first out: the graph goes from its rim inwards, and what depends on a vertex stays short
  while (n_left_ > width + 1) {
    if (n_edges_ > most_edges(width)) return false;
    Gaps found;
    std::size_t v = kNone;
    if (next < queue_.size()) {
      v = queue_[next++];
      waiting_[v] = 0;
      if (!alive_[v] || degree_[v] > width || !is_safe<Words>(static_cast<Vertex>(v), found)) continue;
    } else {
      if (!guesses) return false;
      if (stale_.empty()) gaps_.resize(n_), stale_.assign(n_, 1);
      v = cheapest<Words>(width);
      if (v == kNone) return false;
      found = gaps_[v];
      is_certain_ = false;
      queue_.clear(), next = 0;
    }
    eliminate<Words>(static_cast<Vertex>(v), found, width);
  }
  return true;
}

template <std::size_t Words>
std::size_t SmallElimination::missing_at(Vertex v, Vertex neighbour) const {
  const std::size_t words = Words ? Words : words_;
  const Word *own = row(v), *other = row(neighbour);
  std::size_t total = 0;
  for (std::size_t w = 0; w < words; ++w) {
    const Word missing = own[w] & ~other[w];
    total += missing & (missing - 1) ? ones(missing) : missing != 0;  // mostly none, or itself alone
  }
  return total - 1;
}

/// One neighbour less, at most, and the rest is a clique.
template <std::size_t Words>
bool SmallElimination::is_safe(Vertex v, Gaps& gaps) const {
  const std::size_t words = Words ? Words : words_;
  std::size_t lacking = 0;
  for (std::size_t w = 0; w < words; ++w)
    for (Word rest = row(v)[w]; rest; rest &= rest - 1) {
      const auto u = static_cast<Vertex>(w * 64 + std::countr_zero(rest));
      const std::size_t miss = missing_at<Words>(v, u);
      if (miss == 0) continue;
      if (miss >= 2 && ++lacking == 2) return false;
      gaps.missing += miss;
      if (miss > gaps.most) gaps.odd = u, gaps.most = miss;
    }
  gaps.missing /= 2;
  return gaps.missing == gaps.most;
}

template <std::size_t Words>
SmallElimination::Gaps SmallElimination::gaps(Vertex v) const {
  Gaps result;
  for_each_bit(row(v), Words ? Words : words_, [&](std::size_t u) {
    const std::size_t miss = missing_at<Words>(v, static_cast<Vertex>(u));
    result.missing += miss;
    if (miss > result.most) result.odd = static_cast<Vertex>(u), result.most = miss;
  });
  result.missing /= 2;
  return result;
}

/// Of the vertices of degree within the width the one that adds fewest edges; ties by degree, then number.
template <std::size_t Words>
std::size_t SmallElimination::cheapest(std::size_t width) {
  std::size_t best = kNone;
  for (Vertex v = 0; v < n_; ++v) {
    if (!alive_[v] || degree_[v] > width) continue;
    if (std::exchange(stale_[v], 0)) gaps_[v] = gaps<Words>(v);
    if (best == kNone || gaps_[v].missing < gaps_[best].missing ||
        (gaps_[v].missing == gaps_[best].missing && degree_[v] < degree_[best]))
      best = v;
  }
  return best;
}

/// An edge that came makes its ends' common neighbours safer, and nobody else.
template <std::size_t Words>
void SmallElimination::touch_between(Vertex u, Vertex v, std::size_t width) {
  const std::size_t words = Words ? Words : words_;
  for (std::size_t w = 0; w < words; ++w)
    for (Word both = row(u)[w] & row(v)[w]; both; both &= both - 1)
      touch(static_cast<Vertex>(w * 64 + std::countr_zero(both)), width);
}

/// Joins a neighbour of v to all others.
template <std::size_t Words>
void SmallElimination::complete(Vertex v, Vertex neighbour) {
  const std::size_t words = Words ? Words : words_;
  for (std::size_t w = 0; w < words; ++w) {
    Word missing = row(v)[w] & ~row(neighbour)[w];
    if (w == neighbour / 64) missing &= ~(Word{1} << (neighbour % 64));
    for (; missing; missing &= missing - 1) {
      const auto other = static_cast<Vertex>(w * 64 + std::countr_zero(missing));
      join(neighbour, other);
      fills_.push_back({v, neighbour, other});
    }
  }
}

template <std::size_t Words>
void SmallElimination::eliminate(Vertex v, const Gaps& gaps, std::size_t width) {
  const std::size_t words = Words ? Words : words_;
  const std::size_t first_fill = fills_.size();
  neighbours_.clear();
  for_each_bit(row(v), words, [&](std::size_t u) { neighbours_.push_back(static_cast<Vertex>(u)); });
  if (gaps.missing > 0 && gaps.missing == gaps.most) {
    complete<Words>(v, gaps.odd);
  } else if (gaps.missing > 0) {
    for (const Vertex u : neighbours_) complete<Words>(v, u);
  }
  alive_[v] = 0;
  --n_left_;
  n_edges_ -= degree_[v];
  order_.push_back(v);
  for (const Vertex u : neighbours_) row(u)[v / 64] &= ~(Word{1} << (v % 64)), --degree_[u];
  for (const Vertex u : neighbours_) touch(u, width);
  for (std::size_t i = first_fill; i < fills_.size(); ++i)
    touch_between<Words>(fills_[i].u, fills_[i].v, width);
}

}  // namespace treewright
