// What a page tells of numbers beside states: their lines, and where they are in the most probable explanation.
import { fromLog, h, short } from './dom.js';
import { statesAt } from './walks.js';

const MOST_LINES = 200;

/** The lines of a number, one for every joint state of its discrete parents; those that the evidence allows are marked. */
export function numbersOf(app, v) {
  const { beliefs, names, variables } = app, line = beliefs.lines.find(({ child }) => child === v), many = line.continuous.length;
  const text = x => h('td', { text: short(x) }), rows = [];
  for (let row = 0; row < Math.min(MOST_LINES, line.intercepts.length); row++) {
    const at = statesAt(line.discrete, beliefs.cards, row);
    const on = at.length > 0 && line.discrete.every((u, k) => (beliefs.evidence.get(u)?.[at[k]] ?? 0) > 0);
    rows.push(h('tr', { class: on ? 'on' : undefined }, at.map((k, j) => h('th', { class: 'l', scope: 'row', text: variables[line.discrete[j]].states[k] })),
      text(line.intercepts[row]), line.continuous.map((_, k) => text(line.slopes[row * many + k])), text(Math.sqrt(line.variances[row]))));
  }
  const heads = [...line.discrete.map(u => [names[u], 'l']), ['offset'], ...line.continuous.map(u => [`× ${names[u]}`]), ['deviation']];
  const left = line.intercepts.length - rows.length, caption = left > 0 && h('caption', { text: `${rows.length} of ${line.intercepts.length.toLocaleString('en')} lines` });
  return h('div', { class: 'scroll', tabindex: 0, role: 'region', 'aria-label': `lines of ${names[v]}` }, h('table', { class: 'cpt' }, caption,
    h('thead', null, h('tr', null, heads.map(([name, side]) => h('th', { class: side, scope: 'col', text: name })))), h('tbody', null, rows)));
}

/** Where the density is highest: how high that is, and the numbers that are open, each of which picks its variable. */
export function peakOf(app) {
  const { beliefs, best, names } = app, open = [...names.keys()].filter(v => app.isNumber(v) && !beliefs.evidence.has(v));
  const said = `◆ marks the states and numbers that are most probable together. Their density given what is known: ${fromLog(best.logShare)} (ln ${best.logShare.toFixed(3)})`;
  return [h('p', { class: 'mass', text: said }), h('ul', { class: 'plain' }, open.map(v => h('li', null, h('button', {
    'data-key': `peak ${v}`, text: `${names[v]}: ◆ ${short(best.states[v])}, mean ${short(beliefs.slice(beliefs.now, v)[0])}`, onclick: () => app.pick(v) }))))];
}
