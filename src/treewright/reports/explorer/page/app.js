// The page: what is picked, what is known, and who has to hear of it.
import { $, bits, h, html, short } from './dom.js';
import { Beliefs } from './beliefs.js';
import { openRest } from './opening.js';
import { Cards, isHard, wordsOf } from './cards.js';
import { Edges } from './edges.js';
import { Labels } from './labels.js';
import { Panel } from './panel.js';
import { Search } from './search.js';
import { Stage } from './stage.js';
import { Views } from './views.js';
import { readAddress, writeAddress } from './case.js';
import { Controls, remark } from './controls.js';
import { drawSheet } from './sheet.js';
import { listenToKeys } from './keys.js';

class Explorer {
  constructor(data) {
    const n = data.variables.length, lists = () => Array.from({ length: n }, () => []);
    Object.assign(this, { data, variables: data.variables, names: data.variables.map(({ name }) => name) });
    Object.assign(this, { parents: lists(), children: lists(), others: lists(), neighbours: lists() });
    data.edges.forEach(([a, b], i) => {
      const [u, v] = data.arrows[i] === 'up' ? [b, a] : [a, b];
      this.neighbours[u].push(v);
      this.neighbours[v].push(u);
      if (data.arrows[i] === 'none') { this.others[u].push(v); this.others[v].push(u); }
      else { this.parents[v].push(u); this.children[u].push(v); }
    });
    Object.assign(this, { picked: null, hovered: null, view: 'network', best: null, explaining: false, said: '', waiting: false });
  }

  /** Whether a variable has a number rather than a state. */
  isNumber(v) { return !this.variables[v].states; }

  async start() {
    this.beliefs = await Beliefs.open(this.data);
    this.live = Boolean(this.beliefs.engine);
    this.believes = Boolean(this.beliefs.now);
    const { classList } = html;
    classList.toggle('still', !this.live);
    classList.toggle('bare', !this.believes);
    const address = readAddress(this, location.hash);
    if (address.evidence && this.live) await this.beliefs.set(address.evidence);
    this.world = $('world');
    this.views = new Views(this);
    this.stage = new Stage($('stage'), this.world, $('map'), zoom => { if (zoom && !this.views.arranging) this.cards.show(); this.labels?.soon(); });
    this.cards = new Cards(this, this.world);
    this.edges = new Edges(this, $('edges'));
    this.labels = Labels && new Labels(this, $('labels'));
    this.panel = new Panel(this);
    this.search = new Search(this);
    this.controls = new Controls(this);
    listenToKeys(this);
    this.beliefs.listen = part => { if (!part) this.renewed(); else { this.edges.weigh(); this.sheet(); } };
    this.views.arrange(true);
    this.renewed();
    remark(address.unknown);
  }

  // Evidence

  change(said, edit) {
    if (!this.live) return;
    this.said = said;
    this.beliefs.step(edit);
    if (this.beliefs.busy) this.panel.show();  // what is known is seen at once, also where beliefs take longer
  }

  /** A state is known; once more: it is open again. */
  observe(v, k) {
    const seen = this.beliefs.evidence.get(v), again = isHard(seen) && seen[k] > 0;
    if (again) { this.forget(v); return; }
    const likelihood = Float64Array.from(this.variables[v].states, (_, i) => Number(i === k));
    this.change(`${this.names[v]} is ${this.variables[v].states[k]}`, evidence => evidence.set(v, likelihood));
  }

  observeNumber(v, x) { this.change(`${this.names[v]} is ${short(x)}`, evidence => evidence.set(v, x)); }

  ruleOut(v, k) {
    const likelihood = Float64Array.from(this.beliefs.evidence.get(v) ?? this.variables[v].states.map(() => 1));
    likelihood[k] = likelihood[k] > 0 ? 0 : 1;
    this.weigh(v, likelihood);
  }

  /** Soft evidence: how well each state fits; all alike says nothing. */
  weigh(v, likelihood) {
    const values = Float64Array.from(likelihood);
    if (!values.some(x => x > 0)) return;
    const alike = values.every(x => x === values[0]);
    this.change(alike ? `${this.names[v]} is open again` : `${this.names[v]} is weighed`, evidence => { if (alike) evidence.delete(v); else evidence.set(v, values); });
  }

  forget(v) { if (this.beliefs.evidence.has(v)) this.change(`${this.names[v]} is open again`, evidence => evidence.delete(v)); }

  undo() { if (this.live && this.beliefs.past.length) { this.said = 'undone'; this.beliefs.undo(); } }

  redo() { if (this.live && this.beliefs.future.length) { this.said = 'done again'; this.beliefs.redo(); } }

  /** What is known of a variable, in words. */
  saidOf(v) {
    const seen = this.beliefs.evidence.get(v);
    if (this.isNumber(v)) return short(seen);
    const { states } = this.variables[v], some = states.filter((_, k) => seen[k] > 0);
    const sure = Array.from(seen).filter(x => x > 0).every((x, _, all) => x === all[0]);
    return sure ? some.join(' or ') : states.map((state, k) => `${state} ${Number((100 * seen[k]).toFixed(1))}`).join(' : ');
  }

