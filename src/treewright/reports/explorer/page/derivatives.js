// How much the probability of evidence moves with each number of a product of tables, and what that is along a row that
// still sums to one.
import { cellsIn } from './forest.js';
import { PLAIN, walkOver } from './walks.js';

// Walks over a clique beside the separators of its children.
const walksBelow = ({ cards }) => (node, child) => walkOver(node.scope, child.separator, cards);

// What comes to every clique from above, over its separator. Where a clique leaves something possible to a state of
// its separator, that is what the propagation found, divided by what went up; where it leaves nothing there is
// nothing to divide by, and the message is put together without it. Parents come before children here.
function* fromAbove(forest, rest) {
  const { ops, upward } = forest, down = Float64Array.from(forest.belief);
  const base = ops === PLAIN ? forest.base : forest.logBase, below = walksBelow(forest);
  for (let i = forest.nodes.length - 1; i >= 0; i--) {
    const node = forest.nodes[i];
    for (const { node: child } of node.children) {
      const went = upward.subarray(child.message, child.message + child.rows);
      if (!went.includes(ops.zero)) continue;
      rest.set(base.subarray(node.table, node.table + node.size));
      for (const mask of node.masks) ops.multiply(mask.walk, rest, 0, mask.cells, 0);
      for (const other of node.children)
        if (other.node !== child) ops.multiply(below(node, other.node), rest, 0, upward, other.node.message);
      ops.multiply(node.up, rest, 0, down, node.message);
      const sums = new Float64Array(child.rows).fill(ops.zero);
      ops.add(below(node, child), rest, 0, sums, 0);
      sums.forEach((sum, k) => { if (went[k] === ops.zero) down[child.message + k] = ops.over(sum, child.total); });
      yield;
    }
  }
  return down;
}

/** Right after `marginals`: for each factor the derivative of ln P(e) by its cells, all others held, in steps.
 *
 * That is what the rest of the factor's clique says: other factors, masks, messages from below and from above. The
 * factor itself is left out rather than divided by, so a cell of zero has its derivative too.
 * @param {object} forest a junction forest @returns {Generator<void, Float64Array[]>} one array per factor */
export function* logDerivatives(forest) {
  const { ops, upward, factors } = forest, found = new Map();
  const rest = new Float64Array(forest.nodes.reduce((most, { size }) => Math.max(most, size), 0));
  const down = yield* fromAbove(forest, rest), below = walksBelow(forest);
  for (const node of forest.nodes)
    for (const { factor, walk } of node.factors) {
      rest.fill(ops.one, 0, node.size);
      for (const other of node.factors)
        if (other.factor !== factor) ops.multiply(other.walk, rest, 0, cellsIn(other.factor, ops), 0);
      for (const { node: child } of node.children) ops.multiply(below(node, child), rest, 0, upward, child.message);
      for (const mask of node.masks) ops.multiply(mask.walk, rest, 0, mask.cells, 0);
      ops.multiply(node.up, rest, 0, down, node.message);
      const sums = new Float64Array(factor.cells.length).fill(ops.zero);
      ops.add(walk, rest, 0, sums, 0);
      found.set(factor, sums.map(ops.to));
      yield;
    }
  return factors.map(factor => found.get(factor) ?? Float64Array.from(factor.cells, x => 1 / x));
}

/** The derivative along a row when one probability moves and the rest of its row is scaled; of a row that has
 * nothing else the rest grows evenly.
 * @param {ArrayLike<number>} row probabilities @param {ArrayLike<number>} by derivatives by each, the others held */
export function alongRow(row, by) {
  const n = row.length;
  let sum = 0, expected = 0, total = 0;
  for (let k = 0; k < n; k++) { sum += row[k]; expected += row[k] * by[k]; total += by[k]; }
  return Array.from(row, (p, k) => {
    if (n === 1) return 0;
    const left = sum - p;
    return by[k] - (left > 1e-15 ? (expected - p * by[k]) / left : (total - by[k]) / (n - 1));
  });
}
