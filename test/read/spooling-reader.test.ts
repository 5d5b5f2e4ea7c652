/** §11.1, §11.2: what a tree keeps of responses, and of the documents of an earlier tree. */
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { loadTree, saveTree } from '../../src/index.ts';
import { internalsOf, type Sitemap, walkTree } from '../../src/sitemap/sitemap.ts';
import { codesOf, DECLARED, siteOf, treeOf } from '../support/crawled-site.ts';
import { index, urlset } from '../support/documents.ts';
import { folder } from '../support/folder.ts';

const SITEMAP = urlset('https://example.org/1', 'https://example.org/2');

/** The node of a path, as it was declared. */
function nodeAt(tree: Sitemap, path: string): Sitemap {
  for (const { sitemap } of walkTree(tree))
    if ((sitemap.declaredUrl ?? sitemap.url).endsWith(path)) return sitemap;
  throw new Error(`${path} is not in the tree`);
}

test('what is missing of each response is kept with it, also of those that no sitemap shows', async () => {
  const paths = [
    '/moved',
    '/moved-with-text',
    '/refused',
    '/page',
    '/text',
    '/broken',
    '/damaged',
    '/large',
    '/whole',
  ];
  const server = await siteOf({
    '/robots.txt': paths,
    '/moved': { redirect: '/target', headers: { 'Content-Length': '0' } },
    '/moved-with-text': { redirect: '/target', body: 'moved', chunked: true },
    '/target': SITEMAP,
    // Its first bytes show that it is of no use: the others are not read.
    '/refused': `<!doctype html><html>${'<p>a</p>'.repeat(50_000)}`,
    '/page': '<!doctype html><html></html>',
    '/text': 'no address in it',
    '/broken': { body: SITEMAP, truncateAfter: SITEMAP.length - 1 },
    '/damaged': { body: gzipSync(SITEMAP).subarray(0, -10) },
    '/large': `${SITEMAP}${' '.repeat(500_000)}`,
    '/whole': SITEMAP,
  });
  const tree = await treeOf(server, { ...DECLARED, maxSitemapBytes: 450_000 });
  const { responses = [] } = internalsOf(tree).top?.documents ?? {};
  const shown = Array.from(walkTree(tree), ({ sitemap }) => internalsOf(sitemap).facts);
  const documents = [...responses, ...shown.flatMap((facts) => facts?.document ?? [])];
  const missing = documents.map(({ options, truncatedBy }) => [
    options.url?.replace(server.origin, ''),
    truncatedBy ?? 'nothing',
  ]);
  expect(Object.fromEntries(missing)).toEqual({
    '/robots.txt': 'nothing',
    '/moved': 'nothing',
    '/moved-with-text': 'unspecified',
    '/target': 'nothing',
    '/refused': 'unspecified',
    '/page': 'nothing',
    '/text': 'nothing',
    '/broken': 'disconnect',
    '/damaged': 'unspecified',
    '/large': 'length',
    '/whole': 'nothing',
  });
  const { document, hops } = internalsOf(nodeAt(tree, '/moved')).facts ?? {};
  expect([document?.bytes, hops?.map(({ options }) => options.url)]).toEqual([
    SITEMAP.length,
    [`${server.origin}/moved`],
  ]);
});

test('a document that is shown as the earlier tree has it keeps its problems, and what is missing of it', async () => {
  const many = index('/s.xml').replace('<sitemap>', `${'<sitemap></sitemap>'.repeat(101)}$&`);
  const server = await siteOf({
    '/robots.txt': ['/index.xml'],
    '/index.xml': many,
    '/s.xml': { body: SITEMAP, truncateAfter: SITEMAP.length - 1 },
  });
  const previous = await treeOf(server, DECLARED);
  Object.assign(server.site, { '/index.xml': { status: 500 }, '/s.xml': { status: 500 } });
  const tree = await treeOf(server, { ...DECLARED, previous, staleIfError: true });
  const above = nodeAt(tree, '/index.xml');
  expect([above.problemCount, new Set(codesOf(above.problems))]).toEqual([
    103,
    new Set(['entry-without-loc', 'relative-url', 'stale']),
  ]);
  const below = nodeAt(tree, '/s.xml');
  expect(codesOf(below.problems)).toEqual(['connection-broke', 'stale', 'truncated']);
  expect(below.truncated).toBe(true);
  expect(internalsOf(below).facts?.document?.truncatedBy).toBe('disconnect');
});

test('the problems of a document of an archive get a line where that is asked for only now', async () => {
  const headers = { etag: '"1"' };
  const server = await siteOf({
    '/robots.txt': ['/s.xml'],
    '/s.xml': ({ headers: asked }) =>
      asked['if-none-match'] === '"1"'
        ? { status: 304 }
        : { body: SITEMAP.replace('<url>', '\n<url></url>$&'), headers },
  });
  const path = join(folder(), 'tree.warc');
  await saveTree(await treeOf(server, DECLARED), path);
  const previous = await loadTree(path);
  const { freshness, problems } = nodeAt(
    await treeOf(server, { ...DECLARED, previous, problemPositions: true }),
    '/s.xml',
  );
  previous.close();
  expect(freshness).toBe('unchanged');
  expect(problems).toMatchObject([{ code: 'entry-without-loc', line: 2, column: 6 }]);
});
