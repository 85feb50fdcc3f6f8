// How much an answer moves with each number of a feature graph: how often a row is expected to use it, over the number
// itself, the rest of its distribution scaled. What is zero says what never occurs, and is not moved.
import { logDerivatives } from './derivatives.js';
import { statesAt } from './walks.js';

// Right after `marginals`: how often each number is expected to be used, one after the other.
function* usesOf(graph, evidence) {
  const { nodes, flow, up } = graph, uses = new Float64Array(nodes.reduce((sum, { numbers }) => sum + numbers.length, 0));
  for (let i = 0, at = 0; i < nodes.length; at += nodes[i++].numbers.length) {
    const node = nodes[i], { forest, numbers, terms } = node;
    if (!(flow[i] > 0)) continue;
    if (!forest) { numbers.forEach((_, k) => { uses[at + k] = flow[i] * Math.exp(terms[k] - up[i]); }); continue; }
    yield* forest.marginalSteps(graph.within(node, evidence));
    const by = (yield* logDerivatives(forest)).flatMap(cells => Array.from(cells));
    numbers.forEach((number, k) => { uses[at + k] = flow[i] * by[k] * Math.exp(number); });
  }
  return uses;
}

// How many numbers each distribution has: a row of a tree, all of any other node.
function sizesOf({ forest, joint, numbers }) {
  if (!forest || joint) return [numbers.length];
  return forest.factors.flatMap(({ scope, cells }) => Array(cells.length / forest.cards[scope.at(-1)]).fill(forest.cards[scope.at(-1)]));
}

/** Derivatives of P(t | e) by every number of the graph, in steps; null where P(t | e) is zero.
 * @param {object} graph @param {Map<number, ArrayLike<number>>} evidence @param {Map<number, ArrayLike<number>>} withState
 * @param {number} p the answer itself @returns {Generator<void, Float64Array[] | null>} */
export function* graphDerivatives(graph, evidence, withState, p) {
  if (!(p > 0)) return null;
  const uses = [];
  for (const known of [withState, evidence]) {
    if (!(yield* graph.marginalSteps(known)).out) return null;
    uses.push(yield* usesOf(graph, known));
  }
  const found = uses[0].map((x, i) => p * (x - uses[1][i]));
  let at = 0;
  for (const node of graph.nodes) {
    const numbers = node.numbers.map(Math.exp);
    let k = 0;
    for (const size of sizesOf(node)) {
      const by = found.subarray(at, at + size), own = numbers.subarray(k, k + size), total = list => list.reduce((a, b) => a + b, 0);
      const all = total(by), sum = total(own);
      by.forEach((x, j) => { by[j] = own[j] > 0 && sum - own[j] > 1e-15 ? x / own[j] - (all - x) / (sum - own[j]) : 0; });
      at += size;
      k += size;
    }
  }
  return [found];
}

/** What a number of the graph says, at which node, and what it is.
 * @returns {[string, number]} */
export function wayAt({ beliefs, names, variables }, at) {
  const { nodes } = beliefs.engine, i = nodes.findIndex(({ numbers }) => { at -= numbers.length; return at < 0; }), node = nodes[i];
  const { numbers, children, forest, literals } = node, k = at + numbers.length, is = (v, state) => `${names[v]} = ${variables[v].states[state]}`;
  /** @returns {[string, number]} */
  const said = text => [`${text} at node ${i}`, Math.exp(numbers[k])];
  if (forest) return said(leafCell(node, k, is, names));
  if (node.states) return said(`P(${is(node.v, node.states[k])})`);
  if (literals) return said(`P(${k ? 'not ' : ''}${literals.map(([v, state]) => is(v, state)).join(' & ')})`);
  return said(`weight of ${node.rows ? `row ${k}` : `node ${children[k]}`}`);
}

// A cell of a leaf: what comes last given the others, or all together.
function leafCell({ forest, joint, variables }, k, is, names) {
  const { scope, cells } = forest.factors.find(one => { k -= one.cells.length; return k < 0; }), many = variables.length;
  const words = statesAt(scope, forest.cards, k + cells.length).map((code, i) => (scope[i] < many ? is(variables[scope[i]], code) : `hidden of ${names[variables[scope[i] - many]]} = ${code}`));
  return joint || words.length < 2 ? `P(${words.join(', ')})` : `P(${words.at(-1)} | ${words.slice(0, -1).join(', ')})`;
}
