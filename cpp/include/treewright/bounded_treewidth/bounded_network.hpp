// A network that grows arc by arc inside a chordal cover, which proves its width.
#pragma once

#include <optional>

#include "treewright/bounded_treewidth/chains.hpp"
#include "treewright/bounded_treewidth/family_gains.hpp"

namespace treewright {

/// What becomes of an arc.
struct Admission {
  bool admitted = false;
  bool rebuilt = false;         // the cover was triangulated anew, all blocks are new
  bool hopeless = false;        // refused for good: no triangulation is narrow enough
  std::vector<BlockId> blocks;  // those between the arc's ends, before it was added
};

class BoundedNetwork {
 public:
  struct Settings {
    UpdateRule rule = UpdateRule::block_wise;
    std::size_t max_parents = kNone;
    BitMatrix allowed;  // row t: the tails that arcs into t may have; without rows: all
  };

  /// Throws std::invalid_argument unless all arcs are allowed and `cover` is chordal and contains their moral
  /// graph.
  BoundedNetwork(LocalScores& scores, std::span<const Arc> arcs, BitMatrix cover, Settings settings,
                 Cancel& cancel);

  std::size_t size() const { return dag_.size(); }
  const Settings& settings() const { return settings_; }
  const DagBuilder& dag() const { return dag_; }
  const ChordalCover& cover() const { return cover_; }
  FamilyGains& gains() { return gains_; }
  const FamilyGains& gains() const { return gains_; }
  std::int64_t width() const { return cover_.width(); }

  /// s -> t is acyclic and allowed, and t may have one more parent.
  bool may_add(Vertex s, Vertex t) const;
  /// The tails of the arcs into t that may be added, as a row of bits.
  std::vector<Word> possible_tails(Vertex t) const;

  /// Add s -> t if the cover's own update keeps the width, or else a new triangulation of what it touches.
  /// `patient`: try every rule of thumb before refusing.
  Admission admit(Vertex s, Vertex t, std::int64_t limit, bool patient, Cancel& cancel);
  /// Add s -> t if the cover has all edges that it needs.
  Admission admit_free(Vertex s, Vertex t, std::int64_t limit, Cancel& cancel);
  /// Add s -> t if the cover's own update keeps the width.
  Admission admit_own(Vertex s, Vertex t, std::int64_t limit, Cancel& cancel);
  /// Add s -> t with the narrowest of the cover's own update, min-fill and maximum cardinality search.
  Admission admit_narrowest(Vertex s, Vertex t, std::int64_t limit, Cancel& cancel);

  /// Exchange the cover for a narrower one of the same moral graph, or one of fewer edges: the cover without
  /// the edges that it can spare, or min-fill. Tells whether there is one.
  bool retriangulate(Cancel& cancel);

  /// How s -> t would change the cover.
  CoverUpdate propose(Vertex s, Vertex t);

 private:
  bool allowed(Vertex s, Vertex t) const {
    return settings_.allowed.size() == 0 || settings_.allowed.test(t, s);
  }

  struct Piece {
    Order vertices;
    BitMatrix graph;
  };

  Piece moral_piece(const Order& vertices, Vertex s, Vertex t) const;
  void keep_filled(const Piece& piece, const BitMatrix& filled, Vertex s, Vertex t, std::int64_t limit,
                   Cancel& cancel);
  Admission admit_update(Vertex s, Vertex t, const CoverUpdate& update, std::int64_t limit, Cancel& cancel);
  void add_arc(Vertex s, Vertex t, std::int64_t limit);
  bool covers_moral_graph() const;

  Settings settings_;
  DagBuilder dag_;
  BitMatrix moral_;
  ChordalCover cover_;
  FamilyGains gains_;
  BlockWalk walk_;
};

}  // namespace treewright
