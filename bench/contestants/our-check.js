/**
 * A check with all rules, and the walk that it is compared with. The pages are on the host of the robots.txt, as those of
 * most sites are, so that the rules about robots.txt have something to do; so the site is read from files by a web client
 * that serves them under that host.
 */
import { createReadStream } from 'node:fs';
import { Readable } from 'node:stream';
import { checkTree, sitemapTreeForHomepage } from '../../dist/index.js';

export { name, version } from './ours.js';

const ORIGIN = 'https://www.example.com';
const DISALLOWED = ['/admin/', '/cart', '/search', '/*?sort=', '/*.pdf$', '/private/*/edit'];

export async function walk({ files }, reader) {
  const tree = await treeOf(files);
  for await (const batch of tree.allPages().batchesAsync()) reader.count += batch.length;
  tree.close();
}

export async function check({ files }, reader) {
  const tree = await treeOf(files);
  const findings = checkTree(tree);
  let count = 0;
  for await (const _ of findings) count++;
  tree.close();
  reader.count = findings.summary.pages;
  return { note: `findings: ${count}` };
}

function treeOf(files) {
  const robots = [
    'User-agent: *',
    ...DISALLOWED.map((path) => `Disallow: ${path}`),
    ...files.map((_, index) => `Sitemap: ${ORIGIN}/${index}.xml`),
  ].join('\n');
  const webClient = async (url) => {
    const { pathname } = new URL(url);
    const file = files[Number(/^\/(\d+)\.xml$/.exec(pathname)?.[1] ?? -1)];
    const isThere = pathname === '/robots.txt' || file !== undefined;
    return {
      status: isThere ? 200 : 404,
      statusText: '',
      headers: { get: (header) => (header.toLowerCase() === 'content-type' ? 'text/xml' : null) },
      body: file === undefined ? Readable.from([Buffer.from(isThere ? robots : '')]) : createReadStream(file),
    };
  };
  return sitemapTreeForHomepage(ORIGIN, { webClient, useKnownPaths: false });
}
