// Elements without markup: text is always text. And how numbers are written.

const SVG_SPACE = 'http://www.w3.org/2000/svg';

function filled(element, attributes, children) {
  for (const [key, value] of Object.entries(attributes ?? {})) {
    if ((value ?? false) === false) continue;
    if (key.startsWith('on')) element.addEventListener(key.slice(2), value);
    else if (key === 'text') element.textContent = value;
    else element.setAttribute(key, value === true ? '' : value);
  }
  element.append(...children.flat(2).filter(child => (child ?? false) !== false));
  return element;
}

/** An element of HTML. @param {string} tag @param {object} [attributes] `text` is content, `onclick` a listener */
export const h = (tag, attributes, ...children) => filled(document.createElement(tag), attributes, children);

/** An element of SVG. @param {string} tag @param {object} [attributes] */
export const s = (tag, attributes, ...children) => filled(document.createElementNS(SVG_SPACE, tag), attributes, children);

/** The whole document. */
export const html = document.documentElement;

/** @param {string} id */
export const $ = id => document.getElementById(id);

/** Write an attribute where it differs. */
export function setAttr(element, name, value) {
  if (element.getAttribute(name) !== value) element.setAttribute(name, value);
}

/** A share as a percentage; what is not quite none or all says so. @param {number} p */
export function percent(p) {
  const shown = p > 0 && p < 0.0005 ? '<0.1' : p < 1 && p > 0.9995 ? '>99.9' : (100 * p).toFixed(1);
  return `${shown}%`;
}

/** @param {number} x bits */
export const bits = x => (!Number.isFinite(x) ? x.toLocaleString('en') : Math.abs(x) < 0.0005 ? '0' : x.toFixed(3));

/** A number of a continuous variable, short. @param {number} x */
export function short(x) {
  if (x === 0 || !Number.isFinite(x)) return String(x);
  const size = Math.abs(x);
  return size >= 1e6 || size < 1e-3 ? x.toExponential(2) : String(Number(x.toPrecision(4)));
}

/** A probability from its logarithm, also where plain numbers end. @param {number} log */
export function fromLog(log) {
  if (Math.abs(log) < 700) return Number(Math.exp(log).toPrecision(4)).toString();
  const tens = log / Math.LN10, whole = Math.floor(tens);
  return `${(10 ** (tens - whole)).toFixed(2)}e${whole}`;
}

/** Renew what an element holds: what stays is not touched, and the focus stays where it was, at the element with the
 * same `data-key`. @param {HTMLElement} box @param {Node[]} content */
export function renew(box, content) {
  const key = box.contains(document.activeElement) ? document.activeElement.dataset.key : undefined, kept = new Set(content);
  for (const child of [...box.children]) if (!kept.has(child)) child.remove();
  content.forEach((node, i) => { if (box.children[i] !== node) box.insertBefore(node, box.children[i] ?? null); });
  if (key && !box.contains(document.activeElement)) [...box.querySelectorAll('[data-key]')].find(element => element.dataset.key === key)?.focus();
}

/** A smooth way through points that is upright at each of them. @param {number[][]} points */
export function curve(points) {
  let [x, y] = points[0], path = `M${x} ${y}`;
  for (const [a, b] of points.slice(1)) {
    const bend = (b - y) / 2;
    path += `C${x} ${y + bend} ${a} ${b - bend} ${a} ${b}`;
    [x, y] = [a, b];
  }
  return path;
}
