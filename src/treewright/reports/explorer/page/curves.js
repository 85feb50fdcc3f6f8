// Cards of numbers: the density now over the one before; a point on the curve is evidence.
import { h, renew, s, setAttr, short } from './dom.js';
import { densityAt, fewNormals, mixtureOf } from './mixtures.js';

const WIDTH = 150, HEIGHT = 44, STEPS = 60, REACH = 3.6;
const SEEN = 1e-3;  // a Normal with less weight does not widen what a curve shows

// The values that a curve shows: what was likely at the start and is likely now.
function rangeOf(mixtures) {
  let low = Infinity, high = -Infinity;
  for (const { weights, means, deviations } of mixtures)
    Array.from(weights).forEach((w, s) => {
      if (w < SEEN) return;
      low = Math.min(low, means[s] - REACH * deviations[s]);
      high = Math.max(high, means[s] + REACH * deviations[s]);
    });
  return high > low ? [low, high] : [low - 1, high + 1];
}

// Densities at even steps, and around the Normals that would fall between two of them.
function densityPoints(mixture, [low, high]) {
  const step = (high - low) / STEPS, at = Array.from({ length: STEPS + 1 }, (_, i) => low + step * i);
  Array.from(mixture.means).forEach((mean, s) => {
    const d = mixture.deviations[s];
    if (d < 2 * step) for (let z = -3; z <= 3; z++) if (mean + z * d > low && mean + z * d < high) at.push(mean + z * d);
  });
  return at.sort((a, b) => a - b).map(x => [x, densityAt(mixture, x)]);
}

function densityPath(points, [low, high], peak) {
  const written = points.map(([x, y]) => `${(WIDTH * (x - low) / (high - low)).toFixed(1)} ${(HEIGHT - (HEIGHT - 4) * y / peak).toFixed(1)}`);
  return `M0 ${HEIGHT}L${written.join('L')}L${WIDTH} ${HEIGHT}z`;
}

/** Where most of a density lies, in a strip. @param {number[]} prior mean and deviation @param {number[]} now */
export function spread(part, [m, s], now) {
  const wide = Math.max(4, 100 * now[1] / (3 * s));
  part.style.width = `${wide.toFixed(1)}%`;
  part.style.left = `${Math.max(0, Math.min(100 - wide, 50 + 50 * (now[0] - m) / (3 * s) - wide / 2)).toFixed(1)}%`;
}

/** What the mass of the evidence is. @returns {string} */
export const massOf = app => ([...app.beliefs.evidence.keys()].some(v => app.isNumber(v)) ? 'Density' : 'Probability');

/** What is clicked. @returns {string} */
export const pointed = app => (app.names.every((_, v) => app.isNumber(v)) ? 'a point of' : 'a state or a point of');

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
    const { beliefs, best } = app, [a, b, c] = [beliefs.now, beliefs.before, beliefs.prior].map(all => fewNormals(mixtureOf(all, v, beliefs.slice(all, v))));
    const [mean, deviation] = beliefs.slice(beliefs.now, v), key = [a, b, best?.states[v]].map(one => JSON.stringify(one)).join();
    if (key === drawn) return;
    drawn = key;
    range = rangeOf([a, c]);
    const [curve, old] = [a, b].map(one => (one.deviations[0] > 0 ? densityPoints(one, range) : []));
    const peak = Math.max(...[...curve, ...old].map(([, y]) => y)), at = x => (WIDTH * (x - range[0]) / (range[1] - range[0])).toFixed(1);
    setAttr(was, 'd', old.length ? densityPath(old, range, peak) : '');
    setAttr(now, 'd', curve.length ? densityPath(curve, range, peak) : '');
    setAttr(line, 'd', `M${at(mean)} ${HEIGHT}V${deviation > 0 ? 4 : 0}`);
    line.classList.toggle('sure', !(deviation > 0));
    words.textContent = (deviation > 0 ? `${short(mean)} ± ${short(deviation)}` : short(mean)) + (best && deviation > 0 ? ` ◆ ${short(best.states[v])}` : '');
    low.textContent = short(Number(range[0].toPrecision(3)));
    high.textContent = short(Number(range[1].toPrecision(3)));
  } };
}
