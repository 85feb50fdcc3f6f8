// How to answer a question, before any number is touched: a forest of tables and the walks between them.
//
// A plan depends on the *set* of observed variables, not on their states: an observed variable is an offset
// into the tables that mention it, never an axis. Nodes are the cliques of a triangulation of what is left,
// and small hubs in front of cliques with many children whose separators nest. The axes of a node stand in
// elimination order, so the separator towards its parent is a suffix and messages are sums of whole rows.
#pragma once

#include <cstdint>
#include <memory>
#include <stdexcept>
#include <vector>

#include "treewright/inference/factors.hpp"
#include "treewright/inference/forest_order.hpp"
#include "treewright/inference/nest.hpp"
#include "treewright/parallel/cancel.hpp"

namespace treewright::forests {

inline constexpr std::uint32_t kNobody = 0xFFFFFFFF;

/// What a question costs, known before any table exists.
struct Cost {
  double operations = 0;           // one multiplication or addition on one cell each
  double bytes = 0;                // tables, messages and slices together
  double largest_cells = 0;        // of the largest table, stored or streamed
  std::vector<Var> largest_scope;  // its variables
  std::uint32_t width = 0;         // variables in the largest clique, less one
  std::uint32_t nodes = 0;
  bool masked = false;  // one tree for every question, evidence as masks

  double seconds() const { return 0.45e-9 * operations + 150e-9 * nodes; }
};

/// A question whose tables would exceed the limit.
struct TooLarge : std::runtime_error {
  explicit TooLarge(Cost c) : std::runtime_error("a table exceeds the memory limit"), cost(std::move(c)) {}
  Cost cost;
};

/// A walk over a node's table beside something that moves with it.
struct Walk {
  std::uint32_t outer = 0;             // strides of the streamed axes, in Plan::strides
  std::uint32_t axes = 0, n_axes = 0;  // the rest, in Plan::axes
};

struct Operand {
  std::uint32_t source;  // a factor of the plan, or a child node
  Walk walk;
};

struct Node {
  std::uint64_t size, separator, tile;  // cells; tile == size unless the node is streamed
  std::uint64_t table, message;         // where its cells and its separator's lie
  std::uint32_t parent;
  std::uint32_t scope, n_scope, n_residual;       // in Plan::scopes
  std::uint32_t n_outer;                          // streamed axes
  std::uint32_t factors, children, operands_end;  // in Plan::operands: factors first, then children
  std::uint32_t tables_marginals, belief_marginals, marginals_end;  // in Plan::marginals
  Walk rows;                                                        // the separator beside the table
  bool needed_below;                                                // somebody reads its calibrated table
};

/// A table cut along the observed variables.
struct Slice {
  std::uint32_t factor;
  std::uint32_t observed, observed_end;  // in Plan::observed: (variable, stride) pairs
  std::uint32_t axes, n_axes;            // the rest, beside the original table
  std::uint64_t size, offset;            // offset in the workspace; kInPlace when nothing is cut
};
inline constexpr std::uint64_t kInPlace = ~std::uint64_t{0};

struct VariableWalk {
  Var variable;
  Walk walk;
};

struct ObservedStride {
  Var variable;
  std::uint64_t stride;
};

struct Plan {
  std::vector<Node> nodes;  // children before parents
  std::vector<Operand> operands;
  std::vector<Slice> slices;
  std::vector<ObservedStride> observed;
  std::vector<Axis> axes;
  std::vector<std::uint64_t> strides;
  std::vector<Var> scopes;
  std::vector<VariableWalk> marginals;   // per node: from its table, then from its separator's belief
  std::vector<std::uint32_t> mask_node;  // per variable: where a likelihood is multiplied in; kNobody: fixed
  std::vector<Walk> mask_walk;
  std::vector<Var> fixed;    // observed, or with a single state
  std::vector<double> base;  // products of the factors of every node, when the plan serves every question
  bool premultiplied = false;
  bool lost = false;  // the tables, or products of them, hold numbers that are too small for all their digits
  std::uint32_t target_node = kNobody;  // holds all targets; a root
  Walk target_walk;
  std::uint64_t target_cells = 1;
  std::uint64_t table_cells = 0, message_cells = 0, slice_cells = 0, tile_cells = 0;
  Cost cost;

  Nest nest(const Walk& walk) const { return {axes.data() + walk.axes, walk.n_axes}; }
  std::size_t approximate_bytes() const;
};

struct Question {
  std::vector<char> observed;  // per variable
  std::vector<Var> targets;    // their joint table is wanted
  std::vector<char> relevant;  // empty: everything
  bool marginals = false;      // of every variable
  bool factors = false;        // what every table's cells sum to is wanted
  bool stream = true;          // large tables need not be kept
  bool hubs = true;
  std::uint64_t stored_cells = std::uint64_t{1} << 21;  // 16 MB; beyond, the largest are streamed
  std::uint64_t streamed_above = std::uint64_t{1} << 17;
  std::uint64_t tile = 2048;
  double limit_bytes = 4.0 * (1ull << 30);
  SearchEffort effort;
};

/// Throws TooLarge before anything of the size of a table is allocated.
std::shared_ptr<Plan> compile(const FactorSet& set, const Question& question, Cancel& cancel);

/// What `compile` would find, also for questions that it refuses.
Cost estimate(const FactorSet& set, const Question& question, Cancel& cancel);

}  // namespace treewright::forests
