// Mixtures of Normals: what a number is where it hangs on states. Kept beside the beliefs that they belong to.
const MOST_NORMALS = 64, MOST_COMPARED = 256, MOST_PLACED = 32, POINTS = 768, LEAST_POINTS = 12, FARTHEST = 6;

const kept = new WeakMap(), compared = new WeakMap(), merged = new WeakMap();

/** @typedef {{weights: ArrayLike<number>, means: ArrayLike<number>, deviations: ArrayLike<number>}} Mixture */

/** @param {Float64Array} all beliefs @param {Map<number, Mixture>} mixtures by variable @returns {Float64Array} the beliefs */
export function keepMixtures(all, mixtures) {
  kept.set(all, mixtures);
  return all;
}

/** What a number is in some beliefs; where it is not kept, one Normal.
 * @param {Float64Array} all @param {number} v @param {ArrayLike<number>} slice its mean and deviation @returns {Mixture} */
export const mixtureOf = (all, v, [mean, deviation]) => kept.get(all)?.get(v) ?? { weights: [1], means: [mean], deviations: [deviation] };

/** The same curve of fewer Normals: neighbours by mean become one where there are many.
 * @param {Mixture} mixture @param {number} [most] @returns {Mixture} */
export function fewNormals(mixture, most = MOST_NORMALS) {
  if (mixture.weights.length <= most) return mixture;
  const before = merged.get(mixture) ?? new Map();
  merged.set(mixture, before);
  if (!before.has(most)) before.set(most, mergedInto(mixture, most));
  return before.get(most);
}

function mergedInto({ weights, means, deviations }, most) {
  const groups = [], order = [...means.keys()].sort((a, b) => means[a] - means[b]);
  let sum = 0;
  for (const s of order) {
    sum += weights[s];
    (groups[Math.min(most - 1, Math.floor(sum * most))] ??= []).push(s);
  }
  const found = { weights: [], means: [], deviations: [] };
  for (const group of groups.filter(Boolean)) {
    const total = group.reduce((a, s) => a + weights[s], 0), mean = group.reduce((a, s) => a + weights[s] * means[s], 0) / total;
    found.weights.push(total);
    found.means.push(mean);
    found.deviations.push(Math.sqrt(group.reduce((a, s) => a + weights[s] * (deviations[s] ** 2 + (means[s] - mean) ** 2), 0) / total));
  }
  return found;
}

/** The density of a mixture. @param {Mixture} mixture @param {number} x */
export function densityAt({ weights, means, deviations }, x) {
  let sum = 0;
  for (let s = 0; s < weights.length; s++) {
    const z = (x - means[s]) / deviations[s];
    if (z * z < 1400) sum += weights[s] / deviations[s] * Math.exp(-0.5 * z * z);
  }
  return sum / Math.sqrt(2 * Math.PI);
}

/** Where a curve of a mixture has to be worked out so that no Normal in it is missed, in order.
 * @param {Mixture[]} mixtures @param {number} points in all, about @param {number} [reach] deviations */
export function pointsOf(mixtures, points, reach = FARTHEST) {
  const many = mixtures.reduce((n, { weights }) => n + weights.length, 0), steps = Math.max(LEAST_POINTS, Math.floor(points / many));
  const at = mixtures.flatMap(({ means, deviations }) => Array.from(means, (mean, s) => Array.from({ length: steps + 1 }, (_, i) => mean + deviations[s] * reach * (2 * i / steps - 1))).flat());
  return Float64Array.from(at).sort();
}

/** How far two mixtures are apart: their Hellinger distance, by the trapezoid rule, to about three digits.
 * @param {Mixture} a @param {Mixture} b */
export function mixtureDistance(a, b) {
  const last = compared.get(b);
  if (last?.with === a) return last.found;
  const found = distanceBetween(a, b);
  compared.set(b, { with: a, found });
  return found;
}

function distanceBetween(a, b) {
  const known = ({ deviations }) => deviations[0] === 0;
  if (known(a) || known(b)) return known(a) && known(b) && a.means[0] === b.means[0] ? 0 : 1;
  const p = fewNormals(a, MOST_COMPARED), q = fewNormals(b, MOST_COMPARED), at = pointsOf([p, q].map(one => fewNormals(one, MOST_PLACED)), POINTS);
  const gap = x => (Math.sqrt(densityAt(p, x)) - Math.sqrt(densityAt(q, x))) ** 2;
  let sum = 0;
  for (let i = 1, last = gap(at[0]); i < at.length; i++) {
    const next = gap(at[i]);
    sum += (at[i] - at[i - 1]) * (last + next) / 2;
    last = next;
  }
  return Math.sqrt(Math.min(1, sum / 2));
}
