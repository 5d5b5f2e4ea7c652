/** §5, §12, §14 a second loop over a result throws with a sentence, or starts again; it never requests anything. */
import { expect, test } from 'vitest';
import { crawlSites } from '../src/batch/index.ts';
import {
  checkSite,
  checkSitemap,
  checkSitemaps,
  checkTree,
  filterPages,
  jsonChunks,
  reportHtml,
  type Sitemap,
  sitemapTreeForHomepage,
  streamPages,
  walkTree,
} from '../src/index.ts';
import { parseSitemap } from '../src/parse/index.ts';
import { sitemapXml } from '../src/write/index.ts';
import { DECLARED, siteOf } from './support/crawled-site.ts';
import { urlset } from './support/documents.ts';

type Result = Iterable<unknown> | AsyncIterable<unknown>;

async function loop(result: Result): Promise<number> {
  let items = 0;
  for await (const _ of result) items++;
  return items;
}

const XML = urlset('https://example.org/1');

const USED: readonly (readonly [name: string, code: string, make: (tree: Sitemap) => Result])[] = [
  ['parseSitemap', 'parse-used', () => parseSitemap(XML)],
  ['checkSitemap', 'check-used', () => checkSitemap(XML)],
  ['checkSitemaps', 'check-used', () => checkSitemaps([{ content: XML }])],
  ['checkSite', 'check-used', ({ url }) => checkSite(url, DECLARED)],
  [
    'checkTree with pages',
    'check-used',
    (tree) => checkTree(tree, { requestPages: 'all', network: DECLARED }),
  ],
  ['streamPages', 'stream-used', ({ url }) => streamPages(url, DECLARED)],
  ['crawlSites', 'crawl-used', ({ url }) => crawlSites([url], DECLARED)],
  ['jsonChunks', 'text-used', jsonChunks],
  ['reportHtml', 'text-used', reportHtml],
  ['sitemapXml', 'text-used', () => sitemapXml(['https://example.org/1'])],
];

const RESTARTS: readonly (readonly [name: string, make: (tree: Sitemap) => Result])[] = [
  ['checkTree', checkTree],
  ['walkTree', walkTree],
  ['allPages', (tree) => tree.allPages()],
  ['batches of pages', (tree) => tree.allPages().batches()],
  ['batchesAsync of pages', (tree) => tree.allPages().batchesAsync()],
  ['allSitemaps', (tree) => tree.allSitemaps()],
  ['filterPages over a tree', (tree) => filterPages(tree.allPages(), { include: '1' })],
];

async function servedTree(): Promise<{ tree: Sitemap; requests: readonly unknown[] }> {
  const server = await siteOf((origin) => ({
    '/robots.txt': ['/a.xml'],
    '/a.xml': urlset(`${origin}/1`),
    '/1': '<title>A page</title>',
  }));
  return { tree: await sitemapTreeForHomepage(server.origin, DECLARED), requests: server.requests };
}

test.each(USED)('a second loop over the result of %s throws %s', async (name, code, make) => {
  const { tree, requests } = await servedTree();
  using _closing = tree;
  const result = make(tree);
  await loop(result);
  const { length } = requests;
  await expect(loop(result)).rejects.toMatchObject({
    name: 'SitemapException',
    code,
    message: expect.stringMatching(new RegExp(`once; .*(?:\\b${name.split(' ')[0]}\\b|new one).*\\.$`)),
  });
  expect(requests).toHaveLength(length);
});

test.each(RESTARTS)('a second loop over %s starts again', async (_name, make) => {
  const { tree, requests } = await servedTree();
  using _closing = tree;
  const result = make(tree);
  const items = await loop(result);
  const { length } = requests;
  expect(items).toBeGreaterThan(0);
  expect(await loop(result)).toBe(items);
  expect(requests).toHaveLength(length);
});

test('a loop that was left is not continued by the next', async () => {
  const { tree } = await servedTree();
  using _closing = tree;
  const crawl = crawlSites([tree.url, tree.url], DECLARED);
  for await (const _ of crawl) break;
  await expect(loop(crawl)).rejects.toMatchObject({ code: 'crawl-used' });
});

test('a loop goes on behind results that were taken by next()', async () => {
  const { tree } = await servedTree();
  using _closing = tree;
  const crawl = crawlSites([tree.url, tree.url], DECLARED);
  expect(await crawl.next()).toMatchObject({ done: false });
  expect(await loop(crawl[Symbol.asyncIterator]())).toBe(1);
});
