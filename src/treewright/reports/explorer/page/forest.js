// Exact answers from a product of tables, over a junction forest: the page's twin of the native core.
//
// A plan lists cliques, children before parents; a scope is its residual variables and then the separator towards
// the parent in the parent's order, so a message upwards is a sum of whole rows. Evidence is a mask. Variables with
// one state stand in no clique.
import { LOGS, PLAIN, cellsOf, walkOver } from './walks.js';

/** @typedef {Map<number, ArrayLike<number>>} Evidence  a variable and the likelihoods of its states */
/** @typedef {{out: Float64Array | null, logMass: number}} Answer  no `out` where the evidence is impossible */

/** Runs steps to their end. @template T @param {Generator<void, T>} steps @returns {T} */
export function finish(steps) {
  let step = steps.next();
  while (!step.done) step = steps.next();
  return step.value;
}

/** Where the states of each variable begin in a flat array of all, and the end. @param {number[]} cards */
export function offsetsOf(cards) {
  const offsets = [0];
  for (const states of cards) offsets.push(offsets.at(-1) + states);
  return offsets;
}

/** The cells of a factor as some arithmetic wants them. */
export function cellsIn({ cells, logs }, ops) {
  const as = logs ? (ops === LOGS ? x => x : Math.exp) : ops.from;
  return Float64Array.from(cells, as);
}

export class JunctionForest {
  /** @param {number[]} cards states per variable
   * @param {{scope: number[], cells: ArrayLike<number>, logs?: boolean}[]} factors tables with no cell above one
   * @param {{scopes: number[][], residual: number[], parent: number[]}} plan */
  constructor(cards, factors, plan) {
    this.cards = cards;
    this.factors = factors;
    this.offsets = offsetsOf(cards);
    this.constant = 0;  // logarithm of the factors that no clique holds
    this.ops = PLAIN;  // what the latest propagation worked with
    this.within = cards.map(() => []);
    this.walks = new Map();
    this.placeCliques(plan);
    this.placeFactors();
    this.base = this.product(PLAIN);
    this.logBase = null;
    this.tables = new Float64Array(this.cells);
    this.upward = new Float64Array(this.messages);
    this.joined = new Float64Array(this.messages);  // messages with those that go with them
    this.belief = new Float64Array(this.messages);
    this.home = cards.map((states, v) => {
      if (states === 1) return null;
      const node = this.smallest([v]), walk = walkOver(node.scope, [v], cards);
      node.marginals.push({ v, walk });
      return { node, walk };
    });
  }

  placeCliques({ scopes, residual, parent }) {
    const { cards } = this;
    this.cells = this.messages = 0;
    this.nodes = scopes.map((scope, i) => {
      const separator = scope.slice(residual[i]), size = cellsOf(scope, cards), rows = cellsOf(separator, cards);
      const node = { scope, separator, size, rows, table: this.cells, message: this.messages, total: 0,
        up: walkOver(scope, separator, cards), root: parent[i] < 0, children: [], factors: [], masks: [], marginals: [] };
      for (const v of scope) this.within[v].push(node);
      this.cells += size;
      this.messages += rows;
      return node;
    });
    this.nodes.forEach((node, i) => { if (!node.root) this.nodes[parent[i]].children.push({ node, by: null, walk: null }); });
    for (const node of this.nodes) this.joinChildren(node);
  }

  // A child whose separator lies within that of another child goes with it: its message meets the other's, which is
  // small, instead of the whole table. The largest come first.
  joinChildren({ scope, children }) {
    children.sort((a, b) => b.node.rows - a.node.rows);
    children.forEach((child, i) => {
      const { separator } = child.node;
      for (let k = i - 1; k >= 0 && !child.by; k--)
        if (separator.every(v => children[k].node.separator.includes(v))) child.by = children[k].node;
      child.walk = walkOver(child.by ? child.by.separator : scope, separator, this.cards);
    });
  }

  // The smallest clique that holds all of these, undefined when none does.
  smallest(scope) {
    const rarest = scope.reduce((a, b) => (this.within[b].length < this.within[a].length ? b : a));
    let best;
    for (const node of this.within[rarest])
      if ((!best || node.size < best.size) && scope.every(v => node.scope.includes(v))) best = node;
    return best;
  }

  // Every factor lies in the smallest clique that holds it.
  placeFactors() {
    for (const factor of this.factors) {
      const moving = factor.scope.filter(v => this.cards[v] > 1);
      if (!moving.length) { this.constant += factor.logs ? factor.cells[0] : Math.log(factor.cells[0]); continue; }
      const node = this.smallest(moving);
      node.factors.push({ factor, walk: walkOver(node.scope, moving, this.cards) });
    }
  }

  // The factors of every clique multiplied.
  product(ops) {
    const tables = new Float64Array(this.cells).fill(ops.one);
    for (const node of this.nodes)
      for (const { factor, walk } of node.factors) ops.multiply(walk, tables, node.table, cellsIn(factor, ops), 0);
    return tables;
  }

  // Masks of the evidence, scaled to a greatest likelihood of one; the logarithm of what that took away.
  mask(evidence, ops) {
    let log = this.constant;
    for (const node of this.nodes) node.masks.length = 0;
    for (const [v, likelihood] of evidence) {
      const most = Math.max(...likelihood), home = this.home[v];
      if (!(most > 0)) return -Infinity;
      log += Math.log(most);
      if (home) home.node.masks.push({ walk: home.walk, cells: Float64Array.from(likelihood, x => ops.from(x / most)) });
    }
    return log;
  }

