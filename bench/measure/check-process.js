/**
 * Scenario check, in a process of its own: a site is read and walked, or read and checked. Its pages are on the host of
 * its robots.txt, as those of most sites are, so that the rules about robots.txt have something to do; so it is read
 * from files by a web client that serves them under that host.
 */
import { createReadStream } from 'node:fs';
import { performance } from 'node:perf_hooks';
import process, { argv, cpuUsage } from 'node:process';
import { Readable } from 'node:stream';
import { checkTree, sitemapTreeForHomepage } from '../../dist/index.js';
import { peakBytes } from './usage.js';

const ORIGIN = 'https://www.example.com';
const { files, half } = JSON.parse(argv[2]);
const ROBOTS = [
  'User-agent: *',
  ...['/admin/', '/cart', '/search', '/*?sort=', '/*.pdf$', '/private/*/edit'].map(
    (path) => `Disallow: ${path}`,
  ),
  ...files.map((_, index) => `Sitemap: ${ORIGIN}/${index}.xml`),
].join('\n');

async function webClient(url) {
  const { pathname } = new URL(url);
  const file = files[Number(/^\/(\d+)\.xml$/.exec(pathname)?.[1] ?? -1)];
  const isThere = pathname === '/robots.txt' || file !== undefined;
  return {
    status: isThere ? 200 : 404,
    statusText: '',
    headers: { get: (name) => (name.toLowerCase() === 'content-type' ? 'text/xml' : null) },
    body: file === undefined ? Readable.from([Buffer.from(isThere ? ROBOTS : '')]) : createReadStream(file),
  };
}

const started = performance.now();
const tree = await sitemapTreeForHomepage(ORIGIN, { webClient, useKnownPaths: false });
let [pages, findings] = [0, undefined];
if (half === 'walk') {
  for await (const batch of tree.allPages().batchesAsync()) pages += batch.length;
} else {
  const check = checkTree(tree);
  findings = 0;
  for await (const _ of check) findings++;
  pages = check.summary.pages;
}
tree.close();
const seconds = (performance.now() - started) / 1000;
const { user, system } = cpuUsage();
process.send({
  ...{ type: 'result', pages, findings, seconds, cpuSeconds: (user + system) / 1e6, peakBytes: peakBytes() },
});
process.disconnect();
