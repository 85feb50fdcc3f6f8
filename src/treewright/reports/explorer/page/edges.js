// Edges: as wide as their ends depend on each other, with an arrow where there is a direction.
import { curve, s, setAttr } from './dom.js';

const HEAD = 8, APART = 16;
const CUT = 1e-6;  // bits below which what is known cuts an influence

/** The way without the piece that the head of an arrow covers: a thick line ends sharply.
 * @param {number[][]} points @param {string} arrow */
export function leaveRoom(points, arrow) {
  if (arrow === 'none') return points;
  const way = points.map(point => [...point]), end = arrow === 'down' ? way.length - 1 : 0, beside = arrow === 'down' ? end - 1 : 1;
  const back = way[end][1] > way[beside][1] ? -HEAD : HEAD;
  way[end][1] += back;
  if ((way[beside][1] - way[end][1]) * back < 0 && way.length > 2) way.splice(beside, 1);
  return way;
}

export class Edges {
  constructor(app, svg) {
    this.app = app;
    this.svg = svg;
    const { edges, arrows, confidence } = app.data;
    this.paths = edges.map((_, i) => {
      const path = s('path', { class: 'edge' });
      if (confidence) path.style.setProperty('--sure', confidence[i]);
      return path;
    });
    this.near = new Set();
    this.wide = [];  // as written
    this.paths.forEach((path, i) => { if (arrows[i] !== 'none') this.head(path, i, ''); });
    svg.append(...this.paths);
  }

  head(path, i, kind) {
    path.setAttribute(this.app.data.arrows[i] === 'down' ? 'marker-end' : 'marker-start', `url(#head${kind})`);
  }

  draw(i, points) {
    setAttr(this.paths[i], 'd', curve(leaveRoom(points, this.app.data.arrows[i])));
    this.paths[i].style.display = '';
  }

  /** As they were laid out. */
  drawAll() { this.app.data.layout.routes.forEach((route, i) => this.draw(i, route)); }

  hide() { for (const path of this.paths) path.style.display = 'none'; }

  /** From card to card, among those that are shown; where several end at one side, they stand beside each other, and
   * between the cards of a line they go where there is room.
   * @param {{line: number[], top: number, tall: number}[]} lines */
  drawBetween(cards, lines) {
    const middle = ({ x, width }) => x + width / 2, sides = new Map(), drawn = [];
    const end = (card, other, side) => {
      const key = `${side} ${card.v}`, one = { card, to: middle(other), y: side === 'top' ? card.y : card.y + card.height };
      sides.set(key, [...sides.get(key) ?? [], one]);
      return one;
    };
    this.app.data.edges.forEach(([u, v], i) => {
      const a = cards[u], b = cards[v];
      if (!a.shown || !b.shown) { this.paths[i].style.display = 'none'; return; }
      const below = b.y > a.y + a.height - 1, above = a.y > b.y + b.height - 1;
      drawn.push([i, end(a, b, below ? 'bottom' : 'top'), end(b, a, above ? 'bottom' : 'top'), !below && !above]);
    });
    for (const ends of sides.values()) {
      const { card } = ends[0], apart = Math.min(APART, (card.width - 2 * APART) / ends.length);
      ends.sort((a, b) => a.to - b.to).forEach((one, k) => { one.x = middle(card) + (k - (ends.length - 1) / 2) * apart; });
    }
    for (const [i, a, b, over] of drawn) if (over) this.arch(i, a.x, a.y, b.x, b.y); else this.draw(i, this.way(a, b, lines, cards));
  }

  // Through the nearest gap of every line between two ends.
  way(a, b, lines, cards) {
    const down = a.y < b.y, points = [[a.x, a.y]], between = lines.filter(({ top, tall }) => top > Math.min(a.y, b.y) && top + tall < Math.max(a.y, b.y));
    for (const { line, top, tall } of down ? between : between.reverse()) {
      const row = line.map(v => cards[v]), gaps = [...row.map(({ x }) => x - APART), row.at(-1).x + row.at(-1).width + APART];
      const x = gaps.reduce((best, gap) => (Math.abs(gap - b.x) < Math.abs(best - b.x) ? gap : best));
      points.push(...(down ? [[x, top], [x, top + tall]] : [[x, top + tall], [x, top]]));
    }
    return [...points, [b.x, b.y]];
  }

  // Over two cards of one line.
  arch(i, ax, ay, bx, by) {
    const arrow = this.app.data.arrows[i], high = Math.min(ay, by) - 46;
    const from = arrow === 'up' ? ay - HEAD : ay, to = arrow === 'down' ? by - HEAD : by;
    setAttr(this.paths[i], 'd', `M${ax} ${from}C${ax} ${high} ${bx} ${high} ${bx} ${to}`);
    this.paths[i].style.display = '';
  }

  /** Widths follow the beliefs; without beliefs, what learning left. */
  weigh() {
    const { beliefs, data } = this.app, strength = beliefs.strength;
    this.paths.forEach((path, i) => {
      const share = strength ? strength[i] : data.shares?.[i] ?? null;
      const wide = share === null ? 1.6 : 0.9 + 5.5 * Math.sqrt(Math.min(1, share));
      const written = wide.toFixed(1);
      if (this.wide[i] !== written) path.style.strokeWidth = this.wide[i] = written;
      path.classList.toggle('weak', Boolean(strength) && share !== null && share < CUT);
    });
  }

  /** Bring out those at a variable. @param {number | null} v */
  nearby(v) {
    this.app.data.edges.forEach(([a, b], i) => {
      const on = v !== null && (a === v || b === v);
      if (on === this.near.has(i)) return;
      if (on) this.near.add(i); else this.near.delete(i);
      this.paths[i].classList.toggle('near', on);
      if (this.app.data.arrows[i] !== 'none') this.head(this.paths[i], i, on ? '-near' : '');
    });
  }
}
