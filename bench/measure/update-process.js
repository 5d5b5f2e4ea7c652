/**
 * One run of scenario update, in a process of its own: `first` reads a site and saves it, `again` reads it again, and
 * `living` does both, as a service would.
 */
import { performance } from 'node:perf_hooks';
import process, { argv } from 'node:process';
import { diffPages, loadTree, saveTree, sitemapTreeForHomepage } from '../../dist/index.js';
import { peakBytes } from './usage.js';

const { half, homepage, file } = JSON.parse(argv[2]);
const HALVES = { first, again, living };
/** How often a living tree is read again; the figure is the one in the middle. */
const READS = 5;

process.send(await HALVES[half]());
process.disconnect();

async function first() {
  const [tree, read] = await timed(() => sitemapTreeForHomepage(homepage));
  const peak = peakBytes();
  await saveTree(tree, file);
  tree.close();
  return { type: 'result', seconds: { read }, peaks: { read: peak } };
}

async function again() {
  const peaks = {};
  const [[before, after], read] = await timed(async () => {
    const previous = await loadTree(file);
    return [previous, await sitemapTreeForHomepage(homepage, { previous, staleIfError: true })];
  });
  peaks.read = peakBytes();
  const diff = diffPages(before, after, { countSame: false });
  const [, diffed] = await timed(async () => {
    for await (const _ of diff);
  });
  peaks.diff = peakBytes();
  const [, saved] = await timed(() => saveTree(after, file));
  peaks.save = peakBytes();
  before.close();
  after.close();
  return { type: 'result', seconds: { read, diff: diffed, save: saved }, peaks, counts: diff.counts };
}

async function living() {
  let tree = await sitemapTreeForHomepage(homepage);
  const reads = [];
  for (let read = 0; read < READS; read++) {
    const previous = tree;
    const [next, seconds] = await timed(() =>
      sitemapTreeForHomepage(homepage, { previous, staleIfError: true }),
    );
    previous.close();
    tree = next;
    reads.push(seconds);
  }
  const peak = peakBytes();
  tree.close();
  const middle = reads.sort((a, b) => a - b)[Math.floor(READS / 2)];
  return { type: 'result', seconds: { read: middle }, peaks: { read: peak } };
}

async function timed(work) {
  const start = performance.now();
  const result = await work();
  return [result, (performance.now() - start) / 1000];
}
