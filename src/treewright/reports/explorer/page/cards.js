// Cards: a variable with its states, as much of it as the drawing has room for. What is not seen is not written.
import { h, percent, setAttr, short } from './dom.js';
import { drawCurve } from './curves.js';
import { moreStates } from './many.js';
import { drawStrip } from './strips.js';

const STILL = 1e-4;  // a smaller change of a belief is not drawn
const BAR = 58;  // pixels that a bar is wide in a card; what moves by less than one of the screen is there at once

/** Whether exactly one state is left possible. @param {ArrayLike<number> | number | undefined} seen */
export const isHard = seen => typeof seen === 'number' || (seen !== undefined && Array.from(seen).filter(x => x > 0).length === 1);

const CLASH = '!';

/** What is told of a variable by a sign, beside its colour: it contradicts others, is known, is weighed. */
export function signOf({ beliefs }, v) {
  const seen = beliefs.evidence.get(v);
  if (beliefs.conflict?.includes(v) || beliefs.determined === v) return CLASH;
  return seen === undefined ? '' : isHard(seen) ? '●' : '◐';
}

/** A state of a variable: its name, its bar and its probability; a button that says it is known.
 * @param {() => number} [wide] pixels of the screen that its bar takes */
export function stateRow(app, v, k, wide = () => BAR * app.stage.k) {
  const now = h('b'), was = h('u'), tick = h('s'), share = h('span', { class: 'p' }), name = app.variables[v].states[k];
  const element = h('button', {
    class: 'state', role: 'radio', 'data-key': `state ${k}`, tabindex: -1, title: name,
    onclick: event => { event.stopPropagation(); if (event.altKey) app.ruleOut(v, k); else app.observe(v, k); },
  }, h('span', { class: 'label', text: name }), h('span', { class: 'bar', 'aria-hidden': 'true' }, was, now, tick), share);
  let drawn = [-1, -1], written = '';
  return { element, show() {
    const { beliefs, best } = app, at = beliefs.offsets[v] + k, a = beliefs.now[at], b = beliefs.before[at];
    const seen = beliefs.evidence.get(v), chosen = isHard(seen) && seen[k] > 0;
    const marked = best !== null && best.states[v] === k ? ', in the most probable explanation' : '';
    const text = percent(a), before = Math.abs(a - b) < 0.0005 ? '' : `, was ${percent(b)}`;
    const label = `${name} ${text}${before}${marked}`;
    element.classList.toggle('out', seen !== undefined && !isHard(seen) && !(seen[k] > 0));
    setAttr(element, 'aria-checked', String(chosen));
    if (label !== written) {
      written = label;
      element.setAttribute('aria-label', label);
      element.classList.toggle('best', marked !== '');
      if (share.textContent !== text) share.textContent = text;
    }
    if (Math.abs(a - drawn[0]) < STILL && Math.abs(b - drawn[1]) < STILL) return;
    element.classList.toggle('moves', drawn[0] >= 0 && wide() * Math.abs(a - drawn[0]) > 1);
    if (Math.abs(a - drawn[0]) >= STILL) now.style.setProperty('--p', a.toFixed(4));
    if (Math.abs(b - drawn[1]) >= STILL) {
      was.style.transform = `scaleX(${b.toFixed(4)})`;
      tick.style.left = `${(100 * b).toFixed(2)}%`;
    }
    drawn = [a, b];
    tick.style.visibility = Math.abs(a - b) < 0.005 ? 'hidden' : '';
  } };
}

export class Cards {
  constructor(app, world) {
    this.app = app;
    this.world = world;
    this.list = app.variables.map((variable, v) => this.card(variable, v));
    this.measureNames();
    const { centres } = app.data.layout, down = [...this.list.keys()];
    down.sort((a, b) => centres[a][1] - centres[b][1] || centres[a][0] - centres[b][0]);
    world.append(...down.map(v => this.list[v].element));  // the order of the tab key
  }

  card(variable, v) {
    const { app } = this, meter = h('i');
    const name = h('span', { class: 'name', text: variable.name });
    const strip = app.data.density !== 'cards' && drawStrip(app, v);
    const mark = h('span', { class: 'mark', 'aria-hidden': 'true' });
    const title = h('h2', { title: variable.name }, mark, name, app.believes && h('div', { class: 'delta', 'aria-hidden': 'true' }, meter));
    const element = h('section', { class: 'card', tabindex: 0, 'data-v': v,
      onpointerenter: () => app.hover(v), onpointerleave: () => app.hover(null),
      onclick: event => { if (!event.target.closest('.state,.curve')) app.pick(v); },
      onfocusin: event => { if (app.picked !== v && event.target.matches(':focus-visible')) app.pick(v); },
    }, title, strip.element);
    return { v, element, meter, mark, strip, rows: null, x: 0, y: 0, width: 0, height: 0, shown: true, moved: -1, stale: true };
  }

  // How large a name may be in its card when seen from farther away.
  measureNames() {
    const pen = document.createElement('canvas').getContext('2d');
    pen.font = '650 10px Inter, system-ui, sans-serif';
    const sizes = this.app.data.card_sizes ?? this.app.data.layout.sizes;
    this.list.forEach(({ element, v }) => {
      const wide = Math.max(1, pen.measureText(this.app.names[v]).width / 10);
      element.style.setProperty('--fit', `${Math.max(9, (sizes[v][0] - 10) / wide).toFixed(1)}px`);
    });
  }

