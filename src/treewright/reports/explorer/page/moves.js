// How much the mean and the variance of a Gaussian answer move with each number of the network.
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

const signed = x => `${x < 0 ? '−' : '+'}${short(Math.abs(x))}`;

/** The strongest of them, in words. @param {object[]} found @param {number} deviation of the answer */
export function movesOf(app, v, found, deviation, most) {
  const size = one => Math.max(Math.abs(one.mean), deviation > 0 ? Math.abs(one.variance) / (2 * deviation) : 0);
  const lines = found.filter(one => size(one) > 5e-4).sort((a, b) => size(b) - size(a)).slice(0, most).map(one => {
    const which = `${one.kind} of ${one.u === undefined ? '' : `${app.names[one.u]} in `}${app.names[one.v]}`;
    return h('li', null, h('span', { text: `${which} = ${short(one.value)}` }), h('span', { class: 'n', text: `${signed(one.mean)}, ${signed(one.variance)}` }));
  });
  return [`The mean and the variance of ${app.names[v]} move by so much for each 1 that a number is raised:`, lines];
}
