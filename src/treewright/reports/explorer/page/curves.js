// Cards of Gaussian variables: the density now over the one before; a point on the curve is evidence.
import { h, renew, s, setAttr, short } from './dom.js';

const WIDTH = 150, HEIGHT = 44, STEPS = 60, REACH = 3.6;

// The values that a curve shows: what was likely at the start and is likely now.
function rangeOf(app, v) {
  const { beliefs } = app, [m, d] = beliefs.slice(beliefs.prior, v), [n, e] = beliefs.slice(beliefs.now, v);
  const low = Math.min(m - REACH * d, n - REACH * e), high = Math.max(m + REACH * d, n + REACH * e);
  return high > low ? [low, high] : [low - 1, high + 1];
}

function densityPath([mean, deviation], [low, high], scale) {
  const points = [];
  for (let i = 0; i <= STEPS; i++) {
    const x = low + (high - low) * i / STEPS, z = (x - mean) / deviation;
    points.push(`${(WIDTH * i / STEPS).toFixed(1)} ${(HEIGHT - (HEIGHT - 4) * scale / deviation * Math.exp(-z * z / 2)).toFixed(1)}`);
  }
  return `M0 ${HEIGHT}L${points.join('L')}L${WIDTH} ${HEIGHT}z`;
}

/** Where most of a density lies, in a strip. @param {number[]} prior mean and deviation @param {number[]} now */
export function spread(part, [m, s], now) {
  const wide = Math.max(4, 100 * now[1] / (3 * s));
  part.style.width = `${wide.toFixed(1)}%`;
  part.style.left = `${Math.max(0, Math.min(100 - wide, 50 + 50 * (now[0] - m) / (3 * s) - wide / 2)).toFixed(1)}%`;
}

/** What a variable is made of. @returns {HTMLElement} */
export function weightsOf(app, v) {
  const { parents, weights, offset, variance } = app.data.families[v];
  const rows = [['offset', offset], ...parents.map((u, k) => [`× ${app.names[u]}`, weights[k]]), ['deviation', Math.sqrt(variance)]];
  return h('table', { class: 'cpt' }, h('tbody', null, rows.map(([name, x]) => h('tr', null, h('th', { class: 'l', scope: 'row', text: name }), h('td', { text: short(x) })))));
}

/** A value that has no room left. @param {string} name */
export const determinedWords = name => `The other values determine ${name} already, so its value cannot be added. Beliefs are those of the step before.`;

/** A number as evidence. @param {(() => void)[]} following @returns {HTMLElement} */
export function typed(app, v, following) {
  const box = h('div');
  following.push(() => renew(box, [typedNow(app, v)]));
  return box;
}

function typedNow(app, v) {
  const seen = app.beliefs.evidence.get(v);
  const input = h('input', { type: 'number', step: 'any', value: seen, 'data-key': 'number', 'aria-label': `value of ${app.names[v]}`, placeholder: 'a number' });
  input.addEventListener('change', event => { event.preventDefault(); if (input.value !== '' && Number.isFinite(input.valueAsNumber)) app.observeNumber(v, input.valueAsNumber); });
  return h('p', { class: 'row' }, h('span', { class: 'muted', text: 'It is' }), input, seen !== undefined && h('button', { class: 'tool', text: 'forget', 'data-key': 'open', onclick: () => app.forget(v) }));
}

/** The curve of a variable. @returns {{element: HTMLElement, show: () => void}} */
export function drawCurve(app, v) {
  const was = s('path', { class: 'was' }), now = s('path', { class: 'now' }), line = s('path', { class: 'line' });
  const svg = s('svg', { viewBox: `0 0 ${WIDTH} ${HEIGHT}`, preserveAspectRatio: 'none', 'aria-hidden': 'true' }, was, now, line,
    s('path', { class: 'ground', d: `M0 ${HEIGHT}H${WIDTH}` }));
  const words = h('div', { class: 'words' }), low = h('span'), high = h('span');
  let range = [0, 1], drawn = '';
  const valueAt = event => {
    const box = svg.getBoundingClientRect();
    return range[0] + (range[1] - range[0]) * (event.clientX - box.left) / box.width;
  };
  const element = h('div', { class: 'curve',
    onclick: event => { event.stopPropagation(); if (app.live) app.observeNumber(v, Number(valueAt(event).toPrecision(3))); },
    onpointermove: event => { element.title = app.live ? `click: ${app.names[v]} = ${short(Number(valueAt(event).toPrecision(3)))}` : ''; },
  }, svg, h('div', { class: 'ends', 'aria-hidden': 'true' }, low, high), words);
  return { element, show() {
    const { beliefs } = app, a = beliefs.slice(beliefs.now, v), b = beliefs.slice(beliefs.before, v);
    const key = [...a, ...b].join();
    if (key === drawn) return;
    drawn = key;
    range = rangeOf(app, v);
    const narrow = Math.min(...[a[1], b[1]].filter(x => x > 0));
    const at = x => (WIDTH * (x - range[0]) / (range[1] - range[0])).toFixed(1);
    setAttr(was, 'd', b[1] > 0 ? densityPath(b, range, narrow) : '');
    setAttr(now, 'd', a[1] > 0 ? densityPath(a, range, narrow) : '');
    setAttr(line, 'd', a[1] > 0 ? `M${at(a[0])} ${HEIGHT}V4` : `M${at(a[0])} ${HEIGHT}V0`);
    line.classList.toggle('sure', !(a[1] > 0));
    words.textContent = a[1] > 0 ? `${short(a[0])} ± ${short(a[1])}` : short(a[0]);
    low.textContent = short(Number(range[0].toPrecision(3)));
    high.textContent = short(Number(range[1].toPrecision(3)));
  } };
}
