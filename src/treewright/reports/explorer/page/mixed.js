// Exact answers of a network of states and numbers: the page's twin of strong elimination in Python.
//
// In each joint state of the labels that they hang on, numbers are jointly Normal. What is observed of them is then a
// table over those states, its density in each, which the junction forest of the states multiplies in; and what a
// number is, is a Normal for each of them, weighted by their posterior. Numbers that hang together are one part.
import { JunctionForest, finish, offsetsOf } from './forest.js';
import { keepMixtures } from './mixtures.js';
import { LOGS, cellsOf } from './walks.js';

const LOG_TWO_PI = Math.log(2 * Math.PI), LEAST_VARIANCE = 1e-300;
const AT_ONCE = 1e6;  // steps between two pauses

/** @typedef {{child: number, discrete: number[], continuous: number[], intercepts: Float64Array, variances: Float64Array,
 *   slopes: Float64Array}} Line  one for every joint state of the discrete parents, row by row */

// A junction forest that multiplies densities in, which are given as logarithms.
class StateForest extends JunctionForest {
  mask(evidence, ops) {
    let log = super.mask(evidence, ops);
    for (const { scope, logs } of this.densities ?? []) {
      const most = logs.reduce((a, b) => (b > a ? b : a), -Infinity), seat = this.seat(scope);
      if (most === -Infinity) return most;
      log += most;
      if (seat) seat.node.masks.push({ walk: seat.walk, cells: logs.map(x => (ops === LOGS ? x - most : Math.exp(x - most))) });
    }
    return log;
  }
}

/** What the packed numbers of a mixed model hold after its tables, and its engine where there is a plan.
 * @param {object} data the embedded model @param {object} opened */
export function openMixed(data, { cards, factors, starting }, numbers) {
  let at = factors.reduce((sum, { cells }) => sum + cells.length, 0);
  const lines = data.lines.map(line => {
    const rows = cellsOf(line.discrete, cards), cut = many => numbers.subarray(at, at += many);
    return { ...line, intercepts: cut(rows), variances: cut(rows), slopes: cut(rows * line.continuous.length) };
  });
  if (starting) keepMixtures(starting, new Map(data.mixtures.map(([v, weights, means, deviations]) => [v, { weights, means, deviations }])));
  return { lines, engine: data.plan ? new MixedNetwork(cards, factors, data.plan, lines) : null };
}

export class MixedNetwork {
  /** @param {number[]} cards states per variable, two for a number @param {object[]} factors
   * @param {object} plan a forest of the states with a clique around each part @param {Line[]} lines parents first */
  constructor(cards, factors, plan, lines) {
    this.lines = lines;
    this.lineOf = new Map(lines.map((line, place) => [line.child, { ...line, place }]));
    this.cards = cards.map((states, v) => (this.lineOf.has(v) ? 1 : states));
    this.offsets = offsetsOf(cards);
    this.forest = new StateForest(this.cards, factors, plan);
    this.known = this.split(new Map());
    this.cells = this.parts(this.known, this.lineOf.keys()).reduce((sum, part) => sum + part.rows * (2 + part.hidden.length ** 2), this.forest.cells);
  }

  // Numbers, likelihoods of states, and the states that are certain: these stand in no table.
  split(evidence) {
    const numbers = new Map(), states = new Map(), fixed = new Map();
    for (const [v, seen] of evidence) {
      if (this.lineOf.has(v)) { numbers.set(v, seen); continue; }
      states.set(v, seen);
      const left = [...seen.keys()].filter(k => seen[k] > 0);
      if (left.length === 1) fixed.set(v, left[0]);
    }
    return { numbers, states, fixed };
  }

