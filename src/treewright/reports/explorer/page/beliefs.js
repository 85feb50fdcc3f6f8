// What is known and what follows from it: evidence with its history, beliefs, and measures of them. No document here.
import { answerDerivatives } from './answers.js';
import { distanceOf, divergenceOf, entropyOf, informationOf } from './measures.js';
import { normalMoves, normalWorth } from './moves.js';
import { numberDistance, numberEntropy } from './numbers.js';
import { worthOfEdges } from './features.js';
import { graphDerivatives } from './ways.js';
import { mixedDerivatives } from './scores.js';
import { finish } from './forest.js';
import { openModel } from './opening.js';

const WHOLE_CELLS = 300000;  // beyond, a propagation is cut into slices
const SLICE_MS = 8;
const MOST_STEPS = 200;

// Lets the page paint and react; a message comes back sooner than a timer.
const pause = () => new Promise(resume => {
  const { port1, port2 } = new MessageChannel();
  port1.onmessage = () => { port1.close(); resume(); };
  port2.postMessage(null);
});

export class Beliefs {
  /** @param {object} data the embedded model @param {() => void} [listen] called whenever beliefs were renewed */
  static async open(data, listen = () => {}) {
    const beliefs = new Beliefs(data, await openModel(data), listen);
    await beliefs.start();
    return beliefs;
  }

  constructor(data, { cards, offsets, factors, lines, engine, starting }, listen) {
    Object.assign(this, { data, cards, offsets, factors, lines, engine, listen, edges: data.edges });
    /** @type {Map<number, any>} a variable and the likelihoods of its states; of a number, its value */
    this.evidence = new Map(data.given ?? []);
    this.past = [];
    this.future = [];
    this.turn = 0;  // counts changes of the evidence: what was begun before one is dropped
    this.jobs = Promise.resolve();
    this.settled = Promise.resolve();  // resolves when beliefs have followed the evidence
    this.busy = false;
    this.held = false;
    this.logMass = 0;
    this.logWhole = 0;  // of everything: the partition function of a Markov network
    this.conflict = null;
    this.strength = null;
    this.worths = new Map();
    this.prior = this.before = this.now = starting;
  }

  // Beliefs of the start without evidence, then with what the page opens with.
  async start() {
    if (!this.engine) return;
    const { out, logMass } = await this.begun(this.engine.marginalSteps(new Map()));
    this.logWhole = logMass;
    this.prior = this.before = this.now = out;
    this.follow();
    await this.settled;
  }

  /** Whether a variable has a number rather than a state. @param {number} v */
  isNumber(v) { return !this.data.variables[v].states; }

  /** One variable's share of a flat array. @param {Float64Array} all @param {number} v */
  slice(all, v) { return all.subarray(this.offsets[v], this.offsets[v + 1]); }

  /** One step that can be undone. @param {(evidence: Map<number, any>) => void} change edits a copy of the evidence */
  step(change) {
    const next = new Map(this.evidence);
    change(next);
    this.past.push(this.evidence);
    if (this.past.length > MOST_STEPS) this.past.shift();
    this.future = [];
    return this.set(next);
  }

  undo() {
    if (!this.past.length) return this.settled;
    this.future.push(this.evidence);
    return this.set(this.past.pop());
  }

  redo() {
    if (!this.future.length) return this.settled;
    this.past.push(this.evidence);
    return this.set(this.future.pop());
  }

  set(evidence) {
    this.evidence = evidence;
    if (this.engine) this.follow();
    return this.settled;
  }

  /** Compare with the present beliefs from now on; once more: with the start. */
  hold() {
    this.held = !this.held;
    this.before = this.held ? this.now : this.prior;
    this.listen();
  }

  // Beliefs follow the evidence: at once where that is quick, else in slices, and the latest change wins.
  follow() {
    this.turn++;
    this.worths.clear();
    const found = this.begun(this.following(this.evidence));
    if (!(found instanceof Promise)) { this.arrive(found); return; }
    this.busy = true;
    this.settled = found.then(answer => { if (answer) this.arrive(answer); });
  }

  // What steps lead to: of a small model at once, else a promise of it.
  begun(steps) { return this.engine.cells <= WHOLE_CELLS ? finish(steps) : this.inTurn(() => steps); }

  arrive({ out, logMass, strength, conflict, determined }) {
    this.busy = false;
    this.logMass = logMass - this.logWhole;
    this.conflict = conflict;
    this.determined = determined;
    if (out) { this.now = out; this.strength = strength ?? this.strength; }
    this.listen();
    if (out && !strength) this.inTurn(() => worthOfEdges(this)).then(found => { if (found) { this.strength = found; this.listen('edges'); } });
  }

  *following(evidence) {
    const answer = yield* this.engine.marginalSteps(evidence);
    if (!answer.out) return { ...answer, conflict: yield* this.smallestConflict(evidence) };
    return { ...answer, conflict: null, strength: yield* this.strengths(answer.out) };
  }

