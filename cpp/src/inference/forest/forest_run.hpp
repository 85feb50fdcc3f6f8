// Two passes over a forest of tables: messages up, beliefs down (Hugin propagation).
//
// Written once over the kind of cell: one question in plain numbers, four at once, or one in wide numbers.
#pragma once

#include <algorithm>
#include <cmath>

#include "inference/forest/buffer.hpp"
#include "inference/lost_digits.hpp"
#include "inference/nest_kernels.hpp"
#include "treewright/inference/forest_plan.hpp"
#include "treewright/parallel/cancel.hpp"

namespace treewright::forests {

// Below this a sum may have lost digits to denormal numbers; the question is asked again in wide numbers.
inline constexpr double kWeakest = 1e-280;

template <class Cell>
struct Workspace {
  Buffer<Cell> tables, up, belief, tile, slices, masks, out, target;
  Buffer<Cell> inverses;  // per node: one over the sum of its message
  std::vector<const Cell*> sources;
  std::vector<std::uint32_t> mask_head;

  std::size_t bytes() const {
    return tables.bytes() + up.bytes() + belief.bytes() + tile.bytes() + slices.bytes() + masks.bytes() +
           out.bytes() + target.bytes();
  }
};

template <class Cell>
class Propagation {
  using Traits = CellTraits<Cell>;
  static constexpr bool kPlain = std::is_same_v<Cell, double>;
  static constexpr bool kWide = std::is_same_v<Cell, WideCell>;

 public:
  Propagation(const FactorSet& set, const Plan& plan, Workspace<Cell>& space, Cancel& cancel)
      : set_(set), plan_(plan), space_(space), cancel_(cancel) {
    space.tables.reserve(plan.table_cells);
    space.up.reserve(plan.message_cells);
    space.belief.reserve(plan.message_cells);
    space.tile.reserve(plan.tile_cells);
    space.mask_head.assign(plan.nodes.size(), kNobody);
    space.inverses.reserve(plan.nodes.size());
  }

  /// Cut the tables along what was observed. `states` has one state per variable; only fixed ones are read.
  void load(const std::uint32_t* states) {
    if (!plan_.premultiplied) {
      load_slices(states);
    } else {
      for (const Slice& slice : plan_.slices)
        if (slice.size == 1 && slice.n_axes == 0) load_scalar(*slice_cells(slice, states));
    }
  }

  /// Room for the likelihoods of a free variable's states, to be multiplied in; all masks before `collect`.
  Cell* add_mask(Var v, std::size_t n_masks_at_most, std::size_t cells_at_most) {
    space_.masks.reserve(cells_at_most);
    masks_.reserve(n_masks_at_most);
    Cell* const cells = space_.masks.data() + mask_cells_;
    mask_cells_ += set_.cardinalities[v];
    std::uint32_t& head = space_.mask_head[plan_.mask_node[v]];
    masks_.push_back({plan_.mask_walk[v], cells, head});
    head = static_cast<std::uint32_t>(masks_.size() - 1);
    return cells;
  }

  /// Messages towards the roots. False when nothing is left (for `Lanes`: in no row).
  template <bool kMax>
  bool collect() {
    for (std::uint32_t i = 0; i < plan_.nodes.size() && !dead_; ++i) collect_node<kMax>(i);
    if (plan_.lost || lost_.seen()) doubt_small_masses();
    return !dead_;
  }

  /// Beliefs away from the roots; sums of every free variable into `out` at `offsets`, not yet normalised.
  void distribute(Cell* out, const std::uint64_t* offsets) {
    for (std::uint32_t i = static_cast<std::uint32_t>(plan_.nodes.size()); i-- > 0;)
      distribute_node(i, out, offsets);
  }

  /// Beliefs away from the roots; what the cells of every slice of the plan sum to, not yet normalised, one
  /// slice after another. The plan must have been made for it.
  const Cell* distribute_factors() {
    factor_begin_.clear();
    std::uint64_t cells = 0;
    for (const Slice& slice : plan_.slices) factor_begin_.push_back(cells), cells += slice.size;
    Cell* const sums = space_.out.reserve(cells);
    std::fill_n(sums, cells, Traits::zero());
    for (std::size_t s = 0; s < plan_.slices.size(); ++s)  // nothing free in it: no table holds it
      if (plan_.slices[s].size == 1) sums[factor_begin_[s]] = Traits::from(1.0);
    factor_sums_ = sums;
    distribute(nullptr, nullptr);
    return sums;
  }

