// Names over a drawing that is too small for them: those that matter, at a size that can be read, none over another.
import { h } from './dom.js';
import { signOf } from './cards.js';

const MOST_CHANGED = 10, MOST_LABELS = 120;
const TALL = 16, ASIDE = 6;  // pixels of a label, and to what it names
const HUBS = 8, LANDMARKS = 24;  // from afar: those with the most edges; over pills too with twice as many as most

export class Labels {
  constructor(app, box) {
    const joined = v => app.neighbours[v].length, landmarks = [...app.names.keys()].sort((a, b) => joined(b) - joined(a) || a - b).slice(0, LANDMARKS);
    const hubs = landmarks.slice(0, HUBS).filter(v => joined(v) * app.names.length >= 4 * app.data.edges.length);
    Object.assign(this, { app, box, landmarks, hubs, made: new Map(), frame: 0 });
  }

  // What to name, most important first; then whatever fits, of dots seen near and of pills not too far away, and
  // farther away, while nothing is told, a few with many edges.
  wanted() {
    const { app } = this, { beliefs, hovered, picked, cards } = app, list = [];
    if (app.believes) list.push(...beliefs.conflict ?? [], ...beliefs.evidence.keys());
    for (const v of [picked, hovered]) if (v !== null) list.push(v, ...app.neighbours[v]);
    if (app.believes) {
      const moved = cards.list.filter(card => card.moved > 0.05).sort((a, b) => b.moved - a.moved);
      list.push(...moved.slice(0, MOST_CHANGED).map(card => card.v));
    }
    const all = app.stage.zoom === (app.world.dataset.density === 'dots' ? 'near' : 'middle');
    const open = !all && !beliefs.evidence.size && picked === null;
    this.told = new Set([...list, ...open ? this.hubs : []]);
    list.push(...all ? cards.list.keys() : open ? this.landmarks : []);
    return [...new Set(list)].filter(v => cards.list[v].shown);
  }

  /** Whether cards have no room for their names. */
  get needed() {
    const { density } = this.app.world.dataset;
    return this.app.view === 'network' && (density === 'dots' || (density === 'pills' && this.app.stage.zoom !== 'near'));
  }

  /** Once for each frame at most. */
  soon() { if (!this.frame) this.frame = requestAnimationFrame(() => { this.frame = 0; this.place(); }); }

  place() {
    if (!this.needed) { this.box.hidden = true; return; }
    this.box.hidden = false;
    const { stage, picked, world } = this.app, shown = new Set(), boxes = this.boxes(), taken = [], free = world.dataset.density === 'dots' ? [] : boxes;
    for (const v of this.wanted()) {
      const { left, right, top, bottom } = boxes[v], label = this.label(v), { wide } = label, x = (left + right) / 2, y = (top + bottom) / 2;
      if (x < 0 || y < 0 || x > stage.across || y > stage.down || shown.size >= MOST_LABELS) continue;
      const others = this.told.has(v) ? taken : [...taken, ...free], spots = [[x - wide / 2, top - TALL - 5], [right + ASIDE, y - TALL / 2], [left - ASIDE - wide, y - TALL / 2]];
      const spot = spots.find(([a, b], i) => (i === 0 || (free.length && a > 0 && a + wide < stage.across))
        && !others.some(one => a < one.right + 2 && a + wide > one.left - 2 && b < one.bottom && b + TALL > one.top));
      if (!spot) continue;
      const [a, b] = spot;
      taken.push({ left: a, right: a + wide, top: b, bottom: b + TALL });
      shown.add(v);
      label.element.style.transform = `translate(${a}px,${b}px)`;
      label.element.className = `tag ${{ '!': 'clash', '●': 'seen', '◐': 'seen' }[label.sign] ?? (v === picked ? 'picked' : '')}`;
    }
    for (const [v, { element }] of this.made) element.hidden = !shown.has(v);
  }

  // Where cards are on the screen, but for their rims: names may lie over these.
  boxes() {
    const { stage: { k, x, y }, cards } = this.app;
    return cards.list.map(card => ({ left: card.x * k + x + 2, right: (card.x + card.width) * k + x - 2, top: card.y * k + y + 4, bottom: (card.y + card.height) * k + y - 4 }));
  }

  // The name of a variable between its sign and its state in the most probable explanation.
  label(v) {
    const { app } = this, best = app.variables[v].states?.[app.best?.states[v]];
    const sign = app.believes ? signOf(app, v) : '', text = `${sign && `${sign} `}${app.names[v]}${best === undefined ? '' : ` ◆ ${best}`}`;
    if (!this.made.has(v)) this.box.append(this.made.set(v, { element: h('span', { class: 'tag' }) }).get(v).element);
    const label = this.made.get(v), { element } = label;
    if (element.hidden) element.hidden = false;
    if (label.text === text) return label;
    element.textContent = text;
    return Object.assign(label, { text, sign, wide: element.offsetWidth });
  }
}
