// Exact answers of a Gaussian network: its covariance once, then a Cholesky factor of what is observed.
import { finish } from './forest.js';

/** Below this share of its variance a pivot is rounding: the values before it determine the variable. */
const DETERMINED = 1e-12;

export class NormalNetwork {
  /** @param {{parents: number[], weights: number[], offset: number, variance: number}[]} families
   * @param {number[]} order parents before children */
  constructor(families, order) {
    const n = families.length, cov = new Float64Array(n * n), mean = new Float64Array(n);
    order.forEach((v, i) => {
      const { parents, weights, offset, variance } = families[v];
      mean[v] = parents.reduce((a, u, k) => a + weights[k] * mean[u], offset);
      for (const w of order.slice(0, i))
        cov[v * n + w] = cov[w * n + v] = parents.reduce((a, u, k) => a + weights[k] * cov[u * n + w], 0);
      cov[v * n + v] = parents.reduce((a, u, k) => a + weights[k] * cov[v * n + u], variance);
    });
    Object.assign(this, { n, cov, mean, families, order, cells: n * n, rows: new Float64Array(0), seen: [] });
    this.offsets = Array.from({ length: n + 1 }, (_, v) => 2 * v);  // a mean and a deviation each
  }

  // The Cholesky factor of what is observed, row by row, and how far each value is from what was expected of it.
  factor(evidence) {
    const { n, cov, mean } = this, seen = [...evidence.keys()], k = seen.length;
    const L = new Float64Array(k * k), z = new Float64Array(k);
    let logMass = 0;
    for (let i = 0; i < k; i++) {
      for (let j = 0; j <= i; j++) {
        let x = cov[seen[i] * n + seen[j]];
        for (let m = 0; m < j; m++) x -= L[i * k + m] * L[j * k + m];
        if (j < i) L[i * k + j] = x / L[j * k + j];
        else if (x > DETERMINED * cov[seen[i] * n + seen[i]]) L[i * k + i] = Math.sqrt(x);
        else return { determined: seen[i] };
      }
      let x = evidence.get(seen[i]) - mean[seen[i]];
      for (let m = 0; m < i; m++) x -= L[i * k + m] * z[m];
      z[i] = x / L[i * k + i];
      logMass -= 0.5 * z[i] * z[i] + Math.log(L[i * k + i]) + 0.5 * Math.log(2 * Math.PI);
    }
    return { seen, L, z, logMass };
  }

  /** Mean and deviation of every variable; `determined` names a value that the others leave no room for.
   * @param {Map<number, number>} evidence */
  marginals(evidence) {
    const { n, cov } = this, found = this.factor(evidence);
    if (found.determined !== undefined) return { out: null, logMass: -Infinity, determined: found.determined };
    const { seen, L, z, logMass } = found, k = seen.length, out = new Float64Array(2 * n);
    this.rows = new Float64Array(n * k);
    this.seen = seen;
    for (let v = 0; v < n; v++) {
      let mean = this.mean[v], variance = cov[v * n + v];
      const row = this.rows.subarray(v * k, v * k + k);
      for (let i = 0; i < k; i++) {
        let x = cov[seen[i] * n + v];
        for (let m = 0; m < i; m++) x -= L[i * k + m] * row[m];
        row[i] = x / L[i * k + i];
        mean += row[i] * z[i];
        variance -= row[i] * row[i];
      }
      out[2 * v] = mean;
      out[2 * v + 1] = variance > DETERMINED * cov[v * n + v] ? Math.sqrt(variance) : 0;
    }
    for (const v of seen) { out[2 * v] = evidence.get(v); out[2 * v + 1] = 0; }
    return { out, logMass };
  }

  *marginalSteps(evidence) { return this.marginals(evidence); }

  *massSteps(evidence) { return this.factor(evidence).logMass ?? -Infinity; }

  /** Right after `marginals`: the mutual information of two variables given the evidence, in bits.
   * @param {number} u @param {number} v */
  information(u, v) {
    const k = this.seen.length, at = (a, b) => {
      let x = this.cov[a * this.n + b];
      for (let i = 0; i < k; i++) x -= this.rows[a * k + i] * this.rows[b * k + i];
      return x;
    };
    const small = w => this.seen.includes(w) || !(at(w, w) > DETERMINED * this.cov[w * this.n + w]);
    if (small(u) || small(v)) return 0;
    const left = 1 - at(u, v) ** 2 / (at(u, u) * at(v, v));
    return left > DETERMINED ? Math.max(0, -0.5 * Math.log2(left)) : Infinity;
  }

  *explainSteps(evidence) { return this.mostProbable(evidence); }

  /** The most probable values together are the means; the logarithm of their density.
   * @param {Map<number, number>} evidence */
  mostProbable(evidence) {
    const { out, logMass } = finish(this.marginalSteps(evidence));
    if (!out) return { states: null, logMass, exact: true };
    const states = Array.from(this.mean, (_, v) => out[2 * v]);
    let log = 0;
    this.families.forEach(({ parents, weights, offset, variance }, v) => {
      const gap = states[v] - parents.reduce((a, u, k) => a + weights[k] * states[u], offset);
      if (variance > 0) log -= 0.5 * (gap * gap / variance + Math.log(2 * Math.PI * variance));
    });
    return { states, logMass: log, exact: true };
  }
}
