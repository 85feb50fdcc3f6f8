// What is known, as text: in the address of the page, and as Python that asks the same.
import { isHard } from './cards.js';

const EMPTY = 'nothing';  // an address that opens with nothing known, where the page itself would know something

const decoded = text => { try { return decodeURIComponent(text); } catch { return null; } };

/** The evidence of an address, and the parts that it could not read.
 * @param {string} hash @returns {{evidence: Map<number, any> | null, unknown: string[]}} null: it says nothing */
export function readAddress(app, hash) {
  const evidence = new Map(), unknown = [], items = hash.replace(/^#/, '').split('&').filter(Boolean);
  if (items.length === 1 && items[0] === EMPTY) return { evidence, unknown };
  for (const item of items) {
    const cut = item.indexOf('='), name = decoded(item.slice(0, Math.max(0, cut))), said = decoded(item.slice(cut + 1));
    const v = app.names.indexOf(name), value = v < 0 || said === null || cut < 0 ? null : readValue(app, v, said);
    if (value === null) unknown.push(decoded(item) ?? item); else evidence.set(v, value);
  }
  return { evidence: items.length ? evidence : null, unknown };
}

function readValue(app, v, said) {
  if (app.isNumber(v)) return said.trim() !== '' && Number.isFinite(Number(said)) ? Number(said) : null;
  const { states } = app.variables[v], k = states.indexOf(said);
  if (k >= 0) return states.map((_, i) => Number(i === k));
  const many = said.startsWith('~') ? said.slice(1).split('~').map(Number) : [];
  const fine = many.length === states.length && many.every(x => Number.isFinite(x) && x >= 0) && many.some(x => x > 0);
  return fine ? many : null;
}

/** @returns {string} with its sign, or empty */
export function writeAddress(app) {
  const items = [...app.beliefs.evidence].map(([v, seen]) => {
    const label = isHard(seen) ? app.variables[v].states?.[Array.from(seen).findIndex(x => x > 0)] : '~';
    const said = app.isNumber(v) ? String(seen) : label.startsWith('~') ? `~${Array.from(seen).join('~')}` : label;
    return `${encodeURIComponent(app.names[v])}=${encodeURIComponent(said)}`;
  });
  if (!items.length) return app.data.given?.length ? `#${EMPTY}` : '';
  return `#${items.join('&')}`;
}

// A Python literal of text: JSON is one, but for what is no character.
const quoted = text => JSON.stringify(text);
const written = x => (/^-?\d+$/.test(x) ? `${x}.0` : String(x));

/** The Python that answers what the page shows. @returns {string} */
export function asPython(app) {
  const { data, beliefs, picked, names } = app;
  const given = [...beliefs.evidence].map(([v, seen]) => `${quoted(names[v])}: ${literalOf(app, v, seen)}`);
  const asked = picked === null || beliefs.evidence.has(picked) ? 'model.marginals(given)' : `model.query(${quoted(names[picked])}, given)`;
  return `import treewright as tw\n\nmodel = ${data.load}\ngiven = {${given.join(', ')}}\nprint(${asked})\n`;
}

function literalOf(app, v, seen) {
  if (app.isNumber(v)) return written(seen);
  const { states, literals } = app.variables[v], labels = states.map((state, k) => literals?.[k] ?? quoted(state));
  if (isHard(seen)) return labels[Array.from(seen).findIndex(x => x > 0)];
  return `{${labels.map((label, k) => `${label}: ${written(seen[k])}`).join(', ')}}`;
}