  /** What hangs together, by numbers nobody observed, of the lines that matter for observed and wanted numbers. */
  parts({ numbers, fixed }, wanted) {
    const relevant = new Set(), stack = [...numbers.keys(), ...wanted], group = new Map();
    while (stack.length) {
      const v = stack.pop();
      if (relevant.has(v)) continue;
      relevant.add(v);
      stack.push(...this.lineOf.get(v).continuous.filter(u => !numbers.has(u)));
    }
    this.lines.forEach(({ child, continuous }, place) => {
      if (!relevant.has(child)) return;
      const own = [place];
      group.set(place, own);
      for (const u of continuous) {
        const theirs = group.get(this.lineOf.get(u).place);
        if (numbers.has(u) || theirs === own) continue;
        own.push(...theirs);
        for (const one of theirs) group.set(one, own);
      }
    });
    return [...new Set(group.values())].map(places => {
      const lines = places.sort((a, b) => a - b).map(place => this.lines[place]);
      const scope = [...new Set(lines.flatMap(({ discrete }) => discrete))].filter(v => !fixed.has(v)).sort((a, b) => a - b);
      const hidden = lines.map(({ child }) => child).filter(v => !numbers.has(v));
      return { lines, scope, hidden, rows: cellsOf(scope, this.cards), key: places.join() };
    });
  }

  // A line with where its parents and its child stand in a part, and how far its row moves with each state of the scope.
  placed(line, { scope, hidden }, { numbers, fixed }) {
    const strides = scope.map(() => 0), known = [], open = [];
    let row = 0;
    for (let k = line.discrete.length - 1, stride = 1; k >= 0; stride *= this.cards[line.discrete[k]], k--) {
      const v = line.discrete[k];
      if (fixed.has(v)) row += stride * fixed.get(v); else strides[scope.indexOf(v)] = stride;
    }
    line.continuous.forEach((u, k) => { if (numbers.has(u)) known.push([k, numbers.get(u)]); else open.push([k, hidden.indexOf(u)]); });
    return { ...line, row, strides, known, open, many: line.continuous.length, at: hidden.indexOf(line.child), seen: numbers.get(line.child) };
  }

  /** The hidden numbers of a part in every joint state of its scope: means, variances, the log-density of what is
   * observed and that of the highest point. `each` is told every state with its lines, means and covariances. */
  *normals(part, known, each) {
    const { rows, hidden, scope } = part, wide = hidden.length, lines = part.lines.map(line => this.placed(line, part, known));
    const found = { logs: new Float64Array(rows), peaks: new Float64Array(rows), means: new Float64Array(rows * wide), variances: new Float64Array(rows * wide) };
    const cov = new Float64Array(wide * wide), cross = new Float64Array(wide), at = scope.map(() => 0);
    const pause = Math.ceil(AT_ONCE / (lines.length * (wide + 2) ** 2));  // joint states
    for (let s = 0; s < rows; s++) {
      const mean = found.means.subarray(s * wide, (s + 1) * wide);
      let log = 0, volume = wide * LOG_TWO_PI;
      cov.fill(0);
      for (const line of lines) {
        const row = line.now = line.strides.reduce((sum, stride, k) => sum + stride * at[k], line.row);
        let centre = line.intercepts[row], spread = line.variances[row];
        volume += Math.log(spread);
        cross.fill(0);
        for (const [k, x] of line.known) centre += line.slopes[row * line.many + k] * x;
        for (const [k, column] of line.open) {
          const slope = line.slopes[row * line.many + k];
          centre += slope * mean[column];
          for (let j = 0; j < wide; j++) cross[j] += slope * cov[column * wide + j];
        }
        for (const [k, column] of line.open) spread += line.slopes[row * line.many + k] * cross[column];
        if (line.seen === undefined) {
          mean[line.at] = centre;
          for (let j = 0; j < wide; j++) cov[line.at * wide + j] = cov[j * wide + line.at] = cross[j];
          cov[line.at * wide + line.at] = spread;
          continue;
        }
        const rest = line.seen - centre;
        log -= 0.5 * (LOG_TWO_PI + Math.log(spread) + rest * rest / spread);
        volume -= Math.log(spread);
        for (let i = 0; i < wide; i++) {
          mean[i] += cross[i] * (rest / spread);
          for (let j = 0; j < wide; j++) cov[i * wide + j] -= cross[i] * (cross[j] / spread);
        }
      }
      each?.(s, lines, mean, cov);
      found.logs[s] = log;
      found.peaks[s] = log - 0.5 * volume;
      for (let j = 0; j < wide; j++) found.variances[s * wide + j] = cov[j * wide + j];
      for (let k = at.length - 1; k >= 0 && ++at[k] === this.cards[scope[k]]; k--) at[k] = 0;
      if (s % pause === pause - 1) yield;
    }
    return found;
  }

