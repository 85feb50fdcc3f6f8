// The table of all variables: everything that the drawing shows, in lines that can be sorted and read aloud.
import { bits, h, percent, renew, short } from './dom.js';
import { isHard, wordsOf } from './cards.js';

let sortedBy = 'order', upwards = true;

// Of each variable, the edges that end at it, with how strong they are.
function endsOf({ beliefs, data, names }) {
  const ends = names.map(() => []);
  data.edges.forEach(([a, b], i) => {
    const arrow = data.arrows[i], [u, v] = arrow === 'up' ? [b, a] : [a, b], bound = beliefs.strength?.[i] ?? null;
    const said = [bound !== null && `${bits(bound)}\u00a0bits`, data.told?.[i]].filter(Boolean).join(', '), more = said && ` (${said})`;
    ends[v].push(`${arrow === 'none' ? '' : 'from '}${names[u]}${more}`);
    if (arrow === 'none') ends[u].push(names[v] + more);
  });
  return ends;
}

function lineOf(app, v, joined) {
  const { beliefs, names } = app, line = { v, order: v, name: names[v], joined: joined.join(', ') };
  if (!app.believes) return line;
  const now = beliefs.slice(beliefs.now, v), seen = beliefs.evidence.get(v);
  Object.assign(line, { changed: beliefs.change(v), entropy: beliefs.entropy(v), known: seen === undefined ? '' : app.saidOf(v) });
  if (app.isNumber(v)) return Object.assign(line, { mean: now[0], deviation: now[1], before: beliefs.change(v) ? wordsOf(app, v, beliefs.before) : '' });
  const k = now.indexOf(Math.max(...now));
  return Object.assign(line, { likeliest: app.variables[v].states[k], probability: now[k] });
}

const COLUMNS = [
  ['name', 'variable'], ['known', 'known'], ['likeliest', 'most probable'], ['probability', 'probability'], ['mean', 'mean'],
  ['deviation', 'deviation'], ['before', 'before'], ['changed', 'changed'], ['entropy', 'entropy (bits)'], ['states', 'all states'], ['joined', 'joined to'],
];
const WRITTEN = { probability: percent, mean: short, deviation: short, changed: bits, entropy: bits };

function statesOf(app, v) {
  const { beliefs, best } = app, seen = beliefs.evidence.get(v);
  return h('div', { class: 'many', role: 'radiogroup', 'aria-label': app.names[v] }, app.variables[v].states.map((state, k) => {
    const at = beliefs.offsets[v] + k, a = beliefs.now[at], b = beliefs.before[at];
    const was = Math.abs(a - b) < 0.0005 ? '' : ` (was ${percent(b)})`, on = isHard(seen) && seen[k] > 0;
    return h('button', { role: 'radio', 'aria-checked': String(on), 'data-key': `${v} ${k}`, tabindex: on || (k === 0 && !isHard(seen)) ? 0 : -1,
      text: `${best?.states[v] === k ? '◆ ' : ''}${state} ${percent(a)}${was}`, onclick: event => (event.altKey ? app.ruleOut(v, k) : app.observe(v, k)) });
  }));
}

function cellOf(app, line, key) {
  if (key === 'name') return h('th', { scope: 'row' }, h('button', { text: line.name, 'data-key': `name ${line.v}`, onclick: () => app.pick(line.v) }));
  if (key === 'states') return h('td', null, app.isNumber(line.v) ? app.best && `◆ ${short(app.best.states[line.v])}` : statesOf(app, line.v));
  const value = line[key];
  return h('td', { class: typeof value === 'number' ? 'n' : undefined, text: WRITTEN[key] && typeof value === 'number' ? WRITTEN[key](value) : value });
}

/** @param {HTMLElement} box */
export function drawSheet(app, box) {
  const ends = endsOf(app), lines = ends.map((joined, v) => lineOf(app, v, joined));
  const columns = COLUMNS.filter(([key]) => (key === 'states' ? lines.some(line => 'likeliest' in line) : lines.some(line => key in line)));
  const turn = upwards ? 1 : -1;
  lines.sort((a, b) => {
    const [x, y] = [a, b].map(line => line[sortedBy] ?? (sortedBy === 'likeliest' ? '' : -Infinity));
    return turn * (typeof x === 'number' ? x - y : String(x).localeCompare(String(y))) || a.v - b.v;
  });
  const heads = columns.map(([key, text]) => h('th', { scope: 'col', 'aria-sort': key === sortedBy ? (upwards ? 'ascending' : 'descending') : undefined },
    key === 'states' || key === 'joined' ? text : h('button', { text, 'data-key': `sort ${key}`, onclick: () => {
      upwards = key === sortedBy ? !upwards : key === 'name' || key === 'likeliest';
      sortedBy = key;
      drawSheet(app, box);
    } })));
  const body = lines.map(line => h('tr', { class: line.known ? 'seen' : undefined }, columns.map(([key]) => cellOf(app, line, key))));
  renew(box, [h('table', null, h('caption', { text: `All ${lines.length} variables` }), h('thead', null, h('tr', null, heads)), h('tbody', null, body))]);
}
