// Beside the drawing: what is known and how probable that is, what changed, and everything about what is picked.
import { $, bits, fromLog, h, percent, renew } from './dom.js';
import { isHard, stateRow, wordsOf } from './cards.js';
import { copyPython } from './controls.js';
import { drawCurve, massOf, pointed, typed } from './curves.js';
import { familyOf, mattering } from './families.js';
import { peakOf } from './lines.js';
import { determinedWords } from './moves.js';

const LISTED = 12, FEW = 6, ASKED = 8;
const BIG = 128;  // pixels of its bars
const TOLD = 5e-4;  // bits or distances below are not listed

const muted = text => h('p', { class: 'muted', text });

export class Panel {
  constructor(app) {
    this.app = app;
    this.box = $('panel');
    this.open = new Set();  // what the reader has unfolded
    this.asked = 0;
    this.narrow = matchMedia('screen and (max-width: 860px)');
    this.narrow.addEventListener('change', () => this.show());
    if (this.narrow.matches) this.box.append($('legend'));  // before the drawing is fitted to what room it has
  }

  show() {
    const { app } = this, out = [];
    if (app.data.note) out.push(h('p', { class: 'note', text: app.data.note }));
    if (app.believes) out.push(...this.known());
    if (app.best) out.push(...this.explanation());
    if (app.picked !== null) out.push(...this.variable(app.picked));
    else if (app.believes) out.push(...this.overview());
    else out.push(muted('Pick a variable to see what it is joined to.'), muted(app.data.caution));
    if (app.data.load && app.data.kind !== 'structure')
      out.push(this.taken ??= this.section('Take it along', h('div', { class: 'row' }, h('button', { class: 'tool', 'data-key': 'copy', text: 'Copy as Python', title: 'c', onclick: () => copyPython(app) }), h('button', { class: 'tool', 'data-key': 'print', text: 'Print', onclick: () => window.print() }))));
    this.legend(out);
    renew(this.box, out.flat());
    if (app.picked !== null) this.ask(app.picked);
  }

  // In the drawing, or here where that is too narrow for it.
  legend(out) {
    if (this.narrow.matches) out.push($('legend')); else if (this.box.contains($('legend'))) $('stage').append($('legend'));
  }

  section(title, ...content) { return h('section', { 'aria-label': title }, h('h3', { text: title }), ...content); }

  known() {
    const { app } = this, { evidence, conflict, determined, logMass, busy } = app.beliefs;
    const chips = [...evidence.keys()].map(v => h('span', { class: 'chip' },
      h('button', { 'data-key': `chip ${v}`, onclick: () => app.pick(v) }, h('bdi', { text: app.names[v] }), ' = ', h('bdi', { text: app.saidOf(v) })),
      app.live && h('button', { class: 'x', 'aria-label': `forget ${app.names[v]}`, text: '×', 'data-key': `forget ${v}`, onclick: () => app.forget(v) })));
    const said = [evidence.size ? h('div', { class: 'chips' }, chips) : muted(app.live ? `Nothing yet: ${this.hint}.` : 'Nothing.')];
    if (conflict?.length > 0 && determined === undefined) {
      const names = conflict.map(v => app.names[v]);
      const clash = names.length > 1 ? `${names.slice(0, -1).join(', ')} and ${names.at(-1)} contradict each other` : `${names[0]} cannot be so`;
      said.push(h('p', { class: 'bad', role: 'alert', text: `This cannot happen: ${clash} under the model. Beliefs are those of the step before.` }));
    } else if (determined !== undefined) {
      said.push(h('p', { class: 'bad', role: 'alert', text: determinedWords(app.names[determined]) }));
    } else if (evidence.size && app.live) {
      said.push(h('p', { class: 'mass', text: busy ? 'working …' : `${massOf?.(app) ?? 'Probability'} of this: ${fromLog(logMass)} (ln ${logMass.toFixed(3)})` }));
    }
    return [this.section('What is known', ...said)];
  }

  get hint() {
    const { app } = this, what = pointed?.(app) ?? 'a state of';
    return app.cards.detailed ? `click ${what} any card` : `pick a variable, then ${what} it`;
  }

