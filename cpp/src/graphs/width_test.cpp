#include "treewright/graphs/width_test.hpp"

#include "graphs/small_elimination.hpp"

namespace treewright {

WidthTest::WidthTest(std::size_t n, std::size_t bound)
    : n_(n),
      bound_(bound),
      is_eliminated_(n, 0),
      when_(n, 0),
      later_(n),
      added_(n),
      above_(n),
      below_(n),
      earlier_(n),
      toggled_(n),
      in_piece_(n, 0),
      place_(n),
      mask_(words_for(n)),
      small_(std::make_unique<SmallElimination>()) {
  for (Vertex v = 0; v < n; ++v) above_[v] = v;
}

WidthTest::~WidthTest() = default;

bool WidthTest::is_certain() const { return small_->is_certain(); }

void WidthTest::toggle(Vertex u, Vertex v) {
  if (u > v) std::swap(u, v);
  if (toggled_.test(u, v)) {
    toggled_.reset(u, v);
    std::erase(toggles_, std::pair{u, v});
  } else {
    toggled_.set(u, v);
    toggles_.emplace_back(u, v);
  }
}

void WidthTest::forget_toggles() {
  for (const auto& [u, v] : toggles_) toggled_.reset(u, v);
  toggles_.clear();
}

/// With all that stands above.
void WidthTest::take(Vertex v) {
  while (!in_piece_[v]) {
    in_piece_[v] = 1;
    lost_.insert(lost_.end(), added_[v].begin(), added_[v].end());
    v = above_[v];
  }
}

/// The edge is not there: those that it made safe are no longer so for sure.
void WidthTest::part(Vertex u, Vertex v) {
  for (std::size_t w = 0; w < earlier_.words(); ++w)
    for (Word both = earlier_.row(u)[w] & earlier_.row(v)[w]; both; both &= both - 1)
      take(static_cast<Vertex>(w * 64 + std::countr_zero(both)));
}

void WidthTest::gather(const BitMatrix& graph) {
  lost_.clear();
  for (Vertex v = 0; v < n_; ++v) in_piece_[v] = !is_eliminated_[v];
  for (const auto& [u, v] : toggles_) {
    take(u), take(v);
    if (!graph.test(u, v)) part(u, v);
  }
  for (std::size_t i = 0; i < lost_.size(); ++i) {  // it grows meanwhile
    const auto [u, v] = lost_[i];
    if (!graph.test(u, v)) part(u, v);
  }
  piece_.clear();
  std::ranges::fill(mask_, 0);
  for (Vertex v = 0; v < n_; ++v) {
    if (!in_piece_[v]) continue;
    place_[v] = static_cast<Vertex>(piece_.size());
    piece_.push_back(v);
    mask_[v / 64] |= Word{1} << (v % 64);
  }
}

/// The piece as a graph of its own, with the cliques that the rest leaves in it.
void WidthTest::lay_out(const BitMatrix& graph) {
  gather(graph);
  small_->start(piece_.size());
  for (Vertex i = 0; i < piece_.size(); ++i) {
    const Word* row = graph.row(piece_[i]);
    for (std::size_t w = 0; w < graph.words(); ++w)
      for (Word rest = row[w] & mask_[w]; rest; rest &= rest - 1)
        small_->see(i, place_[w * 64 + std::countr_zero(rest)]);
  }
  for (const Vertex above : piece_)
    for (const Vertex v : below_[above]) {
      if (in_piece_[v]) continue;
      clique_.clear();
      for (const Vertex u : later_[v]) clique_.push_back(place_[u]);
      small_->join_all(clique_);
    }
}

/// On the first to go of its neighbours; those that never went come last.
void WidthTest::hang(Vertex v) {
  const auto goes = [&](Vertex u) { return is_eliminated_[u] ? when_[u] : ~std::uint64_t{0}; };
  hang_on(v, later_[v].empty() ? v : *std::ranges::min_element(later_[v], {}, goes));
}

void WidthTest::hang_on(Vertex v, Vertex above) {
  if (above_[v] == above) return;
  if (above_[v] != v) std::erase(below_[above_[v]], v);
  if (above != v) below_[above].push_back(v);
  above_[v] = above;
}

void WidthTest::renew(const BitMatrix& graph, Cancel& cancel) {
  if (toggles_.empty() && clock_ > 0) return;
  lay_out(graph);
  small_->run(bound_, false, cancel);
  forget_toggles();
  std::erase_if(eliminated_, [&](Vertex v) { return in_piece_[v]; });
  for (const Vertex v : piece_) {
    for (const Vertex u : later_[v]) earlier_.reset(u, v);
    later_[v].clear(), added_[v].clear();
    is_eliminated_[v] = 0;
    hang_on(v, v);
  }
  for (std::size_t i = 0; i < small_->n_eliminated(); ++i) {
    const Vertex v = piece_[small_->order()[i]];
    is_eliminated_[v] = 1;
    when_[v] = ++clock_;
    eliminated_.push_back(v);
    small_->for_each_later(small_->order()[i], [&](std::size_t u) {
      later_[v].push_back(piece_[u]);
      earlier_.set(piece_[u], v);
    });
  }
  for (const auto& [v, a, b] : small_->fills()) added_[piece_[v]].emplace_back(piece_[a], piece_[b]);
  clock_ += clock_ == 0;
  for (const Vertex v : eliminated_)
    if (in_piece_[v] || in_piece_[above_[v]]) hang(v);
}

std::optional<Order> WidthTest::order(const BitMatrix& graph, Cancel& cancel) {
  lay_out(graph);
  if (!small_->run(bound_, true, cancel)) return std::nullopt;
  Order found;
  found.reserve(n_);
  for (const Vertex v : eliminated_)
    if (!in_piece_[v]) found.push_back(v);
  for (const Vertex v : small_->order()) found.push_back(piece_[v]);
  return found;
}

}  // namespace treewright