  /// The joint sums of the targets, added to `out`, which starts where the fixed targets say.
  void add_targets(Cell* out) {
    if (plan_.target_node == kNobody) return *out += Traits::from(1.0), void();
    const Node& node = plan_.nodes[plan_.target_node];
    for_tiles(node, [&](Cell* cells) {
      if (node.n_outer > 0) product(node, cells);
      nest_sum(plan_.nest(plan_.target_walk), cells, out + outer_offset(node, plan_.target_walk));
    });
  }

  /// A factor that no table holds.
  void multiply_mass(double value) { load_scalar(value); }
  double log_mass(std::size_t row = 0) const { return mass_[row].log(); }
  /// Whether digits may have been lost, or everything.
  bool weak(std::size_t row = 0) const { return weak_[row]; }
  const Cell* table(const Node& node) const { return space_.tables.data() + node.table; }

 private:
  struct Mask {
    Walk walk;
    const Cell* cells;
    std::uint32_t next;
  };

  const double* slice_cells(const Slice& slice, const std::uint32_t* states) const {
    const double* cells = set_.factors[slice.factor].cells.data();
    for (std::uint32_t k = slice.observed; k < slice.observed_end; ++k)
      cells += plan_.observed[k].stride * states[plan_.observed[k].variable];
    return cells;
  }

  void load_scalar(double value) {
    if (value == 0) dead_ = true;
    if (value > 1) log_above_one_ += std::log(value);
    for (std::size_t row = 0; row < Traits::kRows; ++row) {
      mass_[row].multiply(value);
      weak_[row] |= value == 0;
    }
  }

  void load_slices(const std::uint32_t* states) {
    if constexpr (!std::is_same_v<Cell, Lanes>) {
      space_.sources.resize(plan_.slices.size());
      std::uint64_t cells = plan_.slice_cells;
      if constexpr (kWide) {
        cells = 0;
        for (const Slice& slice : plan_.slices) cells += slice.size;
      }
      Cell* const memory = space_.slices.reserve(cells);
      std::uint64_t used = 0;
      for (std::size_t s = 0; s < plan_.slices.size(); ++s) {
        const Slice& slice = plan_.slices[s];
        const double* from = slice_cells(slice, states);
        if (slice.size == 1) {
          load_scalar(*from);
        } else if constexpr (kWide) {
          dense_.resize(slice.size);
          nest_set({plan_.axes.data() + slice.axes, slice.n_axes}, dense_.data(), from);
          for (std::uint64_t k = 0; k < slice.size; ++k) memory[used + k] = Traits::from(dense_[k]);
          space_.sources[s] = memory + used;
          used += slice.size;
        } else if (slice.offset == kInPlace) {
          space_.sources[s] = from;
        } else {
          Cell* const to = memory + slice.offset;
          nest_set({plan_.axes.data() + slice.axes, slice.n_axes}, to, from);
          scale_slice(to, slice.size);
          space_.sources[s] = to;
        }
      }
    }
  }

  // Several slices of 1e-200 in one node would underflow before any message is scaled.
  void scale_slice(double* cells, std::uint64_t n) {
    const double largest = *std::max_element(cells, cells + n);
    if (!(largest > kWeakest)) {
      weak_[0] = true;
      dead_ |= largest == 0;
    }
    if (largest == 1 || largest == 0) return;
    mass_[0].multiply(largest);
    for (std::uint64_t k = 0; k < n; ++k) cells[k] /= largest;
  }

  std::uint64_t outer_offset(const Node& node, const Walk& walk) const {
    std::uint64_t offset = 0;
    for (std::uint32_t k = 0; k < node.n_outer; ++k) offset += at_[k] * plan_.strides[walk.outer + k];
    return offset;
  }

