// How much an answer moves with each number of the tables: derivatives of P(t | e) by P(x | u), the rest of the row
// scaled, or by the logarithms of factors.
import { alongRow, logDerivatives } from './derivatives.js';

/** Derivatives of P(t | e) by every cell of every table of a Bayesian network, of a Markov network by their
 * logarithms, in steps; null where P(t | e) is zero.
 * @param {object} forest @param {Map<number, ArrayLike<number>>} evidence
 * @param {Map<number, ArrayLike<number>>} withState the same and the state of the target
 * @param {number} p the answer itself @param {boolean} directed whether rows are distributions
 * @returns {Generator<void, Float64Array[] | null>} one array per table */
export function* answerDerivatives(forest, evidence, withState, p, directed) {
  if (!(p > 0)) return null;
  const logs = [];
  for (const known of [withState, evidence]) {
    const { out } = yield* forest.marginalSteps(known);
    if (!out) return null;
    logs.push(yield* logDerivatives(forest));
  }
  return forest.factors.map(({ scope, cells }, f) => {
    const r = forest.cards[scope.at(-1)], by = logs[0][f].map((x, i) => p * (x - logs[1][f][i]));
    if (!directed) return by.map((x, i) => (cells[i] > 0 ? cells[i] * x : 0));
    for (let row = 0; row < cells.length; row += r) by.set(alongRow(cells.subarray(row, row + r), by.slice(row, row + r)), row);
    return by;
  });
}
