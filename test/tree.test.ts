/** Specification §2, §5 and §8: the tree as a whole, one sitemap alone, and the options that are checked first. */
import { describe, expect, test } from 'vitest';
import {
  type InvalidSitemap,
  type Sitemap,
  SitemapException,
  SitemapFetcher,
  type SitemapOptions,
  sitemapFromUrl,
  sitemapTreeForHomepage,
  streamPages,
} from '../src/index.ts';
import { SitePool } from '../src/site-pool.ts';
import { describeIf, testIf } from './support/collected.ts';
import { codesOf, DECLARED, outline, QUICK, siteOf, treeOf, urlsOf } from './support/crawled-site.ts';
import { index, urlset } from './support/documents.ts';
import { folder } from './support/folder.ts';
import { openSpools, SHOWS_OPEN_FILES } from './support/sitemaps.ts';
import { isFull } from './support/tier.ts';

const page = urlset('https://example.org/');

describe('§8 a wrong option rejects before anything is fetched, and names the option', () => {
  // test/options/options.test.ts has every option.
  test.each([
    ['concurrency', 0],
    ['recurse_callback', () => true],
  ])('%s', async (name, value) => {
    const server = await siteOf({ '*': page });
    const options = { [name]: value } as SitemapOptions;
    const rejected = { name: 'SitemapException', code: 'bad-option', message: expect.stringContaining(name) };
    await expect(sitemapTreeForHomepage(server.origin, options)).rejects.toMatchObject(rejected);
    await expect(sitemapFromUrl(server.origin, options)).rejects.toMatchObject(rejected);
    expect(() => new SitemapFetcher(server.origin, options)).toThrow(SitemapException);
    expect(() => streamPages(server.origin, options)).toThrow(expect.objectContaining(rejected));
    expect(server.connections).toBe(0);
  });
});

// That an unsuccessful child costs its siblings nothing is shown by every row of test/hostile/fault-matrix.test.ts.
describe('§2 an unsuccessful child', () => {
  test('an InvalidSitemap keeps the declared URL, and its reason says where it led', async () => {
    const server = await siteOf({
      '/robots.txt': ['/a.xml'],
      '/a.xml': { redirect: '/home' },
      '/home': '<!doctype html><title>x</title>',
    });
    const [node] = (await treeOf(server, DECLARED)).subSitemaps[0]!.subSitemaps;
    expect(node).toMatchObject({ url: `${server.origin}/a.xml`, declaredUrl: undefined });
    expect((node as InvalidSitemap).reason).toContain(`${server.origin}/a.xml`);
    expect((node as InvalidSitemap).reason).toContain(`${server.origin}/home`);
  });
});

describe('§5 nodes', () => {
  test('node.url is as declared unless redirected, then the final URL, with declaredUrl', async () => {
    const server = await siteOf({
      '/robots.txt': ['/index.xml'],
      '/index.xml': ['/./a.xml#part', '/old.xml#part'],
      '/a.xml': page,
      '/old.xml': { redirect: '/new.xml' },
      '/new.xml': page,
    });
    const [plain, moved] = (await treeOf(server, DECLARED)).subSitemaps[0]!.subSitemaps[0]!.subSitemaps;
    expect(plain).toMatchObject({ url: `${server.origin}/./a.xml#part`, declaredUrl: undefined });
    expect(moved).toMatchObject({
      url: `${server.origin}/new.xml`,
      declaredUrl: `${server.origin}/old.xml#part`,
    });
  });

  test('the hosts of a site are those that its robots.txt redirects to, too', async () => {
    const server = await siteOf((origin) => ({
      '/robots.txt': ({ headers }) =>
        headers.host?.startsWith('localhost') === true
          ? { redirect: `${origin}/robots.txt` }
          : `Sitemap: ${origin}/a.xml`,
      '/a.xml': urlset('http://localhost/1', 'http://127.0.0.1/2', 'https://example.org/3'),
    }));
    const homepage = server.origin.replace('127.0.0.1', 'localhost');
    const tree = await treeOf({ origin: homepage }, { ...DECLARED, allowPrivateNetworks: true });
    expect(urlsOf(tree.allPages({ hosts: 'same' }))).toEqual(['http://localhost/1', 'http://127.0.0.1/2']);
  });

  test('relative URLs resolve against the final URL', async () => {
    const server = await siteOf({
      '/robots.txt': ['/old.xml'],
      '/old.xml': { redirect: '/deep/index.xml' },
      '/deep/index.xml': index('child.xml'),
      '/deep/child.xml': urlset('page'),
    });
    const tree = await treeOf(server, DECLARED);
    expect(outline(tree, server)).toEqual([
      'robots-txt /robots.txt',
      '  index-xml /deep/index.xml (/old.xml)',
      '    pages-xml /deep/child.xml 1',
    ]);
    expect(urlsOf(tree.allPages())).toEqual([`${server.origin}/deep/page`]);
    expect(codesOf(tree.subSitemaps[0]!.subSitemaps[0]!.problems)).toEqual(['relative-url']);
  });

  test('close() and using release the tree; no file or socket is left to wait for', async () => {
    const server = await siteOf({ '/robots.txt': ['/a.xml'], '/a.xml': page });
    let kept: { readonly pages: Iterable<unknown> };
    {
      using tree = await sitemapTreeForHomepage(server.origin, { ...DECLARED, spoolMemoryBytes: 0 });
      kept = tree.subSitemaps[0]!.subSitemaps[0]!;
      expect([...kept.pages]).toHaveLength(1);
    }
    expect(() => [...kept.pages]).toThrow(expect.objectContaining({ code: 'tree-closed' }));
    await server.allSocketsClosed();
  });
});