  // Call `f(cells)` for the stored table, or for each tile of a streamed one.
  template <class F>
  void for_tiles(const Node& node, F&& f) {
    since_check_ += node.size;
    if (since_check_ > (1u << 18)) cancel_.check(), since_check_ = 0;
    if (node.n_outer == 0) return f(space_.tables.data() + node.table);
    at_.assign(node.n_outer, 0);
    std::uint64_t since = 0;
    for (;;) {
      f(space_.tile.data());
      since += node.tile;
      if (since > (1u << 20)) cancel_.check(), since = 0;
      std::uint32_t axis = node.n_outer;
      for (;;) {
        if (axis == 0) return;
        --axis;
        if (++at_[axis] < set_.cardinalities[plan_.scopes[node.scope + axis]]) break;
        at_[axis] = 0;
      }
    }
  }

  void multiply(const Node& node, Cell* cells, const Walk& walk, const Cell* other, bool& started) {
    other += outer_offset(node, walk);
    if (started) {
      nest_multiply(plan_.nest(walk), cells, other);
    } else if constexpr (std::is_same_v<Cell, Lanes>) {
      nest_set_product(plan_.nest(walk), cells, plan_.base.data() + node.table, other);
    } else if constexpr (kPlain) {
      !plan_.premultiplied ? nest_set(plan_.nest(walk), cells, other)
                           : nest_set_product(plan_.nest(walk), cells, plan_.base.data() + node.table, other);
    } else {
      nest_set(plan_.nest(walk), cells, other);
    }
    started = true;
  }

  // Everything that meets in a node: factors (or their product, made beforehand), messages and masks.
  void product(const Node& node, Cell* cells) {
    bool started = false;
    if (!plan_.premultiplied)
      for (std::uint32_t k = node.factors; k < node.children; ++k)
        multiply(node, cells, plan_.operands[k].walk, space_.sources[plan_.operands[k].source], started);
    for (std::uint32_t k = node.children; k < node.operands_end; ++k)
      multiply(node, cells, plan_.operands[k].walk,
               space_.up.data() + plan_.nodes[plan_.operands[k].source].message, started);
    const auto index = static_cast<std::size_t>(&node - plan_.nodes.data());
    for (std::uint32_t m = space_.mask_head[index]; m != kNobody; m = masks_[m].next)
      multiply(node, cells, masks_[m].walk, masks_[m].cells, started);
    if (started) return;
    if (!plan_.premultiplied) {
      std::fill_n(cells, node.tile, Traits::from(1.0));
    } else {
      const double* const base = plan_.base.data() + node.table;
      for (std::uint64_t k = 0; k < node.tile; ++k) cells[k] = Traits::from(base[k]);
    }
  }

  template <bool kMax>
  void collect_node(std::uint32_t i) {
    const Node& node = plan_.nodes[i];
    Cell* const up = space_.up.data() + node.message;
    std::fill_n(up, node.separator, Traits::zero());
    for_tiles(node, [&](Cell* cells) {
      product(node, cells);
      Cell* const rows = up + outer_offset(node, node.rows);
      if constexpr (kMax) {
        nest_max(plan_.nest(node.rows), cells, rows);
      } else {
        nest_sum(plan_.nest(node.rows), cells, rows);
      }
    });
    const Axis all{node.separator, 0};
    Cell total = Traits::zero();
    if constexpr (kMax) {
      nest_max({&all, 1}, up, &total);
    } else {
      nest_sum({&all, 1}, up, &total);
    }
    Cell& inverse = space_.inverses.data()[i];
    inverse = inverse_of(total);
    const Axis each{node.separator, 0};
    nest_multiply({&each, 1}, up, &inverse);
  }

  // Takes a message's sum into the mass. Nothing where there is none, or too little to trust.
  Cell inverse_of(const Cell& total) {
    Cell inverse = Traits::zero();
    if constexpr (kWide) {
      if (!(total.value > 0)) dead_ = weak_[0] = true;
      mass_[0].add_log(total.log());
      inverse = Traits::ratio(Traits::from(1.0), total);
    } else {
      bool any = false;
      for (std::size_t row = 0; row < Traits::kRows; ++row) {
        const double sum = Traits::value(total, row);
        weak_[row] |= !(sum > kWeakest);
        if (weak_[row]) continue;
        mass_[row].multiply(sum);
        any = true;
        Traits::put(inverse, row, 1 / sum);
      }
      dead_ |= !any;
    }
    return inverse;
  }

