#include "treewright/bounded_treewidth/cover_tree.hpp"

#include <numeric>
#include <utility>

namespace treewright {
namespace {

constexpr std::size_t kMostAbove = 24;  // exchanging two that carry more hardly ever gains, and costs most

/// Room for one more clique.
Vertex* add(CoverChange& change, Vertex v, std::size_t width) {
  change.vertices.push_back(v);
  change.cliques.resize(change.vertices.size() * width);
  return change.cliques.data() + (change.vertices.size() - 1) * width;
}

void begin(CoverChange& change, CoverChange::Kind kind, Vertex first, Vertex second) {
  change.kind = kind;
  change.first = first;
  change.second = second;
  change.vertices.clear();
}

}  // namespace

CoverTree::CoverTree(std::size_t n, std::size_t width)
    : width_(width), cliques_(n * width), sizes_(n), above_(n), came_(n) {}

void CoverTree::plant(const BitMatrix& graph, const Order& visit) {
  for (Order& above : above_) above.clear();
  std::vector<char> has_come(size(), 0);
  for (const Vertex v : visit) {
    sizes_[v] = 0;
    for_each_bit(graph.row(v), graph.words(), [&](std::size_t u) {
      if (!has_come[u]) return;
      cliques_[v * width_ + sizes_[v]++] = static_cast<Vertex>(u);
      above_[u].push_back(v);
    });
    has_come[v] = 1;
    came_[v] = ++clock_;
  }
}

BitMatrix CoverTree::graph() const {
  BitMatrix graph(size());
  for (Vertex v = 0; v < size(); ++v)
    for (const Vertex u : clique(v)) graph.join(u, v);
  return graph;
}

Order CoverTree::elimination_order() const {
  Order order(size());
  std::iota(order.begin(), order.end(), Vertex{0});
  std::ranges::sort(order, std::ranges::greater{}, [&](Vertex v) { return came_[v]; });
  return order;
}

Order CoverTree::draw_ball(std::size_t wanted, QuickDraws& draws) const {
  Order ball{static_cast<Vertex>(draws.below(size()))}, around;
  std::vector<char> seen(size(), 0);
  seen[ball.front()] = 1;
  for (std::size_t i = 0; i < ball.size() && ball.size() < wanted; ++i) {
    around.assign(clique(ball[i]).begin(), clique(ball[i]).end());
    around.insert(around.end(), above_[ball[i]].begin(), above_[ball[i]].end());
    draws.shuffle(around);
    for (const Vertex u : around)
      if (ball.size() < wanted && !std::exchange(seen[u], 1)) ball.push_back(u);
  }
  return ball;
}

/// The bag of a vertex is itself with its clique: one of the bags that hold a vertex.
Vertex CoverTree::draw_bag(Vertex holding, QuickDraws& draws) const {
  const Order& above = above_[holding];
  const std::size_t drawn = draws.below(above.size() + 1);
  return drawn == above.size() ? holding : above[drawn];
}

bool CoverTree::draw_leaf(Vertex v, Vertex near, QuickDraws& draws, CoverChange& change) const {
  if (!above_[v].empty() || !is_full(v) || near == v) return false;
  const Vertex bag = draw_bag(near, draws);
  if (bag == v || !is_full(bag)) return false;
  begin(change, CoverChange::Kind::leaf, v, v);
  Vertex* row = add(change, v, width_);
  const auto member = [&](std::size_t i) { return i == width_ ? bag : clique(bag)[i]; };
  std::size_t out = draws.below(width_);
  if (member(out) == near) out = width_;
  for (std::size_t i = 0; i <= width_; ++i)
    if (i != out) *row++ = member(i);
  std::sort(row - width_, row);
  return !std::ranges::equal(clique(v), change.cliques);
}

/// Where v's clique is R + c, a vertex d that came before v and makes R + d a clique takes the place of c.
/// Who stands on c beside a vertex that has slid would no longer stand on a clique, and slides too.
bool CoverTree::draw_slide(Vertex v, QuickDraws& draws, CoverChange& change) const {
  if (!is_full(v) || width_ < 2) return false;
  const std::size_t out = draws.below(width_);
  std::size_t kept = draws.below(width_ - 1);
  kept += kept >= out;
  const Vertex c = clique(v)[out], bag = draw_bag(clique(v)[kept], draws);
  const auto is_kept = [&](Vertex u) { return u != c && stands_on(v, u); };
  Vertex offered[2];  // a bag has K + 1 members, and must hold the K - 1 that are kept
  std::size_t n_offered = 0, n_kept = 0;
  const auto look_at = [&](Vertex u) {
    if (is_kept(u)) {
      ++n_kept;
    } else if (n_offered < 2) {
      offered[n_offered++] = u;
    }
  };
  look_at(bag);
  for (const Vertex u : clique(bag)) look_at(u);
  if (n_kept + 1 < width_ || n_offered == 0) return false;
  const Vertex d = offered[draws.below(n_offered)];
  if (d == c || d == v || came_[d] > came_[v]) return false;
  begin(change, CoverChange::Kind::slide, c, d);
  const auto slide = [&](Vertex r) {
    Vertex* row = add(change, r, width_);
    for (const Vertex u : clique(r)) *row++ = u == c ? d : u;
    std::sort(row - width_, row);
  };
  slide(v);
  for (std::size_t i = 0; i < change.vertices.size(); ++i)  // it grows meanwhile
    for (const Vertex r : above_[change.vertices[i]])
      if (stands_on(r, c) && std::ranges::find(change.vertices, r) == change.vertices.end()) slide(r);
  return true;
}

bool CoverTree::draw_exchange(Vertex v, QuickDraws& draws, CoverChange& change) const {
  if (!is_full(v)) return false;
  const Vertex a = v, b = clique(v)[draws.below(width_)];
  if (!is_full(b) || above_[a].size() + above_[b].size() > kMostAbove) return false;
  begin(change, CoverChange::Kind::exchange, a, b);
  const auto place = [&](Vertex moved, Vertex role) {
    Vertex* row = add(change, moved, width_);
    for (const Vertex u : clique(role)) *row++ = u == a ? b : u == b ? a : u;
    std::sort(row - width_, row);
  };
  place(a, b), place(b, a);
  for (const Vertex r : above_[a])
    if (!stands_on(r, b)) place(r, r);  // who stands on both still does
  for (const Vertex r : above_[b])
    if (r != a && !stands_on(r, a)) place(r, r);
  return true;
}

void CoverTree::make(const CoverChange& change) {
  for (std::size_t i = 0; i < change.vertices.size(); ++i) {
    const Vertex v = change.vertices[i];
    for (std::size_t j = 0; j < width_; ++j) {
      Vertex& place = cliques_[v * width_ + j];
      Order& above = above_[place];
      *std::ranges::find(above, v) = above.back();
      above.pop_back();
      place = change.cliques[i * width_ + j];
    }
    for (const Vertex u : clique(v)) above_[u].push_back(v);
  }
  if (change.kind == CoverChange::Kind::leaf) came_[change.first] = ++clock_;
  if (change.kind == CoverChange::Kind::exchange) std::swap(came_[change.first], came_[change.second]);
}

}  // namespace treewright