  explanation() {
    const { app } = this, { best, beliefs } = app, differs = [];
    best.states.forEach((k, v) => {
      const now = beliefs.slice(beliefs.now, v), top = Math.max(...now);
      if (now[k] < top && !app.isNumber(v)) differs.push([v, k, now.indexOf(top)]);
    });
    const share = peakOf?.(app) ?? h('p', { class: 'mass', text: `◆ marks the states that are most probable together. Their share of what is known: ${percent(Math.exp(best.logShare))} (ln ${best.logShare.toFixed(3)})` });
    const list = differs.map(([v, k, top]) => h('li', null, h('button', { 'data-key': `differs ${v}`, text: `${app.names[v]}: ◆ ${app.variables[v].states[k]}, alone ${app.variables[v].states[top]}`, onclick: () => app.pick(v) })));
    return [this.section('Most probable explanation', share, differs.length ? h('ul', { class: 'plain' }, list) : muted('It is the likeliest state of every variable.'))];
  }

  overview() {
    const { app } = this, { beliefs } = app, all = [...app.names.keys()], open = all.filter(v => !isHard(beliefs.evidence.get(v)));
    const moved = open.map(v => [v, beliefs.change(v)]).filter(([, x]) => x > TOLD).sort((a, b) => b[1] - a[1] || a[0] - b[0]);
    const unsure = open.map(v => [v, beliefs.entropy(v)]).filter(([, x]) => x !== null).sort((a, b) => b[1] - a[1] || a[0] - b[0]);
    return [
      app.live && (moved.length || beliefs.evidence.size) && this.section('Changed most', moved.length ? this.ranking(moved.slice(0, LISTED), 'moved') : muted('Beliefs are as they were.')),
      unsure.length > 0 && this.section('Least certain (bits)', this.ranking(unsure.slice(0, FEW), 'unsure')),
    ].filter(Boolean);
  }

  ranking(list, kind) {
    const top = Math.max(...list.map(([, x]) => Math.abs(x)), 1e-12);
    return h('ol', { class: 'ranking' }, list.map(([v, x]) => {
      const bar = h('i');
      bar.style.transform = `scaleX(${Math.max(0, Math.min(1, x / top)).toFixed(3)})`;
      return h('li', null, h('button', { 'data-key': `${kind} ${v}`, title: this.app.names[v], onclick: () => this.app.pick(v, { reveal: true }) },
        h('span', { class: 'label', text: this.app.names[v] }), h('span', { class: `meter ${kind}`, 'aria-hidden': 'true' }, bar), h('span', { class: 'n', text: bits(x) })));
    }));
  }

  /** All about a variable: made when it is picked; afterwards only what changed is written. */
  variable(v) {
    if (this.made?.v !== v) this.made = this.make(v);
    for (const follow of this.made.following) follow();
    return this.made.sections;
  }

  make(v) {
    const { app } = this, { beliefs, names } = app, number = app.isNumber(v), out = [], following = [];
    const close = h('button', { class: 'x', 'aria-label': `close ${names[v]}`, title: 'Escape', 'data-key': 'close', text: '×', onclick: () => app.pick(null) });
    if (app.believes) {
      const rows = number ? [drawCurve(app, v)] : app.variables[v].states.map((_, k) => stateRow(app, v, k, () => BIG)), figures = h('p', { class: 'mass' });
      const big = h('div', { class: 'big', role: number ? undefined : 'radiogroup', 'aria-label': names[v] }, rows.map(row => row.element));
      if (!number) rows[0].element.tabIndex = 0;
      following.push(() => {
        rows.forEach(row => row.show());
        big.classList.toggle('seen', beliefs.evidence.has(v));
        figures.textContent = this.figures(v);
      });
      out.push(big, figures);
      if (app.live) out.push(number ? typed(app, v, following) : this.fold('soft', 'Not sure? How well each state fits', () => this.soft(v), following));
    }
    const sections = [h('section', { 'aria-label': names[v] }, h('h3', { class: 'title' }, h('span', { text: names[v] }), close), ...out, ...this.links(v))];
    if (app.live) {
      const next = this.section(`What to ask next about ${names[v]}`, !(number && app.data.untold) && h('div', { id: 'asked', 'aria-live': 'off' }, muted('…')), app.data.untold && muted(app.data.untold));
      next.firstChild.textContent = 'What to ask next';  // large letters would spell the name otherwise
      following.push(() => { next.hidden = isHard(beliefs.evidence.get(v)); });
      sections.push(next);
    }
    if (app.data.factors || app.data.families) sections.push(this.fold('numbers', 'Its numbers', () => familyOf(app, v), following));
    const matters = h('div', { id: 'matters' }, muted('…'));
    if (app.live) sections.push(this.fold('matters', 'Which numbers matter to it', () => [matters], following));
    return { v, sections, following };
  }

