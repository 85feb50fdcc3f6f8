// Clusters of variables: a box for each; an opened one shows its variables alone.
import { h } from './dom.js';

const WIDE = 250, GAP = 28;

/** @param {object} views whose cluster is the opened one, or null */
export function drawClusters(views) {
  const { app, cluster } = views, { clusters, layout } = app.data, at = layout.centres;
  if (cluster !== null) {
    const rows = new Map(), members = [...clusters[cluster].members].sort((a, b) => at[a][1] - at[b][1] || at[a][0] - at[b][0]);
    for (const v of members) rows.set(at[v][1], [...rows.get(at[v][1]) ?? [], v]);  // in lines as they stand in the network
    views.inLines([...rows.values()]);
    return;
  }
  const columns = Math.max(1, Math.ceil(Math.sqrt(clusters.length))), tops = new Array(columns).fill(0), boxes = [];
  clusters.forEach(({ name, members }, i) => {
    const column = tops.indexOf(Math.min(...tops)), x = column * (WIDE + GAP), y = tops[column];
    const open = h('button', { class: 'open', text: `${name} · ${members.length} variables`, title: `open the cluster of ${name}`, onclick: () => { views.cluster = i; app.go('clusters'); } });
    const element = views.box([x + WIDE / 2, y], [WIDE, 0], open, members.map(v => views.member(v)));
    element.style.height = '';
    const height = element.offsetHeight;
    boxes.push({ x, y, width: WIDE, height });
    tops[column] += height + GAP;
  });
  views.add(app.stage.element, h('p', { class: 'legend', text: 'clusters that learning grew, each around the variable it is named by; open one to see its variables alone' }));
  app.stage.chart(boxes, columns * (WIDE + GAP) - GAP, Math.max(...tops) - GAP);
}