  // Whatever follows from new beliefs.
  async renewed() {
    const { beliefs } = this;
    if (this.explaining) this.best = null;
    this.cards.renewed();
    this.edges.weigh();
    this.marks();
    this.nearby();
    this.panel.show();
    this.sheet();
    if (this.view === 'tree' || this.view === 'clusters') this.views.arrange(false);
    this.afterFrame();
    if (!this.live) return;
    $('undo').disabled = !beliefs.past.length;
    $('redo').disabled = !beliefs.future.length;
    $('clear').disabled = !beliefs.evidence.size;
    $('hold').setAttribute('aria-pressed', String(beliefs.held));
    if (this.explaining) await this.explain();
  }

  sheet() { if (this.view === 'table') drawSheet(this, $('sheet')); }

  // What nobody sees waits until the beliefs are painted.
  afterFrame() {
    if (this.waiting) return;
    this.waiting = true;
    requestAnimationFrame(() => setTimeout(() => {
      this.waiting = false;
      this.tell();
      if (this.live) this.address();
    }));
  }

  address() {
    try { history.replaceState(null, '', location.href.split('#')[0] + writeAddress(this)); } catch { /* a frame without an address */ }
  }

  marks() {
    if (this.view !== 'network') return;
    this.stage.spots?.forEach((spot, v) => spot.classList.toggle('seen', this.beliefs.evidence.has(v)));
  }

  // Aloud: what was done and the largest changes.
  tell() {
    const { beliefs, said } = this;
    if (!said || beliefs.busy) return;
    this.said = '';
    if (beliefs.conflict || beliefs.determined !== undefined) { $('said').textContent = `${said}: this cannot happen`; return; }
    const moved = this.names.map((_, v) => [v, beliefs.change(v)]).filter(([v, x]) => x > 0.005 && !isHard(beliefs.evidence.get(v)));
    moved.sort((a, b) => b[1] - a[1]);
    const most = moved.slice(0, 3).map(([v, x]) => `${this.names[v]} ${wordsOf(this, v)}, changed by ${bits(x)}`);
    $('said').textContent = [said, ...most].join('. ');
  }

  async explain() {
    const found = this.beliefs.conflict ? undefined : await this.beliefs.mostProbable();
    if (!this.explaining || (found && !found.states)) return;
    this.best = found ?? null;
    this.cards.show();
    this.labels?.soon();
    this.sheet();
    this.panel.show();
  }

  toggleExplain() {
    this.explaining = !this.explaining;
    $('explain').setAttribute('aria-pressed', String(this.explaining));
    if (!this.explaining) this.best = null;
    this.renewed();
  }

  // What is picked

  /** @param {number | null} v @param {{focus?: boolean, reveal?: boolean}} [how] */
  pick(v, { focus = false, reveal = false } = {}) {
    this.picked = v;
    if (this.view === 'focus' && v !== null) this.views.arrange(true);
    if (this.view === 'tree') this.views.arrange(false);
    if (reveal && v !== null && this.cards.list[v].shown) this.stage.reveal(this.cards.list[v]);
    this.nearby();
    this.panel.show();
    if (focus && v !== null && this.cards.list[v].shown) this.cards.focus(v);
  }

  /** Go to a card by keys. */
  visitCard(v) { if (v !== null) this.pick(v, { focus: true, reveal: true }); }

  /** Go to a variable from wherever: it is centred, near enough to be read, unless everything is so already. */
  visit(v) {
    if (this.view !== 'network' && this.view !== 'focus') this.go('network');
    this.pick(v);
    this.stage.glide();
    const { x, y, width, height } = this.cards.list[v], { whole, zoom, k } = this.stage;
    if (this.view === 'network' && !(whole && zoom === 'near')) this.stage.centre(x + width / 2, y + height / 2, Math.max(k, 0.9));
    this.cards.focus(v);
  }

  hover(v) { this.hovered = v; this.nearby(); }

  nearby() {
    const v = this.hovered ?? this.picked;
    this.world.classList.toggle('picked', v !== null && this.view === 'network');
    this.cards.pick(this.picked);
    this.edges.nearby(v);
    this.labels?.soon();
  }

  go(view) {
    if (view === 'focus' && this.picked === null) {
      const joined = this.neighbours.map(list => list.length);
      this.picked = joined.indexOf(Math.max(...joined));
    }
    if (view !== this.view) this.views.cluster = null;
    this.view = view;
    this.views.arrange(true);
    this.marks();
    this.panel.show();
  }
}

async function openPage() {
  const data = JSON.parse($('model').textContent);
  await openRest(data);
  await new Explorer(data).start();
}

openPage().catch(problem => $('panel').replaceChildren(h('p', { class: 'bad', role: 'alert', text: problem.message })))
  .finally(() => html.classList.add('ready'));