  /** Whether states are seen in the present view at the present zoom. */
  get detailed() {
    return this.app.believes && this.world.dataset.density === 'cards' && this.world.dataset.zoom !== 'far';
  }

  build(card) {
    const { app } = this, { v, element } = card;
    if (app.isNumber(v)) { card.rows = [drawCurve(app, v)]; element.append(card.rows[0].element); return; }
    const { states } = app.variables[v], most = app.data.most_states;
    card.rows = states.slice(0, most).map((_, k) => stateRow(app, v, k));
    element.append(...card.rows.map(row => row.element));
    if (states.length > most) element.append((card.more = moreStates(app, v, isHard)).element);
  }

  resize(sizes, density) {
    this.world.dataset.density = density;
    this.world.classList.toggle('small', density !== 'cards');
    this.list.forEach((card, v) => {
      [card.width, card.height] = sizes[v];
      card.element.style.width = `${card.width}px`;
      card.element.style.height = `${card.height}px`;
    });
  }

  place(v, x, y) {
    const card = this.list[v];
    Object.assign(card, { x, y, shown: true });
    card.element.hidden = false;
    card.element.style.transform = `translate(${x}px,${y}px)`;
  }

  hide() { for (const card of this.list) { card.shown = false; card.element.hidden = true; } }

  /** Beliefs have changed. */
  renewed() {
    for (const card of this.list) card.stale = true;
    this.show();
  }

  /** Write what is stale and seen. */
  show() {
    const { detailed } = this;
    for (const card of this.list) {
      if (!card.shown) continue;
      this.describe(card, detailed);
      if (!this.app.believes) continue;
      this.explain(card);
      if (card.stale) this.mark(card);
      if (detailed) {
        if (!card.rows) this.build(card);
        for (const row of card.rows) row.show();
        card.more?.show();
      } else if (card.stale && card.strip) card.strip.show();
      card.stale = false;
    }
  }

  // Where no states are seen: the one of the most probable explanation, as a word and as a tick in the strip.
  explain({ v, element, strip }) {
    const k = this.app.best?.states[v], state = this.app.variables[v].states?.[k], { dataset } = element;
    if (state !== undefined) dataset.best = state; else if ('best' in dataset) delete dataset.best; else return;
    if (strip) strip.explain(state === undefined ? undefined : k);
  }

  mark(card) {
    const { beliefs } = this.app, { v, element } = card, moved = beliefs.change(v), seen = beliefs.evidence.get(v);
    element.classList.toggle('seen', seen !== undefined);
    card.mark.textContent = signOf(this.app, v);
    element.classList.toggle('clash', card.mark.textContent === CLASH);
    if (Math.abs(moved - card.moved) < STILL) return;
    card.moved = moved;
    card.meter.style.transform = `scaleX(${moved.toFixed(3)})`;
    element.style.setProperty('--moved-by', moved.toFixed(3));
  }

  // A group of radio buttons where its states are seen, else one button that opens it.
  describe(card, detailed) {
    const { app } = this, { v, element } = card, name = app.names[v];
    if (!app.believes) { setAttr(element, 'role', 'button'); setAttr(element, 'aria-label', name); return; }
    if (detailed && !app.isNumber(v)) {
      setAttr(element, 'role', 'radiogroup');
      setAttr(element, 'aria-label', name);
      if (!card.rows) this.build(card);
      const seen = app.beliefs.evidence.get(v), on = isHard(seen) ? Array.from(seen).findIndex(x => x > 0) : 0;
      card.rows.forEach((row, k) => setAttr(row.element, 'tabindex', k === Math.min(on, card.rows.length - 1) ? '0' : '-1'));
      setAttr(element, 'tabindex', '-1');
      return;
    }
    setAttr(element, 'role', 'button');
    const best = app.best?.states[v], told = app.variables[v].states?.[best];
    setAttr(element, 'aria-label', `${name}: ${wordsOf(app, v)}${app.beliefs.evidence.has(v) ? ', known' : ''}${told === undefined ? '' : `, most probable together: ${told}`}`);
    setAttr(element, 'tabindex', '0');
  }

  /** Give the focus to a card, at its state if one is seen. */
  focus(v) {
    const { element, rows } = this.list[v], stop = rows?.find(row => row.element.tabIndex === 0);
    (this.detailed && stop ? stop.element : element).focus({ preventScroll: true });
  }

  /** Mark what is picked. */
  pick(picked) { this.list.forEach(({ element }, u) => element.classList.toggle('picked', u === picked)); }
}

/** What is most probable of a variable, in words. @param {Float64Array} [all] beliefs, by default the present ones */
export function wordsOf(app, v, all = app.beliefs.now) {
  const now = app.beliefs.slice(all, v);
  if (app.isNumber(v)) return now[1] ? `${short(now[0])} ± ${short(now[1])}` : short(now[0]);
  const k = now.indexOf(Math.max(...now));
  return `${app.variables[v].states[k]} ${percent(now[k])}`;
}
