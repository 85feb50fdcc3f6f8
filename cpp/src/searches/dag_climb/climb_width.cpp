#include "treewright/searches/climb_width.hpp"

#include <stdexcept>

#include "treewright/graphs/elimination.hpp"
#include "treewright/graphs/strong.hpp"
#include "treewright/graphs/treewidth.hpp"

namespace treewright {
namespace {

BitMatrix moral_graph(const BitMatrix& parents) {
  BitMatrix moral(parents.size());
  for (Vertex child = 0; child < parents.size(); ++child)
    for_each_bit(parents.row(child), parents.words(), [&](std::size_t p) {
      moral.join(child, p);
      for_each_bit(parents.row(child), parents.words(), [&](std::size_t q) {
        if (q < p) moral.join(p, q);
      });
    });
  return moral;
}

BitMatrix parents_after(BitMatrix parents, const Move& move) {
  if (move.kind == MoveKind::add)
    parents.set(move.to, move.from);
  else
    parents.reset(move.to, move.from);
  if (move.kind == MoveKind::reverse) parents.set(move.from, move.to);
  return parents;
}

bool is_within(const BitMatrix& graph, std::span<const Vertex> order, std::size_t bound) {
  const BitMatrix later = filled_upward(graph, order);
  for (std::size_t v = 0; v < later.size(); ++v)
    if (count_bits(later.row(v), later.words()) > bound) return false;
  return true;
}

}  // namespace

ClimbWidth::ClimbWidth(std::size_t bound, std::vector<char> is_number, const DagBuilder& start,
                       Cancel& cancel)
    : bound_(bound), is_number_(std::move(is_number)), cancel_(cancel) {
  if (is_number_.empty()) is_number_.assign(start.size(), 0);
  auto found = order_of(start.parents());
  if (!found) throw std::invalid_argument("the start is wider than the bound");
  order_ = std::move(*found);
}

std::optional<Order> ClimbWidth::order_of(const BitMatrix& parents) const {
  BitMatrix graph = strong_graph(moral_graph(parents), is_number_);
  if (!order_.empty() && is_within(graph, order_, bound_)) return order_;
  return fits(std::move(graph), static_cast<std::int64_t>(bound_), cancel_);
}

bool ClimbWidth::admits(const DagBuilder& graph, const Move& move) {
  if (move.kind == MoveKind::remove) return true;
  const BitMatrix& parents = graph.parents();
  if (count_bits(parents.row(move.made().second), parents.words()) >= bound_) return false;
  const auto [asked, is_new] = asked_.try_emplace({move.kind, move.from, move.to}, false);
  if (is_new) asked->second = order_of(parents_after(parents, move)).has_value();
  return asked->second;
}

void ClimbWidth::follow(const DagBuilder& graph, const Move& made) {
  asked_.clear();
  if (made.kind == MoveKind::remove) return;
  auto found = order_of(graph.parents());
  if (!found) throw std::logic_error("a move was made that the bound does not admit");
  order_ = std::move(*found);
}

}  // namespace treewright
