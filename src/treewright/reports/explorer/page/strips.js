// Strips: all states of a variable in one line, in drawings that are too large for cards.
import { h } from './dom.js';
import { spread } from './curves.js';

/** The strip of a variable; what belongs into it is drawn when it is seen.
 * @returns {{element: HTMLElement, show: () => void, explain: (k: number | undefined) => void}} */
export function drawStrip(app, v) {
  const { beliefs, variables } = app, parts = app.believes ? (variables[v].states ?? [0]).map(() => h('i')) : [], tick = h('s');
  const element = h('div', { class: 'strip', 'aria-hidden': 'true' }, parts), share = () => beliefs.slice(beliefs.now, v);
  return { element,
    show() {
      if (!variables[v].states) spread(parts[0], beliefs.slice(beliefs.prior, v), share());
      else share().forEach((p, k) => { parts[k].style.width = `${(100 * p).toFixed(2)}%`; });
    },
    /** A tick at a state, the one of the most probable explanation. */
    explain(k) {
      tick.remove();
      if (k === undefined) return;
      tick.style.left = `${(100 * (share().subarray(0, k).reduce((a, b) => a + b, 0) + share()[k] / 2)).toFixed(1)}%`;
      element.append(tick);
    } };
}
