// Views of one model: the whole network, what is around one variable, its cliques, its clusters, a table.
import { $, curve, h, s } from './dom.js';
import { drawSheet } from './sheet.js';
import { leaveRoom } from './edges.js';
import { drawClusters } from './clusters.js';

const IN_A_LINE = 7, BESIDE = 28, BELOW = 84;
const ROOM = 28;  // pixels of an edge for what two cliques share
const READABLE = 0.45;  // names of cliques, at this scale

const cut = name => name.replace(/^(.{18}).+$/su, '$1…');  // what boxes have room for, see text_width.py

// Upright before its end, where the name of what is shared stands.
const upright = route => {
  const [x, y] = route.at(-1);
  return `${curve([...route.filter(([, top]) => top < y - ROOM), [x, y - ROOM]])}V${y}`;
};

const linesOf = list => Array.from({ length: Math.ceil(list.length / IN_A_LINE) }, (_, i) => list.slice(IN_A_LINE * i, IN_A_LINE * (i + 1)));

export class Views {
  constructor(app) {
    this.app = app;
    this.cluster = null;
    this.extra = [];  // elements of views other than the network
    const { data } = app;
    this.names = { network: 'Network', focus: 'Focus' };
    if (data.tree) this.names.tree = data.plan ? 'Junction tree' : 'Feature graph';
    if (data.clusters) this.names.clusters = 'Clusters';
    this.names.table = 'Table';
    this.buttons = Object.entries(this.names).map(([name, text]) => h('button', { 'data-view': name, text, onclick: () => app.go(name) }));
    $('views').append(...this.buttons);
  }

  /** Arrange everything anew. @param {boolean} fit also move the plane so that all is seen */
  arrange(fit) {
    const { app } = this, { view, cards, edges, data } = app;
    if (fit) app.stage.glide('view');
    this.arranging = true;  // cards are written once, where they stand
    for (const element of this.extra.splice(0)) element.remove();
    this.buttons.forEach(button => button.setAttribute('aria-pressed', String(button.dataset.view === view)));
    app.stage.element.dataset.view = view;
    $('sheet').hidden = view !== 'table';
    $('back').hidden = !(view === 'clusters' && this.cluster !== null);
    const full = view === 'focus' || view === 'clusters';
    cards.resize(full ? data.card_sizes ?? data.layout.sizes : data.layout.sizes, full ? 'cards' : data.density);
    cards.hide();
    edges.hide();
    if (view === 'network') this.network();
    else if (view === 'focus') this.focus();
    else if (view === 'tree') this.tree();
    else if (view === 'clusters') drawClusters(this);
    else drawSheet(app, $('sheet'));
    if (!fit) app.stage.apply();
    else if (view !== 'table') app.stage.fit(view === 'network' ? 1.15 : 1.3);
    if (fit && view === 'tree' && app.stage.k < READABLE) this.approach();
    this.arranging = false;
    cards.show();
    app.nearby();
  }

  network() {
    const { cards, edges, data, stage } = this.app, { centres, width, height } = data.layout;
    cards.list.forEach((card, v) => cards.place(v, centres[v][0] - card.width / 2, centres[v][1] - card.height / 2));
    edges.drawAll();
    stage.chart(cards.list, width, height);
  }

  // Parents above, the variable among those it shares children with, children below.
  focus() {
    const { app } = this, v = app.picked ?? 0, { parents, children, others } = app;
    const beside = [...new Set(children[v].flatMap(child => parents[child]))];
    const shared = beside.filter(u => u !== v && !parents[v].includes(u) && !children[v].includes(u) && !others[v].includes(u));
    const half = shared.length >> 1;
    const middle = shared.length < IN_A_LINE ? [[...shared.slice(0, half), v, ...shared.slice(half)]] : [[v], shared];
    this.inLines([parents[v], ...middle, [...children[v], ...others[v]]]);
  }

  /** Cards in lines, each group in lines of its own. @param {number[][]} groups */
  inLines(groups) {
    const { cards, edges, stage } = this.app, placed = [];
    let top = 0, wide = 1;
    for (const line of groups.flatMap(linesOf)) {
      const tall = Math.max(...line.map(v => cards.list[v].height));
      const width = line.reduce((sum, v) => sum + cards.list[v].width + BESIDE, -BESIDE);
      placed.push({ line, top, tall, width });
      top += tall + BELOW;
      wide = Math.max(wide, width);
    }
    for (const { line, top: y, tall, width } of placed) {
      let x = (wide - width) / 2;
      for (const v of line) {
        cards.place(v, x, y + (tall - cards.list[v].height) / 2);
        x += cards.list[v].width + BESIDE;
      }
    }
    edges.drawBetween(cards.list, placed);
    stage.chart(cards.list.filter(card => card.shown), wide, top - BELOW);
  }

  add(parent, ...elements) {
    this.extra.push(...elements);
    parent.append(...elements);
  }

  box([x, y], [width, height], ...content) {
    const element = h('div', { class: 'box' }, ...content);
    element.style.width = `${width}px`;
    element.style.height = `${height}px`;
    element.style.transform = `translate(${x - width / 2}px,${y - height / 2}px)`;
    this.add(this.app.world, element);
    return element;
  }

  member(v) {
    const { app } = this, kind = app.beliefs.evidence.has(v) ? 'seen' : v === app.picked ? 'picked' : undefined;
    return h('button', { class: kind, text: cut(app.names[v]), title: app.names[v], onclick: () => app.pick(v) });
  }

  /** Cliques with their members; of a feature graph, the nodes next to its root. */
  tree() {
    const { app } = this, { tree, plan } = app.data;
    this.add(app.edges.svg, ...tree.routes.map(route => s('path', { class: 'edge joint', d: plan ? upright(route) : curve(leaveRoom(route, 'down')), 'marker-end': plan ? undefined : 'url(#head)' })));
    tree.centres.forEach((centre, i) => {
      if (!plan) { this.box(centre, tree.sizes[i], h('span', { text: tree.labels[i] })); return; }
      const scope = plan.scopes[i], box = this.box(centre, tree.sizes[i], scope.map(v => this.member(v)));
      box.classList.toggle('has', app.picked !== null && scope.includes(app.picked));
    });
    if (plan) [...plan.parent.keys()].filter(i => plan.parent[i] >= 0).forEach((child, i) => this.separator(tree.routes[i], plan.scopes[child].slice(plan.residual[child])));
    this.add($('stage'), h('p', { class: 'legend', text: tree.meaning }));
    app.stage.chart(tree.centres.map(([x, y], i) => ({ x: x - tree.sizes[i][0] / 2, y: y - tree.sizes[i][1] / 2, width: tree.sizes[i][0], height: tree.sizes[i][1] })), tree.width, tree.height);
  }

  // Cliques too small to be read: first the one of what is picked, or a root, and the map shows where that is.
  approach() {
    const { app } = this, { tree, plan } = app.data, at = plan ? plan.scopes.findIndex(scope => scope.includes(app.picked)) : -1;
    const [x, y] = tree.centres[at < 0 ? (plan?.parent.indexOf(-1) ?? 0) : at];
    app.stage.centre(x, y, 0.9);
  }

  separator(route, scope) {
    const said = scope.map(v => cut(this.app.names[v])).join(', '), [x, y] = route.at(-1);
    const shown = scope.length < 3 ? said : `${scope.length} shared`;
    const element = h('span', { class: 'separator', text: shown, title: scope.map(v => this.app.names[v]).join(', ') });
    element.style.transform = `translate(${x}px,${y - ROOM / 2}px) translate(-50%,-50%)`;
    this.add(this.app.world, element);
  }
}
