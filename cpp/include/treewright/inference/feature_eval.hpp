// Evaluating a feature graph: complete rows by routing, evidence by one pass upwards.
//
// A complete row is in exactly one child of a split and one side of a feature, so rows are routed from the
// root in lists, and a node sees only the rows that are its own. Mixtures at the top are taken apart: each
// component routes the same rows. A mixture further down cannot be routed; such graphs, and rows of which
// less is known, take the pass upwards, in blocks of rows.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "treewright/inference/feature_graph.hpp"
#include "treewright/inference/feature_leaf.hpp"
#include "treewright/inference/forest_batch.hpp"
#include "treewright/inference/sampling.hpp"
#include "treewright/parallel/cancel.hpp"

namespace treewright::features {

using EvidenceRows = forests::EvidenceRows;

/// One component of the mixture at the top of a graph.
struct Component {
  Id root;
  double log_weight;
  std::vector<Id> nodes;  // what it reaches, falling
};

/// A graph made ready for questions: its leaves unpacked, its mixtures taken apart.
class Program {
 public:
  /// The arena must be valid but for the scope of its root, which may be some of the variables.
  explicit Program(Arena arena);
  Program(const Program&) = delete;  // leaves point into the arena
  Program& operator=(const Program&) = delete;

  const Arena& arena() const { return arena_; }
  const Leaf* leaf(Id node) const { return leaves_[node].get(); }
  const std::vector<std::uint32_t>& first_state() const { return first_state_; }
  std::size_t n_states() const { return first_state_.back(); }
  /// Largest room that a leaf asks for.
  std::size_t room(std::size_t width) const;
  /// Empty when a mixture lies below something else than mixtures.
  const std::vector<Component>& components() const { return components_; }
  bool deterministic() const { return deterministic_; }
  /// Nanoseconds of one pass upwards per row, roughly: to decide on threads.
  double row_cost() const { return row_cost_; }

 private:
  void take_apart();

  Arena arena_;
  std::vector<std::unique_ptr<Leaf>> leaves_;
  std::vector<std::uint32_t> first_state_;
  std::vector<Component> components_;
  bool deterministic_;
  double row_cost_ = 0;
};

/// Natural logarithm of the probability of each complete row. Columns of variables outside the graph may be
/// null. Throws std::invalid_argument for a code beyond the states.
void log_probability_rows(const Program& program, std::span<const ConstColumn> columns, std::size_t n_rows,
                          double* out, Cancel& cancel);
void log_probability_rows(const Arena& arena, std::span<const ConstColumn> columns, std::size_t n_rows,
                          double* out, Cancel& cancel);

/// Add up the weights of complete rows that use each parameter, in the layout of the arena's numbers; for
/// deterministic graphs. Returns the weight of rows that the structure has no place for.
double add_counts(const Program& program, std::span<const ConstColumn> columns, std::size_t n_rows,
                  const double* weights, double* counts, Cancel& cancel);

/// What is known about some rows: likelihoods (at most one) that all share, one per state, and observations
/// row by row.
struct Evidence {
  std::vector<double> common;
  EvidenceRows rows;
};

/// The rows of a block that a leaf has to look at, side by side: what no row can reach costs nothing.
class Gathered {
 public:
  /// Rows with a set bit in `rows`, as far as the leaf's variables go.
  void gather(const Program& program, const Leaf& leaf, const Block& block, std::uint32_t rows);
  Block block() const { return {picks_.size(), first_state_, likelihoods_.data(), nullptr}; }
  const std::vector<std::uint32_t>& rows() const { return picks_; }

 private:
  const std::uint32_t* first_state_ = nullptr;
  std::vector<std::uint32_t> picks_;
  std::vector<double> likelihoods_;
};

/// Room for one block of evidence rows on its way through the graph.
struct Workspace {
  Workspace(const Program& program, std::size_t width);
  /// Read rows `picks` of the evidence; a block that is not full repeats its first row.
  void load(const Program& program, const Evidence& evidence, std::span<const std::size_t> picks);
  Block block() const { return {width, first_state, likelihoods.data(), log_likelihoods.data()}; }

  std::size_t width;
  const std::uint32_t* first_state;
  std::vector<double> likelihoods, log_likelihoods;  // [state][row]
  std::vector<double> up;                            // [node][row]
  std::vector<double> flow;                          // [node][row], made by the pass downwards
  std::vector<double> room;                          // of the leaf at hand
  std::vector<std::uint32_t> live;                   // per node: the rows that can reach it, as bits
  Gathered gathered;
};

/// Log of the probability of the evidence under every node that it can reach; minus infinity elsewhere.
/// `rooms`: keep the beliefs of every leaf, each in
/// a place of its own, instead of using the workspace's room again and again.
void pass_up(const Program& program, Workspace& space, double* rooms = nullptr);
/// The same for the best completion.
void pass_up_max(const Program& program, Workspace& space, double* rooms);
/// The same with mixtures and hidden states summed out: at the root, no completion has more.
void pass_up_bound(const Program& program, Workspace& space, double* rooms);
/// Where the rooms of the leaves begin, for blocks of one row; the last entry is the total.
std::vector<std::size_t> room_places(const Program& program);

/// Log of the probability of the evidence under every node, whether the root can reach it or not.
void pass_up_everywhere(const Program& program, Workspace& space);

/// Rows of a block of evidence; at most 32, as rows are bits of a word.
inline constexpr std::size_t kBlock = 16;

/// Log of the probability of each row of evidence.
void log_mass_rows(const Program& program, const Evidence& evidence, double* out, Cancel& cancel);

}  // namespace treewright::features
