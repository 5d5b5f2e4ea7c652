/** Scenario report, in a process of its own: a site is fetched and walked, then fetched and made into a report. */
import { writeFileSync } from 'node:fs';
import { performance } from 'node:perf_hooks';
import process, { argv } from 'node:process';
import { reportHtml, sitemapTreeForHomepage } from '../../dist/index.js';
import { peakBytes } from './usage.js';

const { homepage, half, file } = JSON.parse(argv[2]);
// From here on it may take its time.
process.send({ type: 'start' });
const started = performance.now();
const tree = await sitemapTreeForHomepage(homepage, { maxSitemaps: 60_000 });
let [pages, bytes] = [0, 0];
if (half === 'walk') {
  for await (const batch of tree.allPages().batchesAsync()) pages += batch.length;
} else {
  let html = '';
  for await (const piece of reportHtml(tree)) html += piece;
  bytes = Buffer.byteLength(html);
  writeFileSync(file, html);
}
tree.close();
const seconds = (performance.now() - started) / 1000;
const { user, system } = process.cpuUsage();
const cpuSeconds = (user + system) / 1e6;
process.send({ type: 'result', pages, bytes, seconds, cpuSeconds, peakBytes: peakBytes() });
process.disconnect();
