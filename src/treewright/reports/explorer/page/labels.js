// Names over a drawing that is too small for them: those that matter, at a size that can be read, none over another.
import { h } from './dom.js';
import { signOf } from './cards.js';

const MOST_CHANGED = 10, MOST_LABELS = 120;
const TALL = 16;  // pixels of a label
const HUBS = 8, LANDMARKS = 24;  // from afar: those with the most edges, the first also over pills

export class Labels {
  constructor(app, box) {
    const joined = app.neighbours.map(list => list.length), landmarks = [...joined.keys()].sort((a, b) => joined[b] - joined[a] || a - b).slice(0, LANDMARKS);
    Object.assign(this, { app, box, landmarks, made: new Map(), frame: 0 });
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
    const landmarks = all || beliefs.evidence.size || picked !== null ? [] : this.landmarks;
    this.told = new Set([...list, ...landmarks.slice(0, HUBS)]);
    list.push(...all ? cards.list.keys() : landmarks);
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
    const { stage, cards, picked } = this.app, taken = [], shown = new Set(), boxes = this.pills();
    for (const v of this.wanted()) {
      const card = cards.list[v], label = this.label(v);
      const x = (card.x + card.width / 2) * stage.k + stage.x, y = (card.y + card.height / 2) * stage.k + stage.y;
      if (x < 0 || y < 0 || x > stage.across || y > stage.down || shown.size >= MOST_LABELS) continue;
      const top = y - card.height * stage.k / 2 - TALL - 1;  // above what it names
      const place = { left: x - label.wide / 2, right: x + label.wide / 2, top, bottom: top + TALL };
      const gives = (this.told.has(v) ? taken : [...taken, ...boxes]).some(t => place.left < t.right + 2 && place.right > t.left - 2 && place.top < t.bottom && place.bottom > t.top);
      if (gives) continue;
      taken.push(place);
      shown.add(v);
      label.element.style.transform = `translate(${place.left.toFixed(1)}px,${place.top.toFixed(1)}px)`;
      label.element.className = `tag ${{ '!': 'clash', '●': 'seen', '◐': 'seen' }[label.sign] ?? (v === picked ? 'picked' : '')}`;
    }
    for (const [v, { element }] of this.made) element.hidden = !shown.has(v);
  }

  // What no name covers but those that matter.
  pills() {
    const { stage: { k, x, y }, cards, world } = this.app;
    if (world.dataset.density === 'dots') return [];
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
