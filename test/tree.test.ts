/** Specification §2, §5 and §8: the tree as a whole, one sitemap alone, and the options that are checked first. */
import { describe, expect, test } from 'vitest';
import {
  type InvalidSitemap,
  SitemapException,
  SitemapFetcher,
  type SitemapOptions,
  sitemapFromUrl,
  sitemapTreeForHomepage,
  streamPages,
} from '../src/index.ts';
import type { ScriptedResponse } from './server/scripted-server.ts';
import { describeIf } from './support/collected.ts';
import {
  codesOf,
  DECLARED,
  index,
  outline,
  QUICK,
  robots,
  siteOf,
  treeOf,
  urlset,
  urlsOf,
} from './support/crawled-site.ts';
import { withMoreTime } from './support/more-time.ts';
import { isFull } from './support/tier.ts';

const page = urlset('https://example.org/');

describe('§8 a wrong option rejects before anything is fetched, and names the option', () => {
  // test/options/options.test.ts has every option.
  test.each([
    ['concurrency', 0],
    ['recurse_callback', () => true],
  ])('%s', async (name, value) => {
    const server = await siteOf(() => ({ '*': page }));
    const options = { [name]: value } as SitemapOptions;
    const rejected = { name: 'SitemapException', code: 'bad-option', message: expect.stringContaining(name) };
    await expect(sitemapTreeForHomepage(server.origin, options)).rejects.toMatchObject(rejected);
    await expect(sitemapFromUrl(server.origin, options)).rejects.toMatchObject(rejected);
    expect(() => new SitemapFetcher(server.origin, options)).toThrow(SitemapException);
    expect(() => streamPages(server.origin, options)).toThrow(expect.objectContaining(rejected));
    expect(server.connections).toBe(0);
  });
});

describe('§2 an unsuccessful child never costs its siblings or its parent anything', () => {
  const broken: readonly [string, ScriptedResponse | string, string][] = [
    ['a status', { status: 404 }, 'http-status'],
    ['a server error', { status: 500 }, 'http-status'],
    ['a hang-up', { hangUp: true }, 'reset'],
    ['a redirect without end', { redirect: '/bad.xml?' }, 'redirects'],
    ['a redirect to another scheme', { redirect: 'ftp://example.org/' }, 'redirects'],
    ['silence', { silent: true }, 'timeout'],
    ['HTML', '<!doctype html><title>x</title>', 'not-a-sitemap'],
    ['nothing', '', 'not-a-sitemap'],
    ['another vocabulary', '<books/>', 'not-a-sitemap'],
    ['a picture', { body: Buffer.from('\x89PNG\r\n\x1a\n\0\0', 'latin1') }, 'not-a-sitemap'],
  ];

  test.each(broken)('%s', async (_name, answer, code) => {
    const server = await siteOf((origin) => ({
      '/robots.txt': robots(`${origin}/a.xml`, `${origin}/bad.xml`, `${origin}/b.xml`),
      '/bad.xml': answer,
      '/bad.xml?': { redirect: '/bad.xml' },
      '/a.xml': page,
      '/b.xml': page,
    }));
    await withMoreTime([1_000, 20_000], async (idleTimeoutMs) => {
      const tree = await treeOf(server, { ...DECLARED, idleTimeoutMs });
      expect(outline(tree, server)).toEqual([
        'robots-txt /robots.txt',
        '  pages-xml /a.xml 1',
        `  invalid /bad.xml ${code}`,
        '  pages-xml /b.xml 1',
      ]);
      const bad = tree.subSitemaps[0]!.subSitemaps[1] as InvalidSitemap;
      expect(bad.reason).toContain(`${server.origin}/bad.xml`);
      expect(bad.status).toBe(
        typeof answer === 'object' && code === 'http-status' ? answer.status : bad.status,
      );
      expect(bad.error).toBeInstanceOf(SitemapException);
      expect(tree.complete).toBe(false);
    });
  });

  test('an InvalidSitemap keeps the declared URL, and its reason says where it led', async () => {
    const server = await siteOf((origin) => ({
      '/robots.txt': robots(`${origin}/a.xml`),
      '/a.xml': { redirect: '/home' },
      '/home': '<!doctype html><title>x</title>',
    }));
    const [node] = (await treeOf(server, DECLARED)).subSitemaps[0]!.subSitemaps;
    expect(node).toMatchObject({ url: `${server.origin}/a.xml`, declaredUrl: undefined });
    expect((node as InvalidSitemap).reason).toContain(`${server.origin}/a.xml`);
    expect((node as InvalidSitemap).reason).toContain(`${server.origin}/home`);
  });
});

