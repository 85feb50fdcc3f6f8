// Find a variable by a part of its name, or by a state that it can have.
import { $, h } from './dom.js';

const MOST_HITS = 12;

export class Search {
  constructor(app) {
    Object.assign(this, { app, input: $('search'), list: $('found'), hits: [], at: 0 });
    this.input.addEventListener('input', () => this.look());
    this.input.addEventListener('focus', () => this.look());
    this.input.addEventListener('blur', () => this.close());
    this.input.addEventListener('keydown', event => this.key(event));
  }

  look() {
    const asked = this.input.value.trim().toLowerCase(), { names, variables } = this.app;
    const rank = v => {
      const name = names[v].toLowerCase(), at = name.indexOf(asked);
      if (at >= 0) return name === asked ? 0 : at === 0 ? 1 : 2;
      return variables[v].states?.some(state => state.toLowerCase().includes(asked)) ? 3 : 4;
    };
    const ranked = asked ? names.map((name, v) => [rank(v), name.length, v]).filter(([r]) => r < 4) : [];
    ranked.sort((a, b) => a[0] - b[0] || a[1] - b[1] || a[2] - b[2]);
    this.hits = ranked.slice(0, MOST_HITS).map(([, , v]) => v);
    this.at = 0;
    this.list.replaceChildren(...this.hits.map((v, i) => this.option(v, i, asked)));
    if (asked && !this.hits.length) this.list.append(h('li', { class: 'muted', text: 'nothing is called so' }));
    this.list.hidden = !asked;
    this.mark();
  }

  option(v, i, asked) {
    const { names, variables } = this.app, state = names[v].toLowerCase().includes(asked) ? undefined : variables[v].states?.find(x => x.toLowerCase().includes(asked));
    return h('li', { role: 'option', id: `hit${i}`, onpointerdown: event => { event.preventDefault(); this.take(v); } },
      h('bdi', { text: names[v] }), state !== undefined && h('span', { class: 'muted' }, ' · ', h('bdi', { text: state })));
  }

  mark() {
    [...this.list.children].forEach((item, i) => item.setAttribute('aria-selected', String(i === this.at)));
    this.input.setAttribute('aria-expanded', String(!this.list.hidden));
    if (this.hits.length) this.input.setAttribute('aria-activedescendant', `hit${this.at}`);
    else this.input.removeAttribute('aria-activedescendant');
  }

  close() { this.list.hidden = true; this.mark(); }

  take(v) {
    this.input.value = '';
    this.close();
    this.app.visit(v);
  }

  key(event) {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (step && this.hits.length) {
      this.at = (this.at + step + this.hits.length) % this.hits.length;
      this.mark();
      event.preventDefault();
    } else if (event.key === 'Enter' && this.hits.length) {
      event.preventDefault();  // or the key would also press what has the focus next
      this.take(this.hits[this.at]);
    }
    else if (event.key === 'Escape') { this.input.value = ''; this.close(); this.input.blur(); }
    event.stopPropagation();
  }
}
