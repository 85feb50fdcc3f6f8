// Leaves of a feature graph that are networks of their own, as junction forests, and stored rows.
import { JunctionForest } from './forest.js';

const NO_PARENT = 0xFFFFFFFF;
const CELLS_A_STEP = 50000;  // of stored rows, between two looks at the clock

/** A joint table. @param {number[]} about @param {Float64Array} numbers @param {number[]} cards */
export function tableLeaf(about, numbers, cards) {
  const scope = about.map((_, i) => i);
  const plan = { scopes: [scope], residual: [scope.length], parent: [-1] };
  return { ...forestLeaf(about, about.map(v => cards[v]), [{ scope, cells: numbers, logs: true }], plan), joint: true };
}

/** Variables after their parents, which form a clique with each of them.
 * @param {number[]} about @param {Float64Array} numbers @param {number[]} cards */
export function treeLeaf(about, numbers, cards) {
  const many = about[0], variables = [], factors = [], above = [];
  let at = 1, number = 0;
  for (let i = 0; i < many; i++) {
    const parents = about.slice(at + 2, at + 2 + about[at + 1]);
    variables.push(about[at]);
    at += 2 + parents.length;
    const scope = [...parents, i], size = scope.reduce((n, k) => n * cards[variables[k]], 1);
    factors.push({ scope, cells: numbers.subarray(number, number + size), logs: true });
    number += size;
    above.push(parents);
  }
  const states = variables.map(v => cards[v]);
  return forestLeaf(variables, states, factors, treePlan(above.map(parents => parents.filter(k => states[k] > 1)), states));
}

// One clique for each variable with more than one state, the last placed first; it hangs under its last parent.
function treePlan(above, states) {
  const moving = above.map((_, i) => i).filter(i => states[i] > 1).reverse(), place = new Map(moving.map((i, k) => [i, k]));
  const byPlace = parents => [...parents].sort((a, b) => b - a);
  return {
    scopes: moving.map(i => [i, ...byPlace(above[i])]),
    residual: moving.map(() => 1),
    parent: moving.map(i => (above[i].length ? place.get(Math.max(...above[i])) : -1)),
  };
}

/** A tree of hidden states, one for each variable: hidden state i stands at m + i.
 * @param {number[]} about @param {Float64Array} numbers @param {number[]} cards */
export function hiddenLeaf(about, numbers, cards) {
  const [hidden, seesParent, many] = about, variables = [], factors = [], above = [];
  let number = 0;
  const take = (scope, size) => {
    factors.push({ scope, cells: numbers.subarray(number, number + size), logs: true });
    number += size;
  };
  for (let i = 0; i < many; i++) {
    const v = about[3 + 2 * i], up = about[4 + 2 * i], top = up === NO_PARENT;
    variables.push(v);
    above.push(top ? -1 : up);
    take(top ? [many + i] : [many + up, many + i], top ? hidden : hidden * hidden);
    if (seesParent && !top) take([up, many + i, i], cards[variables[up]] * hidden * cards[v]);
    else take([many + i, i], hidden * cards[v]);
  }
  const states = [...variables.map(v => cards[v]), ...variables.map(() => hidden)];
  const moving = scope => scope.filter(k => states[k] > 1);
  const plan = { scopes: [], residual: [], parent: [] };
  for (let i = many - 1; i >= 0; i--) {  // one clique each: the variable, its hidden state, those of its parent
    const own = moving([i, many + i]), up = above[i];
    const separator = up < 0 ? [] : moving(seesParent ? [up, many + up] : [many + up]);
    plan.scopes.push([...own, ...separator]);
    plan.residual.push(own.length);
    plan.parent.push(up < 0 ? -1 : many - 1 - up);
  }
  return forestLeaf(variables, states, factors, plan);
}

function forestLeaf(variables, cards, factors, plan) {
  return { variables, forest: new JunctionForest(cards, factors, plan), idle: null };
}

/** Distinct rows, packed into words of 32 bits: no code lies across the end of a word. They stay packed.
 * @param {Uint32Array} about @param {Float64Array} numbers @param {number[]} cards */
export function storedRows(about, numbers, cards) {
  const many = about[0], scope = Array.from(about.subarray(1, 1 + many)), fields = [];
  let word = 0, shift = 0;
  for (const v of scope) {
    const width = Math.max(1, 32 - Math.clz32(cards[v] - 1));
    if (shift + width > 32) { word++; shift = 0; }
    fields.push({ word, shift, mask: width === 32 ? 0xFFFFFFFF : 2 ** width - 1 });
    shift += width;
  }
  return { scope, fields, words: word + 1, stored: about.subarray(1 + many), rows: numbers };
}

/** The state of variable j of the scope in row r. */
export const codeOf = ({ fields, words, stored }, r, j) => ((stored[r * words + fields[j].word] >>> fields[j].shift) & fields[j].mask) >>> 0;

// Goes through all rows, variable by variable, with a look at the clock now and then.
function* overRows(leaf, act) {
  let left = CELLS_A_STEP;
  for (let j = 0; j < leaf.scope.length; j++)
    for (let r = 0; r < leaf.rows.length; r++) {
      act(r, j, codeOf(leaf, r, j));
      if (--left === 0) { left = CELLS_A_STEP; yield; }
    }
}

/** What every row weighs, in logarithms. @param {Float64Array} log of the likelihoods of all states
 * @param {number[]} offsets where the states of a variable begin */
export function* rowWeights(leaf, log, offsets) {
  const terms = Float64Array.from(leaf.rows);
  yield* overRows(leaf, (r, j, code) => { terms[r] += log[offsets[leaf.scope[j]] + code]; });
  return terms;
}

/** Adds every row's share to the states that it holds. @param {Float64Array} shares @param {Float64Array} out */
export function* spreadRows(leaf, shares, out, offsets) {
  yield* overRows(leaf, (r, j, code) => { out[offsets[leaf.scope[j]] + code] += shares[r]; });
}
