#include "treewright/bounded_treewidth/bounded_network.hpp"

#include <algorithm>
#include <stdexcept>

#include "treewright/graphs/elimination.hpp"
#include "treewright/graphs/treewidth.hpp"

namespace treewright {

namespace {

DagBuilder dag_of(std::size_t n, std::span<const Arc> arcs) {
  DagBuilder dag(n);
  for (const auto& [s, t] : arcs) {
    if (s >= n || t >= n) throw std::out_of_range("an arc that leaves the variables");
    dag.add(s, t);
  }
  return dag;
}

BitMatrix moral_graph(std::size_t n, std::span<const Arc> arcs) {
  BitMatrix moral(n);
  for (const auto& [u, v] : Dag(n, arcs).moral_edges()) moral.join(u, v);
  return moral;
}

std::vector<Order> parent_lists(const DagBuilder& dag) {
  std::vector<Order> parents(dag.size());
  for (const auto& [s, t] : dag.arcs()) parents[t].push_back(s);
  return parents;
}

}  // namespace

BoundedNetwork::BoundedNetwork(LocalScores& scores, std::span<const Arc> arcs, BitMatrix cover,
                               Settings settings, Cancel& cancel)
    : settings_(std::move(settings)),
      dag_(dag_of(scores.size(), arcs)),
      moral_(moral_graph(scores.size(), arcs)),
      cover_(std::move(cover), cancel),
      gains_(scores, parent_lists(dag_), cancel) {
  if (cover_.size() != size() || !covers_moral_graph())
    throw std::invalid_argument("the cover must contain the moral graph");
  for (const auto& [s, t] : arcs)
    if (!allowed(s, t)) throw std::invalid_argument("an arc of the start is not allowed");
}

bool BoundedNetwork::may_add(Vertex s, Vertex t) const {
  return dag_.can_add(s, t) && allowed(s, t) && gains_.parents()[t].size() < settings_.max_parents;
}

std::vector<Word> BoundedNetwork::possible_tails(Vertex t) const {
  std::vector<Word> tails(moral_.words(), 0);
  for (Vertex s = 0; s < size(); ++s)
    if (may_add(s, t)) tails[s / 64] |= Word{1} << (s % 64);
  return tails;
}

CoverUpdate BoundedNetwork::propose(Vertex s, Vertex t) {
  return cover_.propose(s, t, gains_.parents()[t], settings_.rule, walk_);
}

Admission BoundedNetwork::admit(Vertex s, Vertex t, std::int64_t limit, bool patient, Cancel& cancel) {
  const CoverUpdate update = propose(s, t);
  Admission result = admit_update(s, t, update, limit, cancel);
  if (result.admitted) return result;
  const Piece piece = moral_piece(update.merged, s, t);
  auto order = fits(piece.graph, limit, cancel, &result.hopeless);
  for (const char* rule : {"min_fill", "mcs_m"}) {
    if (order || result.hopeless || !patient) break;
    Order found = elimination_order(piece.graph, rule, cancel);
    if (eliminate(piece.graph, found).width <= limit) order = std::move(found);
  }
  if (!order) return result;
  keep_filled(piece, eliminate(piece.graph, *order).filled, s, t, limit, cancel);
  result.admitted = result.rebuilt = true;
  return result;
}

Admission BoundedNetwork::admit_free(Vertex s, Vertex t, std::int64_t limit, Cancel& cancel) {
  const CoverUpdate update = propose(s, t);
  if (!update.edges.empty()) return {.blocks = update.replaced};
  return admit_update(s, t, update, limit, cancel);
}

Admission BoundedNetwork::admit_own(Vertex s, Vertex t, std::int64_t limit, Cancel& cancel) {
  return admit_update(s, t, propose(s, t), limit, cancel);
}

Admission BoundedNetwork::admit_update(Vertex s, Vertex t, const CoverUpdate& update, std::int64_t limit,
                                       Cancel& cancel) {
  Admission result{.blocks = update.replaced};
  result.admitted = update.block_width <= limit && cover_.accept(update, limit, cancel);
  if (result.admitted) add_arc(s, t, limit);
  return result;
}

Admission BoundedNetwork::admit_narrowest(Vertex s, Vertex t, std::int64_t limit, Cancel& cancel) {
  const CoverUpdate update = propose(s, t);
  Admission result;
  result.blocks = update.replaced;
  const Piece piece = moral_piece(update.merged, s, t);
  if (update.block_width > limit && !fits(piece.graph, limit, cancel, &result.hopeless)) return result;
  std::int64_t narrowest = update.block_width;
  std::optional<BitMatrix> filled;
  for (const char* rule : {"min_fill", "mcs"}) {
    Elimination found = eliminate(piece.graph, elimination_order(piece.graph, rule, cancel));
    if (found.width < narrowest) narrowest = found.width, filled = std::move(found.filled);
  }
  if (narrowest > limit) return result;
  if (filled) {
    keep_filled(piece, *filled, s, t, limit, cancel);
    result.rebuilt = true;
  } else if (cover_.accept(update, limit, cancel)) {
    add_arc(s, t, limit);
  } else {
    return result;
  }
  result.admitted = true;
  return result;
}

bool BoundedNetwork::retriangulate(Cancel& cancel) {
  const auto cost = [&](const BitMatrix& chordal) {
    return std::pair(eliminate(chordal, mcs_order(chordal, cancel)).width, edges_of(chordal).size());
  };
  BitMatrix spared = make_minimal(moral_, cover_.graph(), cancel);
  BitMatrix filled = eliminate(moral_, min_fill_order(moral_, cancel)).filled;
  BitMatrix& best = cost(filled) < cost(spared) ? filled : spared;
  if (!(cost(best) < cost(cover_.graph()))) return false;
  cover_ = ChordalCover(std::move(best), cancel);
  return true;
}

/// The moral graph, with the new family, over the vertices that the cover's own update would touch. The rest
/// of the cover hangs on them by single vertices and is not concerned.
BoundedNetwork::Piece BoundedNetwork::moral_piece(const Order& vertices, Vertex s, Vertex t) const {
  Piece piece{vertices, induced_subgraph(moral_, vertices)};
  const auto place = [&](Vertex v) {
    return static_cast<std::size_t>(std::ranges::lower_bound(vertices, v) - vertices.begin());
  };
  piece.graph.join(place(s), place(t));
  for (const Vertex x : gains_.parents()[t]) piece.graph.join(place(s), place(x));
  return piece;
}

void BoundedNetwork::keep_filled(const Piece& piece, const BitMatrix& filled, Vertex s, Vertex t,
                                 std::int64_t limit, Cancel& cancel) {
  BitMatrix graph = cover_.graph();
  for (std::size_t i = 0; i < piece.vertices.size(); ++i)
    for (std::size_t j = 0; j < i; ++j) {
      const Vertex u = piece.vertices[i], v = piece.vertices[j];
      if (filled.test(i, j)) {
        graph.join(u, v);
      } else {
        graph.reset(u, v), graph.reset(v, u);
      }
    }
  cover_ = ChordalCover(std::move(graph), cancel);
  add_arc(s, t, limit);
}

void BoundedNetwork::add_arc(Vertex s, Vertex t, std::int64_t limit) {
  moral_.join(s, t);
  for (const Vertex x : gains_.parents()[t]) moral_.join(s, x);
  dag_.add(s, t);
  gains_.add(s, t);
  if (cover_.width() > limit || !covers_moral_graph())
    throw std::logic_error("the cover does not prove the width");
}

bool BoundedNetwork::covers_moral_graph() const {
  for (std::size_t v = 0; v < size(); ++v)
    for (std::size_t w = 0; w < moral_.words(); ++w)
      if (moral_.row(v)[w] & ~cover_.graph().row(v)[w]) return false;
  return true;
}

}  // namespace treewright
