/** Trees that are saved, loaded, read again and compared. What one pass does is timed step by step. */
import { performance } from 'node:perf_hooks';
import { diffPages, loadTree, saveTree, sitemapTreeForHomepage } from '../../dist/index.js';
import { cpuSeconds, peakBytes } from '../measure/usage.js';

export { name, version } from './ours.js';

/** How often a living tree is read again; the figure is the one in the middle. */
const READS = 5;

/** Fetches, walks and saves a tree. */
export async function make({ homepage, file }, reader) {
  const steps = {};
  const tree = await timed(steps, 'fetch', () => sitemapTreeForHomepage(homepage));
  reader.count = await timed(steps, 'walk', () => countOf(tree));
  await timed(steps, 'save', () => saveTree(tree, file));
  tree.close();
  return { steps };
}

/** Loads what was saved, and walks it. */
export async function load({ file }, reader) {
  const steps = {};
  const tree = await timed(steps, 'load', () => loadTree(file));
  reader.count = await timed(steps, 'walk-loaded', () => countOf(tree));
  await timed(steps, 'walk-loaded-async', async () => {
    let count = 0;
    for await (const { url } of tree.allPages()) if (url !== '') count++;
    return count;
  });
  tree.close();
  return { steps };
}

/** Reads a site for the first time, and saves it. */
export async function first({ homepage, file }) {
  const steps = {};
  const tree = await timed(steps, 'read', () => sitemapTreeForHomepage(homepage));
  await saveTree(tree, file);
  tree.close();
  return { steps };
}

/** Loads what was saved, reads the site again, compares, and saves. */
export async function again({ homepage, file }) {
  const steps = {};
  const [before, after] = await timed(steps, 'read', async () => {
    const previous = await loadTree(file);
    return [previous, await sitemapTreeForHomepage(homepage, { previous, staleIfError: true })];
  });
  const diff = diffPages(before, after, { countSame: false });
  await timed(steps, 'diff', async () => {
    for await (const _ of diff);
  });
  await timed(steps, 'save', () => saveTree(after, file));
  before.close();
  after.close();
  return { steps, found: diff.counts };
}

/** Reads a site again in the process that has its tree, as a service would. */
export async function living({ homepage }) {
  const reads = [];
  let tree = await sitemapTreeForHomepage(homepage);
  for (let read = 0; read < READS; read++) {
    const [previous, steps] = [tree, {}];
    tree = await timed(steps, 'read', () =>
      sitemapTreeForHomepage(homepage, { previous, staleIfError: true }),
    );
    previous.close();
    reads.push(steps.read);
  }
  tree.close();
  reads.sort((a, b) => a.seconds - b.seconds);
  return { steps: { read: reads[Math.floor(READS / 2)] } };
}

export async function walk({ files }) {
  return overTrees(files, (trees) => {
    let pages = 0;
    for (const tree of trees) for (const page of tree.allPages()) pages += read(page);
    return { pages };
  });
}

export async function walkAsync({ files }) {
  return overTrees(files, async (trees) => {
    let pages = 0;
    for (const tree of trees) for await (const page of tree.allPages()) pages += read(page);
    return { pages };
  });
}

export async function diff({ files }) {
  return overTrees(files, async ([before, after]) => {
    const differences = diffPages(before, after);
    let changes = 0;
    for await (const { page } of differences) changes += page.url === '' ? 0 : 1;
    return { changes, counts: differences.counts };
  });
}

/** Loading is not a part of what is measured. */
async function overTrees(files, work) {
  const trees = await Promise.all(files.map((file) => loadTree(file)));
  const steps = {};
  const found = await timed(steps, 'all', () => work(trees));
  for (const tree of trees) tree.close();
  return { ...steps.all, found };
}

function countOf(tree) {
  let count = 0;
  for (const { url } of tree.allPages()) if (url !== '') count++;
  return count;
}

/** Reads what a comparison compares: 1 for a page that has it. */
function read({ url, lastModified, priority, changeFrequency }) {
  return url !== '' && lastModified !== null && priority >= 0 && changeFrequency !== '' ? 1 : 0;
}

async function timed(steps, name, work) {
  const [start, cpuStart] = [performance.now(), cpuSeconds()];
  const result = await work();
  const seconds = (performance.now() - start) / 1000;
  steps[name] = { seconds, cpuSeconds: cpuSeconds() - cpuStart, peakBytes: peakBytes() };
  return result;
}
