/** §1.4 What is said of known paths that fail or have no room, and of a site whose robots.txt cannot be read. */
import { expect, test } from 'vitest';
import { Lineage } from '../../src/crawl/lineage.ts';
import { crawlTree } from '../../src/crawl/tree-crawl.ts';
import { UndeclaredSitemaps } from '../../src/crawl/undeclared-sitemaps.ts';
import { SitemapException, streamPages, type WebResponse } from '../../src/index.ts';
import { resolveOptions } from '../../src/options/resolve.ts';
import { SitePool } from '../../src/site-pool.ts';
import { NO_PAGES } from '../../src/sitemap/page-source.ts';
import { documentKey } from '../../src/url.ts';
import type { Site } from '../server/scripted-server.ts';
import { codesOf, DECLARED, outline, QUICK, siteOf, treeOf } from '../support/crawled-site.ts';
import { urlset } from '../support/documents.ts';

const page = urlset('https://example.org/');
const html = '<!doctype html><title>x</title>';

test.each<[string, Site, readonly (readonly [documents: number, what: string, rest: string])[]]>([
  ['one', { '/sitemap.xml': { status: 403 } }, [[1, '/sitemap.xml', '']]],
  [
    'two for one reason',
    { '/sitemap.txt': { status: 403 }, '/sitemap': { status: 403 } },
    [[2, '/sitemap', ' The same happened at 1 other known path.']],
  ],
  [
    'several for two reasons',
    {
      '/sitemap.xml': { status: 500 },
      '/sitemap_index.xml': { status: 403 },
      '/sitemap.php': { status: 500 },
      '/sitemaps.xml': { status: 500 },
    },
    [
      [3, '/sitemap.xml', ' The same happened at 2 other known paths.'],
      [1, '/sitemap_index.xml', ''],
    ],
  ],
  [
    'two for reasons without a status',
    { '/sitemap.xml': { hangUp: true }, '/sitemap_index.xml': { redirect: 'http://10.0.0.1/' } },
    [
      [1, '/sitemap.xml', ''],
      [1, '/sitemap_index.xml', ''],
    ],
  ],
  [
    'HTML pages of any status, and no other file that is not a sitemap',
    { '/sitemap.xml': html, '/sitemap.php': html, '/sitemap.txt': '{"a": 1}', '/sitemap': { status: 410 } },
    [[2, '/sitemap.xml', ' The same happened at 1 other known path.']],
  ],
])('known paths that fail: %s', async (_what, site, expected) => {
  const server = await siteOf({ '/robots.txt': '', ...site });
  const tree = await treeOf(server, QUICK);
  const found = tree.problems.map(({ code, message, documents }) => {
    expect(code).toBe('known-path-failed');
    expect(message).toContain('A known path could not be read. ');
    const rest = / The same happened .*$/.exec(message)?.[0] ?? '';
    return [documents, message.split(server.origin)[1]?.split(/[\s:,]/)[0], rest];
  });
  expect(found).toEqual(expected);
});

test('known paths without room are counted among all that were found', async () => {
  const names = ['/sitemap.xml', '/sitemap_index.xml', '/sitemap.txt', '/sitemap-0.xml', '/sitemaps.xml'];
  const server = await siteOf({ ...Object.fromEntries(names.map((name) => [name, page])) });
  for (const [maxSitemaps, expected] of [
    [2, ['3 of its 5 sitemaps']],
    [4, ['1 of its 5 sitemaps']],
    [5, []],
  ] as const) {
    const tree = await treeOf(server, { ...QUICK, maxSitemaps });
    expect(tree.subSitemaps).toHaveLength(maxSitemaps);
    expect(tree.problems.map(({ message }) => message.split(' were')[0])).toEqual(expected);
    expect([tree.complete, tree.stopped?.limit]).toEqual(
      expected.length === 0 ? [true, undefined] : [false, 'maxSitemaps'],
    );
  }
});

test('known paths that an archive does not have are no problem', async () => {
  const webClient = async (url: string): Promise<WebResponse> => {
    if (url.endsWith('/robots.txt')) return new Response('');
    throw new SitemapException('It is not in it.', { code: 'not-in-archive' });
  };
  const tree = await treeOf({ origin: 'https://example.org' }, { webClient, retries: 0 });
  expect([tree.problems, tree.complete]).toEqual([[], true]);
});

