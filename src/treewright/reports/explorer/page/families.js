// The numbers behind a variable: its table with the rows that the evidence selects, or its weights.
import { h, renew, short } from './dom.js';
import { numbersOf } from './lines.js';
import { manyRows } from './many.js';
import { weightAt, weightsOf } from './moves.js';
import { lineAt } from './scores.js';
import { statesAt } from './walks.js';
import { wayAt } from './ways.js';

const MOST_MATTERING = 10;
const asked = new Map();

/** The numbers that move a variable most: how fast the probability of a state follows each, at first of its likeliest;
 * of a number, its mean and its variance.
 * @param {HTMLElement} box */
export async function mattering(app, v, box) {
  const { beliefs, names, variables, data } = app, now = beliefs.slice(beliefs.now, v), { states } = variables[v], state = asked.get(v) ?? now.indexOf(Math.max(...now));
  const found = await beliefs.sensitivity(v, state);
  if (found === undefined || beliefs.conflict || !box.isConnected) return;
  const lines = strongest(app, found ?? [], states ? 0 : now[1]), raised = data.network === 'markov' ? 'the logarithm of a number is raised' : `a number is raised${states ? ', the rest of its row scaled' : ''}`;
  const choice = states && h('select', { 'data-key': 'asked', 'aria-label': `state of ${names[v]}`, onchange: () => { asked.set(v, choice.selectedIndex); mattering(app, v, box); } },
    states.map((text, k) => h('option', { text, selected: k === state })));
  const head = [states ? [`P(${names[v]} = `, choice, ') moves'] : `The mean and the variance of ${names[v]} move`, ` by so much for each 1 that ${raised}:`];
  renew(box, [h('p', { class: 'mass' }, head), lines.length ? h('ol', { class: 'matters' }, lines) : h('p', { class: 'muted', text: 'None: what is known settles it.' })]);
}

// Of all numbers those that move the answer most: what each is, and how far it moves each part of the answer.
function strongest(app, found, deviation) {
  const { kind } = app.data, few = kind === 'tables' || kind === 'features' ? x => (x && x < 5e-4 ? short(x) : x.toFixed(3)) : short;
  const parts = kind === 'normal' ? ['mean', 'variance'].map(part => found.map(one => one[part])) : kind === 'tables' ? [found.flatMap(cells => Array.from(cells))] : found;
  const nameAt = { normal: i => weightAt(app, found[i]), features: i => wayAt(app, i) }[kind] ?? (i => cellAt(app, i));
  const order = Array.from(parts[0] ?? [], (x, i) => [Math.round(1e12 * Math.max(Math.abs(x), deviation > 0 ? Math.abs(parts[1][i]) / (2 * deviation) : 0)), i]);
  return order.filter(([size]) => size > 5e8).sort((a, b) => b[0] - a[0] || a[1] - b[1]).slice(0, MOST_MATTERING).map(([, i]) => {
    const [what, value] = nameAt(i), moves = parts.map(part => Math.round(1e12 * part[i]) / 1e12).map(x => `${x < 0 ? '−' : '+'}${few(Math.abs(x))}`);
    return h('li', null, h('span', { text: `${what} = ${few(value)}` }), h('span', { class: 'n', text: moves.join(', ') }));
  });
}

// A cell of a table, or what stands behind the tables.
function cellAt(app, at) {
  const { beliefs, variables, names, data } = app, table = beliefs.factors.find(({ cells }) => { at -= cells.length; return at < 0; });
  if (!table) return lineAt(app, at);
  const { scope, cells } = table, i = at + cells.length, states = statesAt(scope, beliefs.cards, i), said = scope.map((u, k) => `${names[u]} = ${variables[u].states[states[k]]}`);
  const given = said.length > 1 ? ` | ${said.slice(0, -1).join(', ')}` : '';
  return [data.network === 'bayesian' ? `P(${said.at(-1)}${given})` : `factor(${said.join(', ')})`, cells[i]];
}

/** The table of a variable given its parents; of a Markov network, every table that it is in.
 * @returns {HTMLElement[]} */
export function familyOf(app, v) {
  if (app.isNumber(v)) return app.beliefs.lines ? [numbersOf(app, v)] : weightsOf(app, v);
  const tables = app.beliefs.factors.filter(({ scope }) => scope.includes(v));
  const own = app.data.network === 'bayesian' ? tables.filter(({ scope }) => scope.at(-1) === v) : tables;
  return own.map((table, i) => tableOf(app, v, table, `${v} ${i}`));
}

function tableOf(app, v, { scope, cells }, key) {
  const { variables, names, beliefs } = app, up = scope.slice(0, -1), last = scope.at(-1), across = variables[last].states;
  const count = cells.length / across.length, box = h('tbody');
  const most = cells.reduce((a, b) => Math.max(a, b), 0) || 1;
  const line = (row, at) => {
    const on = up.length > 0 && up.every((u, k) => (beliefs.evidence.get(u)?.[at[k]] ?? 0) > 0);
    return h('tr', { class: on ? 'on' : undefined }, at.map((k, j) => h('th', { class: 'l', scope: 'row', text: variables[up[j]].states[k] })), across.map((_, k) => {
      const cell = h('td', { text: cells[row * across.length + k].toFixed(3) });
      cell.style.setProperty('--w', `${(100 * cells[row * across.length + k] / most).toFixed(1)}%`);
      return cell;
    }));
  };
  const fill = () => {
    const rows = [];
    for (let row = 0; row < count && rows.length < app.data.most_rows; row++) {
      const at = statesAt(up, beliefs.cards, row);
      if (!many || many.wants(at.map((k, j) => variables[up[j]].states[k]))) rows.push(line(row, at));
    }
    renew(box, rows);
    if (many) many.tell(rows.length);
  };
  const many = count > app.data.most_rows && manyRows(names[v], key, count, fill);
  fill();
  const head = [...up.map(u => h('th', { class: 'l', scope: 'col', text: names[u] })), ...across.map(state => h('th', { scope: 'col', text: state }))];
  const said = app.data.network === 'bayesian' ? null : h('caption', { text: `over ${scope.map(u => names[u]).join(', ')}; ${names[last]} across` });
  return h('div', null, many.filter, h('div', { class: 'scroll', tabindex: 0, role: 'region', 'aria-label': `table of ${names[v]}` }, h('table', { class: 'cpt' }, said, h('thead', null, h('tr', null, head)), box)), many.shown);
}