describe('§5 nodes', () => {
  test('node.url is as declared unless redirected, then the final URL, with declaredUrl', async () => {
    const server = await siteOf((origin) => ({
      '/robots.txt': robots(`${origin}/index.xml`),
      '/index.xml': index(`${origin}/./a.xml#part`, `${origin}/old.xml#part`),
      '/a.xml': page,
      '/old.xml': { redirect: '/new.xml' },
      '/new.xml': page,
    }));
    const [plain, moved] = (await treeOf(server, DECLARED)).subSitemaps[0]!.subSitemaps[0]!.subSitemaps;
    expect(plain).toMatchObject({ url: `${server.origin}/./a.xml#part`, declaredUrl: undefined });
    expect(moved).toMatchObject({
      url: `${server.origin}/new.xml`,
      declaredUrl: `${server.origin}/old.xml#part`,
    });
  });

  test('relative URLs resolve against the final URL', async () => {
    const server = await siteOf((origin) => ({
      '/robots.txt': robots(`${origin}/old.xml`),
      '/old.xml': { redirect: '/deep/index.xml' },
      '/deep/index.xml': index('child.xml'),
      '/deep/child.xml': urlset('page'),
    }));
    const tree = await treeOf(server, DECLARED);
    expect(outline(tree, server)).toEqual([
      'robots-txt /robots.txt',
      '  index-xml /deep/index.xml (/old.xml)',
      '    pages-xml /deep/child.xml 1',
    ]);
    expect(urlsOf(tree.allPages())).toEqual([`${server.origin}/deep/page`]);
    expect(codesOf(tree.subSitemaps[0]!.subSitemaps[0]!.problems)).toEqual(['relative-url']);
  });

  test('a tree is walked without asking for types; what does not apply is empty', async () => {
    const server = await siteOf((origin) => ({
      '/robots.txt': robots(`${origin}/a.xml`, `${origin}/gone.xml`),
      '/a.xml': page,
    }));
    const tree = await treeOf(server, DECLARED);
    for (const node of [tree, ...tree.allSitemaps()]) {
      expect(Array.isArray(node.subSitemaps)).toBe(true);
      expect(node.pageCount).toBe([...node.pages].length);
      expect(node.problemCount).toBe(node.problems.length);
    }
  });

  test('lists are allPages() and allSitemaps(), depth-first in declaration order', async () => {
    const server = await siteOf((origin) => ({
      '/robots.txt': robots(`${origin}/1.xml`, `${origin}/4.xml`),
      '/1.xml': { body: index(`${origin}/2.xml`, `${origin}/3.xml`), delayMs: 20 },
      '/2.xml': { body: urlset('https://example.org/2'), delayMs: 10 },
      '/3.xml': urlset('https://example.org/3'),
      '/4.xml': urlset('https://example.org/4'),
    }));
    const tree = await treeOf(server, DECLARED);
    expect(urlsOf(tree.allSitemaps()).map((url) => url.replace(server.origin, ''))).toEqual([
      '/robots.txt',
      '/1.xml',
      '/2.xml',
      '/3.xml',
      '/4.xml',
    ]);
    expect(urlsOf(tree.allPages())).toEqual([2, 3, 4].map((n) => `https://example.org/${n}`));
    const async_: string[] = [];
    for await (const { url } of tree.allPages()) async_.push(url);
    expect(async_).toEqual(urlsOf(tree.allPages()));
  });

  test('close() and using release the tree; no file or socket is left to wait for', async () => {
    const server = await siteOf((origin) => ({ '/robots.txt': robots(`${origin}/a.xml`), '/a.xml': page }));
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

describe('sitemapFromUrl and SitemapFetcher: one sitemap and all below it', () => {
  test('an index is recursed into; robots.txt and known paths are not looked for', async () => {
    const server = await siteOf((origin) => ({
      '/index.xml': index(`${origin}/a.xml`, `${origin}/gone.xml`),
      '/a.xml': page,
      '/sitemap.xml': page,
      '/robots.txt': robots(`${origin}/x.xml`),
    }));
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
    const server = await siteOf(() => ({ '/deep/map?id=1': page }));
    expect(await sitemapFromUrl(`${server.origin}/deep/map?id=1#x`, QUICK)).toMatchObject({
      kind: 'pages-xml',
      pageCount: 1,
    });
  });

  test('an unreadable one is an InvalidSitemap, never a rejection', async () => {
    const server = await siteOf(() => ({}));
    expect(await sitemapFromUrl(`${server.origin}/gone.xml`, QUICK)).toMatchObject({
      kind: 'invalid',
      code: 'http-status',
      status: 404,
      url: `${server.origin}/gone.xml`,
    });
  });

  test('a fetcher can be asked twice', async () => {
    const server = await siteOf(() => ({ '/a.xml': page }));
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
      '/robots.txt': robots(`${origin}/index.xml`),
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