test('all known paths are requested before what they declare, also where a callback chooses', async () => {
  const server = await siteOf({ '/a.xml': ['/x.xml'], '/b.xml': page, '/x.xml': page });
  const options = { ...DECLARED, useRobots: false, extraKnownPaths: ['a.xml', 'b.xml'], concurrency: 1 };
  await treeOf(server, { ...options, recurseCallback: () => true });
  expect(server.paths()).toEqual(['/a.xml', '/b.xml', '/x.xml']);
});

test('an index that is kept does not repeat one at a known path to which it links back', async () => {
  const server = await siteOf({
    '/top.xml': ['/i.xml', '/a.xml'],
    '/i.xml': ['/top.xml', '/b.xml'],
    '/a.xml': { pages: ['/1'] },
    '/b.xml': { pages: ['/2'] },
  });
  const options = { ...DECLARED, extraKnownPaths: ['top.xml', 'other.xml'] };
  const previous = await treeOf(server, options);
  Object.assign(server.site, { '/top.xml': ['/new.xml', '/a.xml'], '/new.xml': { status: 503 } });
  const tree = await treeOf(server, { ...options, previous, staleIfError: true });
  expect(outline(tree, server)).toEqual([
    'index-xml /top.xml',
    '  invalid /new.xml http-status',
    '  pages-xml /a.xml 1',
    'index-xml /i.xml',
    '  invalid /top.xml recursion',
    '  pages-xml /b.xml 1',
  ]);
  // What failed now comes before what is not kept.
  server.site['/other.xml'] = { status: 403 };
  const without = { ...DECLARED, extraKnownPaths: ['other.xml'], previous, staleIfError: true };
  expect(codesOf((await treeOf(server, without)).problems)).toEqual(['known-path-failed', 'not-kept']);
});

test('an index at a known path that is too old, with nothing below it that is left, has no node', async () => {
  const server = await siteOf({ '/i.xml': ['/a.xml'], '/a.xml': page });
  const options = { ...DECLARED, extraKnownPaths: ['i.xml'], staleIfError: true, maxStaleMs: 0 };
  const previous = await treeOf(server, options);
  Object.assign(server.site, { '/i.xml': { status: 503 }, '/a.xml': { status: 503 } });
  const tree = await treeOf(server, { ...options, previous });
  expect(outline(tree, server)).toEqual([]);
  server.site['/a.xml'] = page;
  expect(outline(await treeOf(server, { ...options, previous }), server)).toEqual([
    'index-xml /i.xml',
    '  pages-xml /a.xml 1',
  ]);
});

test('what is found at known paths stays there where an index that nothing declares any more lists it', async () => {
  const server = await siteOf({
    '/robots.txt': ['/old.xml'],
    '/old.xml': ['/k.xml'],
    '/k.xml': page,
    '/z.xml': page,
  });
  const options = { ...DECLARED, extraKnownPaths: ['k.xml', 'z.xml'], staleIfError: true };
  const previous = await treeOf(server, options);
  Object.assign(server.site, { '/robots.txt': ['/new.xml'], '/new.xml': { status: 503 } });
  expect(outline(await treeOf(server, { ...options, previous }), server)).toEqual([
    'robots-txt /robots.txt',
    '  invalid /new.xml http-status',
    'pages-xml /k.xml 1',
    'pages-xml /z.xml 1',
    'index-xml /old.xml',
    '  pages-xml /k.xml 1',
  ]);
});

test('links of the homepage are among all that were found where known paths have no room', async () => {
  const server = await siteOf({
    '/': '<link rel=sitemap href=/a.xml><link rel=sitemap href=/b.xml>',
    '/a.xml': page,
    '/b.xml': page,
    '/c.xml': page,
    '/d.xml': page,
  });
  const options = { ...DECLARED, useHomepageLinks: true, extraKnownPaths: ['c.xml', 'd.xml', 'e.xml'] };
  const tree = await treeOf(server, { ...options, maxSitemaps: 3 });
  expect(tree.problems.map(({ message }) => message.split(' were')[0])).toEqual(['1 of its 4 sitemaps']);
});