  // The densities of what is observed enter the forest; what was found of the hidden numbers on the way is kept.
  *observe(known) {
    const made = new Map();
    this.known = known;
    this.forest.densities = [];
    for (const part of this.parts(known, [])) {
      const found = yield* this.normals(part, known);
      made.set(part.key, found);
      this.forest.densities.push({ scope: part.scope, logs: found.logs });
    }
    return made;
  }

  /** States have probabilities; numbers a mean and a deviation, and the Normals behind them, in steps.
   * @param {Map<number, any>} evidence */
  *marginalSteps(evidence) {
    const known = this.split(evidence), made = yield* this.observe(known), { out: states, logMass } = yield* this.forest.marginalSteps(known.states);
    if (!states) return { out: null, logMass };
    const out = new Float64Array(this.offsets.at(-1)), mixtures = new Map(), done = new Set(known.numbers.keys());
    this.cards.forEach((_, v) => { if (!this.lineOf.has(v)) out.set(states.subarray(this.forest.offsets[v], this.forest.offsets[v + 1]), this.offsets[v]); });
    for (const [v, x] of known.numbers) out[this.offsets[v]] = x;
    const own = new Map(this.lines.map(({ child }) => [child, done.has(child) ? null : this.parts(known, [child]).find(({ hidden }) => hidden.includes(child))]));
    for (const { child } of [...this.lines].reverse()) {
      if (done.has(child)) continue;
      const part = own.get(child), found = made.get(part.key) ?? (yield* this.normals(part, known)), weights = this.forest.joint(part.scope);
      part.hidden.forEach((v, k) => {
        if (done.has(v) || own.get(v).scope.join() !== part.scope.join()) return;
        done.add(v);
        mixtures.set(v, mixtureFrom(weights, found, k, part.hidden.length));
        out.set(momentsOf(mixtures.get(v)), this.offsets[v]);
      });
    }
    return { out: keepMixtures(out, mixtures), logMass };
  }

  /** @param {Map<number, any>} evidence */
  marginals(evidence) { return finish(this.marginalSteps(evidence)); }

  *massSteps(evidence) {
    const known = this.split(evidence);
    yield* this.observe(known);
    return yield* this.forest.massSteps(known.states);
  }

  /** Right after `marginals`: the joint distribution of states that share a clique. @param {number[]} scope */
  joint(scope) { return this.forest.joint(scope); }

  /** The mutual information of a number with something else: nothing where either is known, else it has no closed
   * form. @param {number} u @param {number} v */
  information(u, v) {
    const { numbers, fixed } = this.known;
    return [u, v].some(w => numbers.has(w) || fixed.has(w)) ? 0 : null;
  }

  /** The highest point of the density: states, and numbers at their means there, in steps.
   * @param {Map<number, any>} evidence */
  *explainSteps(evidence) {
    const known = this.split(evidence), parts = this.parts(known, this.lineOf.keys()), made = [];
    for (const part of parts) made.push(yield* this.normals(part, known));
    this.forest.densities = parts.map(({ scope }, i) => ({ scope, logs: made[i].peaks }));
    const found = yield* this.forest.explainSteps(known.states);
    if (!found.states) return found;
    parts.forEach(({ scope, hidden }, i) => {
      const row = scope.reduce((at, v) => at * this.cards[v] + found.states[v], 0);
      hidden.forEach((v, k) => { found.states[v] = made[i].means[row * hidden.length + k]; });
    });
    for (const [v, x] of known.numbers) found.states[v] = x;
    return found;
  }
}

// The Normals of one number that have a weight.
function mixtureFrom(weights, { means, variances }, k, wide) {
  const rows = [...weights.keys()].filter(s => weights[s] > 0), of = at => Float64Array.from(rows, at);
  return { weights: of(s => weights[s]), means: of(s => means[s * wide + k]), deviations: of(s => Math.sqrt(Math.max(variances[s * wide + k], LEAST_VARIANCE))) };
}

// Mean and deviation of a mixture, without a difference of large squares.
function momentsOf({ weights, means, deviations }) {
  const mean = weights.reduce((sum, w, s) => sum + w * means[s], 0);
  return [mean, Math.sqrt(weights.reduce((sum, w, s) => sum + w * (deviations[s] ** 2 + (means[s] - mean) ** 2), 0))];
}
