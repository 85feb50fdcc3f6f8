// How much an answer of states and numbers moves with each number of the network: see scores.py, which has the equations.
import { alongRow, logDerivatives } from './derivatives.js';
import { statesAt } from './walks.js';

// The mean score of each number of a line in a joint state (intercept, variance, slopes), and its covariance with a
// hidden number, or with the squared distance of one from a centre. Numbers that are known stand in no column.
/** @returns {[number[], (j: number, centre?: number) => number[]]} */
function scoresOf({ now, many, at: own, seen, known, open, intercepts, variances, slopes }, mean, cov) {
  const wide = mean.length, v = variances[now], slope = k => slopes[now * many + k], cross = (i, j) => (i === undefined ? 0 : cov[i * wide + j]);
  const parents = [...known.map(([k, x]) => ({ k, x })), ...open.map(([k, column]) => ({ k, column, x: mean[column] }))].sort((a, b) => a.k - b.k);
  const r = parents.reduce((rest, { k, x }) => rest - slope(k) * x, (seen ?? mean[own]) - intercepts[now]);
  const withRest = j => parents.reduce((sum, { k, column }) => sum - slope(k) * cross(column, j), seen === undefined ? cross(own, j) : 0);
  const beside = ({ column }) => (column === undefined ? 0 : withRest(column));
  const spread = parents.reduce((sum, one) => sum - slope(one.k) * beside(one), seen === undefined ? withRest(own) : 0);
  const scores = [r / v, ((r * r + spread) / v - 1) / (2 * v), ...parents.map(one => (r * one.x + beside(one)) / v)];
  return [scores, (j, centre) => {
    const c = withRest(j), once = [c / v, r * c / (v * v), ...parents.map(({ column, x }) => (r * cross(column, j) + x * c) / v)];
    if (centre === undefined) return once;
    return [0, (c / v) ** 2, ...parents.map(({ column }) => 2 * c * cross(column, j) / v)].map((x, k) => x + 2 * (mean[j] - centre) * once[k]);
  }];
}

// What the answer is the mean of: a state, or of a number the number itself and its squared distance from its mean.
function* questionsAbout(engine, known, own, target, weights) {
  const { means, variances } = yield* engine.normals(own, known), wide = own.hidden.length, at = own.hidden.indexOf(target);
  const of = list => Array.from(weights, (_, s) => list[s * wide + at]), over = values => values.reduce((sum, x, s) => sum + weights[s] * x, 0);
  const x = of(means), v = of(variances), mean = over(x), squares = x.map((y, s) => v[s] + (y - mean) ** 2);
  const low = x.reduce((a, b) => Math.min(a, b)) - Math.sqrt(over(squares));  // what is weighed with is above zero
  return [x.map(y => y - low), squares].map((values, i) => ({ mean: over(values), centre: i ? mean : undefined, table: { scope: own.scope, logs: Float64Array.from(values, Math.log) } }));
}

/** Derivatives by every number of the network, in the order of its packed numbers: of P(t | e), or of the mean and of
 * the variance of a number. In steps; null where P(t | e) is zero.
 * @param {object} engine @param {Map<number, any>} evidence @param {Map<number, any> | null} withState null of a number
 * @param {number} p the answer itself, of a state @param {boolean} _ rows are distributions
 * @param {number} target @returns {Generator<void, Float64Array[] | null>} */
export function* mixedDerivatives(engine, evidence, withState, p, _, target) {
  if (withState && !(p > 0)) return null;
  const known = engine.split(evidence), { forest } = engine;
  yield* engine.observe(known);
  const plain = forest.densities, parts = engine.parts(known, withState ? [] : [target]);
  const propagated = function* (states, densities) {
    forest.densities = densities;
    if (!(yield* forest.marginalSteps(states)).out) return null;
    return { weights: parts.map(({ scope }) => forest.joint(scope)), logs: yield* logDerivatives(forest) };
  };
  const base = yield* propagated(known.states, plain), own = parts.findIndex(({ hidden }) => hidden.includes(target));
  const questions = withState ? [{ mean: p, states: new Map([...known.states, [target, withState.get(target)]]) }]
    : yield* questionsAbout(engine, known, parts[own], target, base.weights[own]);
  const starts = startsOf(engine), out = [];
  for (const question of questions)
    out.push({ ...question, ...yield* propagated(question.states ?? known.states, question.table ? [...plain, question.table] : plain), moved: new Float64Array(starts.end) });
  for (const { moved, logs, mean } of out)
    forest.factors.forEach(({ scope, cells }, f) => {
      const size = forest.cards[scope.at(-1)], by = logs[f].map((x, i) => mean * (x - base.logs[f][i]));
      for (let row = 0; row < cells.length; row += size) moved.set(alongRow(cells.subarray(row, row + size), by.subarray(row, row + size)), starts.factors[f] + row);
    });
  for (const [i, part] of parts.entries())
    yield* engine.normals(part, known, (s, lines, mean, cov) => {
      for (const line of lines) {
        const [scores, together] = scoresOf(line, mean, cov), rows = line.intercepts.length, first = starts.lines.get(line.child);
        for (const question of out) {
          const tilt = question.mean * (question.weights[i][s] - base.weights[i][s]), beside = i === own && together(part.hidden.indexOf(target), question.centre);
          scores.forEach((score, j) => {
            const at = first + (j < 2 ? j * rows + line.now : 2 * rows + line.now * line.many + j - 2);
            question.moved[at] += tilt * score + (beside ? base.weights[i][s] * beside[j] : 0);
          });
        }
      }
    });
  return out.map(({ moved }) => moved);
}

// Where the numbers of each table and each line begin.
function startsOf({ forest, lines }) {
  let end = 0;
  const place = size => (end += size) - size;
  const factors = forest.factors.map(({ cells }) => place(cells.length));
  return { factors, lines: new Map(lines.map(({ child, intercepts, slopes }) => [child, place(2 * intercepts.length + slopes.length)])), end };
}

/** Which number of a line stands somewhere behind the tables, and what it is. @returns {[string, number]} */
export function lineAt({ beliefs, names, variables }, at) {
  const sizeOf = ({ intercepts, slopes }) => 2 * intercepts.length + slopes.length;
  const line = beliefs.lines.find(one => { at -= sizeOf(one); return at < 0; }), { child, discrete, continuous, intercepts, variances, slopes } = line;
  at += sizeOf(line);
  const rows = intercepts.length, k = at - 2 * rows, many = continuous.length, row = k < 0 ? at % rows : Math.floor(k / many);
  const given = statesAt(discrete, beliefs.cards, row).map((code, j) => `${names[discrete[j]]} = ${variables[discrete[j]].states[code]}`).join(', ');
  const [kind, value] = k >= 0 ? [`coefficient of ${names[continuous[k % many]]} in`, slopes[k]] : at < rows ? ['intercept of', intercepts[row]] : ['variance of', variances[row]];
  return [`${kind} ${names[child]}${given && ` | ${given}`}`, value];
}
