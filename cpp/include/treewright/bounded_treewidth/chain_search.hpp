// The steps of the two learners of Elidan & Gould (2008): chains, and single arcs.
#pragma once

#include "treewright/bounded_treewidth/bounded_network.hpp"

namespace treewright {

/// Every arc that runs forward in `order` and gains, with how far it reaches; sorted by head, then tail.
/// `limit`: leave out arcs whose own update alone would make the cover wider.
std::vector<Candidate> chain_candidates(BoundedNetwork& network, std::span<const Vertex> order,
                                        std::optional<std::int64_t> limit, Cancel& cancel);

struct AppliedChain {
  std::vector<Arc> added, skipped;
};

/// Add the arcs of a chain, one after the other, and leave out those that would pass the limit.
AppliedChain apply_chain(BoundedNetwork& network, std::span<const Arc> chain, std::int64_t limit,
                         Cancel& cancel);

/// How an arc has to prove that it keeps the width: by needing no new edge of the cover, by the cover's own
/// update, by that or else a new triangulation, or by the narrowest of several.
enum class Triangulation { none, own, own_first, narrowest };

/// Adds the arc of largest gain that keeps the width, again and again. A refused arc is asked for again when
/// a block between its ends has changed and nothing else is left; never, if the refusal is proved. Asking at
/// once would ask for every arc after every other: most of them are refused again.
class GreedyArcs {
 public:
  GreedyArcs(BoundedNetwork& network, std::int64_t limit, Triangulation triangulation);

  /// The arc added, or none: no arc is left.
  std::optional<Arc> step(Cancel& cancel);
  std::size_t n_refused() const { return n_refused_; }

 private:
  struct Best {
    double gain = 0;
    Vertex tail = 0;
    bool fresh = false, any = false;
  };

  void refresh(Vertex t, Cancel& cancel);
  std::optional<Arc> best_arc(Cancel& cancel);
  Admission admit(const Arc& arc, Cancel& cancel);
  void refuse(const Arc& arc, const Admission& admission);
  void set_aside(const Admission& admission);
  bool ask_again();

  BoundedNetwork& network_;
  std::int64_t limit_;
  Triangulation triangulation_;
  std::vector<Best> best_;                      // by head
  BitMatrix refused_;                           // head, tail
  std::vector<std::vector<Arc>> refused_over_;  // by block
  std::vector<Arc> set_aside_;                  // refused over blocks that are no more
  std::size_t n_refused_ = 0;
};

}  // namespace treewright
