// The numbers behind a variable: its table with the rows that the evidence selects, or its weights.
import { h, renew } from './dom.js';
import { weightsOf } from './curves.js';

const MOST_ROWS = 200, MOST_MATTERING = 10;
const filters = new Map();

/** The numbers that move the likeliest state of a variable most: how fast its probability follows each.
 * @param {HTMLElement} box */
export async function mattering(app, v, box) {
  const { beliefs, variables, names } = app, now = beliefs.slice(beliefs.now, v), state = now.indexOf(Math.max(...now));
  const found = await beliefs.sensitivity(v, state);
  if (!found || !box.isConnected) return;
  const list = found.flatMap((cells, f) => Array.from(cells, (x, i) => [Math.abs(x), x, f, i])).filter(([size]) => size > 5e-4);
  list.sort((a, b) => b[0] - a[0] || a[2] - b[2] || a[3] - b[3]);
  const lines = list.slice(0, MOST_MATTERING).map(([, x, f, i]) => {
    const { scope, cells } = beliefs.factors[f], states = statesAt(app, scope, i), said = scope.map((u, k) => `${names[u]} = ${variables[u].states[states[k]]}`);
    const given = said.length > 1 ? ` | ${said.slice(0, -1).join(', ')}` : '';
    return h('li', null, h('span', { text: `P(${said.at(-1)}${given}) = ${cells[i].toFixed(3)}` }), h('span', { class: 'n', text: `${x < 0 ? '−' : '+'}${Math.abs(x).toFixed(3)}` }));
  });
  const head = `P(${names[v]} = ${variables[v].states[state]}) moves by so much for each 1 that a number is raised, the rest of its row scaled:`;
  renew(box, lines.length ? [h('p', { class: 'mass', text: head }), h('ol', { class: 'matters' }, lines)] : [h('p', { class: 'muted', text: 'None: what is known settles it.' })]);
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
  const count = cells.length / across.length, box = h('tbody'), shown = h('p', { class: 'muted' });
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
    const words = (filters.get(key) ?? '').toLowerCase().split(/\s+/).filter(Boolean), rows = [];
    for (let row = 0; row < count && rows.length < MOST_ROWS; row++) {
      const at = statesAt(app, up, row), said = at.map((k, j) => variables[up[j]].states[k].toLowerCase());
      if (words.every(word => said.some(text => text.includes(word)))) rows.push(line(row, at));
    }
    renew(box, rows);
    shown.textContent = count > MOST_ROWS ? `${rows.length} of ${count.toLocaleString('en')} rows` : '';
  };
  fill();
  const filter = count > MOST_ROWS && h('input', { class: 'filter', type: 'search', 'data-key': `filter ${key}`, placeholder: 'rows with these states', 'aria-label': `rows of the table of ${names[v]}`,
    value: filters.get(key) ?? '', oninput: event => { filters.set(key, event.target.value); fill(); } });
  const head = [...up.map(u => h('th', { class: 'l', scope: 'col', text: names[u] })), ...across.map(state => h('th', { scope: 'col', text: state }))];
  const said = app.data.network === 'bayesian' ? null : h('caption', { text: `over ${scope.map(u => names[u]).join(', ')}; ${names[last]} across` });
  return h('div', null, filter, h('div', { class: 'scroll', tabindex: 0, role: 'region', 'aria-label': `table of ${names[v]}` }, h('table', { class: 'cpt' }, said, h('thead', null, h('tr', null, head)), box)), shown);
}
