// Walks over a dense table beside a smaller one: the loops under every propagation.
//
// Tables are dense, the last variable innermost. A walk lists where the other table is read or written: its two
// innermost axes are plain loops, what lies outside of them is a list of starting points.

/** @typedef {{starts: Int32Array, outer: number, step: number, length: number, stride: number}} Walk */

/** Cells of a table over a scope.
 * @param {number[]} scope @param {number[]} cards */
export const cellsOf = (scope, cards) => scope.reduce((n, v) => n * cards[v], 1);

/** The states of a cell of such a table. @param {number[]} scope @param {number[]} cards @param {number} cell */
export function statesAt(scope, cards, cell) {
  const at = [];
  for (let k = scope.length - 1; k >= 0; cell = Math.floor(cell / cards[scope[k--]])) at[k] = cell % cards[scope[k]];
  return at;
}

// Axes as [length, stride] pairs, outermost first; neighbours that move together are joined.
function mergedAxes(scope, other, cards) {
  const strides = new Map();
  for (let k = other.length - 1, stride = 1; k >= 0; stride *= cards[other[k]], k--) strides.set(other[k], stride);
  const axes = [];
  for (const v of scope) {
    const length = cards[v], stride = strides.get(v) ?? 0, last = axes.at(-1);
    if (length === 1) continue;
    const together = last && (stride === 0 ? last[1] === 0 : last[1] === stride * length);
    if (together) { last[0] *= length; last[1] = stride; } else axes.push([length, stride]);
  }
  return axes;
}

/** The walk over a table of `scope` beside one of `other`, whose variables are among those of `scope`.
 * @param {number[]} scope @param {number[]} other @param {number[]} cards @returns {Walk} */
export function walkOver(scope, other, cards) {
  const axes = mergedAxes(scope, other, cards);
  const [length, stride] = axes.pop() ?? [1, 0], [outer, step] = axes.pop() ?? [1, 0];
  let starts = new Int32Array(1);
  for (const [many, by] of axes) {
    const next = new Int32Array(starts.length * many);
    let at = 0;
    for (const start of starts) for (let i = 0; i < many; i++) next[at++] = start + i * by;
    starts = next;
  }
  return { starts, outer, step, length, stride };
}

// Each kernel visits the cells of `dense` from `d` on, in order, beside those of `other` from `first` on.

function multiplyPlain({ starts, outer, step, length, stride }, dense, d, other, first) {
  for (let b = 0; b < starts.length; b++) {
    let o = first + starts[b];
    for (let i = 0; i < outer; i++, o += step) {
      if (stride === 0) {
        const x = other[o];
        for (let j = 0; j < length; j++) dense[d++] *= x;
      } else for (let j = 0, p = o; j < length; j++, p += stride) dense[d++] *= other[p];
    }
  }
}

function addPlain({ starts, outer, step, length, stride }, dense, d, other, first) {
  for (let b = 0; b < starts.length; b++) {
    let o = first + starts[b];
    for (let i = 0; i < outer; i++, o += step) {
      if (stride === 0) {
        let x = 0;
        for (let j = 0; j < length; j++) x += dense[d++];
        other[o] += x;
      } else for (let j = 0, p = o; j < length; j++, p += stride) other[p] += dense[d++];
    }
  }
}

function greatestOf({ starts, outer, step, length, stride }, dense, d, other, first) {
  for (let b = 0; b < starts.length; b++) {
    let o = first + starts[b];
    for (let i = 0; i < outer; i++, o += step)
      for (let j = 0, p = o; j < length; j++, p += stride, d++) if (dense[d] > other[p]) other[p] = dense[d];
  }
}

function eachCell(act) {
  return ({ starts, outer, step, length, stride }, dense, d, other, first) => {
    for (let b = 0; b < starts.length; b++)
      for (let i = 0, o = first + starts[b]; i < outer; i++, o += step)
        for (let j = 0, p = o; j < length; j++, p += stride) act(dense, d++, other, p);
  };
}

function logAdd(a, b) {
  const high = a > b ? a : b, low = a > b ? b : a;
  return low === -Infinity ? high : high + Math.log1p(Math.exp(low - high));
}

/** Arithmetic on plain numbers. Tables hold nothing above one, so what underflow loses is below 1e-300 a cell: a
 * total above 1e-290 is right to the last digits, and a smaller one is worked out again in logarithms. */
export const PLAIN = {
  multiply: multiplyPlain, add: addPlain, greatest: greatestOf, zero: 0, one: 1,
  plus: (a, b) => a + b, times: (a, b) => a * b, over: (a, b) => (b > 0 ? a / b : 0),
  from: x => x, to: x => x, log: Math.log, dead: x => !(x > 1e-290),
};

/** The same in logarithms: slower, and there is no smallest number. */
export const LOGS = {
  multiply: eachCell((x, d, y, p) => { x[d] += y[p]; }),
  add: eachCell((x, d, y, p) => { y[p] = logAdd(y[p], x[d]); }),
  greatest: greatestOf, zero: -Infinity, one: 0,
  plus: logAdd, times: (a, b) => a + b, over: (a, b) => (b === -Infinity ? b : a - b),
  from: Math.log, to: Math.exp, log: x => x, dead: x => x === -Infinity,
};
