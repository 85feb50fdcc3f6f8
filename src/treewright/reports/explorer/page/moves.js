// What a Gaussian network says of its numbers: what they are made of, what would tell about them, and how much the mean
// and the variance of an answer move with each.
//
// With c the target less its regression on what is observed, and r the surprise of what is observed in units of its
// covariance, both carried against the arrows: see gaussian_sensitivity.py, which has the equations.
import { h, short } from './dom.js';

// Solves L' x = y for a Cholesky factor L, row by row.
function backward(L, y) {
  const k = y.length, x = new Float64Array(k);
  for (let i = k - 1; i >= 0; i--) {
    let rest = y[i];
    for (let m = i + 1; m < k; m++) rest -= L[m * k + i] * x[m];
    x[i] = rest / L[i * k + i];
  }
  return x;
}

/** Right after `marginals`: derivatives of the mean and of the variance of a target that is not observed, by the
 * coefficient of parent u in v, by the intercept of v and by the variance of v.
 * @param {object} engine a Gaussian network @param {Map<number, number>} evidence @param {number} target
 * @returns {{v: number, u?: number, kind: string, value: number, mean: number, variance: number}[]} */
export function normalMoves(engine, evidence, target) {
  const { n, families, order } = engine, { out } = engine.marginals(evidence), { seen, L, z } = engine.factor(evidence), k = seen.length;
  const flow = { alpha: new Float64Array(n), beta: new Float64Array(n) };
  flow.alpha[target] = 1;
  backward(L, engine.rows.subarray(target * k, target * k + k)).forEach((x, i) => { flow.alpha[seen[i]] = -x; });
  backward(L, z).forEach((x, i) => { flow.beta[seen[i]] = x; });
  for (const w of [flow.alpha, flow.beta])
    for (const v of [...order].reverse()) families[v].parents.forEach((u, i) => { w[u] += families[v].weights[i] * w[v]; });
  const covariance = flow.alpha.map((x, v) => x * families[v].variance);  // with the target, given what is known
  for (const v of order) families[v].parents.forEach((u, i) => { covariance[v] += families[v].weights[i] * covariance[u]; });
  return families.flatMap(({ parents, weights, offset, variance }, v) => {
    const a = flow.alpha[v], b = flow.beta[v];
    return [
      ...parents.map((u, i) => ({ v, u, kind: 'coefficient', value: weights[i], mean: a * out[2 * u] + b * covariance[u], variance: 2 * a * covariance[u] })),
      { v, kind: 'intercept', value: offset, mean: a, variance: 0 },
      { v, kind: 'variance', value: variance, mean: a * b, variance: a * a },
    ];
  });
}

/** Which number one of them is, and what it is. @returns {[string, number]} */
export const weightAt = ({ names }, { v, u, kind, value }) => [`${kind} of ${u === undefined ? '' : `${names[u]} in `}${names[v]}`, value];

/** What a number of a Gaussian network is made of. @returns {HTMLElement[]} */
export function weightsOf(app, v) {
  const { parents, weights, offset, variance } = app.data.families[v];
  const rows = [['offset', offset], ...parents.map((u, k) => [`× ${app.names[u]}`, weights[k]]), ['deviation', Math.sqrt(variance)]];
  return [h('table', { class: 'cpt' }, h('tbody', null, rows.map(([name, x]) => h('tr', null, h('th', { class: 'l', scope: 'row', text: name }), h('td', { text: short(x) })))))];
}

/** A value that has no room left. @param {string} name */
export const determinedWords = name => `The other values determine ${name} already, so its value cannot be added. Beliefs are those of the step before.`;

/** What finding out each other variable would tell about a number, in bits. */
export function normalWorth({ engine, evidence }, target, gain) {
  engine.marginals(evidence);
  return gain.map((_, x) => (x === target ? 0 : engine.information(target, x)));
}
