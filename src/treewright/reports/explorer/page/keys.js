// Keys: everything that the mouse can do; the dialog behind `?` lists them.
import { $, h } from './dom.js';
import { copyPython } from './controls.js';

const ARROWS = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] };

// The nearest card in a direction.
function neighbourIn(app, [dx, dy]) {
  const { list } = app.cards, from = list[app.picked], middle = card => [card.x + card.width / 2, card.y + card.height / 2], [x, y] = middle(from);
  let goal = null, least = Infinity;
  for (const card of list) {
    if (card === from || !card.shown) continue;
    const [a, b] = middle(card), ahead = (a - x) * dx + (b - y) * dy, aside = Math.abs((a - x) * dy) + Math.abs((b - y) * dx);
    if (ahead > 4 && ahead + 2.2 * aside < least) { least = ahead + 2.2 * aside; goal = card.v; }
  }
  return goal;
}

// Inside a group of states: up and down, until its end. Says whether there was a next one.
function nextState(event) {
  const group = event.target.closest?.('[role=radiogroup]'), step = { ArrowUp: -1, ArrowDown: 1 }[event.key];
  if (!group || !step || !event.target.matches('[role=radio]')) return false;
  const states = [...group.querySelectorAll('[role=radio]')], next = states[states.indexOf(event.target) + step];
  if (next) { next.tabIndex = 0; event.target.tabIndex = -1; next.focus({ preventScroll: true }); }
  return Boolean(next) || !group.closest('#world');
}

function arrow(app, event) {
  event.preventDefault();
  const [dx, dy] = ARROWS[event.key];
  if (event.shiftKey) { app.stage.move(-80 * dx, -80 * dy); return; }
  if (nextState(event) || app.view === 'table' || app.view === 'tree') return;
  if (app.picked === null) { app.visitCard(app.cards.list.find(card => card.shown)?.v ?? null); return; }
  app.visitCard(neighbourIn(app, ARROWS[event.key]));
}

function digit(app, event) {
  const k = Number(event.code.at(-1)), v = app.picked;
  if (v === null || !app.live) return;
  if (k === 0) app.forget(v);
  else if (!app.isNumber(v) && k <= app.variables[v].states.length) { if (event.altKey) app.ruleOut(v, k - 1); else app.observe(v, k - 1); }
}

/** Listen to the keyboard. */
export function listenToKeys(app) {
  const dialog = $('keys'), click = id => () => $(id).click();
  $('keylist').append(...app.data.keys.map(([keys, what]) => h('tr', null, h('th', { scope: 'row' }, h('kbd', { text: keys })), h('td', { text: what }))));
  $('help').addEventListener('click', () => dialog.showModal());
  const view = name => () => { if (name in app.views.names) app.go(name); };
  const acts = {
    '/': () => $('search').focus(), f: () => app.stage.fit(), '+': () => app.stage.zoomBy(1.3), '=': () => app.stage.zoomBy(1.3), '-': () => app.stage.zoomBy(1 / 1.3),
    n: view('network'), o: view('focus'), j: view('tree'), g: view('clusters'), t: view('table'), m: click('explain'), h: click('hold'), x: click('clear'),
    c: () => copyPython(app), d: click('theme'), '?': () => dialog.showModal(), Escape: () => app.pick(null), Delete: () => { if (app.picked !== null) app.forget(app.picked); },
  };
  document.addEventListener('keydown', event => {
    if (event.target.closest?.('dialog') || (event.target.closest?.('input,textarea') && event.key !== 'Escape')) return;
    const command = event.ctrlKey || event.metaKey;
    if (command && event.key.toLowerCase() === 'z') { event.preventDefault(); if (event.shiftKey) app.redo(); else app.undo(); return; }
    if (command && event.key.toLowerCase() === 'y') { event.preventDefault(); app.redo(); return; }
    if (command) return;
    if (/^(Digit|Numpad)\d$/.test(event.code) && !event.shiftKey) { event.preventDefault(); digit(app, event); return; }
    if (event.altKey) return;
    if (event.key === 'Enter' && event.target.matches('.card')) { event.preventDefault(); $('panel').querySelector('.big [tabindex="0"], input')?.focus(); return; }
    if (ARROWS[event.key]) { arrow(app, event); return; }
    if (acts[event.key]) { event.preventDefault(); acts[event.key](); }
  });
}