  // Work in slices, one after the other; undefined when the evidence changed meanwhile.
  inTurn(begin) {
    const turn = this.turn;
    const job = this.jobs.then(async () => {
      if (turn !== this.turn) return;
      const steps = begin();
      for (;;) {
        const end = performance.now() + SLICE_MS;
        let step = steps.next();
        while (!step.done && performance.now() < end) step = steps.next();
        if (step.done) return step.value;
        await pause();
        if (turn !== this.turn) return;
      }
    });
    this.jobs = job.catch(() => undefined);
    return job;
  }

  // How strongly the ends of each edge are joined given the evidence; null where no clique holds both.
  *strengths(out) {
    const found = [];
    if (!this.engine.joint && !this.engine.information) return null;
    for (const [u, v] of this.edges) {
      if (this.isNumber(u) || this.isNumber(v)) { found.push(this.engine.information(u, v)); continue; }
      const joint = this.engine.joint([u, v]);
      found.push(joint ? informationOf(joint, this.slice(out, u), this.slice(out, v)) : null);
      yield;
    }
    return found;
  }

  // A smallest part of impossible evidence that is impossible already: the last item of the shortest impossible
  // beginning is needed, the others are looked for before it. Observed states come before likelihoods.
  *smallestConflict(evidence) {
    const hard = (v, likelihood) => this.isNumber(v) || likelihood.filter(x => x > 0).length === 1;
    const items = [...evidence].sort(([u, a], [v, b]) => Number(hard(v, b)) - Number(hard(u, a)));
    let needed = [], open = items.length;
    const impossible = function* (engine, first) {
      const some = items.filter((_, i) => i < first || needed.includes(i));
      return (yield* engine.massSteps(new Map(some))) === -Infinity;
    };
    while (!(yield* impossible(this.engine, 0))) {
      let low = 1, high = open;
      while (low < high) {
        const middle = low + Math.floor((high - low) / 2);
        if (yield* impossible(this.engine, middle)) high = middle; else low = middle + 1;
      }
      if (high === 0 || needed.includes(high - 1)) break;
      needed.push(high - 1);
      open = high - 1;
    }
    return needed.sort((a, b) => a - b).map(i => items[i][0]);
  }

  /** In bits; null of a number beside states, whose entropy has no closed form. @param {number} v @param {Float64Array} [all] */
  entropy(v, all = this.now) {
    if (!this.isNumber(v)) return entropyOf(this.slice(all, v));
    return numberEntropy(this, all, v);
  }

  /** How far the belief of a variable moved, in [0, 1]. @param {number} v @param {Float64Array} [from] */
  change(v, from = this.before) {
    return this.isNumber(v) ? numberDistance(this, from, v) : distanceOf(this.slice(from, v), this.slice(this.now, v));
  }

  /** What finding out each other variable would tell about the target, in bits: I(T; X | e), exactly. Undefined when
   * the evidence changed meanwhile. @param {number} target @returns {Promise<Float64Array | undefined>} */
  async worth(target) {
    if (!this.engine || this.conflict) return;
    if (!this.worths.has(target)) this.worths.set(target, this.inTurn(() => this.worthSteps(target)));
    return await this.worths.get(target);
  }

  *worthSteps(target) {
    const { cards, now } = this, gain = new Float64Array(cards.length);
    if (this.isNumber(target)) return this.data.untold ? gain : normalWorth(this, target, gain);
    for (const [t, p] of this.slice(now, target).entries()) {
      if (!(p > 0)) continue;
      const { out } = yield* this.engine.marginalSteps(this.withState(target, t));
      if (!out) continue;
      for (let x = 0; x < gain.length; x++)
        if (x !== target && !this.isNumber(x)) gain[x] += p * divergenceOf(this.slice(out, x), this.slice(now, x));
    }
    return gain.map(bits => Math.max(0, bits));
  }

  /** The present evidence and one state more. @param {number} v @param {number} state */
  withState(v, state) {
    const likelihood = new Float64Array(this.cards[v]);
    likelihood[state] = this.evidence.get(v)?.[state] ?? 1;
    return new Map([...this.evidence, [v, likelihood]]);
  }

  /** How much each number of the model moves what is asked: P(target = state | e), of a number its mean and its
   * variance. See `answerDerivatives`, `graphDerivatives`, `mixedDerivatives` and `normalMoves`. Undefined when the
   * evidence changed meanwhile, null where there is no answer. @param {number} target @param {number} [state] */
  async sensitivity(target, state) {
    if (!this.engine || this.conflict) return null;
    const { data, engine, evidence } = this, number = this.isNumber(target);
    if (number && evidence.has(target)) return [];
    if (data.kind === 'normal') return normalMoves(engine, evidence, target);
    const steps = { tables: answerDerivatives, features: graphDerivatives, mixed: mixedDerivatives }[data.kind];
    return await this.inTurn(() => steps(engine, evidence, number ? null : this.withState(target, state), this.slice(this.now, target)[state], data.network === 'bayesian', target));
  }

  /** The most probable explanation, in its turn: states of all variables, the logarithm of their probability and
   * of their share of the evidence. Undefined when the evidence changed meanwhile. */
  async mostProbable() {
    if (!this.engine) return;
    const engine = this.engine, evidence = this.evidence;
    const found = await this.inTurn(() => engine.explainSteps(evidence));
    if (!found) return;
    const logMass = found.logMass - this.logWhole;
    return { ...found, logMass, logShare: logMass - this.logMass };
  }
}