  // Messages towards the roots; the logarithm of the mass, -Infinity where there is none.
  *collect(evidence, ops, most) {
    const { tables, upward, joined } = this, reduce = most ? ops.greatest : ops.add, join = most ? Math.max : ops.plus;
    let log = this.mask(evidence, ops);
    if (log === -Infinity) return log;
    this.ops = ops;
    if (ops === LOGS) this.logBase ??= this.product(LOGS);
    tables.set(ops === LOGS ? this.logBase : this.base);
    for (const node of this.nodes) {
      const end = node.message + node.rows;
      for (let k = node.children.length - 1; k >= 0; k--) {
        const { node: child, by, walk } = node.children[k];
        if (by) ops.multiply(walk, joined, by.message, joined, child.message);
        else ops.multiply(walk, tables, node.table, joined, child.message);
      }
      for (const { walk, cells } of node.masks) ops.multiply(walk, tables, node.table, cells, 0);
      upward.fill(ops.zero, node.message, end);
      reduce(node.up, tables, node.table, upward, node.message);
      let total = ops.zero;
      for (let k = node.message; k < end; k++) total = join(total, upward[k]);
      if (ops.dead(total)) return -Infinity;
      log += ops.log(total);
      node.total = total;
      for (let k = node.message; k < end; k++) joined[k] = upward[k] = ops.over(upward[k], total);
      yield;
    }
    return log;
  }

  // Messages from the roots down: every table becomes the distribution of its clique.
  *distribute(ops) {
    const { tables, upward, belief } = this;
    for (let i = this.nodes.length - 1; i >= 0; i--) {
      const node = this.nodes[i], end = node.message + node.rows;
      for (let k = node.message; k < end; k++) {
        const mass = ops.times(upward[k], node.total);
        belief[k] = ops.over(node.root ? ops.one : belief[k], mass);
      }
      ops.multiply(node.up, tables, node.table, belief, node.message);
      for (const { node: child, by, walk } of node.children) {
        belief.fill(ops.zero, child.message, child.message + child.rows);
        if (by) ops.add(walk, belief, by.message, belief, child.message);
        else ops.add(walk, tables, node.table, belief, child.message);
      }
      yield;
    }
    if (ops === LOGS) for (let k = 0; k < tables.length; k++) tables[k] = Math.exp(tables[k]);
  }

  /** The distribution of every variable, in steps. @param {Evidence} evidence @returns {Generator<void, Answer>} */
  *marginalSteps(evidence) {
    let ops = PLAIN, logMass = yield* this.collect(evidence, ops, false);
    if (logMass === -Infinity) logMass = yield* this.collect(evidence, ops = LOGS, false);
    if (logMass === -Infinity) return { out: null, logMass };
    yield* this.distribute(ops);
    const { offsets, tables } = this, out = new Float64Array(offsets.at(-1)).fill(1);
    for (const node of this.nodes)
      for (const { v, walk } of node.marginals) {
        const share = out.subarray(offsets[v], offsets[v + 1]).fill(0);
        PLAIN.add(walk, tables, node.table, share, 0);
        const total = share.reduce((a, b) => a + b, 0);
        for (let k = 0; k < share.length; k++) share[k] /= total;
      }
    return { out, logMass };
  }

  /** @param {Evidence} evidence @returns {Answer} */
  marginals(evidence) { return finish(this.marginalSteps(evidence)); }

  /** The logarithm of the evidence's mass alone, in steps. @param {Evidence} evidence @returns {Generator<void, number>} */
  *massSteps(evidence) {
    const logMass = yield* this.collect(evidence, PLAIN, false);
    return logMass === -Infinity ? yield* this.collect(evidence, LOGS, false) : logMass;
  }

  // The smallest clique of some variables with the walk over it, undefined where none holds them or they never move.
  seat(scope) {
    const key = scope.join();
    if (!this.walks.has(key)) {
      const moving = scope.filter(v => this.cards[v] > 1), node = moving.length ? this.smallest(moving) : undefined;
      this.walks.set(key, node && { node, walk: walkOver(node.scope, moving, this.cards) });
    }
    return this.walks.get(key);
  }

  /** Right after `marginals`: the joint distribution of variables that share a clique, undefined of others.
   * @param {number[]} scope */
  joint(scope) {
    const kept = this.seat(scope);
    if (!kept) return scope.every(v => this.cards[v] === 1) ? Float64Array.of(1) : undefined;
    const out = new Float64Array(cellsOf(scope, this.cards));
    PLAIN.add(kept.walk, this.tables, kept.node.table, out, 0);
    const total = out.reduce((a, b) => a + b, 0);
    return out.map(x => x / total);
  }

  /** The jointly most probable states, ties to lower ones; `marginals` are gone afterwards.
   * @param {Evidence} evidence @returns {{states: number[] | null, logMass: number, exact: boolean}} */
  mostProbable(evidence) { return finish(this.explainSteps(evidence)); }

  /** The same in steps. @param {Evidence} evidence */
  *explainSteps(evidence) {
    let logMass = yield* this.collect(evidence, PLAIN, true);
    if (logMass === -Infinity) logMass = yield* this.collect(evidence, LOGS, true);
    if (logMass === -Infinity) return { states: null, logMass, exact: true };
    const states = this.cards.map(() => 0);
    for (let i = this.nodes.length - 1; i >= 0; i--) this.choose(this.nodes[i], states);
    return { states, logMass, exact: true };
  }

  choose({ scope, separator, table, size, rows }, states) {
    let column = table, best = 0;
    for (let k = 0, rest = rows; k < separator.length; k++) {
      rest /= this.cards[separator[k]];
      column += states[separator[k]] * rest;
    }
    for (let r = 1; r < size / rows; r++) if (this.tables[column + r * rows] > this.tables[column + best * rows]) best = r;
    for (let k = scope.length - separator.length - 1; k >= 0; k--) {
      states[scope[k]] = best % this.cards[scope[k]];
      best = Math.floor(best / this.cards[scope[k]]);
    }
  }
}
