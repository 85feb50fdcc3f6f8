// Measures of beliefs about numbers: how far one moved, how certain it is.
import { mixtureDistance, mixtureOf } from './mixtures.js';

/** How far the belief about a number moved. @param {object} beliefs @param {Float64Array} from @param {number} v */
export function numberDistance(beliefs, from, v) {
  const [p, q] = [from, beliefs.now].map(all => beliefs.slice(all, v)), a = mixtureOf(from, v, p), b = mixtureOf(beliefs.now, v, q);
  return a.weights.length + b.weights.length > 2 ? mixtureDistance(a, b) : normalDistance(p, q);
}

/** Entropy of a number in bits, relative to one unit; null of one beside states, where it has no closed form. */
export const numberEntropy = ({ data, offsets }, all, v) => (data.untold ? null : Math.log2(all[offsets[v] + 1]) + 0.5 * Math.log2(2 * Math.PI * Math.E));

// How far two Normal distributions, given as mean and deviation, are apart: their Hellinger distance.
function normalDistance([m, s], [n, t]) {
  if (m === n && s === t) return 0;
  if (s === 0 || t === 0) return 1;
  const spread = s * s + t * t, overlap = Math.sqrt((2 * s * t) / spread) * Math.exp(-0.25 * (m - n) ** 2 / spread);
  return Math.sqrt(Math.max(0, 1 - overlap));
}
