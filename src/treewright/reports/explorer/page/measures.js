// Measures of beliefs, in bits: how certain, how changed, how strongly joined. Plain functions of numbers.

const plogp = p => (p > 0 ? p * Math.log2(p) : 0);

/** Entropy of a distribution. @param {ArrayLike<number>} p */
export const entropyOf = p => Math.max(0, -Array.prototype.reduce.call(p, (a, x) => a + plogp(x), 0));

/** Square root of the Jensen-Shannon divergence: 0 equal, 1 disjoint.
 * @param {ArrayLike<number>} p @param {ArrayLike<number>} q */
export function distanceOf(p, q) {
  let bits = 0;
  for (let k = 0; k < p.length; k++) bits += plogp(p[k]) / 2 + plogp(q[k]) / 2 - plogp((p[k] + q[k]) / 2);
  return Math.sqrt(Math.min(1, Math.max(0, bits)));
}

/** Mutual information of two variables from their joint distribution.
 * @param {Float64Array} joint @param {ArrayLike<number>} p of the first @param {ArrayLike<number>} q of the second */
export function informationOf(joint, p, q) {
  let bits = 0;
  for (let i = 0; i < joint.length; i++)
    if (joint[i] > 0) bits += joint[i] * Math.log2(joint[i] / (p[Math.floor(i / q.length)] * q[i % q.length]));
  return Math.max(0, bits);
}

/** What a distribution tells over another one. @param {ArrayLike<number>} p @param {ArrayLike<number>} q */
export function divergenceOf(p, q) {
  let bits = 0;
  for (let k = 0; k < p.length; k++) if (p[k] > 0) bits += p[k] * Math.log2(p[k] / q[k]);
  return bits;
}
