// From the embedded model to an engine: reads the packed numbers and builds what answers.
import { FeatureGraph, featureArrays } from './features.js';
import { JunctionForest, offsetsOf } from './forest.js';
import { openMixed } from './mixed.js';
import { NormalNetwork } from './normal.js';
import { cellsOf } from './walks.js';

const FORMAT = 'treewright-page';
const VERSION = 1;

function refuseOthers({ format, version }) {
  if (format !== FORMAT || version !== VERSION)
    throw new Error(`This page holds ${format} ${version}; its script reads ${FORMAT} ${VERSION}.`);
}

// What Python packed: little-endian numbers, gzip, base64.
async function unpacked(text) {
  const bytes = Uint8Array.from(atob(text), letter => letter.charCodeAt(0));
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream('gzip'));
  return await new Response(stream).arrayBuffer();
}

const doubles = async text => new Float64Array(await unpacked(text));

/** Where everything stands is packed too, and what else nobody would read. @param {object} data the embedded model */
export async function openRest(data) {
  refuseOthers(data);
  Object.assign(data, JSON.parse(new TextDecoder().decode(await unpacked(data.rest))));
}

/** The tables of a model of kind "tables", one after the other in its numbers.
 * @param {{scope: number[]}[]} listed @param {number[]} cards @param {Float64Array} numbers */
function cutTables(listed, cards, numbers) {
  let at = 0;
  return listed.map(({ scope }) => {
    const size = cellsOf(scope, cards);
    at += size;
    return { scope, cells: numbers.subarray(at - size, at) };
  });
}

/** What the page works with. `engine` is null where it may not propagate; `starting` are the beliefs of such a
 * page, null where it has none at all.
 * @param {object} data the embedded model */
export async function openModel(data) {
  refuseOthers(data);
  const cards = data.variables.map(({ states }) => (states ? states.length : 2));  // a mean and a deviation
  const numbers = data.numbers ? await doubles(data.numbers) : new Float64Array(0);
  const opened = { cards, offsets: offsetsOf(cards), factors: [], engine: null, starting: null };
  if (data.starting) opened.starting = await doubles(data.starting);
  if (data.factors) opened.factors = cutTables(data.factors, cards, numbers);
  if (data.lines) Object.assign(opened, openMixed(data, opened, numbers));
  else if (data.plan) opened.engine = new JunctionForest(cards, opened.factors, data.plan);
  if (data.arrays) opened.engine = new FeatureGraph(cards, await featureArrays(data.arrays, numbers, unpacked), data.exact);
  if (data.families && !data.note) opened.engine = new NormalNetwork(data.families, data.order);
  return opened;
}