test('sites of a pool have each its own tree, and share one network until that is closed', async () => {
  const servers = await Promise.all(
    ['a', 'b'].map((name) =>
      siteOf({ '/robots.txt': ['/s.xml'], '/s.xml': urlset(`https://example.org/${name}`) }),
    ),
  );
  const pool = new SitePool({ ...DECLARED, allowPrivateNetworks: true });
  const started: string[] = [];
  const follower = { onPages: ({ url }: Sitemap) => void started.push(url), onStart: () => {} };
  const trees = await Promise.all(servers.map(({ origin }) => pool.tree(origin, {}, follower)));
  const one = await pool.sitemap(`${servers[0]?.origin}/s.xml`, {});
  expect(trees.map((tree) => urlsOf(tree.allPages()))).toEqual([
    ['https://example.org/a'],
    ['https://example.org/b'],
  ]);
  expect(urlsOf(one.allPages())).toEqual(['https://example.org/a']);
  expect(started.sort()).toEqual(servers.map(({ origin }) => `${origin}/s.xml`).sort());
  for (const tree of [...trees, one]) tree.close();
  await pool.close();
  for (const server of servers) await server.allSocketsClosed();
});

describe('sitemapFromUrl and SitemapFetcher: one sitemap and all below it', () => {
  test('an index is recursed into; robots.txt and known paths are not looked for', async () => {
    const server = await siteOf({
      '/index.xml': ['/a.xml', '/gone.xml'],
      '/a.xml': page,
      '/sitemap.xml': page,
      '/robots.txt': ['/x.xml'],
    });
    for (const sitemap of [
      await sitemapFromUrl(`${server.origin}/index.xml`, QUICK),
      await new SitemapFetcher(new URL('/index.xml', server.origin), QUICK).sitemap(),
    ]) {
      expect(sitemap).toMatchObject({ kind: 'index-xml', url: `${server.origin}/index.xml` });
      expect(outline(sitemap, server)).toEqual(['pages-xml /a.xml 1', 'invalid /gone.xml http-status']);
    }
    expect(new Set(server.paths())).toEqual(new Set(['/index.xml', '/a.xml', '/gone.xml']));
  });

  test('the path and the query are kept', async () => {
    const server = await siteOf({ '/deep/map?id=1': page });
    expect(await sitemapFromUrl(`${server.origin}/deep/map?id=1#x`, QUICK)).toMatchObject({
      kind: 'pages-xml',
      pageCount: 1,
    });
  });

  test('an unreadable one is an InvalidSitemap, never a rejection', async () => {
    const server = await siteOf({});
    expect(await sitemapFromUrl(`${server.origin}/gone.xml`, QUICK)).toMatchObject({
      kind: 'invalid',
      code: 'http-status',
      status: 404,
      url: `${server.origin}/gone.xml`,
    });
  });

  test('a fetcher can be asked twice', async () => {
    const server = await siteOf({ '/a.xml': page });
    const fetcher = new SitemapFetcher(`${server.origin}/a.xml`, QUICK);
    expect((await fetcher.sitemap()).pageCount).toBe(1);
    expect((await fetcher.sitemap()).pageCount).toBe(1);
  });
});

describeIf(isFull, '§8 concurrency', () => {
  // A run of test/crawl/many-sitemaps.test.ts by itself has an index of 600 children.
  test('an index of more children than are handed to the fetcher at once is fetched, in order, over few connections', async () => {
    const names = Array.from({ length: 1100 }, (_, at) => `/s${at}.txt`);
    const server = await siteOf((origin) => ({
      '/robots.txt': ['/index.xml'],
      '/index.xml': index(...names.map((name) => origin + name)),
      '*': 'https://example.org/\n',
    }));
    const tree = await treeOf(server, { ...DECLARED, perHostConcurrency: 4 });
    expect(tree.complete).toBe(true);
    expect(urlsOf(tree.subSitemaps[0]!.subSitemaps[0]!.subSitemaps)).toEqual(
      names.map((name) => server.origin + name),
    );
    expect(server.connections).toBeLessThan(50);
  });
});

testIf(SHOWS_OPEN_FILES)('§8 a call that is aborted keeps no file of documents open', async () => {
  const options = { ...DECLARED, spoolMemoryBytes: 0, spoolDirectory: folder() };
  const ending = new AbortController();
  const server = await siteOf({
    '/robots.txt': ['/a.xml', '/slow.xml'],
    '/a.xml': page.replace('</urlset>', `<!--${' '.repeat(300_000)}--></urlset>`),
    '/slow.xml': { body: page, delayMs: 30_000 },
  });
  const call = sitemapTreeForHomepage(server.origin, { ...options, signal: ending.signal });
  call.catch(() => {});
  await expect.poll(() => openSpools(options.spoolDirectory)).not.toEqual([]);
  ending.abort(new Error('enough'));
  await expect(call).rejects.toThrow('enough');
  expect(openSpools(options.spoolDirectory)).toEqual([]);
});
