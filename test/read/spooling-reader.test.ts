/** §11.1, §11.2: what a tree keeps of responses, and of the documents of an earlier tree. */
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { expect, onTestFinished, test, vi } from 'vitest';
import { ResponseFacts } from '../../src/fetch/client/web-client.ts';
import type { OpenDocument } from '../../src/fetch/document.ts';
import { loadTree, saveTree } from '../../src/index.ts';
import { EntryAllowance } from '../../src/read/reader.ts';
import { SpoolingReader } from '../../src/read/spooling-reader.ts';
import { Stop } from '../../src/runtime/abort.ts';
import { internalsOf, type Sitemap, walkTree } from '../../src/sitemap/sitemap.ts';
import { Spool } from '../../src/sitemap/spool/spool.ts';
import { codesOf, DECLARED, siteOf, treeOf, urlsOf } from '../support/crawled-site.ts';
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
    '/begun',
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
    '/begun': { body: SITEMAP, truncateAfter: 4 },
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
    '/begun': 'disconnect',
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

test.each([
  ['unchanged', 200],
  ['stale', 503],
])('a document without an end is truncated, also where it is %s', async (freshness, status) => {
  const body = SITEMAP.replace('</urlset>', '');
  const server = await siteOf({ '/robots.txt': ['/s.xml'], '/s.xml': { body } });
  const path = join(folder(), 'tree.warc');
  await saveTree(await treeOf(server, DECLARED), path);
  const previous = await loadTree(path);
  onTestFinished(() => previous.close());
  server.site['/s.xml'] = { status, body };
  const tree = await treeOf(server, { ...DECLARED, previous, staleIfError: true });
  expect(nodeAt(tree, '/s.xml')).toMatchObject({ freshness, truncated: true });
  expect(tree.complete).toBe(false);
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

test('an archive whose documents a tree shows again stays open for it', async () => {
  const server = await siteOf({
    '/robots.txt': ['/s.xml'],
    '/s.xml': ({ headers }) =>
      headers['if-none-match'] === '"1"' ? { status: 304 } : { body: SITEMAP, headers: { etag: '"1"' } },
  });
  const path = join(folder(), 'tree.warc');
  await saveTree(await treeOf(server, DECLARED), path);
  const previous = await loadTree(path);
  const tree = await treeOf(server, { ...DECLARED, previous });
  previous.close();
  expect(urlsOf(tree.allPages())).toEqual(['https://example.org/1', 'https://example.org/2']);
});

test.each([
  ['said that it was the same', 7, 304],
  ['had a document, where the next ones failed', 6, 503],
])('what is stale is so since the last response that %s', async (_, since, status) => {
  const etag = '"1"';
  const server = await siteOf({
    '/robots.txt': ['/s.xml'],
    '/s.xml': ({ headers }) =>
      headers['if-none-match'] === etag ? { status } : { body: SITEMAP, headers: { etag } },
  });
  vi.useFakeTimers({ toFake: ['Date'] });
  onTestFinished(() => void vi.useRealTimers());
  let previous: Sitemap | undefined;
  for (const day of [6, 7, 8]) {
    vi.setSystemTime(Date.UTC(2013, 4, day));
    if (day === 8) server.site['/s.xml'] = { status: 503 };
    previous = await treeOf(server, { ...DECLARED, previous, staleIfError: true });
  }
  expect(nodeAt(previous!, '/s.xml').staleness).toMatchObject({
    since: new Date(Date.UTC(2013, 4, since)),
    runs: 8 - since,
  });
});

test('§8 what does not show what it is when the time is up ends with the reason of that', async () => {
  const spool = new Spool({ memoryBytes: 1e6 });
  onTestFinished(() => spool.close());
  const allowance = new EntryAllowance(1, { isFiltered: false });
  const reader = new SpoolingReader({ spool, allowance, onPages: undefined });
  const deadline = new Stop();
  const reason = new Error('the time is up');
  const url = 'https://example.org/s.xml';
  const request = { url: new URL(url), requestedAt: 0, hadCredentials: false };
  const end = { problems: [], truncated: true };
  const document: Pick<OpenDocument, 'url' | 'collect'> = {
    url,
    collect: async (openSink) => {
      const response = new ResponseFacts(new Response(null), request);
      const sink = openSink(response);
      sink.write(Buffer.from('<?xml version="1.0"?>'));
      deadline.abort(reason);
      return { sink, end, response };
    },
  };
  const place = { url, lastModified: undefined, parentUrls: new Set<string>() };
  await expect(reader.read(document as OpenDocument, place, deadline)).rejects.toBe(reason);
});
