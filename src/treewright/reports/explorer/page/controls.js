// Around the drawing: buttons, legend, light and dark, the address, print and what is taken along.
import { $, h, html } from './dom.js';
import { asPython, readAddress, writeAddress } from './case.js';

const READ_FOR = 4000;  // milliseconds that a remark stays
const SHEET = [960, 590];  // pixels of a printed page below the legend

/** Say something that goes away by itself. @param {string} text */
export function toast(text) {
  const note = h('div', { class: 'toast', role: 'status', text });
  $('stage').append(note);
  setTimeout(() => note.remove(), READ_FOR);
}

/** @param {string[]} unknown parts of the address */
export function remark(unknown) {
  if (unknown.length) toast(`The address says what this model does not know: ${unknown.join(', ')}`);
}

/** What the page shows, as Python, to the clipboard. */
export async function copyPython(app) {
  if (app.data.kind === 'structure') return;
  const text = asPython(app);
  try { await navigator.clipboard.writeText(text); } catch {
    const area = h('textarea', { text });
    document.body.append(area);
    area.select();
    document.execCommand('copy');
    area.remove();
  }
  toast('Copied as Python');
}

export class Controls {
  constructor(app) {
    this.app = app;
    this.themes();
    $('legend').append(...app.data.legend.map(([kind, text]) => h('span', null, h('i', { class: kind, 'aria-hidden': 'true' }), text)));
    $('caution').textContent = app.data.caution;
    const on = (id, act) => $(id).addEventListener('click', act);
    on('undo', () => app.undo());
    on('redo', () => app.redo());
    on('clear', () => { if (app.beliefs.evidence.size) app.change('nothing is known', evidence => evidence.clear()); });
    on('hold', () => { if (app.live) app.beliefs.hold(); });
    on('explain', () => { if (!$('explain').disabled) app.toggleExplain(); });
    on('back', () => { app.views.cluster = null; app.go('clusters'); });
    on('in', () => app.stage.zoomBy(1.3));
    on('out', () => app.stage.zoomBy(1 / 1.3));
    on('fit', () => app.stage.fit());
    const why = app.live ? app.data.unexplained : 'This page does not propagate';
    $('explain').disabled = Boolean(why);
    if (why) $('explain').title = why;
    app.stage.element.addEventListener('ground', () => { if (app.view === 'network') app.pick(null); });
    addEventListener('hashchange', () => this.fromAddress());
    addEventListener('beforeprint', () => this.beforePrint());
    addEventListener('afterprint', () => this.afterPrint());
  }

  // The system's, until somebody chooses.
  themes() {
    const dark = matchMedia('(prefers-color-scheme: dark)'), system = () => this.theme(dark.matches ? 'dark' : 'light');
    let chosen = false;
    system();
    dark.addEventListener('change', () => { if (!chosen) system(); });
    $('theme').addEventListener('click', () => { chosen = true; this.theme(html.dataset.theme === 'dark' ? 'light' : 'dark'); });
  }

  theme(name) {
    html.dataset.theme = name;
    $('theme').setAttribute('aria-pressed', String(name === 'dark'));
  }

  fromAddress() {
    if (location.hash === writeAddress(this.app)) return;
    const { evidence, unknown } = readAddress(this.app, location.hash);
    remark(unknown);
    this.app.change('from the address', known => { known.clear(); for (const [v, seen] of evidence ?? []) known.set(v, seen); });
  }

  // The network, light, as large as the sheet.
  beforePrint() {
    const { app } = this, { stage } = app;
    this.kept = { view: app.view, theme: html.dataset.theme, x: stage.x, y: stage.y, k: stage.k };
    this.theme('light');
    if (app.view !== 'network') app.go('network');
    const k = Math.min(1, SHEET[0] / stage.width, SHEET[1] / stage.height);
    Object.assign(stage, { k, x: (SHEET[0] - stage.width * k) / 2, y: 62 + (SHEET[1] - stage.height * k) / 2 });
    stage.halt();
    stage.apply();
    app.labels?.place();
  }

  afterPrint() {
    const { app } = this, { view, theme, x, y, k } = this.kept;
    this.theme(theme);
    if (view !== 'network') app.go(view);
    app.stage.halt();
    Object.assign(app.stage, { x, y, k });
    app.stage.apply();
  }
}
