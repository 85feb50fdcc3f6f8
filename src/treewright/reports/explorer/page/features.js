// Exact answers over a feature graph: one pass up (the log-probability of the evidence under every node), one down
// (how much of it flows through each). Leaves that are networks of their own are junction forests.
import { finish, offsetsOf } from './forest.js';
import { codeOf, hiddenLeaf, rowWeights, spreadRows, storedRows, tableLeaf, treeLeaf } from './leaves.js';

const KIND = { ONE: 0, TABLE: 1, TREE: 2, SPLIT: 3, FEATURE: 4, AND: 5, MIX: 6, HIDDEN: 7, ROWS: 8 };

function logOfSum(terms) {
  let high = -Infinity, sum = 0;
  for (const term of terms) if (term > high) high = term;
  if (high === -Infinity) return high;
  for (const term of terms) sum += Math.exp(term - high);
  return high + Math.log(sum);
}

function bestOf(terms) {
  let best = 0;
  for (let k = 1; k < terms.length; k++) if (terms[k] > terms[best]) best = k;
  return best;
}

export class FeatureGraph {
  /** @param {number[]} cards @param {object} arrays the seven of the graph, `numbers` among them
   * @param {boolean} exact whether every row takes one way: no mixtures, no hidden states */
  constructor(cards, arrays, exact) {
    const { kinds, child_begin: children, integer_begin: integers, number_begin: numbers } = arrays;
    const part = (all, begin, i) => all.subarray(begin[i], begin[i + 1]);
    Object.assign(this, { cards, explains: exact, offsets: offsetsOf(cards), cells: arrays.numbers.length });
    this.nodes = Array.from(kinds, (kind, i) => this.read(kind, part(arrays.children, children, i),
      part(arrays.integers, integers, i), part(arrays.numbers, numbers, i)));
    this.up = new Float64Array(this.nodes.length);
    this.flow = new Float64Array(this.nodes.length);
  }

  read(kind, children, packed, numbers) {
    const { cards } = this, node = { kind, children, numbers, terms: [] };
    if (kind === KIND.ROWS) {
      const leaf = storedRows(packed, numbers, cards);
      this.cells += leaf.rows.length * leaf.scope.length;
      return { ...node, ...leaf };
    }
    const about = Array.from(packed);
    if (kind === KIND.SPLIT) return { ...node, v: about[0], states: about.slice(1) };
    if (kind === KIND.FEATURE)
      return { ...node, literals: Array.from({ length: about.length / 2 }, (_, k) => [about[2 * k], about[2 * k + 1]]) };
    const leaf = { [KIND.TABLE]: tableLeaf, [KIND.TREE]: treeLeaf, [KIND.HIDDEN]: hiddenLeaf }[kind];
    const made = leaf ? { ...node, ...leaf(about, numbers, cards) } : node;
    if (made.forest) this.cells += made.forest.cells;
    return made;
  }

  // What each way through an inner node weighs, in logarithms.
  terms({ kind, children, numbers, ...node }, log, up) {
    const { offsets } = this;
    if (kind === KIND.SPLIT) return node.states.map((state, k) => numbers[k] + log[offsets[node.v] + state] + up[children[k]]);
    if (kind === KIND.FEATURE) {
      const holds = node.literals.reduce((a, [v, state]) => a + log[offsets[v] + state], numbers[0]);
      return [holds + up[children[0]], numbers[1] + up[children[1]]];
    }
    return Array.from(children, (child, k) => numbers[k] + up[child]);
  }

  // The evidence on the variables of a leaf, in its own numbers.
  within(node, evidence) {
    const some = new Map();
    node.variables.forEach((v, k) => { if (evidence.has(v)) some.set(k, evidence.get(v)); });
    return some;
  }

  // Logarithms of likelihoods, state by state, scaled like those of a forest.
  logsOf(evidence) {
    const log = new Float64Array(this.offsets.at(-1));
    for (const [v, likelihood] of evidence) log.set(Float64Array.from(likelihood, Math.log), this.offsets[v]);
    return log;
  }

  *rise(evidence, answer, join) {
    const log = this.logsOf(evidence), { up } = this;
    for (let i = 0; i < this.nodes.length; i++) {
      const node = this.nodes[i];
      if (node.kind === KIND.ONE) up[i] = 0;
      else if (node.kind === KIND.AND) up[i] = node.children.reduce((a, child) => a + up[child], 0);
      else if (node.forest) up[i] = yield* answer(node, this.within(node, evidence));
      else {
        node.terms = node.rows ? yield* rowWeights(node, log, this.offsets) : this.terms(node, log, up);
        up[i] = join(node.terms);
      }
      if (i % 64 === 63) yield;
    }
    return up.at(-1);
  }

