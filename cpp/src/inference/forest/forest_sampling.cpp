// Exact draws given evidence: one pass of messages up, then every node draws its residual given its
// separator.
#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "inference/forest/forest_answer.hpp"
#include "parallel/draws.hpp"
#include "treewright/parallel/threads.hpp"

namespace treewright::forests {
namespace {

constexpr std::size_t kRowsWalked = 2048;       // rows walked together
constexpr std::uint64_t kMostCountedCells = 8;  // up to here thresholds are counted, beyond they are bisected
constexpr double kNanosecondsPerWalk = 8;

struct DrawAxis {
  Var variable;
  std::uint64_t cardinality;
};

// Upper ends of the intervals of the residual's joint states on [0, 2^53), one row per separator state.
struct DrawNode {
  std::vector<std::uint64_t> ends;
  std::uint64_t n_joint;
  std::vector<DrawAxis> residual, separator;
};

double relative(double cell, double) { return cell; }
double relative(const WideCell& cell, const WideCell& largest) {
  return CellTraits<WideCell>::value(CellTraits<WideCell>::ratio(cell, largest), 0);
}

template <class Cell>
DrawNode draw_node(const Collected<Cell>& found, const Node& node) {
  DrawNode out;
  for (std::uint32_t k = 0; k < node.n_scope; ++k) {
    const Var v = found.plan.scopes[node.scope + k];
    (k < node.n_residual ? out.residual : out.separator).push_back({v, found.set.cardinalities[v]});
  }
  const std::uint64_t rows = node.size / node.separator;
  const Cell* const cells = found.run.table(node);
  out.n_joint = rows;
  out.ends.resize(node.size);
  std::vector<double> column(rows);
  for (std::uint64_t s = 0; s < node.separator; ++s) {
    Cell largest = cells[s];
    for (std::uint64_t r = 1; r < rows; ++r)
      largest = CellTraits<Cell>::larger(largest, cells[r * node.separator + s]);
    double total = 0;
    std::uint64_t last = 0;
    for (std::uint64_t r = 0; r < rows; ++r) {
      column[r] = relative(cells[r * node.separator + s], largest);
      total += column[r];
      if (column[r] > 0) last = r;
    }
    if (!(total > 0)) continue;  // no row ever comes here
    double sum = 0;
    for (std::uint64_t r = 0; r < rows; ++r) {
      sum += column[r];
      out.ends[s * rows + r] =
          r >= last ? kOne : std::min(kOne, static_cast<std::uint64_t>(std::ldexp(sum / total, 53)));
    }
  }
  return out;
}

// Draws a block of rows of one node; states are written to 32-bit scratch columns.
void draw_block(const DrawNode& node, const std::uint64_t* bits, std::size_t n, std::uint64_t* places,
                std::uint32_t* const* states) {
  std::fill_n(places, n, 0);
  for (const DrawAxis& axis : node.separator) {
    const std::uint32_t* const codes = states[axis.variable];
    for (std::size_t i = 0; i < n; ++i) places[i] = places[i] * axis.cardinality + codes[i];
  }
  for (std::size_t i = 0; i < n; ++i) {
    const std::uint64_t* const ends = node.ends.data() + places[i] * node.n_joint;
    if (node.n_joint <= kMostCountedCells) {
      std::uint64_t drawn = 0;
      for (std::uint64_t r = 0; r + 1 < node.n_joint; ++r) drawn += bits[i] >= ends[r];
      places[i] = drawn;
    } else {
      places[i] = static_cast<std::uint64_t>(std::upper_bound(ends, ends + node.n_joint, bits[i]) - ends);
    }
  }
  if (node.residual.size() == 1) {
    std::uint32_t* const codes = states[node.residual[0].variable];
    for (std::size_t i = 0; i < n; ++i) codes[i] = static_cast<std::uint32_t>(places[i]);
    return;
  }
  for (std::size_t k = node.residual.size(); k-- > 0;) {
    const auto r = static_cast<std::uint32_t>(node.residual[k].cardinality);
    std::uint32_t* const codes = states[node.residual[k].variable];
    for (std::size_t i = 0; i < n;
         ++i) {  // a joint state of a node's residual fits 32 bits in any stored table
      const auto place = static_cast<std::uint32_t>(places[i]);
      codes[i] = place % r;
      places[i] = place / r;
    }
  }
}

}  // namespace

double Forest::sample(const Evidence& evidence, std::uint64_t seed, std::uint64_t first_row,
                      std::size_t n_rows, std::span<const Column> columns, double limit, Cancel& cancel) {
  if (columns.size() != set_.size()) throw std::invalid_argument("one column per variable is needed");
  Question question = question_for(evidence, {}, true, limit);
  question.stream = false;
  return answer<false>(
      evidence, std::move(question), limit, cancel, [&]<class Cell>(const Collected<Cell>& found) {
        std::vector<DrawNode> nodes;
        for (std::size_t i = found.plan.nodes.size(); i-- > 0;)
          if (found.plan.nodes[i].n_residual > 0) nodes.push_back(draw_node(found, found.plan.nodes[i]));
        const std::size_t n = set_.size();
        const double cost = kNanosecondsPerWalk * static_cast<double>(n_rows) * static_cast<double>(n);
        parallel_for((n_rows + kRowsWalked - 1) / kRowsWalked, cost, cancel, [&](std::size_t block) {
          const std::size_t begin = block * kRowsWalked, rows = std::min(kRowsWalked, n_rows - begin);
          std::vector<std::uint64_t> places(rows), bits(rows);
          std::vector<std::uint32_t> cells(n * kRowsWalked);
          std::vector<std::uint32_t*> states(n);
          for (Var v = 0; v < n; ++v) {
            states[v] = cells.data() + v * kRowsWalked;
            if (found.plan.mask_node[v] == kNobody) std::fill_n(states[v], rows, found.states[v]);
          }
          for (std::uint32_t i = 0; i < nodes.size(); ++i) {
            draw_bits(seed, i, first_row + begin, rows, bits.data());
            draw_block(nodes[i], bits.data(), rows, places.data(), states.data());
          }
          for (Var v = 0; v < n; ++v)
            with_codes(columns[v].codes, columns[v].width, [&]<class Code>(Code* codes) {
              const std::uint32_t* const from = states[v];
              if (found.live) {
                const auto& live = (*found.live)[v];
                for (std::size_t i = 0; i < rows; ++i) codes[begin + i] = static_cast<Code>(live[from[i]]);
              } else {
                for (std::size_t i = 0; i < rows; ++i) codes[begin + i] = static_cast<Code>(from[i]);
              }
            });
        });
      });
}

}  // namespace treewright::forests
