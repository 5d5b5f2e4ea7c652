/**
 * One part of scenario diff, in a process of its own: `save` reads a site and saves it, the others load two archives.
 */
import { performance } from 'node:perf_hooks';
import process, { argv } from 'node:process';
import { diffPages, loadTree, saveTree, sitemapTreeForHomepage } from '../../dist/index.js';
import { cpuSeconds, peakBytes } from './usage.js';

const { part, homepage, files } = JSON.parse(argv[2]);
const PARTS = { save, walk, 'walk-async': walkAsync, diff };

process.send({ type: 'result', ...(await PARTS[part]()), peakBytes: peakBytes() });
process.disconnect();

async function save() {
  const tree = await sitemapTreeForHomepage(homepage);
  await saveTree(tree, files[0]);
  tree.close();
  return {};
}

async function walk() {
  return measured((trees) => {
    let pages = 0;
    for (const tree of trees) for (const page of tree.allPages()) pages += read(page);
    return { pages };
  });
}

async function walkAsync() {
  return measured(async (trees) => {
    let pages = 0;
    for (const tree of trees) for await (const page of tree.allPages()) pages += read(page);
    return { pages };
  });
}

async function diff() {
  return measured(async ([before, after]) => {
    const differences = diffPages(before, after);
    let changes = 0;
    for await (const { page } of differences) changes += page.url === '' ? 0 : 1;
    return { changes, counts: differences.counts };
  });
}

/** Reads what a comparison compares: 1 for a page that has it. */
function read({ url, lastModified, priority, changeFrequency }) {
  return url !== '' && lastModified !== null && priority >= 0 && changeFrequency !== '' ? 1 : 0;
}

async function measured(work) {
  const trees = await Promise.all(files.map((file) => loadTree(file)));
  const [start, cpuStart] = [performance.now(), cpuSeconds()];
  const result = await work(trees);
  const seconds = (performance.now() - start) / 1000;
  const cpu = cpuSeconds() - cpuStart;
  for (const tree of trees) tree.close();
  return { ...result, seconds, cpuSeconds: cpu };
}