  /** @param {Map<number, ArrayLike<number>>} evidence @returns {Generator<void, {out: Float64Array | null, logMass: number}>} */
  *marginalSteps(evidence) {
    const logMass = yield* this.rise(evidence, function* (node, some) {
      if (!some.size) node.idle ??= yield* node.forest.marginalSteps(some);
      node.answer = some.size ? yield* node.forest.marginalSteps(some) : node.idle;
      return node.answer.logMass;
    }, logOfSum);
    if (logMass === -Infinity) return { out: null, logMass };
    const { flow, up, nodes } = this, out = new Float64Array(this.offsets.at(-1));
    flow.fill(0);
    flow[nodes.length - 1] = 1;
    for (let i = nodes.length - 1; i >= 0; i--) {
      if (flow[i] > 0) yield* this.sink(nodes[i], flow[i], up[i], out);
      if (i % 64 === 63) yield;
    }
    return { out: this.normalised(out), logMass };
  }

  *sink(node, f, mass, out) {
    const { offsets, flow, cards } = this, { kind, children } = node;
    if (kind === KIND.ONE) return;
    if (kind === KIND.AND) { for (const child of children) flow[child] += f; return; }
    if (node.forest) {
      const { answer, forest } = node;
      node.variables.forEach((v, k) => {
        for (let s = 0; s < cards[v]; s++) out[offsets[v] + s] += f * answer.out[forest.offsets[k] + s];
      });
      return;
    }
    if (node.rows) { yield* spreadRows(node, node.terms.map(term => f * Math.exp(term - mass)), out, offsets); return; }
    node.terms.forEach((term, k) => {
      const share = f * Math.exp(term - mass);
      flow[children[k]] += share;
      if (kind === KIND.SPLIT) out[offsets[node.v] + node.states[k]] += share;
      if (kind === KIND.FEATURE && k === 0) for (const [v, state] of node.literals) out[offsets[v] + state] += share;
    });
  }

  normalised(out) {
    for (let v = 0; v < this.cards.length; v++) {
      const share = out.subarray(this.offsets[v], this.offsets[v + 1]), total = share.reduce((a, b) => a + b, 0);
      for (let k = 0; k < share.length; k++) share[k] /= total;
    }
    return out;
  }

  *massSteps(evidence) {
    return yield* this.rise(evidence, (node, some) => node.forest.massSteps(some), logOfSum);
  }

  marginals(evidence) { return finish(this.marginalSteps(evidence)); }

  /** Exact where every row takes one way; elsewhere there is none. @param {Map<number, ArrayLike<number>>} evidence */
  mostProbable(evidence) { return finish(this.explainSteps(evidence)); }

  /** The same in steps. @param {Map<number, ArrayLike<number>>} evidence */
  *explainSteps(evidence) {
    if (!this.explains) return { states: null, logMass: NaN, exact: false };
    const logMass = yield* this.rise(evidence, function* (node, some) {
      node.best = yield* node.forest.explainSteps(some);
      return node.best.logMass;
    }, terms => terms[bestOf(terms)]);
    if (logMass === -Infinity) return { states: null, logMass, exact: true };
    const states = this.cards.map(() => 0);
    this.descend(this.nodes.length - 1, states);
    return { states, logMass, exact: true };
  }

  descend(root, states) {
    const open = [root];
    while (open.length) {
      const node = this.nodes[open.pop()], { kind, children } = node;
      if (kind === KIND.ONE) continue;
      if (kind === KIND.AND) { open.push(...children); continue; }
      if (node.forest) { node.variables.forEach((v, k) => { states[v] = node.best.states[k]; }); continue; }
      const k = bestOf(node.terms);
      if (node.rows) { node.scope.forEach((v, j) => { states[v] = codeOf(node, k, j); }); continue; }
      if (kind === KIND.SPLIT) states[node.v] = node.states[k];
      if (kind === KIND.FEATURE && k === 0) for (const [v, state] of node.literals) states[v] = state;
      open.push(children[k]);
    }
  }
}

/** How strongly the ends of edges are joined where no table holds both: from what each end tells about all others. */
export function* worthOfEdges(beliefs) {
  const found = new Map();
  for (const [u] of beliefs.edges) if (!found.has(u)) found.set(u, yield* beliefs.worthSteps(u));
  return beliefs.edges.map(([u, v]) => found.get(u)[v]);
}

/** @param {Record<string, string>} packed the integers of a graph @param {Float64Array} numbers @param {(text: string) => Promise<ArrayBuffer>} unpack */
export async function featureArrays(packed, numbers, unpack) {
  const arrays = { numbers };
  for (const [name, text] of Object.entries(packed)) arrays[name] = new Uint32Array(await unpack(text));
  return arrays;
}