test('a known path that redirects to a sitemap that a callback left out is no problem', async () => {
  const server = await siteOf({
    '/robots.txt': ['/a.xml'],
    '/a.xml': page,
    '/sitemap.xml': { redirect: '/a.xml' },
  });
  const options = { ...QUICK, recurseCallback: () => false };
  expect(await treeOf(server, options)).toMatchObject({ problems: [], complete: true });
  const stream = streamPages(server.origin, options);
  for await (const _ of stream) expect.unreachable();
  expect([stream.problems, stream.complete]).toEqual([[], true]);
});

test.each<[string, Site[string], boolean, object | undefined]>([
  ['is missing', { status: 404 }, true, undefined],
  ['is gone', { status: 410 }, true, undefined],
  ['is an HTML page', html, true, { code: 'robots-txt-failed', failure: 'not-a-sitemap' }],
  ['is refused', { status: 403 }, false, { code: 'robots-txt-failed', failure: 'http-status', status: 403 }],
])(
  'a site with a known path, whose robots.txt %s: complete, and its problem',
  async (_what, body, complete, problem) => {
    const server = await siteOf({ '/robots.txt': body, '/sitemap.xml': page });
    const tree = await treeOf(server, QUICK);
    expect(tree.complete).toBe(complete);
    expect(tree.problems).toMatchObject(problem === undefined ? [] : [problem]);
    expect(tree.triedPaths?.[0]).toMatchObject({
      url: `${server.origin}/robots.txt`,
      ...(body === html && { isHtml: true }),
    });
  },
);

test('a limit that comes before everything is named by the problems of the site, not by its known paths', async () => {
  const server = await siteOf({ '/robots.txt': '', '/sitemap.xml': page });
  const pool = new SitePool({
    ...DECLARED,
    useKnownPaths: true,
    useHomepageLinks: true,
    allowPrivateNetworks: true,
  });
  const onStart = (end: (limit: string, message: string) => void): void => end('maxSiteBytes', 'enough');
  using tree = await pool.tree(server.origin, {}, { onStart, onPages: () => {} });
  expect(tree.stopped).toEqual({ limit: 'maxSiteBytes', message: 'enough' });
  expect(tree.problems.map(({ code, failure, option }) => [code, failure, option])).toEqual([
    ['robots-txt-failed', 'limit', 'maxSiteBytes'],
    ['homepage-links-failed', 'limit', 'maxSiteBytes'],
  ]);
  expect(server.requests).toEqual([]);
  await pool.close();
});

test.each<[what: string, listed: readonly string[], leftOut: number, problems: readonly string[]]>([
  ['none', [], 0, []],
  ['those that were kept', ['a', 'b'], 0, ['2 of its 2']],
  ['those that were not kept', [], 10, ['10 of its 10']],
  ['those that were kept, and the others', ['a', 'b'], 10, ['12 of its 12']],
  ['not one that has a place already', ['top'], 0, []],
  ['not one that has a place already, but the others', ['top', 'a'], 10, ['11 of its 11']],
])(
  'sitemaps that are listed as pages and have no room are counted: %s',
  async (_what, listed, leftOut, problems) => {
    const url = 'https://example.org/top';
    const site = new URL(url);
    const options = resolveOptions({ maxSitemaps: 1, proxy: false, followListedSitemaps: true }, 'tree');
    const entries = listed.map((name) => ({ url: `https://example.org/${name}`, lastModified: undefined }));
    const read = { status: 200, problems: [], problemCount: 0, truncated: false, redirected: false };
    const outcome = {
      ...read,
      type: 'pages',
      kind: 'pages-text',
      pages: NO_PAGES,
      url,
      listed: { entries, leftOut },
    } as const;
    let found: readonly string[] = [];
    await crawlTree({ call: 'homepage', site, options, sharing: undefined }, async (crawl) => {
      crawl.takeNode(url);
      crawl.declared.add(documentKey(url));
      const node = await crawl.node({ url, lastModified: undefined }, Lineage.top, outcome);
      const followed = await new UndeclaredSitemaps(crawl).followListed();
      found = followed.map(({ message }) => message.replace(/ sitemaps .*/, ''));
      return node;
    });
    expect(found).toEqual(problems);
  },
);