  figures(v) {
    const { beliefs } = this.app, number = this.app.isNumber(v), entropy = beliefs.entropy(v), said = [];
    const was = (now, then) => (now === then ? '' : `, was ${then}`), { before } = beliefs;
    if (entropy !== null && (!number || !beliefs.evidence.has(v))) said.push(`entropy ${bits(entropy)} bits${was(bits(entropy), bits(beliefs.entropy(v, before)))}`);
    if (number) said.push(was(wordsOf(this.app, v), wordsOf(this.app, v, before)).slice(2));
    return said.filter(Boolean).join(' · ');
  }

  /** How well each state fits what was seen: likelihoods, the largest of them one. */
  soft(v) {
    const { app } = this, seen = app.beliefs.evidence.get(v), { states } = app.variables[v];
    const likelihoods = seen ? Array.from(seen) : states.map(() => 1), top = Math.max(...likelihoods);
    return [h('div', { class: 'sliders' }, states.map((state, k) => {
      const value = Math.round(100 * likelihoods[k] / top);
      const slider = h('input', { type: 'range', min: 0, max: 100, value, 'data-key': `soft ${k}`, 'aria-label': `how well ${state} fits`, 'aria-valuetext': `${value} of 100` });
      slider.addEventListener('change', () => {
        const next = likelihoods.map(x => x / top);
        next[k] = slider.valueAsNumber / 100;
        app.weigh(v, next);
      });
      return h('label', null, h('span', { class: 'label', text: state }), slider, h('span', { class: 'n', text: String(value) }));
    }))];
  }

  /** Has content only while it is unfolded. @param {() => HTMLElement[]} content @param {(() => void)[]} following */
  fold(key, title, content, following) {
    const inner = h('div'), fill = () => { if (box.open) renew(inner, content()); };
    const box = h('details', { open: this.open.has(key), ontoggle: () => {
      if (box.open === this.open.has(key)) return;
      if (!box.open) { this.open.delete(key); return; }
      this.open.add(key);
      fill();
      if (this.app.picked !== null) this.ask(this.app.picked);
    } }, h('summary', { text: title, 'data-key': `fold ${key}` }), inner);
    following.push(fill);
    return box;
  }

  links(v) {
    const { app } = this, link = u => h('button', { text: app.names[u], onpointerenter: event => { event.target.title = this.edgeWords(u, v); }, 'data-key': `link ${u}`, onclick: () => app.pick(u, { reveal: true }) });
    const groups = [['from', app.parents[v]], ['to', app.children[v]], ['joined to', app.others[v]]].filter(([, list]) => list.length);
    if (!groups.length) return [muted(app.data.undrawn ?? 'joined to nothing')];
    return groups.map(([said, list]) => h('p', { class: 'links' }, h('span', { class: 'muted', text: said }), list.map(link)));
  }

  /** What is known about the edge of two variables. */
  edgeWords(u, v) {
    const { data, beliefs } = this.app, i = data.edges.findIndex(([a, b]) => (a === u && b === v) || (a === v && b === u));
    const bound = beliefs.strength?.[i] ?? null;
    return [bound !== null && `${bits(bound)} bits given what is known`, data.told?.[i]].filter(Boolean).join(', ');
  }

  // After the drawing: what would tell most about the picked variable.
  ask(v) {
    const turn = ++this.asked, { app } = this;
    if (!app.live) return;
    requestAnimationFrame(() => setTimeout(async () => {
      if (turn !== this.asked) return;
      if ($('matters') && this.open.has('matters')) await mattering(app, v, $('matters'));
      const box = $('asked'), gain = box && !box.parentNode.hidden && turn === this.asked ? await app.beliefs.worth(v) : undefined;
      if (turn !== this.asked || !gain) return;
      const list = [...gain.entries()].filter(([u, x]) => x > TOLD && !isHard(app.beliefs.evidence.get(u))).sort((a, b) => b[1] - a[1] || a[0] - b[0]);
      renew(box, [list.length ? this.ranking(list.slice(0, ASKED), 'worth') : muted('Nothing else would tell more.')]);
    }));
  }
}