  // Digits were lost somewhere. What that is worth at most is known from what the messages kept.
  void doubt_small_masses() {
    if constexpr (!kWide)
      for (std::size_t row = 0; row < Traits::kRows; ++row)
        weak_[row] |= !(mass_[row].log() - log_above_one_ > kLogSafe);
  }

  // Sums shrink by the mass of every node on the way down and would vanish in a deep tree; powers of two
  // bring them back and change no digit.
  void lift(Cell* belief, std::uint64_t n) {
    if constexpr (!kWide) {
      Cell largest = belief[0], power = Traits::from(1.0);
      for (std::uint64_t k = 1; k < n; ++k) largest = Traits::larger(largest, belief[k]);
      bool any = false;
      for (std::size_t row = 0; row < Traits::kRows; ++row) {
        const double value = Traits::value(largest, row);
        if (value > 0 && value < 0x1p-32)
          any = true, Traits::put(power, row, std::ldexp(1.0, std::min(-std::ilogb(value), 1000)));
      }
      const Axis all{n, 0};
      if (any) nest_multiply({&all, 1}, belief, &power);
    }
  }

  void distribute_node(std::uint32_t i, Cell* out, const std::uint64_t* offsets) {
    const Node& node = plan_.nodes[i];
    Cell* const belief = space_.belief.data() + node.message;
    if (node.parent != kNobody) {
      for (std::uint32_t m = node.belief_marginals; m < node.marginals_end; ++m)
        nest_sum(plan_.nest(plan_.marginals[m].walk), belief, out + offsets[plan_.marginals[m].variable]);
      if (!node.needed_below) return;
      lift(belief, node.separator);
      const Cell* const up = space_.up.data() + node.message;
      divide_cells(belief, up, node.separator);
      const Axis each{node.separator, 0};  // a table adds up to its message's sum: here, to one again
      nest_multiply({&each, 1}, belief, space_.inverses.data() + node.parent);
    } else if (!node.needed_below) {
      return;
    }
    for (std::uint32_t k = node.children; k < node.operands_end; ++k) {
      const Node& child = plan_.nodes[plan_.operands[k].source];
      std::fill_n(space_.belief.data() + child.message, child.separator, Traits::zero());
    }
    for_tiles(node, [&](Cell* cells) {
      if (node.n_outer > 0) product(node, cells);
      if (node.parent != kNobody)
        nest_multiply(plan_.nest(node.rows), cells, belief + outer_offset(node, node.rows));
      for (std::uint32_t k = node.children; k < node.operands_end; ++k) {
        const Walk& walk = plan_.operands[k].walk;
        Cell* const to = space_.belief.data() + plan_.nodes[plan_.operands[k].source].message;
        nest_sum(plan_.nest(walk), cells, to + outer_offset(node, walk));
      }
      for (std::uint32_t m = node.tables_marginals; m < node.belief_marginals; ++m) {
        const VariableWalk& one = plan_.marginals[m];
        nest_sum(plan_.nest(one.walk), cells, out + offsets[one.variable] + outer_offset(node, one.walk));
      }
      if (!factor_sums_) return;
      for (std::uint32_t k = node.factors; k < node.children; ++k) {
        const Operand& operand = plan_.operands[k];
        Cell* const to = factor_sums_ + factor_begin_[operand.source];
        nest_sum(plan_.nest(operand.walk), cells, to + outer_offset(node, operand.walk));
      }
    });
  }

  const FactorSet& set_;
  const Plan& plan_;
  Workspace<Cell>& space_;
  Cancel& cancel_;
  LogProduct mass_[Traits::kRows];
  bool weak_[Traits::kRows] = {};
  bool dead_ = false;
  LostDigits lost_;
  double log_above_one_ = 0;
  std::uint64_t since_check_ = 0;
  std::size_t mask_cells_ = 0;
  std::vector<Mask> masks_;
  std::vector<std::uint64_t> at_;
  std::vector<double> dense_;
  Cell* factor_sums_ = nullptr;
  std::vector<std::uint64_t> factor_begin_;
};

}  // namespace treewright::forests
