// Annealing of a cover: networks that are narrow by their shape, a hundred thousand changes in a blink.
//
// Where every family lies in the clique that its child stands on, a K-tree is a network: each vertex takes
// the best parents there. A change of the tree concerns few families, needs no width test and closes no
// cycle; what a family brings is mostly known. So a part of the tree can be heated, where changes for the
// worse are made too, and cooled again (Kirkpatrick, Gelatt & Vecchi 1983) in the time that it takes to
// destroy and rebuild it once.
#pragma once

#include "treewright/bounded_treewidth/cover_tree.hpp"
#include "treewright/bounded_treewidth/cover_visits.hpp"

namespace treewright {

class CoverAnneal {
 public:
  /// Every arc must be allowed and none required, and families may be as large as the bound.
  CoverAnneal(FamilyColumns& columns, std::size_t bound, std::uint64_t seed, Cancel& cancel);
  /// Cliques with their vertex fit in one word: what `remember` needs.
  static bool can_remember(std::size_t n, std::size_t bound);

  /// From here on.
  void plant(const BitMatrix& graph, Cancel& cancel);
  /// Heat a part of the cover and cool it again; true, and the cover another, if it is no worse then.
  bool anneal_part(Cancel& cancel);

  /// Most edges of the cover carry something; where few do, most changes only move idle ones about. Known
  /// once something is planted.
  bool is_busy() const { return is_busy_; }

  const CoverTree& tree() const { return tree_; }
  double total() const { return total_; }
  /// The network, with its proof.
  BoundedSnapshot network(Cancel& cancel);

 private:
  struct Known {
    std::uint64_t key = ~std::uint64_t{0};
    double score = 0;
  };
  struct Saved {
    CoverTree tree;
    std::vector<double> scores;
    double total;
  };

  void turn(Cancel& cancel);
  void measure_losses(Cancel& cancel);
  bool draw_change(Vertex v);
  double weigh(Cancel& cancel);
  void make();
  double score_of(Vertex v, std::span<const Vertex> clique, Cancel& cancel);
  BestFamily best_family(Vertex v, std::span<const Vertex> clique, Cancel& cancel);

  FamilyColumns& columns_;
  CoverTree tree_;
  Draws draws_;
  QuickDraws quick_;
  std::vector<Order> liked_;  // others by what they bring as only parent, most first
  std::vector<double> scores_;
  double total_ = 0;
  double loss_ = -1;  // of a change made blindly, the median; below 0: not measured yet
  bool is_busy_ = false;
  CoverChange change_;
  std::vector<double> change_scores_;
  std::vector<Known> known_;
  std::size_t bits_;  // of a vertex in a key
  Saved before_;
};

}  // namespace treewright
