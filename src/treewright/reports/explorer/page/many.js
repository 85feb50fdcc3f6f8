// Where there is more than is listed: states beyond those of a card, rows of a large table.
import { h } from './dom.js';

const words = new Map();  // of each table, what its rows were last looked for by

/** States without a row: how many, and which of them are known or in the most probable explanation.
 * @param {(seen: any) => boolean} isHard @returns {{element: HTMLElement, show: () => void}} */
export function moreStates(app, v, isHard) {
  const element = h('div', { class: 'more' }), { most_states: most } = app.data, rest = app.variables[v].states.slice(most);
  return { element, show() {
    const seen = app.beliefs.evidence.get(v), told = rest.flatMap((state, i) => {
      const k = most + i, signs = `${isHard(seen) && seen[k] > 0 ? '●' : ''}${app.best?.states[v] === k ? '◆' : ''}`;
      return signs ? [`${signs} ${state}`] : [];
    });
    element.textContent = `and ${rest.length} more${told.length ? `: ${told.join(', ')}` : ''}`;
  } };
}

/** Rows of a large table are looked for by their states.
 * @param {string} name @param {string} key @param {number} count of all rows @param {() => void} fill draws the rows */
export function manyRows(name, key, count, fill) {
  const shown = h('p', { class: 'muted' });
  const filter = h('input', { class: 'filter', type: 'search', 'data-key': `filter ${key}`, placeholder: 'rows with these states', 'aria-label': `rows of the table of ${name}`,
    value: words.get(key) ?? '', oninput: event => { words.set(key, event.target.value); fill(); } });
  return { shown, filter,
    wants(states) {
      const asked = (words.get(key) ?? '').toLowerCase().split(/\s+/).filter(Boolean), said = states.map(state => state.toLowerCase());
      return asked.every(word => said.some(text => text.includes(word)));
    },
    tell(n) { shown.textContent = `${n} of ${count.toLocaleString('en')} rows`; },
  };
}
