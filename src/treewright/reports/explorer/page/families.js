// The numbers behind a variable: its table with the rows that the evidence selects, or its weights.
import { h, renew } from './dom.js';
import { weightsOf } from './curves.js';
import { manyRows } from './many.js';
import { movesOf } from './moves.js';

const MOST_MATTERING = 10;
const asked = new Map();

/** The numbers that move a variable most: how fast the probability of a state follows each, at first of its likeliest.
 * @param {HTMLElement} box */
export async function mattering(app, v, box) {
  const { beliefs, names } = app, now = beliefs.slice(beliefs.now, v), state = asked.get(v) ?? now.indexOf(Math.max(...now));
  const found = await beliefs.sensitivity(v, state);
  if (found === undefined || beliefs.conflict || !box.isConnected) return;
  const [head, lines] = app.isNumber(v) ? movesOf(app, v, found, now[1], MOST_MATTERING) : tableMoves(app, v, found ?? [], state, box);
  renew(box, [h('p', { class: 'mass' }, head), lines.length ? h('ol', { class: 'matters' }, lines) : h('p', { class: 'muted', text: 'None: what is known settles it.' })]);
}

function tableMoves(app, v, found, state, box) {
  const { beliefs, variables, names, data } = app, directed = data.network === 'bayesian';
  const list = found.flatMap((cells, f) => Array.from(cells, (x, i) => [Math.abs(x), x, f, i])).filter(([size]) => size > 5e-4);
  list.sort((a, b) => b[0] - a[0] || a[2] - b[2] || a[3] - b[3]);
  const lines = list.slice(0, MOST_MATTERING).map(([, x, f, i]) => {
    const { scope, cells } = beliefs.factors[f], states = statesAt(app, scope, i), said = scope.map((u, k) => `${names[u]} = ${variables[u].states[states[k]]}`);
    const given = said.length > 1 ? ` | ${said.slice(0, -1).join(', ')}` : '', what = directed ? `P(${said.at(-1)}${given})` : `factor(${said.join(', ')})`;
    return h('li', null, h('span', { text: `${what} = ${cells[i].toFixed(3)}` }), h('span', { class: 'n', text: `${x < 0 ? '−' : '+'}${Math.abs(x).toFixed(3)}` }));
  });
  const choice = h('select', { 'data-key': 'asked', 'aria-label': `state of ${names[v]}`, onchange: () => { asked.set(v, choice.selectedIndex); mattering(app, v, box); } },
    variables[v].states.map((text, k) => h('option', { text, selected: k === state })));
  return [[`P(${names[v]} = `, choice, `) moves by so much for each 1 that ${directed ? 'a number is raised, the rest of its row scaled' : 'the logarithm of a number is raised'}:`], lines];
}

// The states of a cell: the last variable changes fastest.
function statesAt(app, scope, cell) {
  const at = [];
  for (let k = scope.length - 1, rest = cell; k >= 0; k--) {
    const size = app.beliefs.cards[scope[k]];
    at[k] = rest % size;
    rest = Math.floor(rest / size);
  }
  return at;
}

/** The table of a variable given its parents; of a Markov network, every table that it is in.
 * @returns {HTMLElement[]} */
export function familyOf(app, v) {
  if (app.isNumber(v)) return weightsOf(app, v);
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
      const at = statesAt(app, up, row);
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
