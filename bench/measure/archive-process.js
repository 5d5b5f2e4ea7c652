/**
 * One half of scenario archive, in a process of its own: `make` fetches, walks and saves a tree; `load` loads and walks
 * it.
 */
import { performance } from 'node:perf_hooks';
import process, { argv } from 'node:process';
import { loadTree, saveTree, sitemapTreeForHomepage } from '../../dist/index.js';
import { peakBytes } from './usage.js';

const { half, homepage, file } = JSON.parse(argv[2]);
process.send(half === 'make' ? await make() : await load());
process.disconnect();

async function make() {
  const [tree, fetched] = await timed(() => sitemapTreeForHomepage(homepage));
  const [pages, walked] = await timed(() => walk(tree));
  const [, saved] = await timed(() => saveTree(tree, file));
  tree.close();
  return {
    type: 'result',
    pages,
    seconds: { fetch: fetched, walk: walked, save: saved },
    peakBytes: peakBytes(),
  };
}

async function load() {
  const [tree, loaded] = await timed(() => loadTree(file));
  const loadPeak = peakBytes();
  const [pages, walked] = await timed(() => walk(tree));
  const [, walkedAsync] = await timed(() => walkAsync(tree));
  tree.close();
  const seconds = { load: loaded, 'walk-loaded': walked, 'walk-loaded-async': walkedAsync };
  return { type: 'result', pages, seconds, peakBytes: peakBytes(), loadPeak };
}

function walk(tree) {
  let count = 0;
  for (const { url } of tree.allPages()) if (url !== '') count++;
  return count;
}

async function walkAsync(tree) {
  let count = 0;
  for await (const { url } of tree.allPages()) if (url !== '') count++;
  return count;
}

async function timed(work) {
  const start = performance.now();
  const result = await work();
  return [result, (performance.now() - start) / 1000];
}
